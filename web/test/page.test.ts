import { render } from "lit";
import { beforeEach, expect, test, vi } from "vitest";
import { type Data, type Graph, Recording } from "../src/bundle.ts";
import { startCopying, tabbed } from "../src/copying.ts";
import { startExamples } from "../src/examples.ts";
import { startLinks } from "../src/links.ts";
import { type State, Store } from "../src/state.ts";
import { completeStep, parseCells, pointOf, startTour, toStep } from "../src/tour.ts";
import { axisChoice, neighbour } from "../src/views/choice.ts";
import { readGolden, readRecording } from "./golden.ts";

const recording = readRecording("bert-pretraining");
const { lesson } = readGolden()["bert-pretraining"]!;
const graph = { graphs: recording.graphs, examples: recording.examples };
const data: Data = { manifest: { name: "bert-pretraining", title: "", revision: "", counts: {} }, graph, lesson };
const START: State = { example: "reference", choose: {}, step: null, select: null, open: lesson.open, theme: "system" };
const KNOWN = { examples: lesson.examples.map(({ name }) => name), steps: lesson.tour.map(({ step }) => step) };
const said: string[] = [];

/** The parts of the page's document that the script holds on to. */
function page(): Store {
  history.replaceState(null, "", location.pathname);
  document.body.innerHTML = `
    <div class="bench"></div>
    <div id="tour"><ol>${lesson.tour.map(({ step }) => `<li data-step="${step}"><h3><a href="#step=${step}">s</a></h3>
      <p class="of" hidden><a href="#step=${step}">back</a></p></li>`).join("")}</ol>
      <div class="step-controls"></div></div>
    <section class="examples"><div class="picker">${lesson.examples
      .map(({ name }) => `<button role="radio" data-example="${name}">${name}</button>`)
      .join("")}</div></section>
    <div class="panels">${lesson.panels
      .map((_, i) => `<section data-panel="${i}"><div class="controls"></div><div class="view">static</div></section>`)
      .join("")}</div>`;
  const store = new Store(START, KNOWN);
  const announce = (words: string): number => said.push(words);
  startLinks(document, recording, store);
  startTour(document, data, recording, store, announce);
  startExamples(document, data, recording, store, announce);
  return store;
}

/** Two examples of a graph each: the first has x and b, the second x and c. Every value holds one number. */
function twoGraphs(): Recording {
  const numbers = { "x@0": 1, "b@0": 2, "c@0": 3 };
  const entries = Object.keys(numbers).map((name, i) => [name, { dtype: "F32", shape: [1], data_offsets: [4 * i, 4 * i + 4] }]);
  const header = new TextEncoder().encode(JSON.stringify(Object.fromEntries(entries)));
  const bytes = new Uint8Array(8 + header.length + 12);
  new DataView(bytes.buffer).setBigUint64(0, BigInt(header.length), true);
  bytes.set(header, 8);
  Object.values(numbers).forEach((x, i) => new DataView(bytes.buffer).setFloat32(8 + header.length + 4 * i, x, true));
  const scope = { name: "", path: "", class: "Net", parent: null, call: 0, parameters: {}, source: null };
  const one = (last: string): Graph => ({
    scopes: [scope], ops: [], inputs: {}, outputs: null, gradients: [], outside: [],
    values: ["x", last].map((name) => ({
      name, kind: name === "x" ? "input" : "result", dtype: "float32", shape: [1], strides: [1], offset: 0, op: null, scope: 0, also: [],
    })),
  });
  const examples = ["one", "two"].map((name, graph) => ({ name, graph, values: [0, 0] }));
  return new Recording({ graphs: [one("b"), one("c")], examples }, bytes.buffer);
}

const press = (target: Element, key: string): boolean => target.dispatchEvent(new KeyboardEvent("keydown", { key, bubbles: true, cancelable: true }));

beforeEach(() => (said.length = 0));

test("choosing an example draws its numbers, marks it and says so", () => {
  const store = page();
  document.querySelector<HTMLElement>('[data-example="causal"]')!.click();
  expect(store.state.example).toBe("causal");
  expect(location.hash).toBe("#example=causal");
  expect(document.querySelectorAll('[aria-checked="true"]')[0]!.textContent).toBe("causal");
  expect(document.querySelector(".panels")!.classList.contains("beside")).toBe(true);
  expect(said).toEqual(["Example: left only, side by side"]);
});

