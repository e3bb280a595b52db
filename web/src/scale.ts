// The colours of heatmaps: 65 steps from rust through nearly white to mint. The twin of src/cutaway/scale.py, which
// writes the same steps as the classes of scale.css; canvases take theirs from here.

import type { Cell } from "./number.ts";
import { size } from "./tensor.ts";

const STEPS = 32;
const ZERO = [248, 251, 250] as const;
const MINT = [8, 150, 120] as const;
const RUST = [137, 52, 11] as const;

/** The colour of a step from -32 (rust) to 32 (mint); in a straight line through sRGB. */
export function colour(step: number): [number, number, number] {
  const end = step > 0 ? MINT : RUST;
  const part = Math.abs(step) / STEPS;
  const [red, green, blue] = ZERO.map((zero, i) => Math.floor(zero + (end[i]! - zero) * part + 0.5));
  return [red!, green!, blue!];
}

/** The step of a cell from -32 to 32; NaN for NaN. A complex number counts by its magnitude. */
export function stepOf(cell: Cell, limit: number): number {
  const x = size(cell);
  if (Number.isNaN(x)) return NaN;
  const part = !Number.isFinite(x) ? 1 : limit ? Math.min(Math.abs(x) / limit, 1) : 0;
  const number = Math.floor(part * STEPS + 0.5);
  return x < 0 && number ? -number : number;
}

/** The class of a cell: `p0` to `p32`, `n1` to `n32`, `nan`. */
export function step(cell: Cell, limit: number): string {
  const number = stepOf(cell, limit);
  if (Number.isNaN(number)) return "nan";
  return number < 0 ? `n${-number}` : `p${Math.abs(number)}`;
}
