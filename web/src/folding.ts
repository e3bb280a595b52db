// What a graph with some scopes closed comes down to: boxes, and which values go from box to box.
// Twin of src/cutaway/folding.py.

import type { Graph } from "./bundle.ts";
import { fit, opLine, opTitle, outputNames, scopeLine, scopeTitle, showShape } from "./labels.ts";
import { at, makesOf, readsOf } from "./recorded.ts";

/**
 * One box, in pixels from the picture's top left corner. `ref` is the scope or op id, or the value id of an input or
 * output. `select` is the name under which it is selected: a scope's name, or the name of the (first) value. `parent`
 * is the position in Layout.boxes of the open group around it, null at top level; parents come first.
 */
export interface Box {
  kind: "scope" | "op" | "input" | "output";
  ref: number;
  select: string;
  title: string;
  line: string;
  open: boolean;
  parent: number | null;
  x: number;
  y: number;
  width: number;
  height: number;
}

/** Values that go from one box to another, both without visible contents. `tie` marks a shared parameter. */
export interface Join {
  source: number;
  target: number;
  values: number[];
  tie: boolean;
}

/** Which scopes are open and which boxes stand for what is in the others. */
export class Folding {
  readonly opened: boolean[] = [];
  readonly closedAround: (number | null)[] = []; // the closed scope that stands for this one
  readonly boxes: Box[] = [];
  readonly scopeBox = new Map<number, number>();
  readonly opBox = new Map<number, number>();
  readonly inputBox = new Map<number, number>();

  constructor(
    readonly graph: Graph,
    names: Iterable<string>,
  ) {
    const known = new Set(names);
    graph.scopes.forEach((scope, i) => {
      if (scope.parent === null) {
        this.opened.push(true);
        this.closedAround.push(null);
      } else if (this.opened[scope.parent]) {
        const open = known.has(scope.name);
        this.opened.push(open);
        this.closedAround.push(open ? null : i);
      } else {
        this.opened.push(false);
        this.closedAround.push(this.closedAround[scope.parent] ?? null);
      }
    });
    this.#addBoxes();
  }

  /** The box without visible contents that an op is drawn as, or drawn in. */
  leaf(op: number): number {
    const scope = this.closedAround[at(this.graph.ops, op).scope] ?? null;
    const box = scope === null ? this.opBox.get(op) : this.scopeBox.get(scope);
    if (box === undefined) throw new RangeError(`op ${op} has no box`);
    return box;
  }

  #addBoxes(): void {
    const { graph } = this;
    const add = (kind: Box["kind"], ref: number, select: string, title: string, line: string, open = false): number =>
      this.boxes.push({ kind, ref, select, title, line, open, parent: null, x: 0, y: 0, width: 0, height: 0 }) - 1;
    graph.values.forEach((value, i) => {
      if (value.kind !== "input") return;
      this.inputBox.set(i, add("input", i, value.name, fit(value.name), showShape(value.shape)));
    });
    const lines = scopeLines(this);
    for (const [kind, ref] of inOrder(graph)) {
      const around = kind === "scope" ? at(graph.scopes, ref).parent : at(graph.ops, ref).scope;
      if (around === null || !this.opened[around]) continue;
      let box: number;
      if (kind === "scope") {
        const open = at(this.opened, ref);
        const line = open ? "" : at(lines, ref);
        box = add("scope", ref, at(graph.scopes, ref).name, scopeTitle(graph, ref), line, open);
        this.scopeBox.set(ref, box);
      } else {
        const [made] = makesOf(at(graph.ops, ref));
        const name = made === undefined ? "" : at(graph.values, made).name;
        box = add("op", ref, name, opTitle(graph, ref), opLine(graph, ref));
        this.opBox.set(ref, box);
      }
      at(this.boxes, box).parent = this.scopeBox.get(around) ?? null;
    }
  }
}

/** Scopes and ops as they began; a scope stands before what is in it. */
export function inOrder(graph: Graph): [kind: "scope" | "op", ref: number][] {
  const start = graph.scopes.map(() => graph.ops.length);
  graph.ops.forEach((op, i) => (start[op.scope] = Math.min(at(start, op.scope), i)));
  for (let i = graph.scopes.length - 1; i > 0; i--) {
    const { parent } = at(graph.scopes, i);
    if (parent !== null) start[parent] = Math.min(at(start, parent), at(start, i));
  }
  const items: ["scope" | "op", number, number][] = start.map((first, i) => ["scope", i, first]);
  graph.ops.forEach((_, i) => items.push(["op", i, i]));
  items.sort((a, b) => a[2] - b[2]);
  return items.map(([kind, ref]) => [kind, ref]);
}

/** The shapes in and out of each closed scope that is drawn. */
function scopeLines(view: Folding): string[] {
  const { graph } = view;
  const reads = graph.scopes.map((): number[] => []);
  const makes = graph.scopes.map((): number[] => []);
  const home = (value: number): number | null => {
    const { op } = at(graph.values, value);
    return op === null ? null : (view.closedAround[at(graph.ops, op).scope] ?? null);
  };
  for (const op of graph.ops) {
    const here = view.closedAround[op.scope] ?? null;
    for (const value of readsOf(op)) {
      const there = home(value);
      if (there === here) continue;
      if (here !== null && ["input", "result"].includes(at(graph.values, value).kind)) at(reads, here).push(value);
      if (there !== null) at(makes, there).push(value);
    }
  }
  const outputs = [...new Set(outputNames(graph).map(([, value]) => value))].sort((a, b) => a - b);
  for (const value of outputs) {
    const there = home(value);
    if (there !== null) at(makes, there).push(value);
  }
  const values = (ids: number[]) => ids.map((id) => at(graph.values, id));
  return graph.scopes.map((_, i) => scopeLine(values(at(reads, i)), values(at(makes, i))));
}

/** What flows between boxes without visible contents, in order of the ops; the outputs' boxes. */
export function findJoins(view: Folding): [joins: Join[], outputs: Box[]] {
  const { graph } = view;
  const found = new Map<string, { source: number; target: number; values: Set<number>; tie: boolean }>();
  const firstReader = new Map<number, number>();
  const add = (source: number, target: number, value: number, tie: boolean): void => {
    if (source === target) return;
    const name = `${source} ${target} ${tie}`;
    const join = found.get(name) ?? { source, target, values: new Set(), tie };
    found.set(name, join);
    join.values.add(value);
  };
  const addFrom = (value: number, target: number): boolean => {
    const there = at(graph.values, value);
    if (there.kind === "input") add(view.inputBox.get(value) ?? -1, target, value, false);
    else if (there.op !== null) add(view.leaf(there.op), target, value, false);
    else return false;
    return true;
  };
  graph.ops.forEach((op, i) => {
    const target = view.leaf(i);
    for (const value of readsOf(op)) {
      if (addFrom(value, target) || at(graph.values, value).also.length === 0) continue;
      const first = firstReader.get(value) ?? i;
      firstReader.set(value, first);
      const owner = at(graph.scopes, at(graph.ops, first).scope);
      if (owner.path !== at(graph.scopes, op.scope).path) add(view.leaf(first), target, value, true);
    }
  });
  const outputs = outputNames(graph).map(([name, value], i): Box => {
    addFrom(value, view.boxes.length + i);
    const select = at(graph.values, value).name;
    const place = { parent: null, x: 0, y: 0, width: 0, height: 0 };
    return { kind: "output", ref: value, select, title: fit(name), line: "", open: false, ...place };
  });
  return [[...found.values()].map((join) => ({ ...join, values: [...join.values] })), outputs];
}
