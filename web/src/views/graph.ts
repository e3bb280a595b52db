// The interactive graph: fold and unfold, pan, zoom, find, hover, select, walk with the keyboard, download.
// It is given its state and tells what the reader wants changed; it keeps only the part of the picture that is seen.

import { html, LitElement, nothing, svg, type PropertyValues, type TemplateResult } from "lit";
import type { Graph } from "../bundle.ts";
import { KINDS, makeFile, save, type Kind } from "../downloads.ts";
import { aboutBox, aboutEdge, spoken } from "../hints.ts";
import { arrange, type Box, type Edge, type Layout } from "../layout.ts";
import { baselines, boxName, edgeClass, path, radius, strands } from "../picture.ts";
import { at } from "../recorded.ts";
import { findAll } from "../search.ts";
import { boxOf, findTarget, foldable, openFor, selectName, type Target } from "../selection.ts";
import { between, fitAll, fitReadable, type Rect, show, type Size, touches, zoomAt } from "../viewport.ts";
import { step, type Way } from "../walk.ts";
import type { Point } from "./scene.ts";

/** What the graph asks of its page: another selection, other open scopes. */
export interface GraphChange {
  select?: string | null;
  open?: string[];
}

const DRAWN_WHOLE = 1000; // boxes; a larger picture is drawn only around what is seen
const WALK: Record<string, Way> = { ArrowUp: "up", ArrowDown: "down", ArrowLeft: "left", ArrowRight: "right" };
const MOVE_TIME = 320; // milliseconds
const DRAG = 4; // pixels from which a press is a drag

export class CutawayGraph extends LitElement {
  static override properties = {
    graph: { attribute: false },
    open: { attribute: false },
    select: { attribute: false },
    point: { attribute: false },
    name: { attribute: false },
    words: { state: true },
    cursor: { state: true },
  };

  declare graph: Graph;
  /** Names of the open scopes. */
  declare open: Iterable<string>;
  /** The name of a scope or value. */
  declare select: string | null;
  /** What a tour step points at. */
  declare point: Point | null;
  /** The model's name, for titles and files. */
  declare name: string;
  declare words: string; // searched for
  declare cursor: string; // the box that Tab reaches, by name

  #layout: Layout = { width: 1, height: 1, boxes: [], edges: [], joins: [] };
  #foldable: boolean[] = [];
  #found: Target[] = [];
  #view: Rect | null = null;
  #moving = 0;
  #fingers = new Map<number, { x: number; y: number }>();
  #dragged = false;
  #kept: string | null = null; // the scope that stays where it is when it opens or closes
  #watcher: ResizeObserver | null = null;

  constructor() {
    super();
    this.open = [];
    this.select = null;
    this.point = null;
    this.name = "model";
    this.words = "";
    this.cursor = "";
  }

  override createRenderRoot(): HTMLElement {
    return this;
  }

  override connectedCallback(): void {
    super.connectedCallback();
    if (typeof ResizeObserver === "undefined") return;
    this.#watcher = new ResizeObserver(() => this.#resize());
    this.#watcher.observe(this);
  }

  override disconnectedCallback(): void {
    super.disconnectedCallback();
    this.#watcher?.disconnect();
    cancelAnimationFrame(this.#moving);
  }

  override willUpdate(changed: PropertyValues<this>): void {
    if (changed.has("graph")) {
      this.#foldable = foldable(this.graph);
      this.#view = null;
    }
    if (changed.has("graph") || changed.has("open")) {
      const before = this.#layout;
      this.#layout = arrange(this.graph, this.open);
      this.#hold(before);
    }
    if (changed.has("graph") || changed.has("words")) this.#found = findAll(this.graph, this.words);
    const selected = this.#layout.boxes[this.#selected];
    if (changed.has("select") && selected) this.cursor = boxName(selected);
    if (!this.#layout.boxes.some((box) => boxName(box) === this.cursor)) {
      this.cursor = this.#layout.boxes[0] ? boxName(at(this.#layout.boxes, 0)) : "";
    }
  }

  override updated(changed: PropertyValues<this>): void {
    if (this.#view === null) this.#start();
    const moved = changed.has("select") || changed.has("point");
    const box = this.#layout.boxes[this.#selected];
    if (moved && box && this.#kept === null) this.#goTo(show(this.#seen, this.#screen, box));
    if (changed.has("open") || changed.has("select")) this.#kept = null;
  }

  /** The box that shows the selection; -1 where there is none. */
  get #selected(): number {
    return boxOf(this.graph, this.#layout, findTarget(this.graph, this.select));
  }

  get #stage(): SVGSVGElement | null {
    return this.querySelector("svg.live");
  }

  get #screen(): Size {
    const box = this.#stage?.getBoundingClientRect();
    return { width: box?.width || 800, height: box?.height || 500 };
  }

  get #seen(): Rect {
    return this.#view ?? fitReadable(this.#layout, this.#screen);
  }

