// Links that name a recorded value ("#select=loss"): they select it in the graph and leave the rest of the state.

import type { Recording } from "./bundle.ts";
import { findTarget, openFor } from "./selection.ts";
import type { Store } from "./state.ts";

export function startLinks(root: Document, recording: Recording, store: Store): void {
  root.addEventListener("click", (event) => {
    const link = (event.target as Element).closest<HTMLAnchorElement>('a[href^="#select="]');
    if (!link || event.ctrlKey || event.metaKey) return;
    event.preventDefault();
    const asked = new URLSearchParams(link.hash.slice(1));
    const example = asked.get("example") ?? store.state.example;
    const select = asked.get("select");
    const graph = recording.graph(example);
    const target = findTarget(graph, select);
    store.set({ example, select, open: target ? openFor(graph, target, store.state.open) : store.state.open }, { push: true });
    root.querySelector("#architecture")?.scrollIntoView({ block: "nearest" });
  });
}
