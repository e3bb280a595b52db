// Which part of the picture an SVG element shows, and how it moves there.

import type { Layout } from "../layout.ts";
import { between, fitAll, fitReadable, type Rect, show, type Size, zoomAt } from "../viewport.ts";

const MOVE_TIME = 320; // milliseconds

/** A place in the window. */
export interface Spot {
  clientX: number;
  clientY: number;
}

export class Camera {
  #view: Rect | null = null;
  #moving = 0;

  /** stage: the element that shows the picture; layout: the present picture; moved: told after every move. */
  constructor(
    private readonly stage: () => SVGSVGElement | null,
    private readonly layout: () => Layout,
    private readonly moved: () => void,
  ) {}

  get screen(): Size {
    const box = this.stage()?.getBoundingClientRect();
    return { width: box?.width || 800, height: box?.height || 500 };
  }

  /** The part that is seen; before the first look, the one that it will begin with. */
  get seen(): Rect {
    return this.#view ?? fitReadable(this.layout(), this.screen);
  }

  get started(): boolean {
    return this.#view !== null;
  }

  get viewBox(): string {
    const { x, y, width, height } = this.seen;
    return `${x} ${y} ${width} ${height}`;
  }

  /** First look: the whole picture or its readable top, and a box if there is one to show. */
  start(box: Rect | undefined): void {
    const first = fitReadable(this.layout(), this.screen);
    this.set(box ? show(first, this.screen, box) : first);
  }

  /** Begins anew at the next look. */
  forget(): void {
    this.#view = null;
  }

  set(view: Rect): void {
    this.#view = view;
    this.stage()?.setAttribute("viewBox", this.viewBox);
    this.moved();
  }

  stop(): void {
    cancelAnimationFrame(this.#moving);
  }

  /** Moves smoothly, or at once for readers who asked for less motion. */
  goTo(to: Rect): void {
    this.stop();
    const from = this.seen;
    if (matchMedia("(prefers-reduced-motion: reduce)").matches) return this.set(to);
    const start = performance.now();
    const move = (now: number): void => {
      const part = Math.min(1, Math.max(0, (now - start) / MOVE_TIME));
      this.set(between(from, to, part));
      if (part < 1) this.#moving = requestAnimationFrame(move);
    };
    this.#moving = requestAnimationFrame(move);
  }

  show(box: Rect): void {
    this.goTo(show(this.seen, this.screen, box));
  }

  fit(): void {
    this.goTo(fitAll(this.layout(), this.screen));
  }

  /** Zooms around the middle of what is seen. */
  zoom(factor: number): void {
    const { x, y, width, height } = this.seen;
    this.goTo(zoomAt(this.seen, this.screen, factor, x + width / 2, y + height / 2));
  }

  /** Zooms around a place in the window, then moves by pixels of the screen. */
  turn(spot: Spot, factor: number, dx = 0, dy = 0): void {
    this.stop();
    const { x, y } = this.place(spot);
    const view = factor === 1 ? this.seen : zoomAt(this.seen, this.screen, factor, x, y);
    const scale = view.width / this.screen.width;
    this.set({ ...view, x: view.x - dx * scale, y: view.y - dy * scale });
  }

  /** Keeps the scale when the element has become another size. */
  resize(): void {
    const view = this.#view;
    if (!view) return;
    const { width, height } = this.screen;
    const tall = (view.width / width) * height;
    if (Math.abs(view.height - tall) >= 0.5) this.set({ ...view, height: tall });
  }

  /** Shifts the view so that what was at one box is at another: a scope that opens stays under the pointer. */
  follow(was: Rect | undefined, is: Rect | undefined): void {
    if (!this.#view || !was || !is) return;
    const x = this.#view.x + is.x + is.width / 2 - (was.x + was.width / 2);
    this.#view = { ...this.#view, x, y: this.#view.y + is.y - was.y };
  }

  /** The point of the picture under a place in the window. */
  place(spot: Spot): { x: number; y: number } {
    const box = this.stage()?.getBoundingClientRect();
    const { x, y, width } = this.seen;
    const scale = width / this.screen.width;
    return { x: x + (spot.clientX - (box?.left ?? 0)) * scale, y: y + (spot.clientY - (box?.top ?? 0)) * scale };
  }
}
