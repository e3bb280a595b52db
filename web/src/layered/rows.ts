// Boxes and lines of one group, and the rows they stand in. Twin of src/cutaway/layered/rows.py.

import { at } from "../recorded.ts";

export const FREE = 0;
export const FIRST_ROW = 1;
export const LAST_ROW = 2;

/**
 * A box to place, or a point on the group's border (width 0, pinned to the first or last row). Width is even.
 * `entries` and `exits` are where lines of a key meet the border, in pixels from the left; a leaf box has none and
 * spreads its lines itself. The `anchor` stands left of all others: a group's title.
 */
export interface Node {
  width: number;
  height: number;
  pin: number;
  entries: Map<number, number> | null;
  exits: Map<number, number> | null;
  anchor: boolean;
}

/** A line from node to node (positions in the list). Lines of one source and key share their trunk. */
export interface Link {
  source: number;
  target: number;
  key: number;
}

/** Another item, the position on it, the position here, the weight of the line between. */
export type Neighbour = [other: number, there: number, here: number, weight: number];

/** Nodes and dummies in rows. Items below nodes.length are nodes; the others are dummies, one a row passed by a line. */
export class Rows {
  chains: number[][] = []; // per link: source, dummies, target
  rows: number[][] = [];
  above: Neighbour[][] = []; // per item, its neighbours in the row above
  below: Neighbour[][] = [];
  joined = new Set<string>();

  constructor(
    readonly nodes: Node[],
    readonly links: Link[],
    readonly rank: number[],
  ) {}

  isAnchor(item: number): boolean {
    return item < this.nodes.length && at(this.nodes, item).anchor;
  }

  width(item: number): number {
    return item < this.nodes.length ? at(this.nodes, item).width : 0;
  }

  /** Each item's position in its row. */
  slots(): number[] {
    const slots: number[] = this.rank.map(() => 0);
    for (const row of this.rows) row.forEach((item, slot) => (slots[item] = slot));
    return slots;
  }
}

/** Rows by longest path, in their first order. Every link runs from an earlier node to a later one. */
export function makeRows(nodes: Node[], links: Link[]): Rows {
  const rows = new Rows(nodes, links, rankNodes(nodes, links));
  layChains(rows);
  return rows;
}

function rankNodes(nodes: Node[], links: Link[]): number[] {
  const into: number[][] = nodes.map(() => []);
  const out: number[][] = nodes.map(() => []);
  for (const link of links) {
    at(into, link.target).push(link.source);
    at(out, link.source).push(link.target);
  }
  const first = nodes.some((node) => node.pin === FIRST_ROW) ? 1 : 0;
  const rank: number[] = nodes.map(() => 0);
  let last = first;
  nodes.forEach((node, i) => {
    if (node.pin === FIRST_ROW) return;
    let row = first;
    for (const source of at(into, i)) row = Math.max(row, at(rank, source) + 1);
    rank[i] = row;
    if (node.pin === FREE) last = Math.max(last, row);
  });
  nodes.forEach((node, i) => {
    if (node.pin === LAST_ROW) rank[i] = last + 1;
  });
  for (let i = nodes.length - 1; i >= 0; i--) {
    if (at(nodes, i).pin !== FREE || at(out, i).length === 0 || at(into, i).length > 0) continue;
    let row = Infinity;
    for (const target of at(out, i)) row = Math.min(row, at(rank, target));
    rank[i] = row - 1;
  }
  return rank;
}

function layChains(rows: Rows): void {
  const owner = rows.nodes.map((_, i) => i);
  const trunks = new Map<string, number[]>();
  const rank = rows.rank;
  for (const link of rows.links) {
    const name = `${link.source} ${link.key}`;
    const trunk = trunks.get(name) ?? [];
    trunks.set(name, trunk);
    const needed = at(rank, link.target) - at(rank, link.source) - 1;
    while (trunk.length < needed) {
      trunk.push(owner.length);
      owner.push(link.source);
      rank.push(at(rank, link.source) + trunk.length);
    }
    rows.chains.push([link.source, ...trunk.slice(0, Math.max(needed, 0)), link.target]);
  }
  let height = 0;
  for (const row of rank) height = Math.max(height, row + 1);
  rows.rows = Array.from({ length: height }, () => []);
  const items = owner.map((_, item) => item).sort((a, b) => at(owner, a) - at(owner, b));
  for (const item of items) at(rows.rows, at(rank, item)).push(item);
  for (const row of rows.rows) row.sort((a, b) => Number(!rows.isAnchor(a)) - Number(!rows.isAnchor(b)));
}
