// Values side by side, one row a first index. Twin: src/cutaway/panels/table.py.

import { html, type TemplateResult } from "lit";
import type { Panel } from "../bundle.ts";
import { product } from "../tensor.ts";
import { cell, missing } from "./heatmap.ts";
import type { Scene } from "./scene.ts";

export function table(scene: Scene, panel: Panel): TemplateResult {
  return html`<div class="figures">${scene.drawn.map((example) => figure(scene, panel, example))}</div>`;
}

function figure(scene: Scene, panel: Panel, example: string): TemplateResult {
  const names = panel.values ?? [];
  const absent = names.find((name) => !scene.tensor(example, name));
  if (absent !== undefined) return missing(scene, example, absent);
  const columns = names.map((name, i) => {
    const tensor = scene.need(example, name);
    const width = product(tensor.shape.slice(1));
    return { tensor, width, title: panel.names?.[i] ?? name };
  });
  const count = columns[0]?.tensor.shape[0] ?? 1;
  const titles = columns.flatMap(({ title, width }) =>
    Array.from({ length: width }, (_, i) => (width > 1 ? `${title} ${i}` : title)),
  );
  const label = `${columns.map(({ title }) => title).join(", ")}, ${scene.title(example)}`;
  return html`<figure class="map"><figcaption><b>${scene.title(example)}</b></figcaption>
    <div class="scroll" tabindex="0" role="region" aria-label=${label}><table class="grid plain">
      <thead><tr><td></td>${titles.map((title) => html`<th scope="col">${title}</th>`)}</tr></thead>
      <tbody>${scene.labels(example, panel.rows, count).map((name, row) => html`<tr><th scope="row">${name}</th>${columns.map(
        ({ tensor, width }) => tensor.cells(row * width, width).map((x) => cell(x, tensor.dtype, null)),
      )}</tr>`)}</tbody>
    </table></div></figure>`;
}
