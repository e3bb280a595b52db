// What the small window over a box or a line says: name, kind, shape and dtype.

import type { Graph } from "./bundle.ts";
import { opsOf } from "./facts.ts";
import { reveal, showShape } from "./labels.ts";
import type { Box, Edge } from "./layout.ts";
import { at, makesOf } from "./recorded.ts";

/** A value's form in words: float32, 6 × 8. */
export function form(graph: Graph, value: number): string {
  const { dtype, shape } = at(graph.values, value);
  return `${dtype}, ${showShape(shape)}`;
}

/** Lines about a box. */
export function aboutBox(graph: Graph, box: Box): string[] {
  if (box.kind === "scope") {
    const scope = at(graph.scopes, box.ref);
    const shapes = box.line ? [box.line] : [];
    return [reveal(scope.name), reveal(scope.class), ...shapes, count(opsOf(graph, box.ref).length, "operation")];
  }
  if (box.kind === "op") {
    const op = at(graph.ops, box.ref);
    const made = makesOf(op).slice(0, 4);
    return [reveal(op.function), ...made.map((id) => `${reveal(at(graph.values, id).name)}: ${form(graph, id)}`)];
  }
  return [box.title, `${box.kind}, ${form(graph, box.ref)}`];
}

/** Lines about a line: the values that go along it. */
export function aboutEdge(graph: Graph, edge: Edge): string[] {
  const shown = edge.values.slice(0, 5).map((id) => `${reveal(at(graph.values, id).name)}: ${form(graph, id)}`);
  const more = edge.values.length > shown.length ? [`and ${edge.values.length - shown.length} more`] : [];
  return [...(edge.tie ? ["shared parameter"] : []), ...shown, ...more];
}

/** A box in one line for a screen reader. */
export function spoken(box: Box, foldable: boolean): string {
  const kind = box.kind === "op" ? "operation" : foldable ? "group" : box.kind;
  return [box.title, box.line, kind].filter(Boolean).join(", ");
}

/** 1 operation, 2 operations. */
export function count(number: number, noun: string): string {
  return `${number} ${noun}${number === 1 ? "" : "s"}`;
}

