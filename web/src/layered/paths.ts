// Heights of the rows, and the paths of the lines between them. Twin of src/cutaway/layered/paths.py.

import { at } from "../recorded.ts";
import { PADDING, pullAnchor } from "./columns.ts";
import type { Ports } from "./ports.ts";
import { FIRST_ROW, FREE, LAST_ROW, type Rows } from "./rows.ts";

const ROW_GAP = 26;
const BORDER_GAP = 12;
const MOST_EXTRA_GAP = 44;
const SLOPE = 10;

export type Point = [x: number, y: number];

/** Pixels from the group's top left corner; one path a link, in their order, as corner points from the source. */
export interface Placement {
  width: number;
  height: number;
  lefts: number[];
  tops: number[];
  paths: Point[][];
  backward: boolean[];
}

/** Everything in pixels. Lines run straight down past the boxes of a row and bend only between rows. */
export function draw(rows: Rows, ports: Ports, centres: number[], backward: boolean[]): Placement {
  const { nodes, rank } = rows;
  const left = pullAnchor(rows, centres);
  let right = centres.length > 0 ? -Infinity : 0;
  centres.forEach((centre, item) => (right = Math.max(right, centre + Math.floor(rows.width(item) / 2))));
  const width = right - left + 2 * PADDING;
  const xs = centres.map((centre) => centre - left + PADDING);
  const [tops, ends] = heights(rows, xs);
  const lefts = nodes.map((node, i) => at(xs, i) - Math.floor(node.width / 2));
  const boxTops = nodes.map((node, i) => {
    const row = at(rank, i);
    return at(tops, row) + Math.floor((at(ends, row) - at(tops, row) - node.height) / 2);
  });
  const paths = rows.links.map((link, number): Point[] => {
    const source = at(nodes, link.source);
    const leave = at(lefts, link.source) + ports.exit(link.source, link.key);
    const top = at(rank, link.source);
    const start = source.pin === FIRST_ROW ? at(tops, top) : at(boxTops, link.source) + source.height;
    const points: Point[] = [
      [leave, start],
      [leave, at(ends, top)],
    ];
    for (const item of at(rows.chains, number).slice(1, -1)) {
      const x = at(xs, item);
      points.push([x, at(tops, at(rank, item))], [x, at(ends, at(rank, item))]);
    }
    const arrive = at(lefts, link.target) + at(ports.arrivals, number);
    const end = at(rank, link.target);
    const toBorder = at(nodes, link.target).pin === LAST_ROW;
    points.push([arrive, at(tops, end)], [arrive, toBorder ? at(ends, end) : at(boxTops, link.target)]);
    const straight = straighten(points);
    return backward[number] ? straight.reverse() : straight;
  });
  let bottom = ends.at(-1) ?? 0;
  if (!nodes.some((node) => node.pin === LAST_ROW)) bottom += PADDING;
  return { width: width + (width % 2), height: bottom, lefts, tops: boxTops, paths, backward };
}

/** Top and end of each row. Rows stand further apart where a line between them runs far sideways. */
function heights(rows: Rows, xs: number[]): [tops: number[], ends: number[]] {
  const { nodes } = rows;
  const widest = rows.rows.map(() => 0);
  rows.rank.forEach((row, item) => {
    for (const [other, there, here] of at(rows.below, item)) {
      widest[row] = Math.max(at(widest, row), Math.abs(Math.floor(at(xs, other) + there - at(xs, item) - here)));
    }
  });
  const tops: number[] = [];
  const ends: number[] = [];
  const pinned = rows.rows.map((row) => row.some((item) => item < nodes.length && at(nodes, item).pin !== FREE));
  let y = pinned[0] ? 0 : PADDING;
  rows.rows.forEach((items, row) => {
    let tallest = 0;
    for (const item of items) if (item < nodes.length) tallest = Math.max(tallest, at(nodes, item).height);
    tops.push(y);
    ends.push(y + tallest);
    const border = at(pinned, row) || (pinned[row + 1] ?? false);
    const extra = Math.min(MOST_EXTRA_GAP, Math.floor(at(widest, row) / SLOPE));
    y += tallest + (border ? BORDER_GAP : ROW_GAP) + extra;
  });
  return [tops, ends];
}

/** The same path without repeated points and without points inside a straight run. */
function straighten(points: Point[]): Point[] {
  const kept: Point[] = [];
  for (const point of points) {
    const last = kept.at(-1);
    if (last && last[0] === point[0] && last[1] === point[1]) continue;
    if (last && last[0] === point[0] && kept.at(-2)?.[0] === point[0]) kept.pop();
    kept.push(point);
  }
  return kept;
}
