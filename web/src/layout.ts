// A recorded graph, some scopes open and the others closed, as boxes and paths. Each open scope is a group, laid out by
// itself (layered/) before the group around it: a line that leaves a group ends at a point on its border, and the group
// around continues from there. Twin of src/cutaway/layout.py.

import type { Graph } from "./bundle.ts";
import { findJoins, Folding, type Box, type Join } from "./folding.ts";
import { smallWidth, titleWidth } from "./labels.ts";
import { FIRST_ROW, FREE, LAST_ROW, place, type Link, type Node, type Placement, type Point } from "./layered/index.ts";
import { at } from "./recorded.ts";

export type { Box, Join } from "./folding.ts";
export type { Point } from "./layered/index.ts";

const MARGIN = 14; // pixels left and right of a box's text
const LEAST_WIDTH = 56;
const TALL = 42;
const FLAT = 30;
const HEADER = 30; // height of a group's first row (its title and the lines entering)
const FOOTER = 0; // height of its last row

/**
 * One visible piece of line, inside one group (null: top level). It starts at box `source`, or at the border of the
 * group when `source` lies outside or deeper; `targets` are all the boxes without visible contents that it leads to.
 * Values are ids; `tie` marks a shared parameter; `backward` a line against the order of rows.
 */
export interface Edge {
  source: number;
  targets: number[];
  group: number | null;
  values: number[];
  tie: boolean;
  backward: boolean;
  points: Point[];
}

export interface Layout {
  width: number;
  height: number;
  boxes: Box[];
  edges: Edge[];
  joins: Join[];
}

/** A line between two children of one group, or from a child to the border; -1 stands for the border. */
interface Piece {
  source: number;
  target: number;
  key: number; // box at the start of the whole line; -1 - box for a tie
  targets: Set<number>;
  values: Set<number>;
}

/** Where lines of each key enter and leave a group, in pixels from its left. */
interface Ports {
  entries: Map<number, number>;
  exits: Map<number, number>;
}

/** An open scope: its boxes, its pieces of line, the node of its first box, and where they stand. */
interface Group {
  children: number[];
  pieces: Piece[];
  first: number;
  placement: Placement;
}

const TOP = -1; // the group of what stands at top level

/**
 * Boxes and paths of a graph with the scopes named in `opened` unfolded; the whole model is always open. A scope inside
 * a closed one is not drawn, whether named or not.
 */
export function arrange(graph: Graph, opened: Iterable<string>): Layout {
  const view = new Folding(graph, opened);
  const [joins, outputs] = findJoins(view);
  const boxes = [...view.boxes, ...outputs];
  const pieces = split(boxes, joins);
  const sizes = boxes.map(sizeOf);
  const children = new Map<number, number[]>([[TOP, []]]);
  boxes.forEach((box, i) => {
    const parent = box.parent ?? TOP;
    const inside = children.get(parent) ?? [];
    inside.push(i);
    children.set(parent, inside);
  });
  const ports = new Map<number, Ports>();
  const groups = new Map<number, Group>();
  const open = boxes.flatMap((box, i) => (box.open ? [i] : []));
  for (const i of [...open].reverse().concat(TOP)) {
    const inside = { children: children.get(i) ?? [], pieces: pieces.get(i) ?? [] };
    const { nodes, links, entering, leaving, first } = assemble(inside, boxes[i]?.title ?? null, sizes, ports);
    const placement = place(nodes, links);
    groups.set(i, { ...inside, first, placement });
    if (i === TOP) continue;
    sizes[i] = [placement.width, placement.height];
    const columns = (border: Map<number, number>) =>
      new Map([...border].map(([key, node]) => [key, at(placement.lefts, node)]));
    ports.set(i, { entries: columns(entering), exits: columns(leaving) });
  }
  return collect(boxes, joins, groups, sizes, [TOP, ...open]);
}

function sizeOf(box: Box): [width: number, height: number] {
  const text = Math.max(titleWidth(box.title), smallWidth(box.line)) + 2 * MARGIN;
  const width = Math.max(LEAST_WIDTH, text);
  return [width + (width % 2), box.line ? TALL : FLAT];
}

