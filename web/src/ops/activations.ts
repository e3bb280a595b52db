// What bends: activations, and what turns scores into probabilities.

import type { Family } from "./entry.ts";

export const activations: Family = {
  relu: { words: "Keeps what is positive, makes the rest zero.", formula: "y_i = max(0, x_i)" },
  relu6: { words: "As relu, with 6 as the greatest value.", formula: "y_i = min(max(0, x_i), 6)" },
  leaky_relu: { words: "Keeps what is positive, shrinks the rest.", formula: "y_i = max(x_i, 0) + s * min(x_i, 0)" },
  prelu: { words: "Keeps what is positive, scales the rest by a learned slope.", formula: "y_i = max(x_i, 0) + w * min(x_i, 0)" },
  elu: { words: "Keeps what is positive; negatives bend towards a floor.", formula: "y_i = max(0, x_i) + min(0, alpha (e^{x_i} - 1))" },
  selu: { words: "elu with the two constants that keep mean and variance.", formula: "y_i = lambda (max(0, x_i) + min(0, alpha (e^{x_i} - 1)))" },
  gelu: { words: "Multiplies x by the chance that a random number, normal with mean 0 and spread 1, is below x.", formula: "y_i = x_i * phi(x_i)" },
  silu: { words: "x times its own sigmoid.", formula: "y_i = frac{x_i}{1 + e^{-x_i}}" },
  mish: { words: "x times the tanh of its softplus.", formula: "y_i = x_i * tanh(ln(1 + e^{x_i}))" },
  sigmoid: { words: "Squeezes each cell between 0 and 1.", formula: "y_i = frac{1}{1 + e^{-x_i}}" },
  logsigmoid: { words: "The logarithm of the sigmoid.", formula: "y_i = -ln(1 + e^{-x_i})" },
  hardsigmoid: { words: "The sigmoid in three straight pieces.", formula: "y_i = min(max(frac{x_i}{6} + frac{1}{2}, 0), 1)" },
  hardswish: { words: "silu in straight pieces.", formula: "y_i = x_i * min(max(frac{x_i}{6} + frac{1}{2}, 0), 1)" },
  hardtanh: { words: "Keeps each cell between two limits.", formula: "y_i = min(max(x_i, a), b)" },
  tanh: { words: "Squeezes each cell between -1 and 1.", formula: "y_i = frac{e^{x_i} - e^{-x_i}}{e^{x_i} + e^{-x_i}}" },
  softplus: { words: "A smooth relu.", formula: "y_i = ln(1 + e^{x_i})" },
  softmax: { words: "Turns scores along one axis into shares: all positive, their sum 1.", formula: "y_i = frac{e^{x_i}}{sum_j e^{x_j}}" },
  log_softmax: { words: "The logarithm of softmax, in one step.", formula: "y_i = x_i - ln sum_j e^{x_j}" },
  softmin: { words: "softmax of the negated scores.", formula: "y_i = frac{e^{-x_i}}{sum_j e^{-x_j}}" },
  gumbel_softmax: { words: "softmax of the scores plus random noise." },
  glu: { words: "One half of an axis times the sigmoid of the other half.", formula: "y_i = frac{a_i}{1 + e^{-b_i}}" },
  dropout: { words: "In training, sets random cells to zero and scales the others up; else passes everything on." },
  feature_dropout: { words: "In training, drops whole channels at random; else passes everything on." },
};