test("arrow keys choose the next example and wrap around", () => {
  const store = page();
  const buttons = document.querySelectorAll("[data-example]");
  press(buttons[0]!, "ArrowLeft");
  expect(store.state.example).toBe(lesson.examples.at(-1)!.name);
});

test("the head picker shows another slice", () => {
  page();
  const heads = document.querySelectorAll<HTMLElement>('[data-panel="1"] [role="radio"]');
  const before = document.querySelector('[data-panel="1"] .view')!.textContent;
  heads[1]!.click();
  expect(location.hash).toBe("#head=1");
  expect(document.querySelector('[data-panel="1"] .view')!.textContent).not.toBe(before);
});

test("the panel of any value shows what the example's own graph has, and its list says the same", () => {
  page();
  const several = twoGraphs();
  const panels = [{ kind: "heatmap", title: "Any value", value: "b", follow: true }];
  const examples = ["one", "two"].map((name) => ({ name, title: name }));
  const any = { ...data, graph: { graphs: several.graphs, examples: several.examples }, lesson: { ...lesson, examples, panels, tour: [], open: [] } };
  document.body.innerHTML = `<section data-panel="0"><div class="controls"></div><div class="view"></div></section>`;
  const store = new Store({ ...START, example: "one", open: [] }, { examples: ["one", "two"], steps: [] });
  startExamples(document, any, several, store, () => {});
  const list = document.querySelector("select")!;
  const seen = (): string[] => [list.value, document.querySelector(".view td[class]")!.textContent!];
  expect(seen()).toEqual(["b", "2"]);
  store.set({ example: "two" });
  expect(seen()).toEqual(["c", "3"]);
  list.value = "x";
  list.dispatchEvent(new Event("change"));
  expect([store.state.select, ...seen()]).toEqual(["x", "x", "1"]);
  store.set({ select: "b" }); // the other graph's
  expect(seen()).toEqual(["c", "3"]);
  store.set({ example: "one" });
  expect(seen()).toEqual(["b", "2"]);
});

test("a step opens its group, selects its value and points at its cells", () => {
  const store = page();
  document.querySelector<HTMLElement>('[data-step="2"] a')!.click();
  expect(store.state).toMatchObject({ step: 2, select: "encoder.attention.probs" });
  expect(store.state.open).toEqual(["embeddings", "encoder", "encoder.attention"]);
  expect(pointOf(data, recording, store.state)).toEqual({ value: "encoder.attention.probs", cells: [0, 2, null] });
  expect(document.querySelectorAll('[data-panel="1"] td.pointed')).toHaveLength(6);
  expect(document.querySelector('[data-step="2"]')!.getAttribute("aria-current")).toBe("step");
  expect(said).toEqual([`Step 2 of ${lesson.tour.length}: ${lesson.tour[1]!.title}`]);
});

test("arrow keys walk through the tour and stop at its ends", () => {
  const store = page();
  for (let i = 0; i < lesson.tour.length + 2; i++) press(document.body, "ArrowRight");
  expect(store.state.step).toBe(lesson.tour.length);
  press(document.body, "ArrowLeft");
  expect(store.state.step).toBe(lesson.tour.length - 1);
});

test("a step says whose numbers it tells while another example is chosen, and leads back to it", () => {
  const store = page();
  const line = document.querySelector<HTMLElement>('[data-step="2"] .of')!;
  document.querySelector<HTMLElement>('[data-step="2"] a')!.click();
  expect(line.hidden).toBe(true);
  document.querySelector<HTMLElement>('[data-example="causal"]')!.click();
  expect(line.hidden).toBe(false);
  line.querySelector("a")!.click();
  expect(store.state).toMatchObject({ step: 2, example: "reference" });
  expect(line.hidden).toBe(true);
});

