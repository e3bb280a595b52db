// What the inspector tells about a scope, an op or a value: which values go in and come out, who reads them, how a call
// was written. Pure reading of the graph.

import type { Graph, Op, Tree } from "./bundle.ts";
import { outputNames, reveal, shortFunction } from "./labels.ts";
import { at, makesOf, pairsOf, readsOf } from "./recorded.ts";

/** Values that a scope reads from outside, and values it makes that are read outside or returned. */
export function crossing(graph: Graph, scope: number): { reads: number[]; makes: number[] } {
  const inside = scopesIn(graph, scope);
  const isInside = (value: number): boolean => {
    const { op } = at(graph.values, value);
    return op !== null && inside.has(at(graph.ops, op).scope);
  };
  const reads = new Set<number>();
  const makes = new Set<number>();
  for (const op of graph.ops) {
    const here = inside.has(op.scope);
    for (const value of readsOf(op)) {
      const { kind } = at(graph.values, value);
      if (here && !isInside(value) && kind !== "parameter" && kind !== "buffer") reads.add(value);
      if (!here && isInside(value)) makes.add(value);
    }
  }
  for (const [, value] of outputNames(graph)) if (isInside(value)) makes.add(value);
  return { reads: [...reads], makes: [...makes] };
}

/** A scope and all scopes in it. */
export function scopesIn(graph: Graph, scope: number): Set<number> {
  const inside = new Set([scope]);
  graph.scopes.forEach((each, i) => {
    if (each.parent !== null && inside.has(each.parent)) inside.add(i);
  });
  return inside;
}

/** Ops that read a value. */
export function readersOf(graph: Graph, value: number): number[] {
  return graph.ops.flatMap((op, i) => (readsOf(op).includes(value) ? [i] : []));
}

/** The ops of a scope itself and of the scopes in it. */
export function opsOf(graph: Graph, scope: number): number[] {
  const inside = scopesIn(graph, scope);
  return graph.ops.flatMap((op, i) => (inside.has(op.scope) ? [i] : []));
}

/** Parameters and buffers of a scope and the scopes in it, as [local path, value id], each value once. */
export function parametersOf(graph: Graph, scope: number): [name: string, value: number][] {
  const path = at(graph.scopes, scope).path;
  const found = new Map<number, string>();
  for (const i of scopesIn(graph, scope)) {
    const here = at(graph.scopes, i);
    const prefix = path !== "" && here.path.startsWith(`${path}.`) ? here.path.slice(path.length + 1) : here.path;
    const local = i === scope ? "" : `${prefix}.`;
    for (const [name, value] of Object.entries(here.parameters)) if (!found.has(value)) found.set(value, `${local}${name}`);
  }
  return [...found].map(([value, name]) => [reveal(name), value]);
}

/** Names of a value's other owners. */
export function tiesOf(graph: Graph, value: number): string[] {
  return at(graph.values, value).also.map(reveal);
}

/** A call as it would be written: softmax(biased, -1). */
export function callText(graph: Graph, op: Op): string {
  const args = op.args.map((tree) => treeText(graph, tree));
  const named = Object.entries(op.kwargs).map(([name, tree]) => `${name}=${treeText(graph, tree)}`);
  return reveal(`${shortFunction(op.function)}(${[...args, ...named].join(", ")})`);
}

function treeText(graph: Graph, tree: Tree): string {
  if (tree === null) return "None";
  if (tree === true) return "True";
  if (tree === false) return "False";
  if (typeof tree === "number") return String(tree);
  if (typeof tree === "string") return JSON.stringify(tree);
  if (Array.isArray(tree)) return `[${tree.map((item) => treeText(graph, item)).join(", ")}]`;
  if (typeof tree["value"] === "number") return lastWord(at(graph.values, tree["value"]).name);
  if (Array.isArray(tree["tuple"])) return `(${tree["tuple"].map((item) => treeText(graph, item)).join(", ")})`;
  if (Array.isArray(tree["slice"])) {
    const [start, stop, stride] = tree["slice"].map((item) => (item === null ? "" : treeText(graph, item)));
    return [start, stop, ...(stride ? [stride] : [])].join(":");
  }
  if ("ellipsis" in tree) return "...";
  if (Array.isArray(tree["complex"])) return `complex(${tree["complex"].join(", ")})`;
  const pairs = pairsOf(tree);
  if (pairs) return `{${pairs.map(([key, item]) => `${treeText(graph, key)}: ${treeText(graph, item)}`).join(", ")}}`;
  const [[kind, content] = ["", null]] = Object.entries(tree);
  return kind === "dtype" ? `torch.${String(content)}` : String(content);
}

function lastWord(name: string): string {
  const parts = name.split(".");
  const last = parts.at(-1) ?? name;
  return last === "output" && parts.length > 1 ? parts.slice(-2).join(".") : last;
}


/** Everything that an op made, once each. */
export function madeBy(op: Op): number[] {
  return [...new Set(makesOf(op))];
}
