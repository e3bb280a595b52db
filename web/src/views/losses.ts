// Each loss with its arithmetic from the probabilities above it, and their sum. Twin: src/cutaway/panels/losses.py.

import { html, nothing, type TemplateResult } from "lit";
import type { Panel } from "../bundle.ts";
import { show } from "../number.ts";
import { digits, missing } from "./heatmap.ts";
import type { Scene } from "./scene.ts";

const ARITHMETIC = 6; // significant digits where numbers are added: four would not add up

export function losses(scene: Scene, panel: Panel): TemplateResult {
  return html`<div class="sums">${scene.drawn.map((example) => total(scene, panel, example))}</div>`;
}

function total(scene: Scene, panel: Panel, example: string): TemplateResult {
  const parts = panel.part ?? [];
  const whole = panel.total!;
  const absent = [...parts.map(({ value }) => value), whole].find((name) => !scene.tensor(example, name));
  if (absent !== undefined) return missing(scene, example, absent);
  const shown = (name: string): string => show(scene.need(example, name).at(0), ARITHMETIC);
  const sum = `${parts.map(({ value }) => shown(value)).join(" + ")} ≈ ${shown(whole)}`;
  return html`<figure class="sum">${
    scene.drawn.length > 1 ? html`<figcaption>${scene.title(example)}</figcaption>` : nothing
  }<div class="terms">
    ${parts.map(({ value, title }, i) => term(scene, example, i ? "+" : "", value, title, chances(scene, parts[i]!, example)))}
    ${term(scene, example, "=", whole, panel.total_title ?? "their sum", sum)}
  </div></figure>`;
}

function term(scene: Scene, example: string, sign: string, name: string, title: string, how: string): TemplateResult {
  const tensor = scene.need(example, name);
  const value = tensor.at(0);
  return html`<p class="term">${sign ? html`<span class="sign">${sign}</span>` : nothing}<b title=${digits(value, tensor.dtype)}>${show(value)}</b><span>${title}</span><small>${how}</small></p>`;
}

/** −ln p ≈ loss; the mean of several targets. */
function chances(scene: Scene, part: NonNullable<Panel["part"]>[number], example: string): string {
  if (!scene.tensor(example, part.probabilities)) return `${part.probabilities} was not kept`;
  const rows = scene.rows(example, part.probabilities, part.labels);
  if (!rows.length) return "no target";
  const logs = rows.map(({ cells, truth }) => `ln ${show(cells[truth]!, ARITHMETIC)}`).join(" − ");
  const left = rows.length === 1 ? `−${logs}` : `(−${logs}) ÷ ${rows.length}`;
  return `${left} ≈ ${show(scene.need(example, part.value).at(0), ARITHMETIC)}`;
}
