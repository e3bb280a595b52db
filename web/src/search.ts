// Find in a graph: scopes by name or class, ops by function or the name of what they make, inputs by name.

import type { Graph } from "./bundle.ts";
import { inOrder } from "./folding.ts";
import { at, makesOf } from "./recorded.ts";
import { foldable, type Target } from "./selection.ts";

/**
 * Everything that matches all words asked for, inputs first, then in the order it ran; nothing for no words. An op that is
 * alone in its scope is found as that scope, as it is drawn.
 */
export function findAll(graph: Graph, words: string): Target[] {
  const asked = words.toLowerCase().split(/\s+/).filter(Boolean);
  if (asked.length === 0) return [];
  const matches = (...texts: string[]): boolean => {
    const text = texts.join(" ").toLowerCase();
    return asked.every((word) => text.includes(word));
  };
  const found: Target[] = [];
  graph.values.forEach((value, id) => {
    if (value.kind === "input" && matches(value.name)) found.push({ kind: "value", id });
  });
  const folds = foldable(graph);
  const scopes = new Set<number>();
  for (const [kind, id] of inOrder(graph)) {
    if (kind === "scope") {
      const scope = at(graph.scopes, id);
      if (scope.parent === null || !matches(scope.name, scope.class)) continue;
      scopes.add(id);
      found.push({ kind, id });
      continue;
    }
    const op = at(graph.ops, id);
    const [made] = makesOf(op);
    const name = made === undefined ? "" : at(graph.values, made).name;
    if (!matches(name, op.function)) continue;
    const alone = at(graph.scopes, op.scope).parent !== null && !at(folds, op.scope);
    if (alone && scopes.has(op.scope)) continue;
    if (alone) found.push({ kind: "scope", id: op.scope });
    else found.push(made === undefined ? { kind, id } : { kind: "value", id: made });
  }
  return found;
}
