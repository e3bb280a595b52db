import { afterEach, beforeEach, expect, test, vi } from "vitest";
import cases from "../../tests/golden/layout.json";
import type { Graph } from "../src/bundle.ts";
import { makeFile } from "../src/downloads.ts";
import { arrange } from "../src/layout.ts";
import { CutawayGraph, type GraphChange } from "../src/views/graph.ts";
import { CutawayOutline } from "../src/views/outline.ts";

const graph = cases[0]!.graph as unknown as Graph;
let changes: GraphChange[];

/** An element that applies what it asks for, as the page does. */
async function open<T extends CutawayGraph | CutawayOutline>(kind: new () => T, state: GraphChange = {}): Promise<T> {
  const element = new kind();
  Object.assign(element, { graph, open: [], select: null, ...state });
  element.addEventListener("change", (event) => {
    const { detail } = event as CustomEvent<GraphChange>;
    changes.push(detail);
    Object.assign(element, detail);
  });
  document.body.append(element);
  await element.updateComplete;
  return element;
}

async function press(element: CutawayGraph | CutawayOutline, key: string): Promise<void> {
  element.querySelector('[tabindex="0"]')!.dispatchEvent(new KeyboardEvent("keydown", { key, bubbles: true }));
  await element.updateComplete;
}

function labels(element: Element): (string | null)[] {
  return [...element.querySelectorAll("[data-box]")].map((box) => box.getAttribute("aria-label"));
}

beforeEach(() => {
  changes = [];
  vi.stubGlobal("matchMedia", () => ({ matches: true }));
});
afterEach(() => {
  document.body.replaceChildren();
  vi.unstubAllGlobals();
});

test("the graph draws every box of the layout and is one stop for Tab", async () => {
  const element = await open(CutawayGraph);
  expect(element.querySelectorAll("[data-box]")).toHaveLength(arrange(graph, []).boxes.length);
  expect(element.querySelectorAll('svg [tabindex="0"]')).toHaveLength(1);
  expect(element.querySelector(".edges")!.getAttribute("aria-hidden")).toBe("true");
});

test("a click on a closed group opens it, on its title closes it, and selects it", async () => {
  const element = await open(CutawayGraph);
  const box = element.querySelector('[aria-label^="encoder"]')!;
  box.dispatchEvent(new MouseEvent("click", { bubbles: true }));
  expect(changes).toEqual([{ open: ["encoder"], select: "encoder" }]);
  await element.updateComplete;
  const group = element.querySelector('[aria-label^="encoder"]')!;
  expect(group.getAttribute("aria-expanded")).toBe("true");
  expect(group.getAttribute("aria-current")).toBe("true");
});

test("a click on a box that does not fold selects it", async () => {
  const element = await open(CutawayGraph, { open: ["embeddings"] });
  element.querySelector('[aria-label^="token ·"]')!.dispatchEvent(new MouseEvent("click", { bubbles: true }));
  element.querySelector('[aria-label^="packed · cat"]')!.dispatchEvent(new MouseEvent("click", { bubbles: true }));
  expect(changes).toEqual([{ select: "embeddings.token" }, { select: "packed" }]);
});

test("Enter opens a group and closes it again, Space selects, arrows move the one stop", async () => {
  const element = await open(CutawayGraph, { select: "encoder" });
  await press(element, "Enter");
  await press(element, "Enter");
  await press(element, " ");
  expect(changes).toEqual([
    { open: ["encoder"], select: "encoder" },
    { open: [], select: "encoder" },
    { select: "encoder" },
  ]);
  await press(element, "ArrowDown");
  expect(element.querySelector('svg [tabindex="0"]')!.getAttribute("aria-label")).toMatch(/^(masked_token|next_sentence)/);
  expect(element.querySelectorAll('svg [tabindex="0"]')).toHaveLength(1);
});

test("the selection's lines are marked, also the dashed one of a shared parameter", async () => {
  const element = await open(CutawayGraph, { select: "embeddings.token.weight" });
  expect(element.querySelectorAll(".near.tie").length).toBeGreaterThan(0);
  expect(element.querySelectorAll(".near:not(.tie)")).toHaveLength(0);
});

test("find counts what matches, and next selects one after the other, opening the scopes around it", async () => {
  const element = await open(CutawayGraph);
  element.words = "softmax";
  await element.updateComplete;
  expect(element.querySelector("output")!.textContent).toBe("3 found");
  const form = element.querySelector("form")!;
  form.dispatchEvent(new Event("submit", { cancelable: true }));
  await element.updateComplete;
  expect(changes).toEqual([{ open: ["encoder", "encoder.attention"], select: "encoder.attention.probs" }]);
  expect(element.querySelector("output")!.textContent).toBe("1 of 3");
  form.dispatchEvent(new Event("submit", { cancelable: true }));
  await element.updateComplete;
  expect(changes.at(-1)!.select).toBe("mlm_probs");
});

