import { expect, test } from "vitest";
import cases from "../../tests/golden/layout.json";
import type { Graph } from "../src/bundle.ts";
import { callText, crossing, opsOf, parametersOf, readersOf } from "../src/facts.ts";
import { arrange } from "../src/layout.ts";
import { findAll } from "../src/search.ts";
import { boxOf, describe, findTarget, foldable, openFor, selectName } from "../src/selection.ts";
import { lineOf, outlineLines } from "../src/tree.ts";
import { step } from "../src/walk.ts";

const graph = cases[0]!.graph as unknown as Graph;
const value = (name: string): number => graph.values.findIndex((each) => each.name === name);
const scope = (name: string): number => graph.scopes.findIndex((each) => each.name === name);

test("every scope and value is found under the name it is selected by", () => {
  for (const { graph: one } of cases) {
    const each = one as unknown as Graph;
    each.scopes.forEach((_, id) => {
      const target = { kind: "scope" as const, id };
      expect(findTarget(each, selectName(each, target))).toEqual(target);
    });
    each.values.forEach((_, id) => {
      const target = { kind: "value" as const, id };
      expect(findTarget(each, selectName(each, target))).toEqual(target);
    });
  }
});

test("a value with a scope's name is selected apart from it", () => {
  const both = { ...graph, values: graph.values.map((each, i) => (i === 50 ? { ...each, name: "encoder" } : each)) };
  expect(selectName(both, { kind: "value", id: 50 })).toBe("value:encoder");
  expect(findTarget(both, "encoder")).toEqual({ kind: "scope", id: scope("encoder") });
  expect(findTarget(both, "value:encoder")).toEqual({ kind: "value", id: 50 });
});

test("things whose names look like a selection of another are selected apart from it", () => {
  const scopes = graph.scopes.map((each, i) => (i === 1 ? { ...each, name: "value:x" } : i === 2 ? { ...each, name: "op:1" } : each));
  const names: Record<number, string> = { 3: "x", 4: "op:2", 5: "scope:value:x" };
  const hostile = { ...graph, scopes, values: graph.values.map((each, i) => ({ ...each, name: names[i] ?? each.name })) };
  const targets = [
    ...[1, 2].map((id) => ({ kind: "scope" as const, id })),
    ...[3, 4, 5].map((id) => ({ kind: "value" as const, id })),
  ];
  for (const target of targets) expect(findTarget(hostile, selectName(hostile, target))).toEqual(target);
  expect(targets.map((target) => selectName(hostile, target))).toEqual([
    "scope:value:x", "scope:op:1", "x", "value:op:2", "value:scope:value:x",
  ]);
  expect(findTarget({ ...graph, scopes }, "value:x")).toEqual({ kind: "scope", id: 1 }); // nothing else has that name
});

test("a name that stands for nothing selects nothing", () => {
  for (const name of [null, "", "nothing.there", "op:999", "op:x", "op:", "op: 1", "scope:x", "value:"]) expect(findTarget(graph, name)).toBeNull();
});

test("a selection inside a closed scope is shown by that scope's box, until its scopes are open", () => {
  const target = findTarget(graph, "encoder.attention.probs")!;
  const closed = arrange(graph, []);
  expect(closed.boxes[boxOf(graph, closed, target)]!.select).toBe("encoder");
  const open = openFor(graph, target, []);
  expect(open).toEqual(["encoder", "encoder.attention"]);
  const layout = arrange(graph, open);
  expect(layout.boxes[boxOf(graph, layout, target)]!.title).toBe("probs · softmax");
});

test("a shared parameter is shown by the box of the scope that owns it", () => {
  const target = findTarget(graph, "masked_token.decoder.weight")!;
  expect(describe(graph, target)).toEqual({ name: "embeddings.token.weight", kind: "parameter" });
  const layout = arrange(graph, ["embeddings"]);
  expect(layout.boxes[boxOf(graph, layout, target)]!.select).toBe("embeddings.token");
});

test("a scope of one operation does not fold, one with scopes in it does", () => {
  const folds = foldable(graph);
  expect(folds[scope("encoder.attention.query")]).toBe(false);
  expect(folds[scope("encoder.attention")]).toBe(true);
});

