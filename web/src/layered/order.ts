// Order within rows, so that few lines cross. Twin of src/cutaway/layered/order.py.

import { at } from "../recorded.ts";
import { joinByShares } from "./ports.ts";
import type { Neighbour, Rows } from "./rows.ts";

const SWEEPS = 12;

/** Barycentre sweeps, down and up in turn; the order with the fewest crossings is kept. */
export function orderRows(rows: Rows): void {
  joinByShares(rows);
  let best = rows.rows.map((row) => [...row]);
  let fewest = countCrossings(rows);
  for (let sweep = 0; sweep < SWEEPS && fewest > 0; sweep++) {
    const down = sweep % 2 === 0;
    const slots = rows.slots();
    for (const row of down ? rows.rows : [...rows.rows].reverse()) {
      sortRow(rows, row, slots, down ? rows.above : rows.below);
    }
    const crossings = countCrossings(rows);
    if (crossings < fewest) {
      best = rows.rows.map((row) => [...row]);
      fewest = crossings;
    }
  }
  rows.rows = best;
}

/** Sorts one row by the mean slot of its neighbours; an item without any stays behind its left one. */
function sortRow(rows: Rows, row: number[], slots: number[], beside: Neighbour[][]): void {
  const keys = new Map<number, number>();
  let last = -1;
  for (const item of row) {
    if (rows.isAnchor(item)) {
      keys.set(item, -1);
      continue;
    }
    let total = 0;
    const neighbours = at(beside, item);
    for (const [other, there] of neighbours) total += at(slots, other) + there;
    if (neighbours.length > 0) last = total / neighbours.length;
    keys.set(item, last);
  }
  row.sort((a, b) => (keys.get(a) ?? 0) - (keys.get(b) ?? 0));
  row.forEach((item, slot) => (slots[item] = slot));
}

/** Number of crossing pairs of lines between neighbouring rows, by counting inversions in a Fenwick tree. */
function countCrossings(rows: Rows): number {
  const slots = rows.slots();
  let total = 0;
  for (const row of rows.rows) {
    const ends: [here: number, there: number][] = [];
    for (const item of row) {
      for (const [other, there, here] of at(rows.below, item)) ends.push([at(slots, item) + here, at(slots, other) + there]);
    }
    ends.sort((a, b) => a[0] - b[0]);
    ends.sort((a, b) => a[1] - b[1]);
    const places = ends.map(([here], place): [number, number] => [here, place + 1]);
    places.sort((a, b) => a[0] - b[0]);
    const tree: number[] = new Array<number>(ends.length + 1).fill(0);
    places.forEach(([, start], seen) => {
      let before = 0;
      for (let i = start; i > 0; i -= i & -i) before += at(tree, i);
      total += seen - before;
      for (let i = start; i <= ends.length; i += i & -i) tree[i] = at(tree, i) + 1;
    });
  }
  return total;
}
