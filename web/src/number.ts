// How a number is written. The twin of src/cutaway/number.py; tests/golden/numbers.json proves both.
// `number` is a float, `bigint` an integer: JavaScript cannot tell 3 from 3.0, so the dtype decides, not the value.

export interface Complex {
  re: number;
  im: number;
}
export type Cell = number | bigint | boolean | Complex;

/** A number for reading: four significant digits, half to even on the exact value. */
export function show(x: Cell, digits = 4): string {
  if (typeof x === "boolean") return String(x);
  if (typeof x === "bigint") return String(x).replace("-", "−");
  if (typeof x === "object") return `${show(x.re, digits)} ${x.im < 0 ? "−" : "+"} ${show(Math.abs(x.im), digits)}i`;
  if (Number.isNaN(x)) return "NaN";
  return (x < 0 ? "−" : "") + (Number.isFinite(x) ? notation(scientific(Math.abs(x), digits)) : "∞");
}

/** A number for copying: every digit that tells it from its neighbours, with an ASCII minus. */
export function exact(x: Cell, dtype = "float64"): string {
  if (typeof x === "boolean" || typeof x === "bigint") return String(x);
  if (typeof x === "object") {
    const imaginary = exact(x.im, dtype);
    return `${exact(x.re, dtype)}${imaginary.startsWith("-") ? "" : "+"}${imaginary}i`;
  }
  if (Number.isNaN(x)) return "NaN";
  return (x < 0 || Object.is(x, -0) ? "-" : "") + (Number.isFinite(x) ? shortest(Math.abs(x), dtype) : "inf");
}

/** Like toExponential, but half to even: that method sends ties up. 100 digits tell every tie of up to 17 digits. */
function scientific(x: number, digits: number): string {
  const up = x.toExponential(digits - 1);
  const [mantissa = "", power = "0"] = x.toExponential(100).split("e");
  const all = mantissa.replace(".", "");
  const last = Number(all[digits - 1]);
  if (last % 2 === 1 || !/^50*$/.test(all.slice(digits))) return up;
  return `${all[0]}.${all.slice(1, digits)}e${power}`;
}

function notation(text: string): string {
  const [mantissa = "", power = "0"] = text.split("e");
  const digits = mantissa.replace(".", "").replace(/0+$/, "");
  const exponent = Number(power);
  if (!digits) return "0";
  if (exponent < -6 || exponent >= 9) return `${digits[0]}${digits[1] ? "." : ""}${digits.slice(1)}e${exponent}`;
  if (exponent < 0) return "0." + "0".repeat(-exponent - 1) + digits;
  const whole = digits.slice(0, exponent + 1).padEnd(exponent + 1, "0");
  const part = digits.slice(exponent + 1);
  return part ? `${whole}.${part}` : whole;
}

function shortest(x: number, dtype: string): string {
  const double = dtype === "float64" || dtype === "complex128";
  let text = "";
  for (let digits = 1; digits < 18; digits++) {
    text = scientific(x, digits);
    if ((double ? Number(text) : Math.fround(Number(text))) === x) break;
  }
  return notation(text);
}
