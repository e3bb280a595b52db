// Arrow keys on the graph: along lines up and down, to the neighbour in the same group left and right.

import type { Box, Layout } from "./layout.ts";
import { at } from "./recorded.ts";

export type Way = "up" | "down" | "left" | "right";

/** The box that an arrow key leads to from box `from`; `from` itself where there is none that way. */
export function step(layout: Layout, from: number, way: Way): number {
  const here = at(layout.boxes, from);
  if (way === "left" || way === "right") return beside(layout, from, way === "left" ? -1 : 1);
  if (here.open && way === "down") return firstInside(layout, from) ?? from;
  const ends = layout.joins.flatMap(({ source, target, tie }) => {
    if (tie) return [];
    return way === "down" ? (source === from ? [target] : []) : target === from ? [source] : [];
  });
  if (ends.length > 0) return nearest(layout, here, ends);
  if (way === "up") return here.parent ?? above(layout, from);
  return from;
}

/** The leftmost of the topmost boxes of an open group. */
function firstInside(layout: Layout, group: number): number | undefined {
  const inside = layout.boxes.flatMap((box, i) => (box.parent === group ? [i] : []));
  const key = (i: number): number => at(layout.boxes, i).y * 100_000 + at(layout.boxes, i).x;
  return inside.sort((a, b) => key(a) - key(b))[0];
}

/** From an open group upwards: the closest box above it in the same group. */
function above(layout: Layout, from: number): number {
  const here = at(layout.boxes, from);
  const over = siblings(layout, from).filter((i) => at(layout.boxes, i).y + at(layout.boxes, i).height <= here.y);
  return over.length > 0 ? nearest(layout, here, over) : from;
}

function nearest(layout: Layout, here: Box, ends: number[]): number {
  const distance = (i: number): number => {
    const box = at(layout.boxes, i);
    return Math.abs(centre(box) - centre(here)) + Math.abs(box.y - here.y);
  };
  return ends.reduce((best, i) => (distance(i) < distance(best) ? i : best));
}

/** The next box to the left (-1) or right (1) in the group that stands at about the same height, else the closest. */
function beside(layout: Layout, from: number, side: -1 | 1): number {
  const here = at(layout.boxes, from);
  const there = siblings(layout, from).filter((i) => (centre(at(layout.boxes, i)) - centre(here)) * side > 0);
  if (there.length === 0) return from;
  const level = there.filter((i) => {
    const box = at(layout.boxes, i);
    return box.y < here.y + here.height && here.y < box.y + box.height;
  });
  return nearest(layout, here, level.length > 0 ? level : there);
}

function siblings(layout: Layout, from: number): number[] {
  const { parent } = at(layout.boxes, from);
  return layout.boxes.flatMap((box, i) => (i !== from && box.parent === parent ? [i] : []));
}

function centre(box: Box): number {
  return box.x + box.width / 2;
}