test("find matches every word in a scope's name and class, an op's function and result, an input's name", () => {
  const names = (words: string): string[] => findAll(graph, words).map((target) => selectName(graph, target));
  expect(names("layernorm attention")).toEqual(["encoder.attention_norm"]);
  expect(names("softmax")).toEqual(["encoder.attention.probs", "mlm_probs", "nsp_probs"]);
  expect(names("decoder")).toEqual(["masked_token.decoder"]);
  expect(names("functional.embedding")).toEqual(["embeddings.token", "embeddings.position", "embeddings.segment"]);
  expect(names("token_type")).toEqual(["token_type_ids"]);
  expect(names("  ")).toEqual([]);
  expect(names("no such thing")).toEqual([]);
});

test("the outline has the same boxes as the picture, in the same order, and the whole model above them", () => {
  for (const open of [[], ["encoder"], graph.scopes.map((each) => each.name)]) {
    const lines = outlineLines(graph, open);
    const drawn = arrange(graph, open).boxes.map((box) => (box.kind === "output" ? `→ ${box.title}` : box.title));
    expect(lines.slice(1).map((line) => line.title).sort()).toEqual(drawn.sort());
    expect(lines[0]!.title).toBe("ReducedBert");
    lines.forEach((line) => expect(line.position).toBeLessThanOrEqual(line.siblings));
  }
});

test("the outline shows a hidden selection by the closest line that is seen", () => {
  const lines = outlineLines(graph, []);
  const line = lines[lineOf(graph, lines, findTarget(graph, "encoder.attention.probs"))]!;
  expect(line.title).toBe("encoder · EncoderLayer");
});

test("down and up follow a line and come back; right and left go to neighbours", () => {
  const layout = arrange(graph, ["encoder"]);
  const at = (title: string): number => layout.boxes.findIndex((box) => box.title === title);
  const norm = at("attention_norm · LayerNorm");
  const below = step(layout, norm, "down");
  expect(["feed_forward · FeedForward", "add"]).toContain(layout.boxes[below]!.title);
  expect(step(layout, at("feed_forward · FeedForward"), "up")).toBe(norm);
  expect(layout.boxes[step(layout, at("encoder · EncoderLayer"), "down")]!.parent).toBe(at("encoder · EncoderLayer"));
  const heads = [at("next_sentence · NextSentenceHead"), at("masked_token · MaskedTokenHead")];
  const [left, right] = heads.sort((a, b) => layout.boxes[a]!.x - layout.boxes[b]!.x) as [number, number];
  expect(step(layout, left, "right")).toBe(right);
  expect(step(layout, right, "left")).toBe(left);
});

test("every box is reached from the first by arrow keys", () => {
  const layout = arrange(graph, ["encoder", "embeddings"]);
  const reached = new Set([0]);
  const pending = [0];
  while (pending.length > 0) {
    const here = pending.pop()!;
    for (const way of ["up", "down", "left", "right"] as const) {
      const next = step(layout, here, way);
      if (!reached.has(next)) {
        reached.add(next);
        pending.push(next);
      }
    }
  }
  expect(layout.boxes.filter((_, i) => !reached.has(i)).map((box) => box.title)).toEqual([]);
});

test("what crosses a scope's border, its ops, parameters and readers are read from the graph", () => {
  const encoder = scope("encoder");
  const names = (ids: number[]): string[] => ids.map((id) => graph.values[id]!.name);
  expect(names(crossing(graph, encoder).reads)).toEqual(["embeddings.norm.output", "attention_bias", "head_gate"]);
  expect(names(crossing(graph, encoder).makes)).toEqual(["encoder.feed_forward_norm.output"]);
  expect(opsOf(graph, scope("masked_token"))).toHaveLength(4);
  expect(parametersOf(graph, scope("masked_token")).map(([name]) => name)).toContain("decoder.weight");
  expect(readersOf(graph, value("embeddings.token.weight"))).toHaveLength(2);
});

test("a call is written as in the source", () => {
  const op = graph.values[value("encoder.attention.probs")]!.op!;
  expect(callText(graph, graph.ops[op]!)).toBe("softmax(biased, -1)");
  const item = graph.ops.find((each) => each.function.endsWith("__getitem__"))!;
  expect(callText(graph, item)).toBe("getitem(feed_forward_norm.output, 0)");
});
