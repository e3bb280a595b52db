import { expect, test } from "vitest";
import cases from "../../tests/golden/layout.json";
import type { Graph } from "../src/bundle.ts";
import { arrange } from "../src/layout.ts";
import { dot, mermaid, svg } from "../src/picture.ts";

const drawn = cases.flatMap(({ name, graph, layouts, ...pictures }) =>
  "svg" in pictures ? [{ name, graph: graph as unknown as Graph, open: layouts.at(-1)!.open, pictures }] : [],
);

test.each(drawn)("$name is drawn letter for letter as Python draws it", ({ name, graph, open, pictures }) => {
  expect(svg(graph, arrange(graph, open), name)).toBe(pictures.svg);
  expect(dot(graph)).toBe(pictures.dot);
  expect(mermaid(graph)).toBe(pictures.mermaid);
});

test("hostile names stay text: the picture parses as XML and holds no script and no style attribute", () => {
  const { graph } = drawn.find(({ name }) => name === "hostile names")!;
  const parsed = new DOMParser().parseFromString(svg(graph, arrange(graph, []), "<b>"), "image/svg+xml");
  expect(parsed.querySelector("parsererror, script, img, [style]")).toBeNull();
  expect(parsed.querySelector("title")!.textContent).toBe("<b>");
});
