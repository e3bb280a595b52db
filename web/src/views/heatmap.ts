// A matrix as coloured cells of a real table; a large one as a canvas with a window. Twin: src/cutaway/panels/heatmap.py.

import { html, nothing, svg, type TemplateResult } from "lit";
import type { Panel } from "../bundle.ts";
import { type Cell, exact, show } from "../number.ts";
import { step } from "../scale.ts";
import { product, size, type Tensor } from "../tensor.ts";
import type { Point, Scene } from "./scene.ts";

export const CELLS = 1000; // above this, a canvas

/** A slice with two axes. Cells are read one by one: a large slice is never copied. */
export interface Matrix {
  at: (index: number) => Cell; // row by row
  dtype: string;
  height: number;
  width: number;
  rows: string[];
  columns: string[];
  pointed: (row: number, column: number) => boolean;
}

export function heatmap(scene: Scene, panel: Panel): TemplateResult {
  const name = shownValue(scene, panel);
  const own = name === panel.value ? panel : { kind: panel.kind, value: name };
  const drawn = scene.drawn.map((example) => ({ example, tensor: scene.tensor(example, name) }));
  const slices = drawn.map(({ example, tensor }) => tensor && matrix(scene, own, example, tensor));
  const limit = Math.max(0, ...slices.map((slice) => (slice ? largest(slice) : 0)));
  const shared = drawn.length > 1 ? "one scale for both" : "own scale";
  return html`<div class="figures">${drawn.map(({ example, tensor }, i) => {
    const slice = slices[i];
    if (!tensor || !slice) return missing(scene, example, name);
    const subject = own === panel ? "" : name;
    const title = [scene.title(example), subject, where(scene, own, tensor)].filter(Boolean).join(" · ");
    return figure(title, name, slice, limit, shared);
  })}</div>`;
}

/** The panel's own value; where it follows the selection, the selected one, and what this example kept in any case. */
export function shownValue(scene: Scene, panel: Panel): string {
  const kept = (name: string | null): boolean => name !== null && scene.tensor(scene.example, name) !== null;
  const own = panel.value!;
  if (!panel.follow) return own;
  return kept(scene.select) ? scene.select! : kept(own) ? own : (scene.landmark ?? own);
}

/** Name and size of each axis before the last two: those that need a choice. */
export function leading(panel: Panel, tensor: Tensor): { axis: string; size: number }[] {
  return tensor.shape.slice(0, -2).map((size, i) => ({ axis: panel.choose?.[i] ?? `axis ${i}`, size }));
}

export function chosen(scene: Scene, axis: string, size: number): number {
  return Math.min(Math.max(scene.choices[axis] ?? 0, 0), size - 1);
}

function where(scene: Scene, panel: Panel, tensor: Tensor): string {
  const axes = leading(panel, tensor).filter(({ size }) => size);
  return axes.map(({ axis, size }) => `${axis} ${chosen(scene, axis, size)}`).join(", ");
}

function matrix(scene: Scene, panel: Panel, example: string, tensor: Tensor): Matrix {
  const [height = 1, width = 1] = tensor.shape.length > 1 ? tensor.shape.slice(-2) : [1, tensor.shape[0] ?? 1];
  const axes = leading(panel, tensor);
  const empty = axes.some(({ size }) => !size);
  const indices = axes.map(({ axis, size }) => chosen(scene, axis, size));
  const start = axes.reduce((at, { size }, i) => at * size + indices[i]!, 0) * height * width;
  return {
    at: (index) => tensor.at(start + index),
    dtype: tensor.dtype,
    height: empty ? 0 : height,
    width: empty ? 0 : width,
    rows: scene.labels(example, panel.rows, empty ? 0 : height),
    columns: scene.labels(example, panel.columns, empty ? 0 : width),
    pointed: pointing(scene.point, panel.value!, indices, tensor.shape.length),
  };
}

/** Whether a cell of this slice is one that the tour points at. */
function pointing(point: Point | null, value: string, leading: number[], axes: number): Matrix["pointed"] {
  if (!point || point.value !== value || point.cells.length !== axes) return () => false;
  return (row, column) => {
    const at = axes < 2 ? [column].slice(0, axes) : [...leading, row, column];
    return at.every((index, i) => point.cells[i] === null || point.cells[i] === index);
  };
}

