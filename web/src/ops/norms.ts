// What brings numbers to a common scale.

import type { Family } from "./entry.ts";

export const norms: Family = {
  layer_norm: {
    words: "Shifts and scales each row to mean 0 and variance 1, then applies a learned scale and shift.",
    formula: "y_i = frac{x_i - mu}{sqrt{sigma^2 + epsilon}} gamma_i + beta_i",
  },
  rms_norm: {
    words: "Divides each row by its root mean square, then applies a learned scale.",
    formula: "y_i = frac{x_i}{sqrt{over{x^2} + epsilon}} gamma_i",
  },
  batch_norm: {
    words: "Scales each channel by the mean and variance of the batch (in training) or the stored ones.",
    formula: "y_c = frac{x_c - mu_c}{sqrt{sigma_c^2 + epsilon}} gamma_c + beta_c",
  },
  group_norm: {
    words: "Scales each group of channels to mean 0 and variance 1, then applies a learned scale and shift.",
    formula: "y_c = frac{x_c - mu_g}{sqrt{sigma_g^2 + epsilon}} gamma_c + beta_c",
  },
  instance_norm: {
    words: "Scales each channel of each example to mean 0 and variance 1.",
    formula: "y_{nc} = frac{x_{nc} - mu_{nc}}{sqrt{sigma_{nc}^2 + epsilon}}",
  },
  local_response_norm: { words: "Divides each cell by the size of its neighbours across channels." },
  normalize: { words: "Divides each vector by its length.", formula: "y_i = frac{x_i}{max(||x||, epsilon)}" },
  cosine_similarity: { words: "The cosine of the angle between two vectors.", formula: "y = frac{sum_i a_i b_i}{||a|| * ||b||}" },
};
