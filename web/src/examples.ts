// The picker of recorded examples, and the panels of the chosen one.

import { html, nothing, render } from "lit";
import type { Data, Panel, Recording } from "./bundle.ts";
import { selectName } from "./selection.ts";
import type { Store } from "./state.ts";
import { pointOf, selectedValue } from "./tour.ts";
import { axisChoice, followChoice, markChosen } from "./views/choice.ts";
import { chosen, leading, shownValue } from "./views/heatmap.ts";
import { KINDS } from "./views/panels.ts";
import { Scene } from "./views/scene.ts";

export function startExamples(root: Document, data: Data, recording: Recording, store: Store, announce: (words: string) => void): void {
  const picker = root.querySelector(".examples .picker");
  if (picker) followChoice(picker, (button) => store.set({ example: button.dataset["example"]! }, { push: true }));
  const sections = [...root.querySelectorAll<HTMLElement>("[data-panel]")].map((section) => ({
    panel: data.lesson.panels[Number(section.dataset["panel"])]!,
    view: section.querySelector<HTMLElement>(".view")!,
    controls: section.querySelector<HTMLElement>(".controls"),
  }));
  for (const { view } of sections) view.replaceChildren(); // Python drew the same; from here on Lit keeps it

  const show = (): void => {
    const { example, choose } = store.state;
    const point = pointOf(data, recording, store.state);
    const select = selectedValue(recording, store.state);
    const scene = new Scene(recording, data.lesson, example, choose, { point, select });
    if (picker) markChosen(picker, (button) => button.dataset["example"] === example);
    for (const words of root.querySelectorAll<HTMLElement>(".example-words [data-example]")) {
      words.hidden = words.dataset["example"] !== example;
    }
    root.querySelector(".panels")?.classList.toggle("beside", scene.drawn.length > 1);
    for (const { panel, view, controls } of sections) {
      render(drawn(scene, panel), view);
      if (controls) render(choices(scene, panel, store, announce), controls);
    }
  };
  store.subscribe((now, before) => {
    show();
    if (now.example !== before.example) announce(`Example: ${data.lesson.examples.find(({ name }) => name === now.example)?.title ?? now.example}`);
  });
  show();
}

/** A panel's HTML, or the reason why this example has none. */
function drawn(scene: Scene, panel: Panel): unknown {
  try {
    return KINDS[panel.kind]!(scene, panel);
  } catch (error) {
    return html`<p class="missing">${error instanceof Error ? error.message : String(error)}.</p>`;
  }
}

/** Pickers above a heatmap: which value, where it follows the selection, and an index for each leading axis. */
function choices(scene: Scene, panel: Panel, store: Store, announce: (words: string) => void): unknown {
  const value = shownValue(scene, panel);
  const tensor = scene.tensor(scene.example, value);
  const axes = tensor ? leading(value === panel.value ? panel : { kind: panel.kind }, tensor) : [];
  const pick = (axis: string) => (index: number): void => {
    store.set({ choose: { ...store.state.choose, [axis]: index } });
    announce(`${axis} ${index}`);
  };
  return html`${panel.follow ? valueChoice(scene, value, store) : nothing}${axes
    .filter(({ size }) => size > 1)
    .map(({ axis, size }) => axisChoice(axis, size, chosen(scene, axis, size), pick(axis)))}`;
}

function valueChoice(scene: Scene, value: string, store: Store): unknown {
  const graph = scene.recording.graph(scene.example);
  const kept = graph.values.filter(({ name }) => scene.tensor(scene.example, name));
  const choose = (event: Event): void => {
    const id = scene.recording.id(graph, (event.target as HTMLSelectElement).value)!;
    store.set({ select: selectName(graph, { kind: "value", id }) }, { push: true });
  };
  return html`<label>value <select @change=${choose}>${kept.map(
    ({ name, shape }) => html`<option value=${name} .selected=${name === value}>${name} (${shape.join(" × ") || "one number"})</option>`,
  )}</select></label>`;
}
