import { beforeEach, expect, test } from "vitest";
import { read, type State, Store, write } from "../src/state.ts";

const START: State = { example: "a", choose: {}, step: null, select: null, open: ["encoder"], theme: "system" };
const EXAMPLES = ["a", "b & c", "d"];

beforeEach(() => history.replaceState(null, "", location.pathname));

test("the state at the start has no address of its own", () => {
  expect(write(START, START)).toBe("");
  expect(read("", START, EXAMPLES)).toEqual(START);
});

test.each<State>([
  { ...START, example: "b & c" },
  { ...START, choose: { head: 1, "axis 1": 12 } },
  { ...START, step: 3, select: "encoder.attention#2.probs", open: ["a,b", "c=d", "e%20f"] },
  { ...START, open: [] },
  { ...START, theme: "dark", select: "" },
])("%o comes back from its address", (state) => {
  expect(read(`#${write(state, START)}`, START, EXAMPLES)).toEqual(state);
});

test("an index of 0 is what an axis has without an address", () => {
  expect(write({ ...START, choose: { head: 0 } }, START)).toBe("");
});

test.each(["#example=nobody", "#step=x", "#theme=pink", "#head=-1", "#head", "#&&=&%", "#example"])(
  "%s says nothing, so all is as at the start",
  (hash) => {
    expect(read(hash, START, EXAMPLES)).toEqual(START);
  },
);

test("the order of open scopes does not matter", () => {
  const start = { ...START, open: ["a", "b"] };
  expect(write({ ...start, open: ["b", "a"] }, start)).toBe("");
});

test("a change is written to the address and told to subscribers once", () => {
  const store = new Store(START, EXAMPLES);
  const seen: (number | null)[][] = [];
  store.subscribe((now, before) => seen.push([before.step, now.step]));
  store.set({ step: 2 }, { push: true });
  store.set({ step: 2 });
  expect(location.hash).toBe("#step=2");
  expect(seen).toEqual([[null, 2]]);
});

test("going back brings the state of that address back", () => {
  const store = new Store(START, EXAMPLES);
  store.set({ step: 2 }, { push: true });
  history.replaceState(null, "", "#step=1");
  dispatchEvent(new Event("popstate"));
  expect(store.state.step).toBe(1);
});

test("an address of a place in the page leaves the state alone", () => {
  const store = new Store(START, EXAMPLES);
  store.set({ step: 2 });
  history.replaceState(null, "", "#source-model.py-L3");
  dispatchEvent(new Event("hashchange"));
  expect(store.state.step).toBe(2);
});

test("where the address cannot be written the state still changes", () => {
  const store = new Store(START, EXAMPLES);
  const { pushState } = history;
  history.pushState = () => {
    throw new DOMException("no origin", "SecurityError");
  };
  store.set({ example: "d" }, { push: true });
  history.pushState = pushState;
  expect(store.state.example).toBe("d");
});
