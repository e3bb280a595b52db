// What is known of the selected scope, operation or value: words and formula, what goes in and comes out, parameters,
// where it stands in the source, and the recorded numbers of the present example.

import { html, LitElement, nothing, type TemplateResult } from "lit";
import type { Graph, Lesson, Panel, Recording, Source } from "../bundle.ts";
import { callText, crossing, madeBy, opsOf, parametersOf, readersOf, tiesOf } from "../facts.ts";
import { count, form } from "../hints.ts";
import { opTitle, reveal } from "../labels.ts";
import { drawFormula } from "../ops/formula.ts";
import { describeFunction } from "../ops/index.ts";
import { at, readsOf } from "../recorded.ts";
import { describe, findTarget, opOf, ownerOf, selectName, type Target } from "../selection.ts";
import { axisChoice } from "./choice.ts";
import type { GraphChange } from "./graph.ts";
import { chosen, heatmap, leading } from "./heatmap.ts";
import { type Point, Scene } from "./scene.ts";

const LISTED = 12; // values of a list that are shown at once

export class CutawayInspector extends LitElement {
  static override properties = {
    graph: { attribute: false },
    recording: { attribute: false },
    example: { attribute: false },
    lesson: { attribute: false },
    select: { attribute: false },
    point: { attribute: false },
    choices: { state: true },
  };

  declare graph: Graph;
  declare recording: Recording;
  declare example: string;
  /** Whose words name examples, ids and axes. */
  declare lesson: Lesson;
  declare select: string | null;
  declare point: Point | null;
  declare choices: Record<string, number>; // index of each leading axis of the shown value

  constructor() {
    super();
    this.lesson = NO_LESSON;
    this.select = null;
    this.point = null;
    this.choices = {};
  }

  override createRenderRoot(): HTMLElement {
    return this;
  }

  override willUpdate(changed: Map<string, unknown>): void {
    if (!changed.has("select") && !changed.has("point")) return;
    // another value is shown from its first slice, or from the one the tour points at
    const axes = this.#panel(this.point?.value ?? "").choose ?? [];
    const cells = this.point?.cells.slice(0, -2) ?? [];
    this.choices = Object.fromEntries(cells.map((cell, i) => [axes[i] ?? `axis ${i}`, cell ?? 0]));
  }

  override render(): TemplateResult {
    const target = findTarget(this.graph, this.select);
    if (target === null) {
      const elsewhere = this.recording.graphs.some((graph) => findTarget(graph, this.select));
      const lack = elsewhere ? "This example's graph" : "This model";
      const known = this.select ? html`<p class="missing">${lack} has nothing named ${reveal(this.select)}.</p>` : nothing;
      return html`${known}<p class="hint">Select a box or a line of the graph to see what it does and its recorded numbers.</p>`;
    }
    const { name, kind } = describe(this.graph, target);
    const op = opOf(this.graph, target);
    return html`<section class="inspected" aria-labelledby="inspected">
      <h3 id="inspected"><bdi>${name}</bdi> <small>${kind}</small></h3>
      <div class="inspected-parts">
        <div>${target.kind === "scope" ? this.#scope(target.id) : op === null ? this.#value(target.id) : this.#op(op, target)}</div>
        <div>${this.#numbers(this.#shown(target))}</div>
      </div>
    </section>`;
  }

