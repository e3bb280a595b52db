import { beforeEach, expect, test } from "vitest";
import "../src/views/matrix.ts";
import type { CutawayMatrix } from "../src/views/matrix.ts";
import type { Matrix } from "../src/views/heatmap.ts";

const HEIGHT = 50;
const WIDTH = 40;

/** Cell (row, column) holds row + column / 100. */
function slice(pointed: Matrix["pointed"] = () => false): Matrix {
  const words = (count: number, letter: string): string[] => Array.from({ length: count }, (_, i) => `${letter}${i}`);
  return {
    at: (index) => Math.floor(index / WIDTH) + (index % WIDTH) / 100,
    dtype: "float64",
    height: HEIGHT,
    width: WIDTH,
    rows: words(HEIGHT, "r"),
    columns: words(WIDTH, "c"),
    pointed,
  };
}

let matrix: CutawayMatrix;

async function press(...keys: string[]): Promise<void> {
  const canvas = matrix.querySelector("canvas")!;
  for (const key of keys) canvas.dispatchEvent(new KeyboardEvent("keydown", { key, bubbles: true, cancelable: true }));
  await matrix.updateComplete;
}

const heads = (selector: string): (string | null)[] => [...matrix.querySelectorAll(selector)].map((head) => head.textContent);

beforeEach(async () => {
  matrix = document.createElement("cutaway-matrix") as CutawayMatrix;
  matrix.slice = slice();
  matrix.limit = HEIGHT;
  matrix.name = "value";
  document.body.replaceChildren(matrix);
  await matrix.updateComplete;
});

test("a table shows the cells around the cursor, in full", () => {
  expect(heads("th[scope=col]")).toEqual(["c0", "c1", "c2", "c3", "c4", "c5", "c6"]);
  expect(heads("th[scope=row]")).toEqual(["r0", "r1", "r2", "r3", "r4", "r5", "r6"]);
  expect(matrix.querySelector("td.pointed")!.textContent).toBe("0");
});

test("arrow keys move the cursor, and its cell is said", async () => {
  await press("ArrowDown", "ArrowDown", "ArrowRight");
  expect(matrix.querySelector("[aria-live]")!.textContent!.replace(/\s+/g, " ").trim()).toBe("row r2, column c1: 2.01");
  expect(matrix.querySelector("td.pointed")!.textContent).toBe("2.01");
});

test("the cursor stops at the edges, and the window with it", async () => {
  await press("End", ...Array.from({ length: 9 }, () => "PageDown"));
  expect(heads("th[scope=row]").at(-1)).toBe("r49");
  expect(heads("th[scope=col]").at(-1)).toBe("c39");
  expect(matrix.querySelector("td.pointed")!.textContent).toBe("49.39");
});

test("keys that move nothing are left to the page", () => {
  const event = new KeyboardEvent("keydown", { key: "Tab", bubbles: true, cancelable: true });
  matrix.querySelector("canvas")!.dispatchEvent(event);
  expect(event.defaultPrevented).toBe(false);
});

test("cells that the tour points at are marked beside the cursor", async () => {
  matrix.slice = slice((row) => row === 1);
  await matrix.updateComplete;
  expect(matrix.querySelectorAll("td.pointed")).toHaveLength(1 + 7);
});

test("a smaller slice takes the cursor along", async () => {
  await press("End", "PageDown");
  matrix.slice = { ...slice(), height: 3, rows: ["a", "b", "c"], width: 2, columns: ["x", "y"] };
  await matrix.updateComplete;
  expect(heads("th[scope=row]")).toEqual(["a", "b", "c"]);
  expect(matrix.querySelector("[aria-live]")!.textContent).toContain("row c, column y");
});

test("a matrix with more cells than pixels says what a dot is", async () => {
  matrix.slice = { ...slice(), at: () => 1, height: 1000, width: 2000, rows: [], columns: [] };
  await matrix.updateComplete;
  expect(matrix.querySelector(".summary")!.textContent).toContain("the largest of 3 × 4 cells");
  expect(matrix.querySelector("canvas")!.width).toBe(500);
  expect(matrix.querySelector("canvas")!.height).toBe(334);
});

test.each([
  [150_000, 16, 480, 64],
  [1, 120_000, 64, 639],
  [16, 150_000, 64, 639],
  [40, 50, 480, 600],
])("a matrix of %d × %d is %d × %d pixels, so that a narrow one can be seen", async (height, width, down, across) => {
  matrix.slice = { ...slice(), at: () => 1, height, width, rows: [], columns: [] };
  await matrix.updateComplete;
  const canvas = matrix.querySelector("canvas")!;
  expect(Math.abs(canvas.height - down)).toBeLessThanOrEqual(1);
  expect(Math.abs(canvas.width - across)).toBeLessThanOrEqual(1);
});
