import { expect, test } from "vitest";
import { between, fitAll, fitReadable, scaleOf, show, zoomAt } from "../src/viewport.ts";

const screen = { width: 800, height: 600 };

test("fit shows the whole picture, centred and never larger than life", () => {
  const view = fitAll({ width: 1600, height: 600 }, screen);
  expect(scaleOf(view, screen)).toBe(0.5);
  expect(view.x).toBe(0);
  expect(view.y + view.height / 2).toBe(300);
  expect(scaleOf(fitAll({ width: 100, height: 100 }, screen), screen)).toBe(1);
});

test("the first view keeps names readable and begins at the top", () => {
  const view = fitReadable({ width: 1200, height: 5000 }, screen);
  expect(scaleOf(view, screen)).toBeCloseTo(800 / 1200);
  expect(view.y).toBe(0);
  expect(scaleOf(fitReadable({ width: 9000, height: 5000 }, screen), screen)).toBe(0.6);
});

test("zooming leaves the point under the pointer where it is", () => {
  const view = { x: 100, y: 50, width: 400, height: 300 };
  const next = zoomAt(view, screen, 1.5, 200, 125);
  expect((200 - next.x) / next.width).toBeCloseTo((200 - view.x) / view.width);
  expect((125 - next.y) / next.height).toBeCloseTo((125 - view.y) / view.height);
});

test("zooming stops at a least and a greatest scale and keeps the screen's shape", () => {
  for (const factor of [1e-9, 1e9]) {
    const next = zoomAt({ x: 0, y: 0, width: 800, height: 600 }, screen, factor, 0, 0);
    expect([0.05, 3]).toContain(Number(scaleOf(next, screen).toFixed(6)));
    expect(next.width / next.height).toBeCloseTo(800 / 600);
  }
});

test("a box already well in sight moves nothing; another is brought to the middle at a readable scale", () => {
  const view = { x: 0, y: 0, width: 800, height: 600 };
  expect(show(view, screen, { x: 300, y: 200, width: 100, height: 40 })).toBe(view);
  const next = show(view, screen, { x: 3000, y: 2000, width: 100, height: 40 });
  expect([next.x + next.width / 2, next.y + next.height / 2]).toEqual([3050, 2020]);
  expect(scaleOf(next, screen)).toBeGreaterThanOrEqual(0.6);
});

test("the way between two views begins at one and ends at the other", () => {
  const [a, b] = [{ x: 0, y: 0, width: 8, height: 6 }, { x: 4, y: 2, width: 16, height: 12 }];
  expect(between(a, b, 0)).toEqual(a);
  expect(between(a, b, 1)).toEqual(b);
});
