// Opens the interactive graph in the place of the static picture, its outline beside it and its inspector below.

import { html, render } from "lit";
import type { Data, Graph, Recording } from "./bundle.ts";
import { count } from "./hints.ts";
import type { Patch, State, Store } from "./state.ts";
import { pointOf } from "./tour.ts";
import "./views/graph.ts";
import "./views/inspector.ts";
import "./views/outline.ts";

export async function startArchitecture(root: Document, data: Data, recording: Recording, store: Store): Promise<void> {
  const figure = root.querySelector<HTMLElement>("#architecture")!;
  const picture = figure.querySelector<HTMLElement>(".picture")!;
  const caption = figure.querySelector<HTMLElement>("figcaption span")!;
  const line = figure.querySelector<HTMLElement>(".opening")!;
  const stage = live("div", "stage");
  const outline = live("div", "outline");
  const inspector = root.querySelector<HTMLElement>("#inspector")!;
  root.querySelector(".rail")!.append(outline);
  picture.before(stage);

  const change = (event: CustomEvent<Patch>): void => store.set(event.detail, { push: true });
  const show = (state: State): void => {
    const { example, open, select } = state;
    const graph = recording.graph(example);
    const point = pointOf(data, recording, state);
    caption.textContent = captionOf(recording, graph);
    render(
      html`<cutaway-graph .graph=${graph} .open=${open} .select=${select} .point=${point} .name=${data.manifest.name}
        @change=${change}></cutaway-graph>`,
      stage,
    );
    render(
      html`<h2 id="outline-title">Outline</h2><cutaway-outline aria-labelledby="outline-title" .graph=${graph} .open=${open}
        .select=${select} @change=${change}></cutaway-outline>`,
      outline,
    );
    render(
      html`<cutaway-inspector .graph=${graph} .recording=${recording} .lesson=${data.lesson} .example=${example} .select=${select} .point=${point}
        @change=${change}></cutaway-inspector>`,
      inspector,
    );
  };
  show(store.state);
  for (const element of root.querySelectorAll<HTMLElement & { updateComplete: Promise<boolean> }>(
    "cutaway-graph, cutaway-outline, cutaway-inspector",
  )) {
    await element.updateComplete;
  }
  picture.hidden = true;
  line.remove();
  store.subscribe(show);
}

/** What Python wrote of the first graph (src/cutaway/page/architecture.py), of any; not how many boxes the picture has. */
function captionOf({ graphs }: Recording, graph: Graph): string {
  const several = graphs.length > 1 ? ` · graph ${graphs.indexOf(graph) + 1} of ${graphs.length}` : "";
  const size = `${count(graph.ops.length, "operation")} in ${count(graph.scopes.length, "scope")}`;
  return `Recorded snapshot, needs no Python · ${size}${several}`;
}

function live(tag: string, name: string): HTMLElement {
  const element = document.createElement(tag);
  element.className = name;
  return element;
}
