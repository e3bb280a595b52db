// How far an answer is from the truth.

import type { Family } from "./entry.ts";

export const losses: Family = {
  cross_entropy: {
    words: "Minus the logarithm of the probability that softmax gives to the true class; the mean over targets. Labels of -100 are no targets.",
    formula: "L = -frac{1}{n} sum_i ln frac{e^{x_{i,t_i}}}{sum_j e^{x_{ij}}}",
  },
  nll_loss: { words: "Minus the log probability of the true class; the mean over targets.", formula: "L = -frac{1}{n} sum_i x_{i,t_i}" },
  mse_loss: { words: "The mean squared difference.", formula: "L = frac{1}{n} sum_i (x_i - t_i)^2" },
  l1_loss: { words: "The mean absolute difference.", formula: "L = frac{1}{n} sum_i |x_i - t_i|" },
  smooth_l1_loss: { words: "Squared for small differences, absolute for large ones." },
  huber_loss: { words: "Squared for small differences, absolute for large ones." },
  binary_cross_entropy: {
    words: "Minus the logarithm of the probability given to what happened, for yes-or-no answers.",
    formula: "L = -frac{1}{n} sum_i (t_i ln x_i + (1 - t_i) ln(1 - x_i))",
  },
  binary_cross_entropy_with_logits: {
    words: "Binary cross entropy of the sigmoid of scores, in one step.",
    formula: "L = frac{1}{n} sum_i (ln(1 + e^{x_i}) - t_i x_i)",
  },
  kl_div: { words: "How much a distribution (given as logarithms) differs from the true one.", formula: "L = sum_i t_i (ln t_i - x_i)" },
  hinge_embedding_loss: { words: "Pulls like pairs together and pushes unlike pairs apart up to a margin." },
  margin_ranking_loss: { words: "Asks one score to exceed another by a margin." },
  triplet_margin_loss: { words: "Asks an anchor to be closer to its like than to its unlike by a margin." },
  cosine_embedding_loss: { words: "Asks like pairs to point the same way and unlike pairs not to." },
  ctc_loss: { words: "Minus the log probability of a label sequence over all its alignments." },
};
