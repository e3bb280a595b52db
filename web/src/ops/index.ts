// What each torch function does, by its recorded name. One family a file.

import { shortFunction } from "../labels.ts";
import { activations } from "./activations.ts";
import { arithmetic } from "./arithmetic.ts";
import { choosing } from "./choosing.ts";
import type { Entry, Family } from "./entry.ts";
import { losses } from "./losses.ts";
import { norms } from "./norms.ts";
import { products } from "./products.ts";
import { reductions } from "./reductions.ts";
import { shapes } from "./shapes.ts";

export type { Entry } from "./entry.ts";

export const FAMILIES: Family[] = [arithmetic, products, activations, norms, reductions, losses, shapes, choosing];

/** Other names of the same function. */
const SAME: Record<string, string> = {
  truediv: "div", rtruediv: "rdiv", true_divide: "div", divide: "div", floordiv: "floor_divide", mod: "remainder",
  radd: "add", rmul: "mul", rmatmul: "matmul", iadd: "add", isub: "sub", imul: "mul",
  itruediv: "div", multiply: "mul", subtract: "sub", negative: "neg", absolute: "abs", clip: "clamp", clamp_min: "clamp",
  clamp_max: "clamp", swapaxes: "transpose", adjoint: "H", view_as: "view", reshape_as: "reshape", concatenate: "cat",
  moveaxis: "movedim", special_erf: "erf", logical_xor: "ne", fft_fft: "fft", fft_rfft: "rfft", fft_irfft: "irfft",
  bitwise_and: "and", bitwise_or: "or", bitwise_not: "invert", dropout2d: "feature_dropout",
  alpha_dropout: "dropout", feature_alpha_dropout: "feature_dropout", new_zeros: "zeros",
  new_ones: "ones", new_full: "full", new_empty: "empty", less: "lt", greater: "gt", not_equal: "ne",
  linalg_vector_norm: "vector_norm", linalg_norm: "norm", _softmax: "softmax",
};

const IN_PLACE = new Set(["iadd", "isub", "imul", "itruediv", "setitem"]);

/** What a function does; null for one that is not in the table. An in-place form is described by its plain one. */
export function describeFunction(name: string): (Entry & { inPlace: boolean }) | null {
  const short = shortFunction(name);
  const plain = short.endsWith("_") && short.length > 1 ? short.slice(0, -1) : short;
  const key = SAME[plain] ?? plain;
  for (const family of FAMILIES) {
    const entry = Object.hasOwn(family, key) ? family[key] : undefined;
    if (entry) return { ...entry, inPlace: plain !== short || IN_PLACE.has(short) };
  }
  return null;
}
