// The token strip: one column a position, from the original ids to the targets. Twin: src/cutaway/panels/tokens.py.

import { html, nothing, type TemplateResult } from "lit";
import type { Panel } from "../bundle.ts";
import { IGNORED, type Scene } from "./scene.ts";

interface Strip {
  given: number[];
  segments: number[];
  labels: number[];
}

export function tokens(scene: Scene, panel: Panel): TemplateResult {
  const first = JSON.stringify(contents(scene, panel, scene.example));
  const other = (example: string): boolean => JSON.stringify(contents(scene, panel, example)) !== first;
  const shown = scene.drawn.filter((example) => example === scene.example || other(example));
  return html`<div class="figures">${shown.map((example) => strip(scene, panel, example))}</div>`;
}

function contents(scene: Scene, panel: Panel, example: string): Strip {
  const numbers = (name: string | undefined): number[] => scene.numbers(example, name!);
  return { given: numbers(panel.input), segments: numbers(panel.segments), labels: numbers(panel.labels) };
}

function strip(scene: Scene, panel: Panel, example: string): TemplateResult {
  const { given, segments, labels } = contents(scene, panel, example);
  const base = scene.lesson.examples[0]!;
  const plain = scene.numbers(base.name, panel.input!);
  const moved = given.flatMap((id, i) => (i < plain.length && id !== plain[i] ? [i] : []));
  const marked = labels.flatMap((label, i) => (label === IGNORED ? [] : [i]));
  const original = given.map((id, i) => (labels[i] === IGNORED ? id : labels[i]!));
  const note = moved.length ? `Changed from “${base.title}”: ${moved.map((i) => `position ${i}`).join(", ")}.` : "";
  return html`<figure class="strip"><figcaption><b>${scene.title(example)}</b>${note ? ` ${note}` : nothing}</figcaption>
    <div class="scroll" tabindex="0" role="region" aria-label=${`tokens, ${scene.title(example)}`}><table class="tokens"><tbody>
      ${line("position", given.map((_, i) => html`<th scope="col">${i}</th>`))}
      ${line("original", ids(scene, original, [], []))}
      ${line("corrupted", ids(scene, given, marked, moved))}
      ${line("segment", segments.map((segment) => html`<td class=${`segment${segment % 2}`}>${letter(segment)}</td>`))}
      ${line("target", given.map((id, i) => target(scene, id, labels[i]!)))}
    </tbody></table></div></figure>`;
}

function line(name: string, cells: TemplateResult[]): TemplateResult {
  return html`<tr><th scope="row">${name}</th>${cells}</tr>`;
}

function ids(scene: Scene, numbers: number[], marked: number[], moved: number[]): TemplateResult[] {
  return numbers.map((id, i) => {
    const kind = [marked.includes(i) ? "target" : "", moved.includes(i) ? "moved" : ""].filter(Boolean).join(" ");
    const word = scene.word(id);
    return html`<td class=${kind || nothing}>${id}${word === String(id) ? nothing : html`<small>${word}</small>`}</td>`;
  });
}

function letter(segment: number): string {
  return segment >= 0 && segment < 26 ? String.fromCharCode(65 + segment) : String(segment);
}

/** The mark of a target and its fate: masked, exchanged for another id, or kept. */
function target(scene: Scene, given: number, label: number): TemplateResult {
  if (label === IGNORED) return html`<td></td>`;
  const fate = given === label ? "kept" : scene.word(given).toUpperCase().includes("MASK") ? "mask" : "random";
  return html`<td class="target">●<small>${fate}</small></td>`;
}
