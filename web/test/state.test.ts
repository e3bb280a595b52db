import { beforeEach, expect, test } from "vitest";
import { read, type State, Store, write } from "../src/state.ts";

const START: State = { example: "a", choose: {}, step: null, select: null, open: ["encoder"], theme: "system" };
const KNOWN = { examples: ["a", "b & c", "d"], steps: [1, 2, 3] };

beforeEach(() => history.replaceState(null, "", location.pathname));

test("the state at the start has no address of its own", () => {
  expect(write(START, START)).toBe("");
  expect(read("", START, KNOWN)).toEqual(START);
});

test.each<State>([
  { ...START, example: "b & c" },
  { ...START, choose: { head: 1, "axis 1": 12 } },
  { ...START, step: 3, select: "encoder.attention#2.probs", open: ["a,b", "c=d", "e%20f"] },
  { ...START, open: [] },
  { ...START, theme: "dark", select: "" },
])("%o comes back from its address", (state) => {
  expect(read(`#${write(state, START)}`, START, KNOWN)).toEqual(state);
});

test("an index of 0 is what an axis has without an address", () => {
  expect(write({ ...START, choose: { head: 0 } }, START)).toBe("");
});

test.each(["#example=nobody", "#step=x", "#step=0", "#step=99", "#theme=pink", "#head=-1", "#head", "#&&=&%", "#example"])(
  "%s says nothing, so all is as at the start",
  (hash) => {
    expect(read(hash, START, KNOWN)).toEqual(START);
  },
);

test("the order of open scopes does not matter", () => {
  const start = { ...START, open: ["a", "b"] };
  expect(write({ ...start, open: ["b", "a"] }, start)).toBe("");
});

test("a change is written to the address and told to subscribers once", () => {
  const store = new Store(START, KNOWN);
  const seen: (number | null)[][] = [];
  store.subscribe((now, before) => seen.push([before.step, now.step]));
  store.set({ step: 2 }, { push: true });
  store.set({ step: 2 });
  expect(location.hash).toBe("#step=2");
  expect(seen).toEqual([[null, 2]]);
});

test("going back brings the state of that address back", () => {
  const store = new Store(START, KNOWN);
  store.set({ step: 2 }, { push: true });
  history.replaceState(null, "", "#step=1");
  dispatchEvent(new Event("popstate"));
  expect(store.state.step).toBe(1);
});

test("what an address leaves open is completed, on opening and when it is typed into an open page", () => {
  const complete = (state: State): State => (state.step && !state.select ? { ...state, select: `value ${state.step}` } : state);
  history.replaceState(null, "", "#step=2");
  const store = new Store(START, KNOWN, complete);
  expect(store.state.select).toBe("value 2");
  const seen: (string | null)[] = [];
  store.subscribe(({ select }) => seen.push(select));
  history.replaceState(null, "", "#step=3");
  dispatchEvent(new Event("hashchange"));
  expect(seen).toEqual(["value 3"]);
  expect(location.hash).toBe("#step=3&select=value%203");
});

test("a place in the page stays the address when the page opens", () => {
  history.replaceState(null, "", "#source-model.py-L3");
  expect(new Store(START, KNOWN).state).toEqual(START);
  expect(location.hash).toBe("#source-model.py-L3");
});

test("a closed store changes nothing any more", () => {
  const store = new Store(START, KNOWN);
  store.close();
  store.set({ step: 2 });
  dispatchEvent(new Event("popstate"));
  expect([store.state, location.hash]).toEqual([START, ""]);
});

test("an address of a place in the page leaves the state alone", () => {
  const store = new Store(START, KNOWN);
  store.set({ step: 2 });
  history.replaceState(null, "", "#source-model.py-L3");
  dispatchEvent(new Event("hashchange"));
  expect(store.state.step).toBe(2);
});

test("where the address cannot be written the state still changes", () => {
  const store = new Store(START, KNOWN);
  const { pushState } = history;
  history.pushState = () => {
    throw new DOMException("no origin", "SecurityError");
  };
  store.set({ example: "d" }, { push: true });
  history.pushState = pushState;
  expect(store.state.example).toBe("d");
});
