// The live picture: what picture.ts draws as text, here with focus, selection and places to point at.

import { nothing, svg, type TemplateResult } from "lit";
import { spoken } from "../hints.ts";
import type { Box, Edge, Layout } from "../layout.ts";
import { baselines, boxName, edgeClass, path, radius, strands } from "../picture.ts";
import { at } from "../recorded.ts";
import { type Rect, touches } from "../viewport.ts";

export const DRAWN_WHOLE = 1000; // boxes; a larger picture is drawn only around what is seen

/** What the picture shows besides its boxes. */
export interface Look {
  seen: Rect;
  cursor: string; // the box that Tab reaches, by name
  selected: number; // box, -1 for none
  near: Edge[]; // lines to stress
  folds: (box: Box) => boolean;
}

export function drawing({ boxes, edges }: Layout, look: Look): TemplateResult {
  const whole = boxes.length <= DRAWN_WHOLE;
  const { seen, cursor } = look;
  const drawn = (box: Box): boolean => whole || boxName(box) === cursor || touches(box, seen, seen.width / 4);
  const all = boxes.map((_, i) => i).filter((i) => drawn(at(boxes, i)));
  const lines = strands(edges).map((strand, i) => ({ strand, i }));
  const visible = whole ? lines : lines.filter(({ strand }) => strand.some((edge) => touches(bounds(edge), seen, 0)));
  const box = (i: number): TemplateResult => drawBox(at(boxes, i), i, look);
  return svg`<g class="groups">${all.filter((i) => at(boxes, i).open).map(box)}</g>
    <g class="edges" aria-hidden="true">
      ${visible.map(({ strand }) => svg`<path class=${edgeClass(at(strand, 0))} d=${ways(strand)}></path>`)}
      ${look.near.map((edge) => svg`<path class=${`${edgeClass(edge)} near`} d=${path(edge.points)}></path>`)}
      ${visible.map(({ strand, i }) => svg`<path class="hit" data-strand=${i} d=${ways(strand)}></path>`)}
    </g>
    <g class="boxes">${all.filter((i) => !at(boxes, i).open).map(box)}</g>`;
}

function drawBox(box: Box, index: number, look: Look): TemplateResult {
  const folds = look.folds(box);
  const selected = index === look.selected;
  const classes = ["box", box.kind, box.open && "open", folds && "folds", selected && "selected"].filter(Boolean);
  const [x, anchor] = box.open ? [box.x + 14, "start"] : [box.x + box.width / 2, "middle"];
  const [title, line] = baselines(box);
  return svg`<g class=${classes.join(" ")} data-box=${index} role="button" tabindex=${boxName(box) === look.cursor ? 0 : -1}
      aria-label=${spoken(box, folds)} aria-expanded=${folds ? String(box.open) : nothing}
      aria-current=${selected ? "true" : nothing}>
    <rect x=${box.x} y=${box.y} width=${box.width} height=${box.height} rx=${radius(box)}></rect>
    ${folds ? svg`<path class="chevron" d=${chevron(box)}></path>` : nothing}
    <text class="name" x=${x} y=${title} text-anchor=${anchor}>${box.title}</text>
    ${box.line ? svg`<text class="line" x=${x} y=${line} text-anchor=${anchor}>${box.line}</text>` : nothing}
  </g>`;
}

/** A small hook in the margin: downwards for what is open, to the right for what can be opened. */
function chevron(box: Box): string {
  return box.open ? `M${box.x + 4} ${box.y + 13}l3 4l3 -4` : `M${box.x + 6} ${box.y + box.height / 2 - 3}l4 3l-4 3`;
}

/** The strand of lines under an element, null where there is none. */
export function edgeUnder(layout: Layout, target: Element): Edge | null {
  const number = target.closest("[data-strand]")?.getAttribute("data-strand");
  return number == null ? null : (strands(layout.edges)[Number(number)]?.[0] ?? null);
}

/** The box under an element, by position; null where there is none. */
export function boxUnder(target: Element): number | null {
  const number = target.closest("[data-box]")?.getAttribute("data-box");
  return number == null ? null : Number(number);
}

function ways(strand: Edge[]): string {
  return strand.map((edge) => path(edge.points)).join("");
}

function bounds(edge: Edge): Rect {
  const xs = edge.points.map(([x]) => x);
  const ys = edge.points.map(([, y]) => y);
  const [x, y] = [Math.min(...xs), Math.min(...ys)];
  return { x, y, width: Math.max(...xs) - x, height: Math.max(...ys) - y };
}
