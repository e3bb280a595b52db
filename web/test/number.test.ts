import { expect, test } from "vitest";
import cases from "../../tests/golden/numbers.json";
import { type Cell, exact, show } from "../src/number.ts";

interface Case {
  kind: string;
  value: string | string[];
  dtype?: string;
  digits?: number;
  show: string;
  exact?: string;
}

const float = (text: string): number => Number(text.replace("inf", "Infinity"));

function parse({ kind, value }: Case): Cell {
  if (typeof value !== "string") return { re: float(value[0]!), im: float(value[1]!) };
  if (kind === "integer") return BigInt(value);
  return kind === "bool" ? value === "true" : float(value);
}

test.each(cases as Case[])("$kind $value $digits is written as the golden file says", (one) => {
  expect(show(parse(one), one.digits)).toBe(one.show);
  if (one.exact !== undefined) expect(exact(parse(one), one.dtype)).toBe(one.exact);
});
