import { expect, test } from "vitest";
import { exact, show } from "../src/number.ts";
import { colour, step, stepOf } from "../src/scale.ts";
import { readSafetensors, size, Tensor } from "../src/tensor.ts";
import { readRecording } from "./golden.ts";

const sample = readRecording("sample");
const cells = (name: string) => sample.tensor("first", name)!.cells();

function file(header: object, data: number[]): ArrayBuffer {
  const text = new TextEncoder().encode(JSON.stringify(header));
  const bytes = new Uint8Array(8 + text.length + data.length);
  new DataView(bytes.buffer).setBigUint64(0, BigInt(text.length), true);
  bytes.set(text, 8);
  bytes.set(data, 8 + text.length);
  return bytes.buffer;
}

test("64-bit integers are whole beyond what a double can hold", () => {
  expect(cells("long").map((cell) => show(cell))).toEqual(["9007199254740993", "−9223372036854775808", "16777217", "0"]);
});

test("bools are bools", () => {
  expect(cells("flags")).toEqual([true, false, true, false, false, true]);
});

test("complex numbers are whole, and their size is their magnitude", () => {
  expect(cells("wave").map((cell) => show(cell))).toEqual(["1 + 2i", "0 − 3i", "0 + 0i", "−0.5 − 0.25i"]);
  expect(size({ re: 3, im: -4 })).toBe(5);
});

test("16-bit and 8-bit floats are widened exactly", () => {
  expect(cells("half").map((cell) => exact(cell, "bfloat16"))).toEqual(["0.100097656", "-1", "inf"]);
  expect(cells("short")[1]).toBe(-65504);
  expect(cells("brief")).toEqual([57344, Infinity, NaN, 2 ** -16, -1]);
  expect(cells("tiny").slice(0, 8)).toEqual([256, 288, 320, 352, 384, 416, 448, NaN]);
});

test("a negative zero keeps its sign in the exact form", () => {
  expect(exact(cells("holes")[5]!, "float32")).toBe("-0");
});

test("a value under another of its names is the same value", () => {
  const bert = readRecording("bert-pretraining");
  const own = bert.tensor("reference", "embeddings.token.weight")!;
  expect(bert.tensor("reference", "masked_token.decoder.weight")!.cells()).toEqual(own.cells());
});

test("what an example did not keep is null, and so is a name that nobody has", () => {
  expect(sample.tensor("few", "half")).toBeNull();
  expect(sample.tensor("few", "nobody")).toBeNull();
});

test("an entry whose size does not fit its shape is refused", () => {
  const entry = readSafetensors(file({ x: { dtype: "F32", shape: [2], data_offsets: [0, 4] } }, [0, 0, 128, 63])).get("x")!;
  expect(() => new Tensor("float32", entry.shape, entry.data)).toThrow("wrong size");
});

test("metadata is no tensor", () => {
  const read = readSafetensors(file({ __metadata__: { a: "b" }, x: { dtype: "U8", shape: [1], data_offsets: [0, 1] } }, [7]));
  expect([...read.keys()]).toEqual(["x"]);
});

test("the ends of the scale have their colours, zero the lightest", () => {
  expect([colour(32), colour(-32), colour(0)]).toEqual([[8, 150, 120], [137, 52, 11], [248, 251, 250]]);
  expect([stepOf(-1, 2), stepOf(Infinity, 2), stepOf(5, 0)]).toEqual([-16, 32, 0]);
  expect([step(NaN, 1), step(-1e-9, 1), step(true, 1)]).toEqual(["nan", "p0", "p32"]);
});