/** Cuts every join at the borders of the groups that it passes; pieces by group. */
function split(boxes: Box[], joins: Join[]): Map<number, Piece[]> {
  const pieces = new Map<number, Map<string, Piece>>();
  const add = (group: number, source: number, target: number, key: number, join: Join): void => {
    const here = pieces.get(group) ?? new Map<string, Piece>();
    pieces.set(group, here);
    const name = `${source} ${target} ${key}`;
    const piece = here.get(name) ?? { source, target, key, targets: new Set(), values: new Set() };
    here.set(name, piece);
    piece.targets.add(join.target);
    for (const value of join.values) piece.values.add(value);
  };
  const depth: number[] = [];
  for (const box of boxes) depth.push(box.parent === null ? 0 : at(depth, box.parent) + 1);
  for (const join of joins) {
    const key = join.tie ? -1 - join.source : join.source;
    let a = join.source;
    let b = join.target;
    const entering: [group: number, child: number][] = [];
    for (;;) {
      const up = at(boxes, a).parent;
      const down = at(boxes, b).parent;
      if (up === down) break;
      if (up !== null && (down === null || at(depth, a) >= at(depth, b))) {
        add(up, a, TOP, key, join);
        a = up;
      } else if (down !== null) {
        entering.push([down, b]);
        b = down;
      }
    }
    add(at(boxes, a).parent ?? TOP, a, b, key, join);
    for (const [inside, child] of entering.reverse()) add(inside, TOP, child, key, join);
  }
  return new Map([...pieces].map(([group, found]) => [group, [...found.values()]]));
}

/** A group as the nodes and links of layered/; the nodes that stand for points on its border, by key. */
function assemble(
  group: { children: number[]; pieces: Piece[] },
  title: string | null,
  sizes: [number, number][],
  ports: Map<number, Ports>,
): { nodes: Node[]; links: Link[]; entering: Map<number, number>; leaving: Map<number, number>; first: number } {
  const nodes: Node[] = [];
  const add = (width: number, height: number, pin: number, inner?: Ports, anchor = false): number =>
    nodes.push({ width, height, pin, entries: inner?.entries ?? null, exits: inner?.exits ?? null, anchor }) - 1;
  const keys = (pieces: Piece[]): number[] =>
    [...new Set(pieces.map((piece) => piece.key))].sort((a, b) => a - b);
  if (title !== null) {
    const width = titleWidth(title);
    add(width + (width % 2), HEADER, FIRST_ROW, undefined, true);
  }
  const entering = new Map<number, number>();
  for (const key of keys(group.pieces.filter((piece) => piece.source < 0))) {
    entering.set(key, add(0, HEADER, FIRST_ROW));
  }
  const first = nodes.length;
  const nodeOf = new Map<number, number>();
  for (const child of group.children) {
    const [width, height] = at(sizes, child);
    nodeOf.set(child, add(width, height, FREE, ports.get(child)));
  }
  const leaving = new Map<number, number>();
  for (const key of keys(group.pieces.filter((piece) => piece.target < 0))) {
    leaving.set(key, add(0, FOOTER, LAST_ROW));
  }
  const links = group.pieces.map(({ source, target, key }): Link => {
    const from = source < 0 ? entering.get(key) : nodeOf.get(source);
    const to = target < 0 ? leaving.get(key) : nodeOf.get(target);
    if (from === undefined || to === undefined) throw new RangeError("a line ends outside its group");
    return { source: from, target: to, key };
  });
  return { nodes, links, entering, leaving, first };
}

/** Moves every group to where it stands in the picture. */
function collect(
  boxes: Box[],
  joins: Join[],
  groups: Map<number, Group>,
  sizes: [number, number][],
  outermostFirst: number[],
): Layout {
  const origin = new Map<number, Point>([[TOP, [0, 0]]]);
  const done = boxes.map((box) => ({ ...box }));
  const edges: Edge[] = [];
  let size: [number, number] = [0, 0];
  for (const i of outermostFirst) {
    const group = groups.get(i);
    const [x, y] = origin.get(i) ?? [0, 0];
    if (!group) continue;
    const { placement } = group;
    if (i === TOP) size = [placement.width, placement.height];
    group.children.forEach((child, k) => {
      const left = x + at(placement.lefts, group.first + k);
      const top = y + at(placement.tops, group.first + k);
      origin.set(child, [left, top]);
      const [width, height] = at(sizes, child);
      Object.assign(at(done, child), { x: left, y: top, width, height });
    });
    group.pieces.forEach((piece, k) => {
      const tie = piece.key < 0;
      edges.push({
        source: tie ? -1 - piece.key : piece.key,
        targets: [...piece.targets],
        group: i === TOP ? null : i,
        values: [...piece.values],
        tie,
        backward: at(placement.backward, k),
        points: at(placement.paths, k).map(([px, py]): Point => [x + px, y + py]),
      });
    });
  }
  return { width: size[0], height: size[1], boxes: done, edges, joins };
}
