// Distributions as bars, one chart a target, the truth marked; one scale an example. Twin: src/cutaway/panels/bars.py.

import { html, nothing, type TemplateResult } from "lit";
import type { Panel } from "../bundle.ts";
import { type Cell, show } from "../number.ts";
import { size } from "../tensor.ts";
import { digits, largest, missing } from "./heatmap.ts";
import type { Row, Scene } from "./scene.ts";

const SHOWN = 40; // of a longer distribution the largest this many, and the truth
const FULL = 1000; // tenths of a percent of the drawing's width

export function bars(scene: Scene, panel: Panel): TemplateResult {
  const limit = longest(scene);
  return html`<div class="figures">${scene.drawn.map((example) => {
    const tensor = scene.tensor(example, panel.value!);
    if (!tensor) return missing(scene, example, panel.value!);
    const rows = scene.rows(example, panel.value!, panel.labels!);
    if (!rows.length) return html`<p class="missing">${scene.title(example)}: no target, so nothing to predict.</p>`;
    return rows.map((row) => chart(scene, panel, example, row, tensor.dtype, limit));
  })}</div>`;
}

/** The largest finite magnitude over every bar drawn for this example. */
function longest(scene: Scene): number {
  const panels = scene.lesson.panels.filter(({ kind }) => kind === "bars");
  const all = panels.flatMap(({ value, labels }) =>
    scene.drawn
      .filter((example) => scene.tensor(example, value!))
      .flatMap((example) => scene.rows(example, value!, labels!).flatMap(({ cells }) => cells)),
  );
  return largest({ at: (i) => all[i]!, height: 1, width: all.length });
}

function chart(scene: Scene, panel: Panel, example: string, row: Row, dtype: string, limit: number): TemplateResult {
  const { position, truth, cells } = row;
  const names = naming(scene, panel, cells.length);
  const kept = order(cells, truth);
  const signed = cells.some((x) => size(x) < 0);
  const where = position === null ? "" : `position ${position} · `;
  const beside = scene.drawn.length > 1 ? `${scene.title(example)} · ` : "";
  const few = kept.length < cells.length ? `, the ${SHOWN} largest of ${cells.length}` : "";
  const title = `${beside}${where}the truth is ${names[truth]}${few}`;
  return html`<figure class="chart"><figcaption>${title}</figcaption><table class="bars">
    <caption class="quiet">${`${panel.value}, ${title}`}</caption>
    <tbody>${kept.map((i) => bar(names[i]!, cells[i]!, dtype, i === truth, limit, signed))}</tbody></table></figure>`;
}

function naming(scene: Scene, panel: Panel, count: number): string[] {
  const { names } = panel;
  return Array.from({ length: count }, (_, i) => {
    if (names !== "vocabulary") return names?.[i] ?? String(i);
    const word = scene.word(i);
    return word === String(i) ? word : `${i} ${word}`;
  });
}

/** Which bars to draw, in the order of the distribution. */
function order(cells: readonly Cell[], truth: number): number[] {
  const all = [...cells.keys()];
  if (cells.length <= SHOWN) return all;
  const key = (i: number): number => (Number.isNaN(size(cells[i]!)) ? -Infinity : size(cells[i]!));
  const top = [...all].sort((a, b) => key(b) - key(a) || a - b).slice(0, SHOWN);
  return [...new Set([...top, truth])].sort((a, b) => a - b);
}

function bar(name: string, cell: Cell, dtype: string, truth: boolean, limit: number, signed: boolean): TemplateResult {
  const x = size(cell);
  const room = signed ? FULL / 2 : FULL;
  const part = limit && Number.isFinite(x) ? Math.abs(x) / limit : 0;
  const width = Math.floor(part * room + 0.5);
  const left = !signed ? 0 : x < 0 ? room - width : room;
  return html`<tr class=${truth ? "truth" : nothing}>
    <th scope="row">${name}${truth ? html`<small>✓ truth</small>` : nothing}</th>
    <td class="bar"><svg aria-hidden="true"><rect x=${left ? `${left / 10}%` : nothing} width=${`${width / 10}%`}
      class=${x < 0 ? "less" : nothing}></rect></svg></td>
    <td class="number" title=${digits(cell, dtype)}>${show(cell)}</td></tr>`;
}
