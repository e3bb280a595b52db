// Which input positions change which output rows, from recorded runs. Twin: src/cutaway/panels/influence.py.

import { html, type TemplateResult } from "lit";
import type { Panel } from "../bundle.ts";
import { product, size } from "../tensor.ts";
import { figure, largest } from "./heatmap.ts";
import type { Scene } from "./scene.ts";

export function influence(scene: Scene, panel: Panel): TemplateResult {
  const runs = panel.run ?? [];
  const matrices = runs.map(({ base, changed }) => moves(scene, panel.value!, base, changed));
  const limit = Math.max(0, ...matrices.map(largest));
  const scale = runs.length > 1 ? "one scale for all" : "own scale";
  return html`<div class="figures">${runs.map(({ title, base }, i) => {
    const { at, height, width } = matrices[i]!;
    const rows = scene.labels(base, panel.tokens, height);
    const columns = scene.labels(base, panel.tokens, width);
    const slice = { at, height, width, rows, columns, dtype: "float64", pointed: () => false };
    return figure(title, panel.value!, slice, limit, scale);
  })}</div>`;
}

/** cells[row, position]: how far an output row moves when that position's token is another. */
function moves(scene: Scene, value: string, base: string, changed: readonly string[]) {
  const plain = scene.need(base, value);
  const height = plain.shape[0]!;
  const each = product(plain.shape.slice(1));
  const others = changed.map((example) => scene.need(example, value));
  const cells = Array.from({ length: height * others.length }, (_, at) => {
    const row = Math.floor(at / others.length);
    const other = others[at % others.length]!;
    let far = 0;
    for (let i = row * each; i < (row + 1) * each; i++) {
      const apart = Math.abs(size(other.at(i)) - size(plain.at(i)));
      if (apart > far || Number.isNaN(apart)) far = apart;
    }
    return far;
  });
  return { at: (i: number) => cells[i]!, height, width: others.length };
}
