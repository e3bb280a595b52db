// One scalar over several examples, as a line and as the table of its points. Twin: src/cutaway/panels/curve.py.

import { html, svg, type TemplateResult } from "lit";
import type { Panel } from "../bundle.ts";
import { show } from "../number.ts";
import { size } from "../tensor.ts";
import { cell } from "./heatmap.ts";
import type { Scene } from "./scene.ts";

const WIDTH = 360;
const HEIGHT = 200;
const LEFT = 52; // of the plot inside the drawing
const RIGHT = 348;
const TOP = 12;
const BOTTOM = 172;

export function curve(scene: Scene, panel: Panel): TemplateResult {
  return html`<div class="figures"><figure class="curve">${picture(scene, panel)}<ul class="keys">${(panel.line ?? []).map(
    ({ title }, i) => html`<li><svg width="24" height="8" aria-hidden="true"><path class=${`line${i % 4}`}
      d="M0 4H24"></path></svg>${title}</li>`,
  )}</ul></figure>${points(scene, panel)}</div>`;
}

function picture(scene: Scene, panel: Panel): TemplateResult {
  const { line = [], examples = [], at = [], axis = "" } = panel;
  const series = line.map(({ value }) => examples.map((example) => size(scene.need(example, value).at(0))));
  const known = series.flat().filter(Number.isFinite);
  const [low, high] = [Math.min(0, ...known), Math.max(0, ...known)];
  const [first, last] = [Math.min(...at), Math.max(...at)];
  const x = (value: number): string => place(LEFT + (RIGHT - LEFT) * (last > first ? (value - first) / (last - first) : 0.5));
  const y = (value: number): string => place(BOTTOM - (BOTTOM - TOP) * (high > low ? (value - low) / (high - low) : 0.5));
  const drawn = series.map((values, number) => {
    const dots = values.flatMap((value, i) =>
      Number.isFinite(value) ? [{ x: x(at[i]!), y: y(value), here: examples[i] === scene.example }] : [],
    );
    return svg`<polyline class=${`line${number % 4}`} points=${dots.map((dot) => `${dot.x},${dot.y}`).join(" ")}></polyline>
      ${dots.map((dot) => svg`<circle class=${`dot${number % 4}`} cx=${dot.x} cy=${dot.y} r=${dot.here ? 5 : 3}></circle>`)}`;
  });
  const title = `${line.map((one) => one.title).join(", ")} over ${axis || "examples"}`;
  return html`<svg viewBox=${`0 0 ${WIDTH} ${HEIGHT}`} role="img" aria-label=${title}>
    <path class="axis" d=${`M${LEFT} ${TOP}V${BOTTOM}H${RIGHT}`}></path>
    ${label(LEFT - 6, Number(y(high)) + 4, "end", show(high))}${label(LEFT - 6, Number(y(low)) + 4, "end", show(low))}
    ${label(LEFT, BOTTOM + 16, "start", show(first))}${label(RIGHT, BOTTOM + 16, "end", show(last))}
    ${label((LEFT + RIGHT) / 2, BOTTOM + 16, "middle", axis)}${drawn}</svg>`;
}

/** A coordinate to a hundredth, written alike in both languages. */
function place(x: number): string {
  return String(Math.floor(x * 100 + 0.5) / 100);
}

function label(x: number, y: number, anchor: string, text: string): TemplateResult {
  return svg`<text x=${place(x)} y=${place(y)} text-anchor=${anchor}>${text}</text>`;
}

/** The same points in numbers. */
function points(scene: Scene, panel: Panel): TemplateResult {
  const { line = [], examples = [], at = [], axis = "" } = panel;
  const titles = line.map(({ title }) => title);
  return html`<div class="scroll" tabindex="0" role="region" aria-label=${`points: ${titles.join(", ")}`}><table class="grid plain">
    <thead><tr>${[axis, ...titles].map((title) => html`<th scope="col">${title}</th>`)}</tr></thead>
    <tbody>${examples.map((example, i) => html`<tr><th scope="row">${show(at[i]!)}</th>${line.map(({ value }) => {
      const tensor = scene.need(example, value);
      return cell(tensor.at(0), tensor.dtype, null);
    })}</tr>`)}</tbody></table></div>`;
}