  // ---- what is seen

  /** First sight: the whole graph or its readable top, and the selection if there is one. */
  #start(): void {
    const first = fitReadable(this.#layout, this.#screen);
    const box = this.#layout.boxes[this.#selected];
    this.#setView(box ? show(first, this.#screen, box) : first);
  }

  #resize(): void {
    const { width, height } = this.#screen;
    const view = this.#view;
    if (!view) return;
    const scale = view.width / width;
    if (Math.abs(view.height - height * scale) < 0.5) return;
    this.#setView({ ...view, height: height * scale });
  }

  /** After folding, shifts the view so that the scope that was clicked stays under the pointer. */
  #hold(before: Layout): void {
    const find = (layout: Layout): Box | undefined =>
      layout.boxes.find((box) => box.kind === "scope" && box.select === this.#kept);
    const [was, is] = [find(before), find(this.#layout)];
    if (!this.#view || !was || !is) return;
    const shift = is.x + is.width / 2 - (was.x + was.width / 2);
    this.#view = { ...this.#view, x: this.#view.x + shift, y: this.#view.y + is.y - was.y };
  }

  #setView(view: Rect): void {
    this.#view = view;
    this.#stage?.setAttribute("viewBox", viewBox(view));
    if (this.#layout.boxes.length > DRAWN_WHOLE) this.requestUpdate();
  }

  #goTo(to: Rect): void {
    cancelAnimationFrame(this.#moving);
    const from = this.#seen;
    if (matchMedia("(prefers-reduced-motion: reduce)").matches) return this.#setView(to);
    const start = performance.now();
    const move = (now: number): void => {
      const part = Math.min(1, (now - start) / MOVE_TIME);
      this.#setView(between(from, to, Math.max(0, part)));
      if (part < 1) this.#moving = requestAnimationFrame(move);
    };
    this.#moving = requestAnimationFrame(move);
  }

  /** The point of the picture under a point of the window. */
  #place(event: { clientX: number; clientY: number }): { x: number; y: number } {
    const box = this.#stage?.getBoundingClientRect();
    const { x, y, width } = this.#seen;
    const scale = width / this.#screen.width;
    return { x: x + (event.clientX - (box?.left ?? 0)) * scale, y: y + (event.clientY - (box?.top ?? 0)) * scale };
  }

  #zoom(factor: number): void {
    const { x, y, width, height } = this.#seen;
    this.#goTo(zoomAt(this.#seen, this.#screen, factor, x + width / 2, y + height / 2));
  }

  // ---- what the reader wants

  #change(detail: GraphChange): void {
    this.dispatchEvent(new CustomEvent<GraphChange>("change", { detail, bubbles: true }));
  }

  #choose(index: number): void {
    const box = at(this.#layout.boxes, index);
    this.cursor = boxName(box);
    this.#kept = box.kind === "scope" ? box.select : null;
    this.#change({ select: selectName(this.graph, targetOf(box)) });
  }

  #fold(index: number): void {
    const box = at(this.#layout.boxes, index);
    const open = new Set(this.open);
    if (box.open) open.delete(box.select);
    else open.add(box.select);
    this.cursor = boxName(box);
    this.#kept = box.select;
    this.#change({ open: [...open], select: selectName(this.graph, targetOf(box)) });
  }

  #canFold(box: Box): boolean {
    return box.kind === "scope" && (box.open || at(this.#foldable, box.ref));
  }

  #foldAll(open: boolean): void {
    const names = this.graph.scopes.filter((scope, i) => scope.parent !== null && at(this.#foldable, i));
    this.#view = null;
    this.#change({ open: open ? names.map((scope) => scope.name) : [] });
  }

  #find(event: Event): void {
    event.preventDefault();
    const names = this.#found.map((target) => selectName(this.graph, target));
    const place = names.indexOf(this.select ?? "");
    const target = this.#found[(place + 1) % Math.max(1, names.length)];
    if (!target) return;
    this.#change({ open: openFor(this.graph, target, this.open), select: selectName(this.graph, target) });
  }

  #download(kind: Kind): void {
    save(makeFile(kind, this.graph, this.#layout, this.name));
  }

  // ---- pointer and keys

  #press(event: PointerEvent): void {
    if (event.button > 0) return;
    this.#fingers.set(event.pointerId, { x: event.clientX, y: event.clientY });
    if (this.#fingers.size === 1) this.#dragged = false;
  }

  #drag(event: PointerEvent): void {
    const last = this.#fingers.get(event.pointerId);
    if (!last) return this.#hover(event);
    const far = Math.abs(event.clientX - last.x) + Math.abs(event.clientY - last.y);
    if (!this.#dragged && far < DRAG) return;
    if (!this.#dragged) this.#stage?.setPointerCapture(event.pointerId);
    this.#dragged = true;
    this.#hide();
    cancelAnimationFrame(this.#moving);
    const others = [...this.#fingers].filter(([id]) => id !== event.pointerId);
    const [other] = others;
    const scale = this.#seen.width / this.#screen.width;
    let view = this.#seen;
    if (other) {
      const [, { x, y }] = other;
      const before = Math.hypot(last.x - x, last.y - y);
      const after = Math.hypot(event.clientX - x, event.clientY - y);
      const middle = this.#place({ clientX: (event.clientX + x) / 2, clientY: (event.clientY + y) / 2 });
      view = zoomAt(view, this.#screen, before > 0 ? after / before : 1, middle.x, middle.y);
    }
    const share = (other ? 0.5 : 1) * scale;
    const [dx, dy] = [(event.clientX - last.x) * share, (event.clientY - last.y) * share];
    this.#setView({ ...view, x: view.x - dx, y: view.y - dy });
    this.#fingers.set(event.pointerId, { x: event.clientX, y: event.clientY });
  }

  #release(event: PointerEvent): void {
    this.#fingers.delete(event.pointerId);
  }

  #wheel(event: WheelEvent): void {
    // a wheel over a page scrolls the page; it zooms with Ctrl (as pinching does), or once the graph has the focus
    if (!event.ctrlKey && !event.metaKey && !this.#stage?.contains(document.activeElement)) return;
    event.preventDefault();
    cancelAnimationFrame(this.#moving);
    const pixels = event.deltaMode === 1 ? event.deltaY * 16 : event.deltaY;
    const { x, y } = this.#place(event);
    const factor = Math.exp(-Math.max(-60, Math.min(60, pixels)) * (event.ctrlKey ? 0.01 : 0.004));
    this.#setView(zoomAt(this.#seen, this.#screen, factor, x, y));
  }

  #click(event: MouseEvent): void {
    if (this.#dragged) {
      this.#dragged = false;
      return;
    }
    const target = event.target as Element;
    const index = indexOf(target);
    if (index !== null) {
      const box = at(this.#layout.boxes, index);
      const onTitle = !box.open || this.#place(event).y < box.y + 30;
      if (this.#canFold(box) && onTitle) this.#fold(index);
      else this.#choose(index);
      this.#focusCursor();
      return;
    }
    const edge = this.#edgeAt(target);
    const [value] = edge?.values ?? [];
    if (value !== undefined) this.#change({ select: selectName(this.graph, { kind: "value", id: value }) });
  }

  #key(event: KeyboardEvent): void {
    if (event.altKey || event.ctrlKey || event.metaKey) return;
    const index = this.#layout.boxes.findIndex((box) => boxName(box) === this.cursor);
    const box = this.#layout.boxes[index];
    const way = WALK[event.key];
    if (way && box) this.#walkTo(step(this.#layout, index, way));
    else if (event.key === "Enter" && box) {
      if (this.#canFold(box)) this.#fold(index);
      else this.#choose(index);
    } else if (event.key === " " && box) this.#choose(index);
    else if (event.key === "Escape" && box?.parent != null) this.#walkTo(box.parent);
    else if (event.key === "+" || event.key === "=") this.#zoom(1.3);
    else if (event.key === "-") this.#zoom(1 / 1.3);
    else if (event.key === "0") this.#goTo(fitAll(this.#layout, this.#screen));
    else return;
    event.preventDefault();
    event.stopPropagation(); // the page's own arrow keys step through the tour
  }

  #walkTo(index: number): void {
    const box = at(this.#layout.boxes, index);
    this.cursor = boxName(box);
    this.#goTo(show(this.#seen, this.#screen, box));
    this.#focusCursor();
  }

  #focusCursor(): void {
    void this.updateComplete.then(() => {
      this.querySelector<SVGGElement>('g[tabindex="0"]')?.focus({ preventScroll: true });
    });
  }

  // ---- the small window over a box or line

  #hover(event: PointerEvent): void {
    if (event.pointerType === "touch") return;
    const target = event.target as Element;
    const index = indexOf(target);
    const edge = this.#edgeAt(target);
    if (index !== null) this.#tell(aboutBox(this.graph, at(this.#layout.boxes, index)), event.clientX, event.clientY);
    else if (edge) this.#tell(aboutEdge(this.graph, edge), event.clientX, event.clientY);
    else this.#hide();
  }

  #focus(event: FocusEvent): void {
    const index = indexOf(event.target as Element);
    if (index === null || !(event.target as Element).matches(":focus-visible")) return;
    const { left, bottom } = (event.target as Element).getBoundingClientRect();
    this.#tell(aboutBox(this.graph, at(this.#layout.boxes, index)), left, bottom);
  }

  #tell(lines: string[], x: number, y: number): void {
    const tip = this.querySelector<HTMLElement>(".graph-tip");
    const stage = this.#stage?.getBoundingClientRect();
    if (!tip || !stage) return;
    tip.replaceChildren(
      ...lines.map((line) => {
        const element = document.createElement("span");
        element.textContent = line;
        return element;
      }),
    );
    tip.hidden = false;
    const room = stage.width - tip.offsetWidth - 4;
    tip.style.left = `${Math.max(4, Math.min(room, x - stage.left + 14))}px`;
    tip.style.top = `${Math.max(4, Math.min(stage.height - tip.offsetHeight - 4, y - stage.top + 16))}px`;
  }

  #hide(): void {
    const tip = this.querySelector<HTMLElement>(".graph-tip");
    if (tip) tip.hidden = true;
  }

  #edgeAt(target: Element): Edge | null {
    const number = target.closest("[data-strand]")?.getAttribute("data-strand");
    return number == null ? null : (strands(this.#layout.edges)[Number(number)]?.[0] ?? null);
  }

  // ---- drawing

  override render(): TemplateResult {
    return html`${this.#tools()}
      <div class="graph-stage" @focusin=${this.#focus} @focusout=${this.#hide}>
        <svg class="graph live" role="group" aria-label=${`Graph of ${this.name}`} aria-describedby="graph-keys"
          viewBox=${viewBox(this.#seen)} @pointerdown=${this.#press} @pointermove=${this.#drag}
          @pointerup=${this.#release} @pointercancel=${this.#release} @pointerleave=${this.#hide}
          @wheel=${this.#wheel} @click=${this.#click} @keydown=${this.#key}>${this.#drawing()}</svg>
        <div class="graph-tip" aria-hidden="true" hidden></div>
        <p class="quiet" id="graph-keys">Arrow keys move along lines and between neighbours, Enter opens or folds a
          group, Space selects, plus and minus zoom, 0 shows everything.</p>
      </div>`;
  }

  #tools(): TemplateResult {
    const names = this.#found.map((target) => selectName(this.graph, target));
    const place = names.indexOf(this.select ?? "") + 1;
    const count = place > 0 ? `${place} of ${names.length}` : `${names.length} found`;
    // the search field has change events of its own, which are not for the page
    return html`<div class="graph-tools" @change=${(event: Event) => event.stopPropagation()}>
      <form role="search" @submit=${this.#find}>
        <input type="search" aria-label="Find a scope or operation" placeholder="find…" .value=${this.words}
          @input=${(event: Event) => (this.words = (event.target as HTMLInputElement).value)} />
        <button type="submit" ?disabled=${names.length === 0}>next</button>
        <output aria-live="polite">${this.words.trim() ? count : nothing}</output>
      </form>
      <div role="group" aria-label="View of the graph">
        <button type="button" aria-label="Zoom out" @click=${() => this.#zoom(1 / 1.3)}>−</button>
        <button type="button" aria-label="Zoom in" @click=${() => this.#zoom(1.3)}>+</button>
        <button type="button" @click=${() => this.#goTo(fitAll(this.#layout, this.#screen))}>fit</button>
        <button type="button" @click=${() => this.#foldAll(false)}>fold all</button>
        <button type="button" @click=${() => this.#foldAll(true)}>unfold all</button>
        <details class="graph-files"><summary>download</summary>
          <div>${KINDS.map((kind) => html`<button type="button" @click=${() => this.#download(kind)}>${kind}</button>`)}</div>
        </details>
      </div>
    </div>`;
  }

  #drawing(): TemplateResult {
    const { boxes, edges } = this.#layout;
    const whole = boxes.length <= DRAWN_WHOLE;
    const seen = this.#seen;
    const drawn = (index: number): boolean => {
      const box = at(boxes, index);
      return whole || boxName(box) === this.cursor || touches(box, seen, seen.width / 4);
    };
    const all = boxes.map((_, i) => i).filter(drawn);
    const lines = strands(edges).map((strand, i) => ({ strand, i }));
    const visible = whole ? lines : lines.filter(({ strand }) => strand.some((edge) => touches(bounds(edge), seen, 0)));
    return svg`<g class="groups">${all.filter((i) => at(boxes, i).open).map((i) => this.#box(i))}</g>
      <g class="edges" aria-hidden="true">
        ${visible.map(({ strand }) => svg`<path class=${edgeClass(at(strand, 0))} d=${ways(strand)}></path>`)}
        ${this.#near().map((edge) => svg`<path class=${`${edgeClass(edge)} near`} d=${path(edge.points)}></path>`)}
        ${visible.map(({ strand, i }) => svg`<path class="hit" data-strand=${i} d=${ways(strand)}></path>`)}
      </g>
      <g class="boxes">${all.filter((i) => !at(boxes, i).open).map((i) => this.#box(i))}</g>`;
  }

  /** The lines of the selection: where a value goes, or what enters and leaves a box. */
  #near(): Edge[] {
    const target = findTarget(this.graph, this.select);
    if (target === null) return [];
    const box = this.#selected;
    if (target.kind === "value") {
      const along = this.#layout.edges.filter((edge) => edge.values.includes(target.id));
      if (along.length > 0) return along;
    }
    return this.#layout.edges.filter((edge) => edge.source === box || edge.targets.includes(box));
  }

  #box(index: number): TemplateResult {
    const box = at(this.#layout.boxes, index);
    const name = boxName(box);
    const folds = this.#canFold(box);
    const selected = index === this.#selected;
    const classes = ["box", box.kind, box.open && "open", folds && "folds", selected && "selected"].filter(Boolean);
    const middle = box.x + box.width / 2;
    const [title, line] = baselines(box);
    const chevron = box.open ? `M${box.x + 4} ${box.y + 13}l3 4l3 -4` : `M${box.x + 6} ${box.y + box.height / 2 - 3}l4 3l-4 3`;
    return svg`<g class=${classes.join(" ")} data-box=${index} role="button" tabindex=${name === this.cursor ? 0 : -1}
        aria-label=${spoken(box, folds)} aria-expanded=${folds ? String(box.open) : nothing}
        aria-current=${selected ? "true" : nothing}>
      <rect x=${box.x} y=${box.y} width=${box.width} height=${box.height} rx=${radius(box)}></rect>
      ${folds ? svg`<path class="chevron" d=${chevron}></path>` : nothing}
      ${box.open
        ? svg`<text class="name" x=${box.x + 14} y=${title}>${box.title}</text>`
        : svg`<text class="name" x=${middle} y=${title} text-anchor="middle">${box.title}</text>`}
      ${box.line ? svg`<text class="line" x=${middle} y=${line} text-anchor="middle">${box.line}</text>` : nothing}
    </g>` as TemplateResult;
  }
}

function viewBox(view: Rect): string {
  return `${view.x} ${view.y} ${view.width} ${view.height}`;
}

function ways(strand: Edge[]): string {
  return strand.map((edge) => path(edge.points)).join("");
}

function indexOf(target: Element): number | null {
  const number = target.closest("[data-box]")?.getAttribute("data-box");
  return number == null ? null : Number(number);
}

function targetOf(box: Box): Target {
  if (box.kind === "scope" || box.kind === "op") return { kind: box.kind, id: box.ref };
  return { kind: "value", id: box.ref };
}

function bounds(edge: Edge): Rect {
  const xs = edge.points.map(([x]) => x);
  const ys = edge.points.map(([, y]) => y);
  const [x, y] = [Math.min(...xs), Math.min(...ys)];
  return { x, y, width: Math.max(...xs) - x, height: Math.max(...ys) - y };
}

if (!customElements.get("cutaway-graph")) customElements.define("cutaway-graph", CutawayGraph);
