import { afterEach, expect, test } from "vitest";
import cases from "../../tests/golden/layout.json";
import { type Graph, Recording } from "../src/bundle.ts";
import { CutawayInspector } from "../src/views/inspector.ts";
import type { Point } from "../src/views/scene.ts";

const graph = cases[0]!.graph as unknown as Graph;
const PROBS = "encoder.attention.probs";

/** A recording of the graph in which one value was kept: 72 numbers counting up. */
function recording(): Recording {
  const numbers = Float32Array.from({ length: 72 }, (_, i) => i);
  const header = JSON.stringify({ [`${PROBS}@0`]: { dtype: "F32", shape: [2, 6, 6], data_offsets: [0, numbers.byteLength] } });
  const bytes = new Uint8Array(8 + header.length + numbers.byteLength);
  new DataView(bytes.buffer).setBigUint64(0, BigInt(header.length), true);
  bytes.set(new TextEncoder().encode(header), 8);
  bytes.set(new Uint8Array(numbers.buffer), 8 + header.length);
  const values = graph.values.map(({ name }) => (name === PROBS ? 0 : null));
  return new Recording({ graphs: [graph], examples: [{ name: "one", graph: 0, values }] }, bytes.buffer);
}

async function inspect(select: string | null, point: Point | null = null): Promise<CutawayInspector> {
  const element = new CutawayInspector();
  Object.assign(element, { graph, recording: recording(), example: "one", select, point });
  document.body.append(element);
  await element.updateComplete;
  return element;
}

afterEach(() => document.body.replaceChildren());

/** What stands beside a term of the inspector's list. */
function beside(element: Element, term: string): string {
  const name = [...element.querySelectorAll("dt")].find((each) => each.textContent === term);
  return name?.nextElementSibling?.textContent?.replace(/\s+/g, " ").trim() ?? "";
}

test("nothing selected says how to begin, an unknown name says so", async () => {
  expect((await inspect(null)).textContent).toContain("Select a box");
  expect((await inspect("no.such\u202ename")).textContent).toContain("nothing named no.such⟨202E⟩name");
});

test("a name that only another example's graph has is said to be of that graph", async () => {
  const other = { ...graph, values: graph.values.map((each) => (each.name === "loss" ? { ...each, name: "elsewhere" } : each)) };
  const both = { graphs: [graph, other], examples: [], tensor: () => null } as unknown as Recording;
  const element = new CutawayInspector();
  Object.assign(element, { graph, recording: both, example: "one", select: "elsewhere" });
  document.body.append(element);
  await element.updateComplete;
  expect(element.textContent).toContain("This example's graph has nothing named elsewhere.");
});

test("an operation is told in words, formula and call, with what goes in and out and who reads it", async () => {
  const element = await inspect(PROBS);
  expect(element.querySelector("h3")!.textContent).toContain(PROBS);
  expect(element.querySelector("math")).not.toBeNull();
  expect(element.querySelector(".call")!.textContent).toBe("softmax(biased, -1)");
  expect(beside(element, "In")).toBe("encoder.attention.biased float32, 2 × 6 × 6");
  expect(beside(element, "Out")).toBe(`${PROBS} float32, 2 × 6 × 6`);
  expect(beside(element, "Read by")).toContain("matmul");
});

test("recorded numbers are shown as a table, one slice of the leading axes at a time", async () => {
  const element = await inspect(PROBS);
  const cells = (): string[] => [...element.querySelectorAll("td")].map((cell) => cell.textContent!.trim()).filter(Boolean);
  expect(cells()).toHaveLength(36);
  expect(cells()[0]).toBe("0");
  element.querySelector<HTMLButtonElement>('[role="radio"][value="1"]')!.click();
  await element.updateComplete;
  expect(cells()[0]).toBe("36");
});

test("the slice that the tour points at is shown", async () => {
  const element = await inspect(PROBS, { value: PROBS, cells: [1, 2, null] });
  expect(element.querySelectorAll("td.pointed")).toHaveLength(6);
  expect(element.querySelector("td.pointed")!.textContent).toBe("48");
});

test("a value that was not kept says so", async () => {
  expect((await inspect("encoder.attention.scores")).querySelector(".missing")!.textContent).toContain("were not kept");
});

test("a shared parameter names its owners, in the scope that owns it and by itself", async () => {
  expect(beside(await inspect("embeddings.token"), "Parameters")).toContain(
    "shared: embeddings.token.weight = masked_token.decoder.weight",
  );
  const alone = await inspect("embeddings.token.weight");
  expect(beside(alone, "Shared")).toContain("masked_token.decoder.weight");
  expect(beside(alone, "Belongs to")).toBe("embeddings.token");
});

test("a scope of several operations counts them and lists what crosses its border", async () => {
  const element = await inspect("encoder");
  expect(element.textContent).toContain("27 operations");
  expect(beside(element, "In")).toContain("head_gate");
  expect(beside(element, "Out")).toContain("encoder.feed_forward_norm.output");
});

test("numbers that a panel draws as named bars have those names", async () => {
  const element = new CutawayInspector();
  const names = ["a", "b", "c", "d", "e", "f"];
  const lesson = { ...element.lesson, panels: [{ kind: "bars", value: PROBS, names }] };
  Object.assign(element, { graph, recording: recording(), example: "one", select: PROBS, lesson });
  document.body.append(element);
  await element.updateComplete;
  expect([...element.querySelectorAll("thead th")].map((head) => head.textContent)).toEqual(names);
});

test("a named value is selected by its button", async () => {
  const element = await inspect(PROBS);
  const asked: unknown[] = [];
  element.addEventListener("change", (event) => asked.push((event as CustomEvent).detail));
  element.querySelector<HTMLButtonElement>(".known .name-link")!.click();
  expect(asked).toEqual([{ select: "encoder.attention.biased" }]);
});
