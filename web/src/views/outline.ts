// The graph as a tree for keyboard and screen reader (WAI-ARIA tree view): arrows, Home, End, typing a name.
// It shares open scopes and selection with the picture.

import { html, LitElement, nothing, type PropertyValues, type TemplateResult } from "lit";
import type { Graph } from "../bundle.ts";
import { at } from "../recorded.ts";
import { findTarget, selectName } from "../selection.ts";
import { type Line, lineOf, outlineLines } from "../tree.ts";
import type { GraphChange } from "./graph.ts";

const TYPING = 700; // milliseconds after which typed letters begin anew

export class CutawayOutline extends LitElement {
  static override properties = {
    graph: { attribute: false },
    open: { attribute: false },
    select: { attribute: false },
    cursor: { state: true },
  };

  declare graph: Graph;
  declare open: Iterable<string>;
  declare select: string | null;
  declare cursor: string; // the line that Tab reaches, by key

  #lines: Line[] = [];
  #typed = "";
  #typedAt = 0;

  constructor() {
    super();
    this.open = [];
    this.select = null;
    this.cursor = "";
  }

  override createRenderRoot(): HTMLElement {
    return this;
  }

  override willUpdate(changed: PropertyValues<this>): void {
    if (changed.has("graph") || changed.has("open")) this.#lines = outlineLines(this.graph, this.open);
    const chosen = this.#lines[this.#chosen];
    if (changed.has("select") && chosen) this.cursor = chosen.key;
    if (!this.#lines.some((line) => line.key === this.cursor)) this.cursor = this.#lines[0]?.key ?? "";
  }

  override updated(changed: PropertyValues<this>): void {
    // keeps the chosen line in sight inside the outline, without moving the page
    if (!changed.has("select")) return;
    const tree = this.querySelector<HTMLElement>('[role="tree"]');
    const line = this.querySelector<HTMLElement>('[aria-selected="true"]');
    if (!tree || !line || tree.scrollHeight <= tree.clientHeight) return;
    const top = line.offsetTop - tree.offsetTop;
    if (top < tree.scrollTop || top + line.offsetHeight > tree.scrollTop + tree.clientHeight) {
      tree.scrollTop = top - tree.clientHeight / 3;
    }
  }

  get #chosen(): number {
    return lineOf(this.graph, this.#lines, findTarget(this.graph, this.select));
  }

  #change(detail: GraphChange): void {
    this.dispatchEvent(new CustomEvent<GraphChange>("change", { detail, bubbles: true }));
  }

  #choose(line: Line): void {
    this.cursor = line.key;
    this.#change({ select: selectName(this.graph, line.target) });
  }

  #fold(line: Line, open: boolean): void {
    const { name } = at(this.graph.scopes, line.target.id);
    const names = new Set(this.open);
    if (open) names.add(name);
    else names.delete(name);
    this.cursor = line.key;
    this.#change({ open: [...names] });
  }

  #click(event: MouseEvent): void {
    const element = (event.target as Element).closest<HTMLElement>("[data-line]");
    const line = element && this.#lines[Number(element.dataset["line"])];
    if (!line) return;
    if (line.folds && (event.target as Element).closest(".twist")) this.#fold(line, !line.open);
    else this.#choose(line);
  }

  #key(event: KeyboardEvent): void {
    if (event.altKey || event.ctrlKey || event.metaKey) return;
    const here = this.#lines.findIndex((line) => line.key === this.cursor);
    const line = this.#lines[here];
    if (!line) return;
    const last = this.#lines.length - 1;
    if (event.key === "ArrowDown") this.#goTo(Math.min(last, here + 1));
    else if (event.key === "ArrowUp") this.#goTo(Math.max(0, here - 1));
    else if (event.key === "Home") this.#goTo(0);
    else if (event.key === "End") this.#goTo(last);
    else if (event.key === "ArrowRight") {
      if (line.folds && !line.open) this.#fold(line, true);
      else if (line.open) this.#goTo(here + 1);
    } else if (event.key === "ArrowLeft") {
      if (line.folds && line.open) this.#fold(line, false);
      else this.#goTo(this.#above(here));
    } else if (event.key === "Enter" || event.key === " ") this.#choose(line);
    else if (event.key.length === 1 && /\S/.test(event.key)) this.#type(event.key, here, event.timeStamp);
    else return;
    event.preventDefault();
    event.stopPropagation(); // the page's own arrow keys step through the tour
  }

  /** The line of the scope around a line. */
  #above(here: number): number {
    const { level } = at(this.#lines, here);
    for (let i = here - 1; i >= 0; i--) if (at(this.#lines, i).level < level) return i;
    return here;
  }

  #goTo(index: number): void {
    this.cursor = at(this.#lines, Math.min(index, this.#lines.length - 1)).key;
    void this.updateComplete.then(() => this.querySelector<HTMLElement>('[role="treeitem"][tabindex="0"]')?.focus());
  }

  /** Goes to the next line whose title begins with the letters typed in one go. */
  #type(letter: string, here: number, now: number): void {
    this.#typed = now - this.#typedAt > TYPING ? letter : this.#typed + letter;
    this.#typedAt = now;
    const first = here + (this.#typed.length === 1 ? 1 : 0);
    const order = this.#lines.map((_, i) => (first + i) % this.#lines.length);
    const found = order.find((i) => at(this.#lines, i).title.toLowerCase().startsWith(this.#typed.toLowerCase()));
    if (found !== undefined) this.#goTo(found);
  }

  override render(): TemplateResult {
    const chosen = this.#chosen;
    const labelled = this.getAttribute("aria-labelledby");
    return html`<div role="tree" aria-labelledby=${labelled ?? nothing} aria-label=${labelled ? nothing : "Outline"}
      @click=${this.#click} @keydown=${this.#key}>${this.#lines.map((line, i) => this.#line(line, i, i === chosen))}</div>`;
  }

  #line(line: Line, index: number, chosen: boolean): TemplateResult {
    return html`<div role="treeitem" data-line=${index} class=${`level${Math.min(line.level, 8)}`} aria-level=${line.level}
      aria-posinset=${line.position} aria-setsize=${line.siblings} aria-selected=${chosen}
      aria-expanded=${line.folds || line.level === 1 ? String(line.open) : nothing}
      tabindex=${line.key === this.cursor ? 0 : -1}>
      <span class="twist" aria-hidden="true">${line.folds ? (line.open ? "▾" : "▸") : ""}</span>
      <span class="title">${line.title}</span> <span class="form">${line.form}</span>
    </div>`;
  }
}

if (!customElements.get("cutaway-outline")) customElements.define("cutaway-outline", CutawayOutline);
