// A matrix too large for a table: a canvas of all cells, and a table of those around a cursor. The cursor follows the
// pointer and the arrow keys.

import { html, LitElement, type PropertyValues } from "lit";
import { type Cell, exact, show } from "../number.ts";
import { colour, stepOf } from "../scale.ts";
import { size } from "../tensor.ts";
import { grid, type Matrix } from "./heatmap.ts";

const WIDE = 640; // pixels of the canvas at most
const HIGH = 480;
const THIN = 64; // pixels that each side has at least
const WINDOW = 7; // rows and columns of the table
const MARKED = 6; // from this many pixels a cell, negatives carry a mark besides their colour

export class CutawayMatrix extends LitElement {
  static override properties = { slice: { attribute: false }, limit: { attribute: false }, name: { attribute: false } };

  declare slice: Matrix;
  declare limit: number;
  declare name: string;
  #row = 0;
  #column = 0;

  override createRenderRoot(): HTMLElement {
    return this;
  }

  /** How many cells one drawn dot stands for, down and across: 1, or more where there are more cells than pixels. */
  get #block(): [down: number, across: number] {
    return [Math.ceil(this.slice.height / HIGH), Math.ceil(this.slice.width / WIDE)];
  }

  /** How many pixels a drawn dot has, down and across: as many each, unless one side would be too thin to see. */
  get #scale(): [down: number, across: number] {
    const { width, height } = this.slice;
    const even = Math.max(1, Math.min(12, Math.floor(WIDE / width), Math.floor(HIGH / height)));
    return [Math.max(even, Math.floor(THIN / height)), Math.max(even, Math.floor(THIN / width))];
  }

  override willUpdate(): void {
    this.#row = Math.min(this.#row, this.slice.height - 1);
    this.#column = Math.min(this.#column, this.slice.width - 1);
  }

  override render(): unknown {
    const { width, height, rows, columns } = this.slice;
    const [blockDown, blockAcross] = this.#block;
    const [scaleDown, scaleAcross] = this.#scale;
    const across = Math.ceil(width / blockAcross) * scaleAcross;
    const down = Math.ceil(height / blockDown) * scaleDown;
    const coarse = blockDown * blockAcross > 1 ? ` Each dot is the largest of ${blockDown} × ${blockAcross} cells.` : "";
    const here = this.#cell();
    const keys = "Arrow keys move the cursor, Page Up and Page Down by a window.";
    return html`<p class="summary">${height} × ${width} cells.${coarse}</p>
      <canvas width=${across} height=${down} tabindex="0" role="img" aria-label=${`${this.name}: ${height} by ${width} cells. ${keys}`}
        @keydown=${this.#key} @pointermove=${this.#pointer} @pointerdown=${this.#pointer}></canvas>
      <p class="summary" aria-live="polite">row ${rows[this.#row]}, column ${columns[this.#column]}:
        <b title=${exact(here, this.slice.dtype)}>${show(here)}</b></p>
      ${grid(`${this.name}, around the cursor`, this.#window(), this.limit)}`;
  }

  override updated(changed: PropertyValues): void {
    if (changed.size) this.#draw();
  }

  #cell(): Cell {
    return this.slice.at(this.#row * this.slice.width + this.#column);
  }

  /** The cells around the cursor, as a matrix of their own. */
  #window(): Matrix {
    const { width, height, at, rows, columns, dtype, pointed } = this.slice;
    const start = (cursor: number, count: number): number => Math.max(0, Math.min(cursor - (WINDOW >> 1), count - WINDOW));
    const top = start(this.#row, height);
    const left = start(this.#column, width);
    const down = Math.min(WINDOW, height);
    const across = Math.min(WINDOW, width);
    return {
      at: (index) => at((top + Math.floor(index / across)) * width + left + (index % across)),
      dtype,
      height: down,
      width: across,
      rows: rows.slice(top, top + down),
      columns: columns.slice(left, left + across),
      pointed: (row, column) =>
        (top + row === this.#row && left + column === this.#column) || pointed(top + row, left + column),
    };
  }

  #draw(): void {
    const canvas = this.querySelector("canvas");
    const context = canvas?.getContext("2d");
    if (!context) return;
    const { width, height } = this.slice;
    const [blockDown, blockAcross] = this.#block;
    const [down, across] = this.#scale;
    for (let row = 0; row < height; row += blockDown) {
      for (let column = 0; column < width; column += blockAcross) {
        const number = this.#strongest(row, row + blockDown, column, column + blockAcross);
        const [x, y] = [(column / blockAcross) * across, (row / blockDown) * down];
        context.fillStyle = Number.isNaN(number) ? "#888" : `rgb(${colour(number).join(",")})`;
        context.fillRect(x, y, across, down);
        if (number < 0 && Math.min(across, down) >= MARKED) {
          context.fillStyle = number < -16 ? "#fff" : "#000";
          context.fillRect(x + across / 2 - 1.5, y + down / 2 - 0.5, 3, 1);
        }
      }
    }
  }

  /** The step of the cell with the largest magnitude in a block. */
  #strongest(top: number, bottom: number, left: number, right: number): number {
    const { width, height, at } = this.slice;
    let found = at(top * width + left);
    for (let i = top; i < Math.min(bottom, height); i++) {
      for (let j = left; j < Math.min(right, width); j++) {
        const other = at(i * width + j);
        if (Math.abs(size(other)) > Math.abs(size(found))) found = other;
      }
    }
    return stepOf(found, this.limit);
  }

  #move(row: number, column: number): void {
    this.#row = Math.max(0, Math.min(row, this.slice.height - 1));
    this.#column = Math.max(0, Math.min(column, this.slice.width - 1));
    this.requestUpdate();
  }

  #key(event: KeyboardEvent): void {
    const by: Record<string, [number, number]> = {
      ArrowUp: [-1, 0], ArrowDown: [1, 0], ArrowLeft: [0, -1], ArrowRight: [0, 1],
      PageUp: [-WINDOW, 0], PageDown: [WINDOW, 0], Home: [0, -this.slice.width], End: [0, this.slice.width],
    };
    const step = by[event.key];
    if (!step) return;
    event.preventDefault();
    event.stopPropagation(); // the tour listens to arrow keys too
    this.#move(this.#row + step[0], this.#column + step[1]);
  }

  #pointer(event: PointerEvent): void {
    const canvas = event.currentTarget as HTMLCanvasElement;
    const box = canvas.getBoundingClientRect();
    const row = Math.floor(((event.clientY - box.top) / box.height) * this.slice.height);
    const column = Math.floor(((event.clientX - box.left) / box.width) * this.slice.width);
    this.#move(row, column);
  }
}

if (!customElements.get("cutaway-matrix")) customElements.define("cutaway-matrix", CutawayMatrix);
