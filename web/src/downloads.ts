// Files made in the page. Works from file:// too: a blob and a link with the attribute download.

import type { Graph } from "./bundle.ts";
import type { Layout } from "./layout.ts";
import { dot, mermaid, svg } from "./picture.ts";

export const KINDS = ["JSON", "SVG", "Mermaid", "DOT"] as const;
export type Kind = (typeof KINDS)[number];

/** The file that a kind of download gives: its name, its type, its text. */
export function makeFile(kind: Kind, graph: Graph, layout: Layout, name: string): { name: string; type: string; text: string } {
  switch (kind) {
    case "JSON":
      return { name: `${name}.json`, type: "application/json", text: JSON.stringify(graph, null, 1) + "\n" };
    case "SVG":
      return { name: `${name}.svg`, type: "image/svg+xml", text: svg(graph, layout, name) };
    case "Mermaid":
      return { name: `${name}.mmd`, type: "text/plain", text: mermaid(graph) };
    case "DOT":
      return { name: `${name}.dot`, type: "text/vnd.graphviz", text: dot(graph) };
  }
}

/** Hands a file to the reader's browser. */
export function save(file: { name: string; type: string; text: string }): void {
  const address = URL.createObjectURL(new Blob([file.text], { type: file.type }));
  const link = document.createElement("a");
  link.href = address;
  link.download = file.name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(address), 1000); // a browser may read it only after the click returns
}
