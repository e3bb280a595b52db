// The tour: a step opens its group in the graph, selects its value, points at cells and picks its example and slices.

import { html, nothing, render } from "lit";
import type { Data, Graph, Recording, Step } from "./bundle.ts";
import { findTarget, selectName } from "./selection.ts";
import type { Patch, State, Store } from "./state.ts";
import type { Point } from "./views/scene.ts";

/** `[0,2,:]` as [0, 2, null]. */
export function parseCells(cells: string): (number | null)[] {
  return cells.replace(/[[\]\s]/g, "").split(",").map((part) => (part === ":" ? null : Number(part)));
}

/** The name of the selected value, null where a scope or nothing is selected. */
export function selectedValue(recording: Recording, state: State): string | null {
  const graph = recording.graph(state.example);
  const target = findTarget(graph, state.select);
  return target?.kind === "value" ? graph.values[target.id]!.name : null;
}

/** The cells that the current step points at, while its value is the selected one. */
export function pointOf(data: Data, recording: Recording, state: State): Point | null {
  const step = data.lesson.tour.find((one) => one.step === state.step);
  if (!step?.cells || step.value === undefined) return null;
  const graph = recording.graph(state.example);
  const id = recording.id(graph, step.value);
  if (id === undefined || graph.values[id]!.name !== selectedValue(recording, state)) return null;
  return { value: graph.values[id]!.name, cells: parseCells(step.cells) };
}

/** The example whose numbers a step's text holds. */
function exampleOf(step: Step, start: State): string {
  return step.example ?? start.example;
}

/** What a step changes. */
export function toStep(step: Step, data: Data, recording: Recording, state: State, start: State): Patch {
  const example = exampleOf(step, start);
  const open = [...new Set([...start.open, ...around(step.scope ?? "", example, recording)])];
  const choose = { ...state.choose, ...slices(step, data) };
  return { step: step.step, example, open, select: selected(step, recording.graph(example), recording), choose };
}

/** A link that says #step=2 and no selection means the whole step, in the example that it names. */
export function completeStep(state: State, data: Data, recording: Recording, start: State): State {
  const step = data.lesson.tour.find((one) => one.step === state.step);
  if (!step || state.select !== null) return state;
  const named = state.example === start.example ? {} : { example: state.example };
  return { ...state, ...toStep(step, data, recording, state, start), ...named };
}

/** The name under which the graph selects a step's value, or its scope where it has no value. */
function selected(step: Step, graph: Graph, recording: Recording): string | null {
  const id = step.value === undefined ? undefined : recording.id(graph, step.value);
  if (id !== undefined) return selectName(graph, { kind: "value", id });
  const scope = graph.scopes.findIndex(({ name }) => name === step.scope);
  return scope < 0 ? null : selectName(graph, { kind: "scope", id: scope });
}

/** A scope and all scopes around it, outermost first; the whole model is always open. */
function around(name: string, example: string, recording: Recording): string[] {
  const { scopes } = recording.graph(example);
  const names: string[] = [];
  let at = scopes.findIndex((scope) => scope.name === name);
  while (at > 0) {
    names.unshift(scopes[at]!.name);
    at = scopes[at]!.parent ?? 0;
  }
  return names;
}

/** Leading indices of the step's cells, under the names by which a heatmap of that value chooses them. */
function slices(step: Step, data: Data): Record<string, number> {
  const panel = data.lesson.panels.find(({ kind, value }) => kind === "heatmap" && value === step.value);
  const cells = step.cells ? parseCells(step.cells) : [];
  const named = (panel?.choose ?? []).map((axis, i) => [axis, cells[i]] as const);
  return Object.fromEntries(named.filter((pair): pair is readonly [string, number] => typeof pair[1] === "number"));
}

/** Starts the tour; gives what brings the current step into sight: beside the graph, or below it where it sticks. */
export function startTour(root: Document, data: Data, recording: Recording, store: Store, announce: (words: string) => void): () => void {
  const tour = root.querySelector<HTMLElement>("#tour");
  if (!tour) return () => {};
  const steps = data.lesson.tour;
  const controls = tour.querySelector<HTMLElement>(".step-controls")!;
  tour.classList.add("live");
  const go = (number: number): void => {
    const step = steps.find((one) => one.step === number);
    if (step) store.set(toStep(step, data, recording, store.state, store.start), { push: true });
  };
  const by = (change: number): void => go((store.state.step ?? 0) + change);
  const end = (): void => {
    store.set({ step: null }, { push: true });
    controls.querySelector<HTMLElement>("button:last-child")!.focus();
    announce("Tour ended");
  };
  const reveal = (): void => {
    const item = tour.querySelector("[aria-current]");
    const bench = root.querySelector(".bench")!;
    const sticks = getComputedStyle(bench.firstElementChild ?? bench).position === "sticky";
    if (item) (sticks ? item : bench).scrollIntoView({ block: sticks ? "start" : "nearest" });
  };

  tour.addEventListener("click", (event) => {
    const item = (event.target as Element).closest<HTMLElement>('a[href^="#step="]')?.closest<HTMLElement>("li");
    if (!item || (event as MouseEvent).ctrlKey || (event as MouseEvent).metaKey) return;
    event.preventDefault();
    go(Number(item.dataset["step"]));
  });
  root.addEventListener("keydown", (event) => {
    const free = event.target === root.body || (event.target instanceof Element && tour.contains(event.target));
    if (!free || event.altKey || event.ctrlKey || event.metaKey || event.shiftKey) return;
    if (event.key === "ArrowRight") by(1);
    else if (event.key === "ArrowLeft") by(-1);
    else return;
    event.preventDefault();
  });

  const show = (state: State): void => {
    for (const item of tour.querySelectorAll<HTMLElement>("[data-step]")) {
      if (Number(item.dataset["step"]) === state.step) item.setAttribute("aria-current", "step");
      else item.removeAttribute("aria-current");
      const own = item.querySelector<HTMLElement>(".of");
      const step = steps.find((one) => String(one.step) === item.dataset["step"]);
      if (own && step) own.hidden = exampleOf(step, store.start) === state.example;
    }
    const at = state.step;
    root.querySelector(".bench")?.classList.toggle("touring", at !== null);
    render(
      html`<button type="button" aria-disabled=${at === null || at <= 1} @click=${() => by(-1)}>‹ Previous</button>
        <div><span>${at === null ? "← → to step" : `step ${at} of ${steps.length}`}</span>
          ${at === null ? nothing : html`<button type="button" class="name-link" @click=${end}>End tour</button>`}</div>
        <button type="button" aria-disabled=${at === steps.length} @click=${() => by(1)}>${at === null ? "Start" : "Next"} ›</button>`,
      controls,
    );
  };
  store.subscribe((now, before) => {
    show(now);
    const step = steps.find((one) => one.step === now.step);
    if (!step || now.step === before.step) return;
    announce(`Step ${now.step} of ${steps.length}: ${step.title}`);
    reveal();
  });
  show(store.state);
  return reveal;
}