  /** The value whose numbers are shown: the selected one, or the first that a scope or op gives. */
  #shown(target: Target): number | null {
    if (target.kind === "value") return target.id;
    if (target.kind === "op") return madeBy(at(this.graph.ops, target.id))[0] ?? null;
    return crossing(this.graph, target.id).makes[0] ?? null;
  }

  #scope(id: number): TemplateResult {
    const { graph } = this;
    const scope = at(graph.scopes, id);
    const ops = opsOf(graph, id);
    const { reads, makes } = crossing(graph, id);
    const [only] = ops;
    const again = scope.call > 1 ? `, call ${scope.call} of this module` : "";
    return html`${ops.length === 1 && only !== undefined
        ? this.#words(at(graph.ops, only).function)
        : html`<p>${count(ops.length, "operation")}${again}.</p>`}
      <dl class="known">
        ${this.#list("In", reads)} ${this.#list("Out", makes)} ${this.#parameters(parametersOf(graph, id))}
        ${this.#source(scope.source)}
      </dl>`;
  }

  #op(id: number, target: Target): TemplateResult {
    const { graph } = this;
    const op = at(graph.ops, id);
    const owned = (value: number): boolean => ["parameter", "buffer"].includes(at(graph.values, value).kind);
    const reads = [...new Set(readsOf(op))];
    const parameters = reads.filter(owned).map((value): [string, number] => [reveal(at(graph.values, value).name), value]);
    return html`${this.#words(op.function)}
      <p><code class="call">${callText(graph, op)}</code></p>
      <dl class="known">
        ${this.#list("In", reads.filter((value) => !owned(value)))} ${this.#list("Out", madeBy(op))}
        ${this.#parameters(parameters)} ${target.kind === "value" ? this.#readers(target.id) : nothing}
        ${op.note ? html`<div><dt>Not replayed</dt><dd>${reveal(op.note)}</dd></div>` : nothing}
        ${this.#source(op.source)}
      </dl>`;
  }

  /** A value that no op made: an input, a parameter, a constant. */
  #value(id: number): TemplateResult {
    const { graph } = this;
    const value = at(graph.values, id);
    const why = graph.outside.find((each) => each.value === id)?.why;
    const owner = ownerOf(graph, id);
    const words: Record<string, string> = {
      input: "Given by the caller.", parameter: "A parameter of the model.", buffer: "A buffer of the model.",
      constant: "A constant of the model's code.", gradient: "A gradient of a loss.",
    };
    return html`<p>${words[value.kind] ?? "A value."} ${why ? `Its origin is not recorded: ${reveal(why)}` : nothing}</p>
      <dl class="known">
        <div><dt>Form</dt><dd>${form(graph, id)}</dd></div>
        ${this.#ties(id)} ${owner === null ? nothing : this.#link("Belongs to", { kind: "scope", id: owner })}
        ${this.#readers(id)}
      </dl>`;
  }

  #words(name: string): TemplateResult {
    const known = describeFunction(name);
    if (!known) return html`<p><code>${reveal(name)}</code></p>`;
    return html`<p>${known.words}${known.inPlace ? " It writes into its first argument." : nothing}
        <small><code>${reveal(name)}</code></small></p>
      ${known.formula ? html`<p class="formula">${drawFormula(known.formula)}</p>` : nothing}`;
  }

  #list(title: string, values: number[]): TemplateResult | typeof nothing {
    if (values.length === 0) return nothing;
    const shown = values.slice(0, LISTED);
    const more = values.length - shown.length;
    return html`<div><dt>${title}</dt><dd><ul>${shown.map((value) => html`<li>${this.#button({ kind: "value", id: value })}
      <span class="form">${form(this.graph, value)}</span></li>`)}${more > 0 ? html`<li>and ${more} more</li>` : nothing}</ul></dd></div>`;
  }

  #parameters(parameters: [string, number][]): TemplateResult | typeof nothing {
    if (parameters.length === 0) return nothing;
    const shown = parameters.slice(0, LISTED);
    const more = parameters.length - shown.length;
    return html`<div><dt>Parameters</dt><dd><ul>${shown.map(([name, value]) => html`<li>${this.#button({ kind: "value", id: value }, name)}
      <span class="form">${form(this.graph, value)}</span>${this.#tied(value)}</li>`)}
      ${more > 0 ? html`<li>and ${more} more</li>` : nothing}</ul></dd></div>`;
  }

  #tied(value: number): TemplateResult | typeof nothing {
    const names = [reveal(at(this.graph.values, value).name), ...tiesOf(this.graph, value)];
    return names.length > 1 ? html` <span class="tied">shared: ${names.join(" = ")}</span>` : nothing;
  }

  #ties(value: number): TemplateResult | typeof nothing {
    const names = tiesOf(this.graph, value);
    return names.length > 0 ? html`<div><dt>Shared</dt><dd class="tied">the same numbers as ${names.join(", ")}</dd></div>` : nothing;
  }

  #readers(value: number): TemplateResult | typeof nothing {
    const readers = readersOf(this.graph, value);
    if (readers.length === 0) return nothing;
    const shown = readers.slice(0, LISTED);
    const more = readers.length - shown.length;
    return html`<div><dt>Read by</dt><dd><ul>${shown.map((op) => html`<li>${this.#button({ kind: "op", id: op }, opTitle(this.graph, op))}</li>`)}
      ${more > 0 ? html`<li>and ${more} more</li>` : nothing}</ul></dd></div>`;
  }

  #link(title: string, target: Target): TemplateResult {
    return html`<div><dt>${title}</dt><dd>${this.#button(target)}</dd></div>`;
  }

  #button(target: Target, name = describe(this.graph, target).name): TemplateResult {
    return html`<button type="button" class="name-link" @click=${() => this.#choose(target)}><bdi>${name}</bdi></button>`;
  }

  #choose(target: Target): void {
    const detail: GraphChange = { select: selectName(this.graph, target) };
    this.dispatchEvent(new CustomEvent<GraphChange>("change", { detail, bubbles: true }));
  }

  #source(source: Source | null): TemplateResult | typeof nothing {
    if (!source) return nothing;
    const { file, line } = source;
    // a name without folders is one of the files that came with the lesson, which the page shows
    const place = `source-${file}-L${line}`;
    const shown = !file.includes("/") && document.getElementById(place) !== null;
    const text = `${reveal(file)}, line ${line}`;
    return html`<div><dt>Source</dt><dd>${shown ? html`<a href=${`#${place}`}>${text}</a>` : text}
      <span class="form">in ${reveal(source.function)}</span></dd></div>`;
  }

  #numbers(id: number | null): TemplateResult | typeof nothing {
    if (id === null) return nothing;
    const { name } = at(this.graph.values, id);
    const lesson = { ...this.lesson, examples: this.lesson.examples.map(({ name, title }) => ({ name, title })) };
    const scene = new Scene(this.recording, lesson, this.example, this.choices, { point: this.point });
    const tensor = scene.tensor(this.example, name);
    if (!tensor) return html`<p class="missing">The numbers of ${reveal(name)} were not kept in this example.</p>`;
    const panel = this.#panel(name);
    const axes = leading(panel, tensor).filter(({ size }) => size > 1);
    return html`<h4><bdi>${reveal(name)}</bdi> <small>${form(this.graph, id)}</small></h4>
      ${axes.length === 0 ? nothing : html`<div class="controls" @change=${(event: Event) => event.stopPropagation()}>${axes.map(
        ({ axis, size }) => axisChoice(axis, size, chosen(scene, axis, size), (index) => {
          this.choices = { ...this.choices, [axis]: index };
        }),
      )}</div>`}
      ${tensor.count === 0 ? html`<p class="missing">It has no cells.</p>` : heatmap(scene, panel)}`;
  }

  /** The lesson's own heatmap of a value, which names its axes, or a plain one with the names of its bars. */
  #panel(name: string): Panel {
    const own = this.lesson.panels.filter(({ value, follow }) => value === name && !follow);
    const names = own.find(({ kind }) => kind === "bars")?.names;
    const columns = typeof names === "string" ? undefined : names;
    return own.find(({ kind }) => kind === "heatmap") ?? { kind: "heatmap", value: name, ...(columns ? { columns } : {}) };
  }
}

const NO_LESSON: Lesson = { examples: [], tour: [], panels: [], open: [], vocabulary: {} };

if (!customElements.get("cutaway-inspector")) customElements.define("cutaway-inspector", CutawayInspector);
