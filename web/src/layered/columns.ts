// Where the boxes of each row stand: lines as straight as the boxes beside them allow.
// Twin of src/cutaway/layered/columns.py.

import { at } from "../recorded.ts";
import { joinByPixels, type Ports } from "./ports.ts";
import type { Rows } from "./rows.ts";

export const PADDING = 14; // pixels between a group's border and what is in it
const SWEEPS = 24;
const BOX_GAP = 24;
const LINE_GAP = 14;
const SNAP = 10;
const FAR = 1_000_000_000;

/** Horizontal centre of each item: sweeps that pull every row to its neighbours, boxes kept apart. */
export function findColumns(rows: Rows, ports: Ports): number[] {
  joinByPixels(rows, ports);
  const centres = rows.rank.map(() => 0);
  for (const row of rows.rows) {
    let x = 0;
    row.forEach((item, i) => {
      x += i > 0 ? apart(rows, at(row, i - 1), item) : 0;
      centres[item] = x;
    });
  }
  for (let sweep = 0; sweep < SWEEPS; sweep++) {
    const both = sweep >= SWEEPS / 2;
    const down = sweep % 2 === 0;
    for (const row of inDirection(rows, down)) pull(rows, row, centres, both || down, both || !down);
  }
  straightenChains(rows, centres);
  straightenTrunks(rows, centres);
  return centres;
}

function inDirection(rows: Rows, down: boolean): number[][] {
  return down ? rows.rows : [...rows.rows].reverse();
}

/** Moves a box right under its only source, or over its only reader, where that is near and the row leaves room. */
function straightenChains(rows: Rows, centres: number[]): void {
  for (const down of [true, false]) {
    for (const row of inDirection(rows, down)) {
      row.forEach((item, i) => {
        const beside = at(down ? rows.above : rows.below, item);
        const [only] = beside;
        if (only === undefined || beside.length !== 1 || (!down && at(rows.above, item).length > 0)) return;
        const [other, there, here] = only;
        const want = Math.floor(at(centres, other) + there - here);
        const alone = at(down ? rows.below : rows.above, other).length === 1;
        const [low, high] = room(rows, row, i, centres);
        const near = alone || Math.abs(want - at(centres, item)) <= SNAP;
        if (near && low <= want && want <= high) centres[item] = want;
      });
    }
  }
}

/** Gives the dummies of each line one column as far as the rows leave room, starting below the line's source. */
function straightenTrunks(rows: Rows, centres: number[]): void {
  const slots = rows.slots();
  const done = new Set<number>();
  for (const chain of rows.chains) {
    const dummies = chain.slice(1, -1);
    let run: number[] = [];
    let low = -FAR;
    let high = FAR;
    const close = (): void => {
      const [first] = run;
      if (first === undefined) return;
      const [other, there, here] = at(at(rows.above, first), 0);
      const want = Math.floor(at(centres, other) + there - here);
      for (const each of run) centres[each] = Math.max(low, Math.min(high, want));
    };
    for (const item of dummies.filter((dummy) => !done.has(dummy))) {
      const [left, right] = room(rows, at(rows.rows, at(rows.rank, item)), at(slots, item), centres);
      if (Math.max(low, left) <= Math.min(high, right)) {
        low = Math.max(low, left);
        high = Math.min(high, right);
        run.push(item);
      } else {
        close();
        run = [item];
        low = left;
        high = right;
      }
    }
    close();
    for (const dummy of dummies) done.add(dummy);
  }
}

/** Least and greatest centre that an item may take between its neighbours of the row. */
function room(rows: Rows, row: number[], slot: number, centres: number[]): [low: number, high: number] {
  const item = at(row, slot);
  let low = -FAR;
  let high = FAR;
  if (slot > 0) {
    const left = at(row, slot - 1);
    low = at(centres, left) + apart(rows, left, item);
  }
  if (slot + 1 < row.length) {
    const right = at(row, slot + 1);
    high = at(centres, right) - apart(rows, item, right);
  }
  return [low, high];
}

/** Least distance between the centres of two neighbours of a row. */
function apart(rows: Rows, left: number, right: number): number {
  const boxes = (rows.width(left) > 0 ? 1 : 0) + (rows.width(right) > 0 ? 1 : 0);
  const gap = boxes === 2 ? BOX_GAP : LINE_GAP + 4 * boxes;
  return Math.floor((rows.width(left) + rows.width(right)) / 2) + gap;
}

/** Moves one row to the weighted least-squares positions under its separations (pool adjacent violators). */
function pull(rows: Rows, row: number[], centres: number[], up: boolean, down: boolean): void {
  const blocks: [mean: number, weight: number, size: number][] = [];
  const shifts: number[] = [];
  let shift = 0;
  row.forEach((item, i) => {
    shift += i > 0 ? apart(rows, at(row, i - 1), item) : 0;
    shifts.push(shift);
    let total = 0;
    let weight = 0;
    for (const beside of [up ? at(rows.above, item) : [], down ? at(rows.below, item) : []]) {
      for (const [other, there, here, strength] of beside) {
        total += (at(centres, other) + there - here) * strength;
        weight += strength;
      }
    }
    let mean = weight > 0 ? total / weight : at(centres, item);
    if (weight === 0) weight = 0.0625;
    mean -= shift;
    let size = 1;
    for (let last = blocks.at(-1); last !== undefined && last[0] > mean; last = blocks.at(-1)) {
      blocks.pop();
      const [before, heavy, many] = last;
      mean = (before * heavy + mean * weight) / (heavy + weight);
      weight += heavy;
      size += many;
    }
    blocks.push([mean, weight, size]);
  });
  let i = 0;
  for (const [mean, , size] of blocks) {
    const start = Math.floor(mean + 0.5);
    for (let k = 0; k < size; k++, i++) centres[at(row, i)] = start + at(shifts, i);
  }
}

/** Moves the anchor to the left border, which it pushes out only as far as its right neighbour asks. The border. */
export function pullAnchor(rows: Rows, centres: number[]): number {
  const first = rows.rows[0] ?? [];
  const anchor = first[0] !== undefined && rows.isAnchor(first[0]) ? first[0] : -1;
  let left = Infinity;
  centres.forEach((centre, item) => {
    if (item !== anchor) left = Math.min(left, centre - Math.floor(rows.width(item) / 2));
  });
  if (left === Infinity) left = 0;
  if (anchor < 0) return left;
  const half = Math.floor(rows.width(anchor) / 2);
  const next = first[1];
  if (next !== undefined) left = Math.min(left, at(centres, next) - apart(rows, anchor, next) - half);
  centres[anchor] = left + half;
  return left;
}