test("a step is brought into sight, and the tour can be left from any", () => {
  const scrolled = vi.spyOn(Element.prototype, "scrollIntoView");
  const store = page();
  press(document.body, "ArrowRight");
  expect(scrolled).toHaveBeenCalled();
  expect(document.querySelector(".bench")!.classList.contains("touring")).toBe(true);
  document.querySelector<HTMLElement>(".step-controls .name-link")!.click();
  expect(store.state.step).toBeNull();
  expect(document.querySelector(".bench")!.classList.contains("touring")).toBe(false);
  expect(document.activeElement!.textContent).toContain("Start");
  expect(document.querySelector(".step-controls .name-link")).toBeNull();
  expect(said.at(-1)).toBe("Tour ended");
});

test("a link to a value selects it, unfolds what hides it, and leaves the rest as it is", () => {
  const store = page();
  press(document.body, "ArrowRight");
  store.set({ example: "causal" });
  document.body.insertAdjacentHTML("beforeend", '<a href="#select=encoder.attention.probs">1</a><a href="#select=loss&example=reference">2</a>');
  const [one, two] = document.querySelectorAll<HTMLElement>('a[href^="#select="]');
  one!.click();
  expect(store.state).toMatchObject({ step: 1, example: "causal", select: "encoder.attention.probs" });
  expect(store.state.open).toContain("encoder.attention");
  two!.click();
  expect(store.state).toMatchObject({ step: 1, example: "reference", select: "loss" });
});

test("at the ends of the tour its buttons stay, keep the focus and do nothing", () => {
  const store = page();
  const next = document.querySelector<HTMLElement>(".step-controls button:last-child")!;
  next.focus();
  for (let i = 0; i < lesson.tour.length + 2; i++) next.click();
  expect(store.state.step).toBe(lesson.tour.length);
  expect(document.activeElement).toBe(next);
  expect(next.getAttribute("aria-disabled")).toBe("true");
});

test("arrow keys in a table scroll it and leave the tour alone", () => {
  const store = page();
  press(document.querySelector(".view .scroll")!, "ArrowRight");
  expect(store.state.step).toBeNull();
});

test("a link to a step alone leads to the whole step", () => {
  history.replaceState(null, "", "#step=2");
  const store = new Store(START, KNOWN, (state) => completeStep(state, data, recording, START));
  expect(store.state).toMatchObject({ step: 2, example: "reference", select: "encoder.attention.probs" });
  history.replaceState(null, "", "#step=2&example=causal");
  dispatchEvent(new Event("hashchange"));
  expect(store.state).toMatchObject({ step: 2, example: "causal", select: "encoder.attention.probs" });
});

test("selecting something else ends the pointing", () => {
  const step = toStep(lesson.tour[1]!, data, recording, START, START);
  const state = { ...START, ...step };
  expect(pointOf(data, recording, { ...state, select: "loss" })).toBeNull();
});

test("cells are indices and colons", () => {
  expect(parseCells("[0, 2,:]")).toEqual([0, 2, null]);
});

test("keys that choose nothing are left to the browser", () => {
  expect([neighbour("ArrowRight", 2, 3), neighbour("ArrowUp", 0, 3), neighbour("End", 0, 3), neighbour("a", 0, 3)]).toEqual([
    0, 2, 2, null,
  ]);
});

test("an axis of many indices is a list", () => {
  const view = document.createElement("div");
  const choose = vi.fn();
  render(axisChoice("token", 40, 3, choose), view);
  const list = view.querySelector("select")!;
  list.value = "17";
  list.dispatchEvent(new Event("change"));
  expect(choose).toHaveBeenCalledWith(17);
});

test("a copied table has all digits, tab-separated", () => {
  const view = document.createElement("div");
  view.innerHTML = '<table><tr><th>a</th><td title="0.33333334">0.3333</td></tr><tr><th>b</th><td>1</td></tr></table>';
  expect(tabbed(view)).toBe("a\t0.33333334\nb\t1");
});

test("a click on a cell copies its exact value", async () => {
  const copied = vi.fn().mockResolvedValue(undefined);
  Object.defineProperty(navigator, "clipboard", { value: { writeText: copied }, configurable: true });
  document.body.innerHTML = '<table class="grid"><tr><td title="-0.12345678">−0.1235</td></tr></table>';
  startCopying(document, (words) => said.push(words));
  document.querySelector<HTMLElement>("td")!.click();
  await vi.waitFor(() => expect(said).toContain("Copied -0.12345678"));
  expect(copied).toHaveBeenCalledWith("-0.12345678");
});
