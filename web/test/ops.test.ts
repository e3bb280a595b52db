import { render } from "lit";
import { expect, test } from "vitest";
import cases from "../../tests/golden/layout.json";
import { drawFormula } from "../src/ops/formula.ts";
import { describeFunction, FAMILIES } from "../src/ops/index.ts";

const entries = FAMILIES.flatMap((family) => Object.entries(family));

function drawn(formula: string): Element {
  const place = document.createElement("div");
  render(drawFormula(formula), place);
  return place.querySelector("math")!;
}

test("every function of the recorded flagship is described", () => {
  for (const { function: name } of cases[0]!.graph.ops) expect(describeFunction(name), name).not.toBeNull();
});

test.each([
  "abs", "add", "addmm", "arange", "argmax", "bmm", "cat", "chunk", "clamp", "clone", "contiguous", "cos", "cumsum", "detach",
  "div", "einsum", "eq", "exp", "expand", "flatten", "flip", "float", "gather", "ge", "gt", "index_select", "le", "log",
  "log_softmax", "logsumexp", "lt", "masked_fill", "matmul", "max", "mean", "min", "mm", "mul", "ne", "neg", "norm", "ones",
  "outer", "permute", "pow", "prod", "repeat", "reshape", "roll", "rsqrt", "scatter", "select", "sigmoid", "sin",
  "softmax", "sort", "split", "sqrt", "square", "squeeze", "stack", "std", "sub", "sum", "t", "tanh", "to", "topk",
  "transpose", "tril", "triu", "unbind", "unsqueeze", "var", "view", "where", "zeros",
])("torch.Tensor.%s is described", (name) => {
  expect(describeFunction(`torch.Tensor.${name}`)).not.toBeNull();
});

test.each([
  "adaptive_avg_pool2d", "avg_pool2d", "batch_norm", "binary_cross_entropy_with_logits", "conv1d", "conv2d", "cross_entropy",
  "dropout", "elu", "embedding", "gelu", "group_norm", "interpolate", "kl_div", "layer_norm", "leaky_relu", "linear",
  "max_pool2d", "mse_loss", "multi_head_attention_forward", "nll_loss", "normalize", "pad", "relu", "rms_norm",
  "scaled_dot_product_attention", "silu", "smooth_l1_loss", "softplus",
])("torch.nn.functional.%s is described", (name) => {
  expect(describeFunction(`torch.nn.functional.${name}`)).not.toBeNull();
});

test("operators and in-place forms are described by their plain function", () => {
  expect(describeFunction("torch.Tensor.__matmul__")!.formula).toBe(describeFunction("torch.matmul")!.formula);
  expect(describeFunction("torch.Tensor.__rtruediv__")!.words).not.toBe(describeFunction("torch.div")!.words);
  expect(describeFunction("torch.Tensor.add_")).toMatchObject({ inPlace: true, formula: "y_i = a_i + b_i" });
  expect(describeFunction("torch.Tensor.__iadd__")!.inPlace).toBe(true);
  expect(describeFunction("torch.Tensor.__invert__")!.inPlace).toBe(false);
  expect(describeFunction("torch.Tensor.T.__get__")!.words).toContain("reverse");
});

test("an unknown function is not described, also when it has the name of a property of every object", () => {
  for (const name of ["torch.no_such_function", "torch.constructor", "torch.toString", "torch.__proto__"]) {
    expect(describeFunction(name)).toBeNull();
  }
});

test("every description is a sentence, and no function is described twice", () => {
  for (const [name, { words }] of entries) expect(words, name).toMatch(/^[A-Za-z].*[^.]\.$/s);
  const names = entries.map(([name]) => name);
  expect(new Set(names).size).toBe(names.length);
});

test.each(entries.flatMap(([name, { formula }]) => (formula ? [[name, formula]] : [])))("the formula of %s is drawn", (_, formula) => {
  const math = drawn(formula!);
  const letters = (text: string): string => text.replace(/frac|sqrt|over|[\s{}^_]/g, "");
  expect(letters(math.textContent ?? "").length).toBeGreaterThan(2);
  expect(math.textContent).not.toMatch(/[{}_^]/);
});

test("indices, fractions, sums and Greek letters are drawn as such", () => {
  const math = drawn("y_{ij} = frac{e^{x_i}}{sum_j e^{x_j}} + gamma");
  expect(math.querySelector("msub mrow")!.querySelectorAll("mi")).toHaveLength(2);
  expect(math.querySelectorAll("mfrac")).toHaveLength(1);
  expect(math.querySelector("munder mo")!.textContent).toBe("∑");
  expect([...math.querySelectorAll("mi")].at(-1)!.textContent).toBe("γ");
});

test.each(["y = frac{a}{b", "y = a}", "frac a b", "sqrt"])("a broken formula is refused: %s", (formula) => {
  expect(() => drawFormula(formula)).toThrow(SyntaxError);
});
