// What a selected name stands for: a scope, or a value; and which box of a layout shows it.
// An op that makes no value is selected as "op:3", a value with the name of a scope as "value:NAME", and whatever has a
// name of such a form ("op:3") as "value:NAME" or "scope:NAME".

import type { Graph } from "./bundle.ts";
import { reveal, scopeTitle, shortFunction } from "./labels.ts";
import type { Layout } from "./layout.ts";
import { at, makesOf } from "./recorded.ts";

export type Target = { kind: "scope" | "value" | "op"; id: number };

const FORM = /^(scope|value|op):(.*)$/s;

/** The thing of a graph that a selected name stands for; null where there is none. */
export function findTarget(graph: Graph, select: string | null): Target | null {
  if (select === null) return null;
  const [, kind, name = ""] = FORM.exec(select) ?? [];
  const scopeNamed = (asked: string): number => graph.scopes.findIndex((each) => each.name === asked);
  const found = (kind: Target["kind"], id: number): Target | null => (id < 0 ? null : { kind, id });
  const meant =
    kind === "scope" ? found(kind, scopeNamed(name))
    : kind === "value" ? found(kind, valueNamed(graph, name))
    : kind === "op" && /^\d+$/.test(name) && Number(name) < graph.ops.length ? found(kind, Number(name))
    : null;
  return meant ?? (select === "" ? null : found("scope", scopeNamed(select)) ?? found("value", valueNamed(graph, select)));
}

function valueNamed(graph: Graph, name: string): number {
  const own = graph.values.findIndex((value) => value.name === name);
  return own >= 0 ? own : graph.values.findIndex((value) => value.also.includes(name));
}

/** The name under which a thing is selected. */
export function selectName(graph: Graph, target: Target): string {
  if (target.kind === "scope") {
    const { name } = at(graph.scopes, target.id);
    return name === "" || FORM.test(name) ? `scope:${name}` : name;
  }
  if (target.kind === "op") {
    const [made] = makesOf(at(graph.ops, target.id));
    return made === undefined ? `op:${target.id}` : selectName(graph, { kind: "value", id: made });
  }
  const { name } = at(graph.values, target.id);
  return FORM.test(name) || graph.scopes.some((scope) => scope.name === name) ? `value:${name}` : name;
}

/** The op behind a target: itself, or the one that made the value. */
export function opOf(graph: Graph, target: Target | null): number | null {
  if (target?.kind === "op") return target.id;
  return target?.kind === "value" ? at(graph.values, target.id).op : null;
}

/** Names of the scopes around a scope, outermost first, the whole model left out. */
export function scopesAround(graph: Graph, scope: number): string[] {
  const names: string[] = [];
  for (let i = at(graph.scopes, scope).parent; i !== null; i = at(graph.scopes, i).parent) {
    if (at(graph.scopes, i).parent !== null) names.unshift(at(graph.scopes, i).name);
  }
  return names;
}

/** The scope that a target is drawn in (of a scope: the one around it). */
export function homeOf(graph: Graph, target: Target): number | null {
  if (target.kind === "scope") return at(graph.scopes, target.id).parent;
  const op = opOf(graph, target);
  return op === null ? ownerOf(graph, target.id) : at(graph.ops, op).scope;
}

/** The first scope that owns a parameter; null for any other value. */
export function ownerOf(graph: Graph, value: number): number | null {
  const owner = graph.scopes.findIndex((scope) => Object.values(scope.parameters).includes(value));
  return owner < 0 ? null : owner;
}

/** Scopes that must be open for a target to be seen, with those already open. A scope of one op stands for that op. */
export function openFor(graph: Graph, target: Target, open: Iterable<string>): string[] {
  const home = homeOf(graph, target);
  if (home === null) return [...open];
  const here = at(graph.scopes, home);
  // a parameter is seen as the box of the scope that owns it
  const owned = target.kind === "value" && opOf(graph, target) === null;
  const inside = here.parent === null || owned || !at(foldable(graph), home) ? [] : [here.name];
  return [...new Set([...open, ...scopesAround(graph, home), ...inside])];
}

/** The box that shows a target: its own, or that of the closest closed scope around it; -1 where there is none. */
export function boxOf(graph: Graph, layout: Layout, target: Target | null): number {
  if (target === null) return -1;
  const find = (kind: string, ref: number): number =>
    layout.boxes.findIndex((box) => box.kind === kind && box.ref === ref);
  if (target.kind === "value" && at(graph.values, target.id).kind === "input") return find("input", target.id);
  const op = opOf(graph, target);
  let scope: number | null = target.kind === "scope" ? target.id : homeOf(graph, target);
  if (op !== null) {
    const box = find("op", op);
    if (box >= 0) return box;
  }
  for (; scope !== null; scope = at(graph.scopes, scope).parent) {
    const box = find("scope", scope);
    if (box >= 0) return box;
  }
  return -1;
}

/** Scopes worth unfolding: those with a scope or more than one op in them. One op is better drawn as one box. */
export function foldable(graph: Graph): boolean[] {
  const inside = graph.scopes.map(() => 0);
  for (const op of graph.ops) inside[op.scope] = at(inside, op.scope) + 1;
  for (const scope of graph.scopes) if (scope.parent !== null) inside[scope.parent] = at(inside, scope.parent) + 2;
  return inside.map((count) => count > 1);
}

/** A target in words: its name as its surroundings see it, and what it is. */
export function describe(graph: Graph, target: Target): { name: string; kind: string } {
  if (target.kind === "scope") {
    const scope = at(graph.scopes, target.id);
    const root = scope.parent === null;
    return { name: root ? scopeTitle(graph, target.id) : reveal(scope.name), kind: root ? "whole model" : reveal(scope.class) };
  }
  const op = opOf(graph, target);
  if (target.kind === "op") return { name: shortFunction(at(graph.ops, target.id).function), kind: "operation" };
  const value = at(graph.values, target.id);
  const kind = op === null ? value.kind : reveal(shortFunction(at(graph.ops, op).function));
  return { name: reveal(value.name), kind };
}
