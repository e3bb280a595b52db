import { expect, test } from "vitest";
import cases from "../../tests/golden/layout.json";
import type { Graph } from "../src/bundle.ts";
import { arrange, type Layout } from "../src/layout.ts";

/** A layout as tests/golden/write_layout.py writes it. */
function plain(layout: Layout): unknown {
  return {
    size: [layout.width, layout.height],
    boxes: layout.boxes.map((b) => [
      b.kind, b.ref, b.select, b.title, b.line, b.open, b.parent, b.x, b.y, b.width, b.height,
    ]),
    edges: layout.edges.map((e) => [e.source, e.targets, e.group, e.values, e.tie, e.backward, e.points]),
    joins: layout.joins.map((j) => [j.source, j.target, j.values, j.tie]),
  };
}

test.each(cases)("$name is laid out pixel for pixel as Python lays it out", ({ graph, layouts }) => {
  for (const { open, ...expected } of layouts) {
    expect(plain(arrange(graph as unknown as Graph, open))).toEqual(expected);
  }
});

test("a scope inside a closed one is not drawn, even when named as open", () => {
  const graph = cases[0]!.graph as unknown as Graph;
  expect(plain(arrange(graph, ["encoder.attention"]))).toEqual(plain(arrange(graph, [])));
});