test("fold all and unfold all ask for no scope and for every scope worth opening", async () => {
  const element = await open(CutawayGraph);
  const button = (name: string) => [...element.querySelectorAll("button")].find((each) => each.textContent === name)!;
  button("unfold all").click();
  expect(changes.at(-1)!.open).toEqual([
    "embeddings", "encoder", "encoder.attention", "encoder.feed_forward", "masked_token", "next_sentence",
  ]);
  button("fold all").click();
  expect(changes.at(-1)!.open).toEqual([]);
});

test("typing in the search field is no change of the page's state", async () => {
  const element = await open(CutawayGraph);
  element.querySelector("input")!.dispatchEvent(new Event("change", { bubbles: true }));
  expect(changes).toEqual([]);
});

test("a graph of more than a thousand boxes is drawn only around what is seen", async () => {
  const many = 1500;
  const values = Array.from({ length: many }, (_, i) => ({ ...graph.values[50]!, name: `v${i}`, op: i }));
  const ops = values.map((_, i) => ({ ...graph.ops[0]!, scope: 0, args: i ? [{ value: i - 1 }] : [], outputs: { value: i } }));
  const long = { ...graph, scopes: [graph.scopes[0]!], values, ops, outputs: { value: many - 1 } };
  const element = await open(CutawayGraph);
  element.graph = long;
  while (!(await element.updateComplete));
  const drawn = labels(element).length;
  expect(drawn).toBeGreaterThan(5);
  expect(drawn).toBeLessThan(200);
});

test("downloads are the graph as JSON, SVG, Mermaid and DOT", () => {
  const layout = arrange(graph, []);
  expect(JSON.parse(makeFile("JSON", graph, layout, "bert").text)).toEqual(graph);
  expect(makeFile("SVG", graph, layout, "bert")).toMatchObject({ name: "bert.svg", type: "image/svg+xml" });
  expect(makeFile("Mermaid", graph, layout, "bert").text).toMatch(/^flowchart TB/);
  expect(makeFile("DOT", graph, layout, "bert").text).toMatch(/^digraph/);
});

test("the outline is a tree with one stop, levels and places", async () => {
  const element = await open(CutawayOutline, { open: ["encoder"] });
  const items = [...element.querySelectorAll('[role="treeitem"]')];
  expect(element.querySelectorAll('[tabindex="0"]')).toHaveLength(1);
  expect(items[0]!.getAttribute("aria-level")).toBe("1");
  const attention = items.find((item) => item.textContent!.includes("attention · SelfAttention"))!;
  expect(attention.getAttribute("aria-level")).toBe("3");
  expect(attention.getAttribute("aria-expanded")).toBe("false");
});

test("the outline walks by arrows, Home and End, opens and closes, selects, and goes to a typed name", async () => {
  const element = await open(CutawayOutline);
  const here = (): string => element.querySelector('[tabindex="0"] .title')!.textContent!;
  await press(element, "ArrowDown");
  expect(here()).toBe("input_ids");
  await press(element, "End");
  expect(here()).toBe("→ loss");
  await press(element, "Home");
  expect(here()).toBe("ReducedBert");
  await press(element, "e");
  expect(here()).toBe("embeddings · Embeddings");
  await press(element, "ArrowRight");
  expect(changes).toEqual([{ open: ["embeddings"] }]);
  await press(element, "ArrowRight");
  expect(here()).toBe("token · Embedding");
  await press(element, "Enter");
  expect(changes.at(-1)).toEqual({ select: "embeddings.token" });
  await press(element, "ArrowLeft");
  expect(here()).toBe("embeddings · Embeddings");
  await press(element, "ArrowLeft");
  expect(changes.at(-1)).toEqual({ open: [] });
});

test("the same selection is marked in graph and outline", async () => {
  for (const kind of [CutawayGraph, CutawayOutline]) {
    const element = await open<CutawayGraph | CutawayOutline>(kind, { select: "encoder.attention.probs" });
    const marked = element.querySelectorAll('[aria-current="true"], [aria-selected="true"]');
    expect(marked).toHaveLength(1);
    expect(marked[0]!.textContent).toContain("encoder · EncoderLayer");
  }
});