/** The largest finite magnitude: the end of a scale. */
export function largest({ at, height, width }: Pick<Matrix, "at" | "height" | "width">): number {
  let found = 0;
  for (let i = 0; i < height * width; i++) {
    const x = Math.abs(size(at(i)));
    if (x > found && x < Infinity) found = x;
  }
  return found;
}

export function figure(title: string, name: string, slice: Matrix, limit: number, scale: string): TemplateResult {
  const small = product([slice.height, slice.width]) <= CELLS;
  return html`<figure class="map"><figcaption><b>${title}</b> <span>${spread(slice)} · ${scale}</span></figcaption>
    ${small
      ? grid(`${name}, ${title}`, slice, limit)
      : html`<cutaway-matrix .slice=${slice} .limit=${limit} .name=${`${name}, ${title}`}></cutaway-matrix>`}
    ${legend(limit, slice)}</figure>`;
}

/** A table with headers on both sides; coloured where a limit is given. */
export function grid(caption: string, slice: Matrix, limit: number | null): TemplateResult {
  const { rows, columns, at, dtype, width, pointed } = slice;
  return html`<div class="scroll" tabindex="0" role="region" aria-label=${caption}><table class="grid">
    <caption class="quiet">${caption}</caption>
    <thead><tr><td></td>${columns.map((name) => html`<th scope="col">${name}</th>`)}</tr></thead>
    <tbody>${rows.map((name, row) => html`<tr><th scope="row">${name}</th>${columns.map((_, column) =>
      cell(at(row * width + column), dtype, limit, pointed(row, column)))}</tr>`)}</tbody>
  </table></div>`;
}

export function cell(x: Cell, dtype: string, limit: number | null, pointed = false): TemplateResult {
  const kind = [limit === null ? "" : step(x, limit), pointed ? "pointed" : ""].filter(Boolean).join(" ");
  return html`<td class=${kind || nothing} title=${digits(x, dtype)}>${show(x)}</td>`;
}

/** All digits, where the cell does not show them already. */
export function digits(x: Cell, dtype: string): string | typeof nothing {
  const full = exact(x, dtype);
  return full === show(x).replaceAll("−", "-") ? nothing : full;
}

/** `min 0.1108 · max 0.246`; NaN left out and counted, complex numbers by magnitude, which is then said. */
export function spread({ at, dtype, height, width }: Matrix): string {
  let low: Cell | null = null;
  let high: Cell | null = null;
  let holes = 0;
  for (let i = 0; i < height * width; i++) {
    const cell = at(i);
    const x = typeof cell === "object" ? size(cell) : cell;
    if (Number.isNaN(x)) holes += 1;
    else {
      if (low === null || x < low) low = x;
      if (high === null || x > high) high = x;
    }
  }
  const of = dtype.startsWith("complex") ? " magnitude" : "";
  const range = low === null || high === null ? "no numbers" : `min${of} ${show(low)} · max${of} ${show(high)}`;
  return holes ? `${range} · ${holes} NaN` : range;
}

/**
 * A strip of the scale with its ends in numbers, infinite where nothing finite has a colour; the rust half only where
 * there are negatives.
 */
export function legend(limit: number, slice: Matrix): TemplateResult {
  const least = has(slice, (x, real) => real && x < 0) ? -32 : 0;
  const end = limit === 0 && has(slice, (x) => Math.abs(x) === Infinity) ? Infinity : limit;
  const steps = Array.from({ length: (32 - least) / 4 + 1 }, (_, i) => least + 4 * i);
  const strip = steps.map((at, i) => svg`<rect x=${10 * i} class=${step(at, 32)}></rect>`);
  const width = 10 * steps.length;
  return html`<p class="legend"><span>${least ? show(-end) : "0"}</span><svg viewBox=${`0 0 ${width} 8`} width=${width}
    height="8" aria-hidden="true">${strip}</svg><span>${show(end)}</span></p>`;
}

/** Whether some cell is so, by its size and whether it is real. */
function has({ at, height, width }: Matrix, so: (x: number, real: boolean) => boolean): boolean {
  for (let i = 0; i < height * width; i++) {
    const cell = at(i);
    if (so(size(cell), typeof cell !== "object")) return true;
  }
  return false;
}

export function missing(scene: Scene, example: string, value: string): TemplateResult {
  return html`<p class="missing">${value} was not kept in the example “${scene.title(example)}”.</p>`;
}
