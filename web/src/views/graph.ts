// The interactive graph: fold and unfold, pan, zoom, find, hover, select, walk with the keyboard, download.
// It is given its state and tells what the reader wants changed; it keeps only the part of the picture that is seen.

import { html, LitElement, nothing, type PropertyValues, type TemplateResult } from "lit";
import type { Graph } from "../bundle.ts";
import { KINDS, makeFile, save } from "../downloads.ts";
import { aboutBox, aboutEdge } from "../hints.ts";
import { arrange, type Box, type Edge, type Layout } from "../layout.ts";
import { boxName } from "../picture.ts";
import { at } from "../recorded.ts";
import { findAll } from "../search.ts";
import { boxOf, findTarget, foldable, openFor, selectName, type Target } from "../selection.ts";
import { step, type Way } from "../walk.ts";
import { Camera } from "./camera.ts";
import { boxUnder, DRAWN_WHOLE, drawing, edgeUnder } from "./drawing.ts";
import type { Point } from "./scene.ts";
import { showTip } from "./tip.ts";

/** What the graph asks of its page: another selection, other open scopes. */
export interface GraphChange {
  select?: string | null;
  open?: string[];
}

const WALK: Record<string, Way> = { ArrowUp: "up", ArrowDown: "down", ArrowLeft: "left", ArrowRight: "right" };
const ZOOM = 1.3; // a press of + or -
const DRAG = 4; // pixels from which a press is a drag
const TITLE = 30; // pixels of an open group that fold it

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
  #fingers = new Map<number, { clientX: number; clientY: number }>();
  #dragged = false;
  #kept: string | null = null; // the scope that stays where it is when it opens or closes
  #watcher: ResizeObserver | null = null;
  readonly #camera = new Camera(
    () => this.querySelector<SVGSVGElement>("svg.live"),
    () => this.#layout,
    () => this.#layout.boxes.length > DRAWN_WHOLE && this.requestUpdate(),
  );

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
    this.#watcher = new ResizeObserver(() => this.#camera.resize());
    this.#watcher.observe(this);
  }

  override disconnectedCallback(): void {
    super.disconnectedCallback();
    this.#watcher?.disconnect();
    this.#camera.stop();
  }

  override willUpdate(changed: PropertyValues<this>): void {
    if (changed.has("graph")) {
      this.#foldable = foldable(this.graph);
      this.#camera.forget();
    }
    if (changed.has("graph") || changed.has("open")) {
      const kept = (): Box | undefined => this.#layout.boxes.find((box) => box.kind === "scope" && box.select === this.#kept);
      const before = kept();
      this.#layout = arrange(this.graph, this.open);
      this.#camera.follow(before, kept());
    }
    if (changed.has("graph") || changed.has("words")) this.#found = findAll(this.graph, this.words);
    const selected = this.#layout.boxes[this.#selected];
    if (changed.has("select") && selected) this.cursor = boxName(selected);
    const [first] = this.#layout.boxes;
    if (!this.#layout.boxes.some((box) => boxName(box) === this.cursor)) this.cursor = first ? boxName(first) : "";
  }

  override updated(changed: PropertyValues<this>): void {
    const box = this.#layout.boxes[this.#selected];
    if (!this.#camera.started) this.#camera.start(box);
    else if ((changed.has("select") || changed.has("point")) && box && this.#kept === null) this.#camera.show(box);
    if (changed.has("open") || changed.has("select")) this.#kept = null;
  }

  /** The box that shows the selection; -1 where there is none. */
  get #selected(): number {
    return boxOf(this.graph, this.#layout, findTarget(this.graph, this.select));
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
    this.#focusCursor(); // an open group is drawn elsewhere than a closed one
  }

  #canFold(box: Box): boolean {
    return box.kind === "scope" && (box.open || at(this.#foldable, box.ref));
  }

  #foldAll(open: boolean): void {
    const names = this.graph.scopes.filter((scope, i) => scope.parent !== null && at(this.#foldable, i));
    this.#camera.forget();
    this.#change({ open: open ? names.map((scope) => scope.name) : [] });
  }

  #find(event: Event): void {
    event.preventDefault();
    const names = this.#found.map((target) => selectName(this.graph, target));
    const target = this.#found[(names.indexOf(this.select ?? "") + 1) % Math.max(1, names.length)];
    if (!target) return;
    this.#change({ open: openFor(this.graph, target, this.open), select: selectName(this.graph, target) });
  }

  // ---- pointer and keys

  #press(event: PointerEvent): void {
    if (event.button > 0) return;
    this.#fingers.set(event.pointerId, { clientX: event.clientX, clientY: event.clientY });
    if (this.#fingers.size === 1) this.#dragged = false;
  }

  /** One finger moves the picture; two move and zoom it. */
  #drag(event: PointerEvent): void {
    const last = this.#fingers.get(event.pointerId);
    if (!last) return this.#hover(event);
    const [dx, dy] = [event.clientX - last.clientX, event.clientY - last.clientY];
    if (!this.#dragged) {
      if (Math.abs(dx) + Math.abs(dy) < DRAG) return;
      (event.currentTarget as Element).setPointerCapture(event.pointerId);
      this.#dragged = true;
      this.#hide();
    }
    const other = [...this.#fingers].find(([id]) => id !== event.pointerId)?.[1];
    if (other) {
      const reach = (spot: { clientX: number; clientY: number }): number =>
        Math.hypot(spot.clientX - other.clientX, spot.clientY - other.clientY);
      const middle = { clientX: (event.clientX + other.clientX) / 2, clientY: (event.clientY + other.clientY) / 2 };
      this.#camera.turn(middle, reach(last) > 0 ? reach(event) / reach(last) : 1, dx / 2, dy / 2);
    } else this.#camera.turn(event, 1, dx, dy);
    this.#fingers.set(event.pointerId, { clientX: event.clientX, clientY: event.clientY });
  }

  #release(event: PointerEvent): void {
    this.#fingers.delete(event.pointerId);
  }

  #wheel(event: WheelEvent): void {
    // a wheel over a page scrolls the page; it zooms with Ctrl (as pinching does), or once the graph has the focus
    const focused = (event.currentTarget as Element).contains(document.activeElement);
    if (!event.ctrlKey && !event.metaKey && !focused) return;
    event.preventDefault();
    const pixels = event.deltaMode === WheelEvent.DOM_DELTA_LINE ? event.deltaY * 16 : event.deltaY;
    this.#camera.turn(event, Math.exp(-Math.max(-60, Math.min(60, pixels)) * (event.ctrlKey ? 0.01 : 0.004)));
  }

  #click(event: MouseEvent): void {
    if (this.#dragged) {
      this.#dragged = false;
      return;
    }
    const index = boxUnder(event.target as Element);
    if (index !== null) {
      const box = at(this.#layout.boxes, index);
      const onTitle = !box.open || this.#camera.place(event).y < box.y + TITLE;
      if (this.#canFold(box) && onTitle) this.#fold(index);
      else this.#choose(index);
      return;
    }
    const [value] = edgeUnder(this.#layout, event.target as Element)?.values ?? [];
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
    else if (event.key === "+" || event.key === "=") this.#camera.zoom(ZOOM);
    else if (event.key === "-") this.#camera.zoom(1 / ZOOM);
    else if (event.key === "0") this.#camera.fit();
    else return;
    event.preventDefault();
    event.stopPropagation(); // the page's own arrow keys step through the tour
  }

  #walkTo(index: number): void {
    const box = at(this.#layout.boxes, index);
    this.cursor = boxName(box);
    this.#camera.show(box);
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
    const index = boxUnder(event.target as Element);
    const edge = edgeUnder(this.#layout, event.target as Element);
    if (index !== null) this.#tell(aboutBox(this.graph, at(this.#layout.boxes, index)), event.clientX, event.clientY);
    else if (edge) this.#tell(aboutEdge(this.graph, edge), event.clientX, event.clientY);
    else this.#hide();
  }

  #focus(event: FocusEvent): void {
    const target = event.target as Element;
    const index = boxUnder(target);
    if (index === null || !target.matches(":focus-visible")) return;
    const { left, bottom } = target.getBoundingClientRect();
    this.#tell(aboutBox(this.graph, at(this.#layout.boxes, index)), left, bottom);
  }

  #tell(lines: string[], x: number, y: number): void {
    const [stage, tip] = [this.querySelector(".graph-stage"), this.querySelector<HTMLElement>(".graph-tip")];
    if (stage && tip) showTip(stage, tip, lines, x, y);
  }

  #hide(): void {
    const tip = this.querySelector<HTMLElement>(".graph-tip");
    if (tip) tip.hidden = true;
  }

  // ---- drawing

  override render(): TemplateResult {
    const look = {
      seen: this.#camera.seen,
      cursor: this.cursor,
      selected: this.#selected,
      near: this.#near(),
      folds: (box: Box) => this.#canFold(box),
    };
    // focus is watched on the stage: an SVG element that listens for it becomes a stop for Tab itself
    return html`${this.#tools()}
      <div class="graph-stage" @focusin=${this.#focus} @focusout=${this.#hide}>
        <svg class="graph live" role="group" aria-label=${`Graph of ${this.name}`} aria-describedby="graph-keys"
          viewBox=${this.#camera.viewBox} @pointerdown=${this.#press} @pointermove=${this.#drag}
          @pointerup=${this.#release} @pointercancel=${this.#release} @pointerleave=${this.#hide}
          @wheel=${this.#wheel} @click=${this.#click} @keydown=${this.#key}>${drawing(this.#layout, look)}</svg>
        <div class="graph-tip" aria-hidden="true" hidden></div>
        <p class="quiet" id="graph-keys">Arrow keys move along lines and between neighbours, Enter opens or folds a
          group, Space selects, plus and minus zoom, 0 shows everything.</p>
      </div>`;
  }

  #tools(): TemplateResult {
    const names = this.#found.map((target) => selectName(this.graph, target));
    const place = names.indexOf(this.select ?? "") + 1;
    const count = place > 0 ? `${place} of ${names.length}` : `${names.length} found`;
    const typed = (event: Event): string => (this.words = (event.target as HTMLInputElement).value);
    const files = KINDS.map((kind) => {
      const download = (): void => save(makeFile(kind, this.graph, this.#layout, this.name));
      return html`<button type="button" @click=${download}>${kind}</button>`;
    });
    // the search field has change events of its own, which are not for the page
    return html`<div class="graph-tools" @change=${(event: Event) => event.stopPropagation()}>
      <form role="search" @submit=${this.#find}>
        <input type="search" aria-label="Find a scope or operation" placeholder="find…" .value=${this.words} @input=${typed} />
        <button type="submit" ?disabled=${names.length === 0}>next</button>
        <output aria-live="polite">${this.words.trim() ? count : nothing}</output>
      </form>
      <div role="group" aria-label="View of the graph">
        <button type="button" aria-label="Zoom out" @click=${() => this.#camera.zoom(1 / ZOOM)}>−</button>
        <button type="button" aria-label="Zoom in" @click=${() => this.#camera.zoom(ZOOM)}>+</button>
        <button type="button" @click=${() => this.#camera.fit()}>fit</button>
        <button type="button" @click=${() => this.#foldAll(false)}>fold all</button>
        <button type="button" @click=${() => this.#foldAll(true)}>unfold all</button>
        <details class="graph-files"><summary>download</summary><div>${files}</div></details>
      </div>
    </div>`;
  }

  /** The lines of the selection: where a value goes, or what enters and leaves a box. */
  #near(): Edge[] {
    const target = findTarget(this.graph, this.select);
    if (target === null) return [];
    const { edges } = this.#layout;
    const along = target.kind === "value" ? edges.filter((edge) => edge.values.includes(target.id)) : [];
    const box = this.#selected;
    return along.length > 0 ? along : edges.filter((edge) => edge.source === box || edge.targets.includes(box));
  }
}

function targetOf(box: Box): Target {
  if (box.kind === "scope" || box.kind === "op") return { kind: box.kind, id: box.ref };
  return { kind: "value", id: box.ref };
}

if (!customElements.get("cutaway-graph")) customElements.define("cutaway-graph", CutawayGraph);
