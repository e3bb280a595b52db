// Words on the graph: what a box says, how wide the text is, and which characters must be made visible first.
// Twin of src/cutaway/labels.py; tests/golden/layout.json proves that both say the same.

import type { Graph, Tree, Value } from "./bundle.ts";
import { at, makesOf, pairsOf, valuesIn } from "./recorded.ts";

const TITLE_LIMIT = 300; // pixels; a longer title ends in an ellipsis
const CLASSES: [width: number, characters: string][] = [
  // widths in pixels at 13 px, rounded up over the common system fonts
  [4, "!'|,.:;ijlI "],
  [5, "()-/[\\]`·"],
  [6, '"frt{}*'],
  [7, "cksvxyzJL_?"],
  [10, "ADGHNOQU&+<=>^~#×"],
  [12, "MWmw%@→"],
  [13, "…"],
];
const WIDTHS = new Map(CLASSES.flatMap(([width, characters]) => [...characters].map((c) => [c, width] as const)));
const PLAIN_WIDTH = 8;
const FOREIGN_WIDTH = 14;
const SMALL_WIDTH = 7; // monospace at 11 px
const SMALL_FOREIGN_WIDTH = 12;
// Characters that change how their neighbours are drawn, or are not drawn at all: controls, bidirectional marks and
// overrides, zero-width ones, and halves of surrogate pairs.
const HIDDEN: [low: number, high: number][] = [
  [0x00, 0x1f], [0x7f, 0x9f], [0xad, 0xad], [0x61c, 0x61c], [0x180e, 0x180e], [0x200b, 0x200f], [0x2028, 0x202e],
  [0x2060, 0x206f], [0xd800, 0xdfff], [0xfeff, 0xfeff], [0xfff9, 0xfffb], [0xfffe, 0xffff], [0xe0000, 0xe007f],
];

/** The text with every hidden or direction-changing character written out, as ⟨202E⟩. */
export function reveal(text: string): string {
  let shown = "";
  for (const c of text) {
    const code = c.codePointAt(0) ?? 0;
    const hidden = HIDDEN.some(([low, high]) => low <= code && code <= high);
    shown += hidden ? `⟨${code.toString(16).toUpperCase().padStart(4, "0")}⟩` : c;
  }
  return shown;
}

/** Width in pixels of a title (13 px, proportional). */
export function titleWidth(text: string): number {
  let width = 0;
  for (const c of text) width += WIDTHS.get(c) ?? (c < "\u0080" ? PLAIN_WIDTH : FOREIGN_WIDTH);
  return width;
}

/** Width in pixels of a second line (11 px, monospace). */
export function smallWidth(text: string): number {
  let width = 0;
  for (const c of text) width += c < "\u0080" || "×→·…".includes(c) ? SMALL_WIDTH : SMALL_FOREIGN_WIDTH;
  return width;
}

/** The text, revealed, cut to TITLE_LIMIT pixels with an ellipsis where it is longer. */
export function fit(text: string): string {
  const shown = reveal(text);
  if (titleWidth(shown) <= TITLE_LIMIT) return shown;
  let kept = "";
  let width = titleWidth("…");
  for (const c of shown) {
    width += titleWidth(c);
    if (width > TITLE_LIMIT) break;
    kept += c;
  }
  return kept + "…";
}

/** A shape as people write it: 6 × 8; a scalar by that word. */
export function showShape(shape: readonly number[]): string {
  return shape.length > 0 ? shape.join(" × ") : "scalar";
}

/** The last word of a torch function's name: torch.Tensor.__matmul__ -> matmul, torch.Tensor.T.__get__ -> T. */
export function shortFunction(name: string): string {
  const parts = name.split(".");
  const last = parts.at(-1);
  if ((last === "__get__" || last === "__set__") && parts.length > 1) parts.pop();
  const word = parts.at(-1) ?? "";
  return word.startsWith("__") && word.endsWith("__") && word.length > 4 ? word.slice(2, -2) : word;
}

/** A name as seen from inside its owner: encoder.attention.probs in encoder.attention -> probs. */
export function localName(name: string, owner: string): string {
  return owner !== "" && name.startsWith(`${owner}.`) ? name.slice(owner.length + 1) : name;
}

/** query · Linear; the whole model by its class name alone. */
export function scopeTitle(graph: Graph, scope: number): string {
  const here = at(graph.scopes, scope);
  if (here.parent === null) return fit(here.class);
  return fit(`${localName(here.name, at(graph.scopes, here.parent).name)} · ${here.class}`);
}

/** What goes into a closed scope and what comes out: 6 → 6 × 8, the first of each. */
export function scopeLine(reads: Value[], makes: Value[]): string {
  const before = reads[0] ? showShape(reads[0].shape) : "";
  const after = makes[0] ? showShape(makes[0].shape) : "";
  return before === after || before === "" || after === "" ? before || after : `${before} → ${after}`;
}

/** probs · softmax where the source gives the result a name, else softmax. */
export function opTitle(graph: Graph, op: number): string {
  const here = at(graph.ops, op);
  const short = shortFunction(here.function);
  const [made] = makesOf(here);
  if (made === undefined) return fit(short);
  const name = localName(at(graph.values, made).name, at(graph.scopes, here.scope).name);
  return fit([short, "output", ""].includes(name.split("#")[0] ?? "") ? short : `${name} · ${short}`);
}

/** The shape of the op's first result, and how many more there are. */
export function opLine(graph: Graph, op: number): string {
  const made = makesOf(at(graph.ops, op));
  if (made[0] === undefined) return "";
  return showShape(at(graph.values, made[0]).shape) + (made.length > 1 ? ` +${made.length - 1}` : "");
}

/** Each output of the model as [name, value id]: loss, states[0], output for a single one. */
export function outputNames(graph: Graph): [name: string, value: number][] {
  const found: [string, number][] = [];
  const visit = (name: string, tree: Tree): void => {
    if (tree !== null && typeof tree === "object" && !Array.isArray(tree)) {
      if (typeof tree["value"] === "number") {
        found.push([name || "output", tree["value"]]);
        return;
      }
      const pairs = pairsOf(tree);
      if (pairs) {
        for (const [key, item] of pairs) visit(name ? `${name}.${keyText(key)}` : keyText(key), item);
        return;
      }
    }
    const items = Array.isArray(tree) ? tree : tupleOf(tree);
    if (items) items.forEach((item, i) => visit(`${name || "output"}[${i}]`, item));
    else for (const value of valuesIn(tree)) found.push([name || "output", value]);
  };
  visit("", graph.outputs);
  return found;
}

function tupleOf(tree: Tree): Tree[] | null {
  if (tree === null || typeof tree !== "object" || Array.isArray(tree)) return null;
  return Array.isArray(tree["tuple"]) ? tree["tuple"] : null;
}

function keyText(key: Tree): string {
  if (typeof key === "string") return key;
  return typeof key === "number" && Number.isInteger(key) ? String(key) : "key";
}
