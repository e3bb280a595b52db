// Formulas written as one line of text, drawn as MathML:
//   "y_i = frac{e^{x_i}}{sum_j e^{x_j}}"
// _ and ^ take one sign or a {group}; frac{}{}, sqrt{} and over{} (a bar) take groups; sum, prod, the Greek letters and
// the functions below are known by name; any other letters are variables, one each: x_{ij} has two indices.

import { html, mathml, nothing, type TemplateResult } from "lit";

type Drawn = TemplateResult | typeof nothing;

const SIGNS: Record<string, string> = {
  alpha: "α", beta: "β", gamma: "γ", epsilon: "ε", lambda: "λ", mu: "μ", sigma: "σ", phi: "Φ", pi: "π", tau: "τ",
  infinity: "∞",
};
const FUNCTIONS = new Set(["cos", "erf", "floor", "ln", "log", "max", "min", "sin", "softmax", "tanh"]);
const BIG: Record<string, string> = { sum: "∑", prod: "∏" };
const KNOWN = new Set([...FUNCTIONS, ...Object.keys(SIGNS), ...Object.keys(BIG), "frac", "over", "sqrt"]);
const OPERATORS: Record<string, string> = { "-": "−", "*": "·", "!=": "≠", "<=": "≤", ">=": "≥", "->": "→" };
const TOKEN = /\s*(?:([A-Za-z]+)|(\d+(?:\.\d+)?)|(!=|<=|>=|->|[^\sA-Za-z\d]))/gy;

/** A formula's text as a MathML element. Throws where braces do not match: formulas are ours, tests read them all. */
export function drawFormula(text: string): TemplateResult {
  const reader = new Reader(text);
  const parts = reader.sequence("");
  return html`<math display="block" aria-label=${text}>${mathml`<mrow>${parts}</mrow>`}</math>`;
}

class Reader {
  #tokens: string[];
  #place = 0;

  constructor(readonly text: string) {
    this.#tokens = [...text.matchAll(TOKEN)].flatMap(([whole]) => {
      const token = whole.trim();
      return /^[A-Za-z]/.test(token) && !KNOWN.has(token) ? [...token] : [token];
    });
  }

  /** Terms up to a closing brace, or to the end for "". */
  sequence(end: string): Drawn[] {
    const parts: Drawn[] = [];
    for (;;) {
      const token = this.#tokens[this.#place];
      if ((token ?? "") === end) {
        this.#place++;
        return parts;
      }
      if (token === undefined || token === "}") throw new SyntaxError(`braces do not match in ${this.text}`);
      parts.push(this.#scripted());
    }
  }

  /** A term with what stands below and above it. */
  #scripted(): Drawn {
    const big = (this.#tokens[this.#place] ?? "") in BIG;
    const base = this.#term();
    let below: Drawn | null = null;
    let above: Drawn | null = null;
    for (;;) {
      const mark = this.#tokens[this.#place];
      if (mark !== "_" && mark !== "^") break;
      this.#place++;
      if (mark === "_") below = this.#term();
      else above = this.#term();
    }
    if (below && above) return big ? mathml`<munderover>${base}${below}${above}</munderover>` : mathml`<msubsup>${base}${below}${above}</msubsup>`;
    if (below) return big ? mathml`<munder>${base}${below}</munder>` : mathml`<msub>${base}${below}</msub>`;
    if (above) return big ? mathml`<mover>${base}${above}</mover>` : mathml`<msup>${base}${above}</msup>`;
    return base;
  }

  #term(): Drawn {
    const token = this.#tokens[this.#place++] ?? "";
    if (token === "{") return mathml`<mrow>${this.sequence("}")}</mrow>`;
    if (token === "frac") return mathml`<mfrac>${this.#group()}${this.#group()}</mfrac>`;
    if (token === "sqrt") return mathml`<msqrt>${this.#group()}</msqrt>`;
    if (token === "over") return mathml`<mover>${this.#group()}<mo>¯</mo></mover>`;
    if (token in BIG) return mathml`<mo>${BIG[token]}</mo>`;
    if (token in SIGNS) return mathml`<mi>${SIGNS[token]}</mi>`;
    if (/^[A-Za-z]/.test(token)) return mathml`<mi>${token}</mi>`;
    if (/^\d/.test(token)) return mathml`<mn>${token}</mn>`;
    return mathml`<mo>${OPERATORS[token] ?? token}</mo>`;
  }

  #group(): Drawn {
    if (this.#tokens[this.#place++] !== "{") throw new SyntaxError(`a group is missing in ${this.text}`);
    return mathml`<mrow>${this.sequence("}")}</mrow>`;
  }
}
