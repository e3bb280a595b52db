// How a graph of docs/format.md is walked: which values a tree holds, an op reads, an op makes.
// Twin of those methods in src/cutaway/recorded.py; the shapes of the objects are in bundle.ts.

import type { Op, Tree } from "./bundle.ts";

/** A list's item at a place that is known to exist; a missing one is an error, never undefined. */
export function at<T>(list: readonly T[], index: number): T {
  const item = list[index];
  if (item === undefined) throw new RangeError(`no item ${index} in a list of ${list.length}`);
  return item;
}

/** Ids of the value leaves of a tree, in order. */
export function valuesIn(tree: Tree): number[] {
  if (Array.isArray(tree)) return tree.flatMap((item) => valuesIn(item));
  if (tree === null || typeof tree !== "object") return [];
  if (typeof tree["value"] === "number") return [tree["value"]];
  const items = pairsOf(tree)?.map(([, item]) => item) ?? Object.values(tree);
  return items.flatMap((item) => valuesIn(item));
}

/** The [key, tree] pairs of a dict or object of the format, null for any other tree. */
export function pairsOf(tree: { [key: string]: Tree }): [key: Tree, item: Tree][] | null {
  const pairs = tree["dict"] ?? tree["fields"];
  return Array.isArray(pairs) ? (pairs as [Tree, Tree][]) : null;
}

/** Ids of the values among an op's arguments, in order, repeats kept. */
export function readsOf(op: Op): number[] {
  return [...valuesIn(op.args), ...valuesIn(Object.values(op.kwargs))];
}

/** Ids of the values an op made: outputs first, then what it wrote in place. */
export function makesOf(op: Op): number[] {
  return [...valuesIn(op.outputs), ...op.writes.map(([, after]) => after)];
}
