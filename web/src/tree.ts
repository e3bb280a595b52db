// The graph as lines of an outline: the same scopes, ops, inputs and outputs, nested, in the order they ran.

import type { Graph } from "./bundle.ts";
import { inOrder } from "./folding.ts";
import { opTitle, outputNames, reveal, scopeTitle, showShape } from "./labels.ts";
import { at, makesOf } from "./recorded.ts";
import { foldable, type Target } from "./selection.ts";

/** One visible line. `folds` says whether it can be opened; `position` and `siblings` count from 1. */
export interface Line {
  key: string;
  target: Target;
  title: string;
  form: string;
  level: number;
  folds: boolean;
  open: boolean;
  position: number;
  siblings: number;
}

/** The lines that are seen with these scopes open. The first is the whole model, which is always open. */
export function outlineLines(graph: Graph, opened: Iterable<string>): Line[] {
  const names = new Set(opened);
  const folds = foldable(graph);
  const inside: Target[][] = graph.scopes.map(() => []);
  graph.values.forEach((value, id) => {
    if (value.kind === "input" && inside[0]) inside[0].push({ kind: "value", id });
  });
  for (const [kind, id] of inOrder(graph)) {
    const parent = kind === "scope" ? at(graph.scopes, id).parent : at(graph.ops, id).scope;
    if (parent !== null) at(inside, parent).push({ kind, id });
  }
  const lines: Line[] = [];
  const visit = (target: Target, level: number, position: number, siblings: number): void => {
    const { kind, id } = target;
    const root = kind === "scope" && at(graph.scopes, id).parent === null;
    const scope = kind === "scope" ? at(graph.scopes, id) : null;
    const open = root || (scope !== null && names.has(scope.name));
    const folding = !root && kind === "scope" && (open || at(folds, id));
    const text = textOf(graph, target);
    lines.push({ key: `${kind}:${id}`, target, ...text, level, folds: folding, open, position, siblings });
    if (!open) return;
    const children = at(inside, id);
    const outputs = root ? outputNames(graph) : [];
    const all = children.length + outputs.length;
    children.forEach((child, i) => visit(child, level + 1, i + 1, all));
    outputs.forEach(([name, value], i) => {
      const line = { key: `output:${i}`, target: { kind: "value" as const, id: value }, title: `→ ${reveal(name)}` };
      const place = { level: level + 1, folds: false, open: false, position: children.length + i + 1, siblings: all };
      lines.push({ ...line, form: showShape(at(graph.values, value).shape), ...place });
    });
  };
  graph.scopes.forEach((scope, id) => {
    if (scope.parent === null) visit({ kind: "scope", id }, 1, 1, 1);
  });
  return lines;
}

function textOf(graph: Graph, { kind, id }: Target): { title: string; form: string } {
  if (kind === "scope") return { title: scopeTitle(graph, id), form: "" };
  if (kind === "value") {
    const value = at(graph.values, id);
    return { title: reveal(value.name), form: `${showShape(value.shape)} input` };
  }
  const [made] = makesOf(at(graph.ops, id));
  return { title: opTitle(graph, id), form: made === undefined ? "" : showShape(at(graph.values, made).shape) };
}

/** The line that stands for a target: its own, or that of the closest scope around it that is seen; -1 for none. */
export function lineOf(graph: Graph, lines: Line[], target: Target | null): number {
  if (target === null) return -1;
  const find = (kind: string, id: number): number => lines.findIndex((line) => line.key === `${kind}:${id}`);
  const op = target.kind === "op" ? target.id : target.kind === "value" ? at(graph.values, target.id).op : null;
  const own = target.kind === "scope" ? -1 : op === null ? find("value", target.id) : find("op", op);
  if (own >= 0) return own;
  let scope: number | null = target.kind === "scope" ? target.id : op === null ? null : at(graph.ops, op).scope;
  if (target.kind === "value" && op === null) {
    const owner = graph.scopes.findIndex((each) => Object.values(each.parameters).includes(target.id));
    scope = owner < 0 ? null : owner;
  }
  for (; scope !== null; scope = at(graph.scopes, scope).parent) {
    const line = find("scope", scope);
    if (line >= 0) return line;
  }
  return -1;
}
