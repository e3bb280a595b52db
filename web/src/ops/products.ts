// Sums of products: matrices, layers, convolutions, attention.

import type { Family } from "./entry.ts";

export const products: Family = {
  linear: { words: "Each output is a weighted sum of a row's inputs, plus a bias; the weights are one row of W.", formula: "y_{ij} = sum_k x_{ik} W_{jk} + b_j" },
  matmul: { words: "Matrix product over the last two axes; axes before them are taken one by one.", formula: "y_{ij} = sum_k a_{ik} b_{kj}" },
  mm: { words: "Product of two matrices.", formula: "y_{ij} = sum_k a_{ik} b_{kj}" },
  bmm: { words: "One matrix product for each member of the batch.", formula: "y_{nij} = sum_k a_{nik} b_{nkj}" },
  mv: { words: "Matrix times vector.", formula: "y_i = sum_k a_{ik} x_k" },
  dot: { words: "Sum of the products of two vectors' cells.", formula: "y = sum_k a_k b_k" },
  outer: { words: "Every cell of one vector times every cell of the other.", formula: "y_{ij} = a_i b_j" },
  addmm: { words: "A matrix product added to a matrix.", formula: "y_{ij} = beta c_{ij} + alpha sum_k a_{ik} b_{kj}" },
  baddbmm: { words: "A batch of matrix products added to a batch of matrices.", formula: "y_{nij} = beta c_{nij} + alpha sum_k a_{nik} b_{nkj}" },
  einsum: { words: "Sums products over the indices that its formula leaves out of the result." },
  tensordot: { words: "Sums products over the given axes of both tensors." },
  bilinear: { words: "A weighted sum over all pairs of two inputs' cells, plus a bias.", formula: "y_j = sum_{k} sum_{l} x_k W_{jkl} z_l + b_j" },
  conv1d: { words: "Slides a window along one axis; each output is a weighted sum of what the window shows.", formula: "y_{ci} = b_c + sum_d sum_k W_{cdk} x_{d,i+k}" },
  conv2d: { words: "Slides a window over an image; each output is a weighted sum of what the window shows.", formula: "y_{cij} = b_c + sum_d sum_{k} sum_{l} W_{cdkl} x_{d,i+k,j+l}" },
  conv3d: { words: "Slides a window over a volume; each output is a weighted sum of what the window shows." },
  conv_transpose1d: { words: "The transposed convolution: each input spreads over a window of the output." },
  conv_transpose2d: { words: "The transposed convolution: each input spreads over a window of the output." },
  scaled_dot_product_attention: {
    words: "Attention in one step: each query takes the mean of the values, weighted by how well their keys match. The weights themselves are not among its results.",
    formula: "Y = softmax(frac{Q K^T}{sqrt{d}} + M) V",
  },
  multi_head_attention_forward: {
    words: "Several attentions side by side on projected queries, keys and values, joined and projected again.",
    formula: "Y = [softmax(frac{Q_h K_h^T}{sqrt{d}}) V_h]_h W^T",
  },
};
