import { expect, test } from "vitest";
import { step, stepOf } from "../src/scale.ts";

test("the classes of a scale run from rust through zero to mint", () => {
  expect([0, 2, -2, 1, -1, 9, -0.01].map((x) => step(x, 2))).toEqual(["p0", "p32", "n32", "p16", "n16", "p32", "p0"]);
});

test("infinities take the ends, also where every finite cell is zero", () => {
  for (const limit of [0, 1]) expect([-Infinity, 0, Infinity].map((x) => stepOf(x, limit))).toEqual([-32, 0, 32]);
});

test("a complex number is coloured by its magnitude, and what is no number by none", () => {
  expect([step({ re: -3, im: 4 }, 5), step(NaN, 5), step({ re: NaN, im: 0 }, 5)]).toEqual(["p32", "nan", "nan"]);
});
