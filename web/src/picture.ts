// A laid out graph as SVG, and a graph as DOT or Mermaid. Names from a model are text in all three.
// The SVG carries classes and presentation attributes only, so that the file alone looks right and a page's style sheet
// may colour it anew. Twin of src/cutaway/picture.py.

import type { Graph } from "./bundle.ts";
import { inOrder, type Box } from "./folding.ts";
import { opTitle, outputNames, reveal, scopeTitle } from "./labels.ts";
import type { Edge, Layout, Point } from "./layout.ts";
import { at, readsOf } from "./recorded.ts";

const RADIUS: Record<Box["kind"], number> = { scope: 8, op: 8, input: 15, output: 15 };

/** The picture as one SVG element, usable as a file or inside a page. */
export function svg(graph: Graph, layout: Layout, title: string): string {
  const groups = layout.boxes.filter((box) => box.open);
  const leaves = layout.boxes.filter((box) => !box.open);
  const counts = `${graph.ops.length} operations in ${graph.scopes.length} scopes, ${leaves.length} boxes shown`;
  const parts = [
    `<svg xmlns="http://www.w3.org/2000/svg" class="graph" role="img" viewBox="0 0 ${layout.width} ${layout.height}"` +
      ` width="${layout.width}" height="${layout.height}" font-family="system-ui, sans-serif" font-size="13">`,
    `<title>${escape(title)}</title>`,
    `<desc>${escape(counts)}. Data flows from top to bottom; a dashed line is a shared parameter.</desc>`,
    '<g class="groups" fill="#f1f6f4" stroke="#d5dedb">',
    ...groups.map(boxMarkup),
    "</g>",
    '<g class="edges" fill="none" stroke="#9aaba6" stroke-width="1.25" aria-hidden="true">',
    ...strands(layout.edges).map(edgeMarkup),
    "</g>",
    '<g class="boxes" fill="#ffffff" stroke="#bccac5">',
    ...leaves.map(boxMarkup),
    "</g>",
    "</svg>",
  ];
  return parts.join("\n") + "\n";
}

/** How far a box's corners are rounded, in pixels. */
export function radius(box: Box): number {
  return box.open ? 12 : RADIUS[box.kind];
}

/** Where a box's texts stand: the title's baseline, and its second line's. */
export function baselines(box: Box): [title: number, line: number] {
  if (box.open) return [box.y + 20, box.y + 20];
  const middle = box.y + Math.floor(box.height / 2);
  return box.line ? [middle - 3, middle + 12] : [middle + 4, middle + 4];
}

function boxMarkup(box: Box): string {
  const middle = box.x + Math.floor(box.width / 2);
  const classes = `box ${box.kind}${box.open ? " open" : ""}`;
  const rect = `<rect x="${box.x}" y="${box.y}" width="${box.width}" height="${box.height}" rx="${radius(box)}"`;
  const head = `<g class="${classes}" data-name="${escape(boxName(box))}">${rect}/>`;
  const text = '<text fill="#17201d" stroke="none"';
  const [y, below] = baselines(box);
  if (box.open) return `${head}${text} class="name" x="${box.x + 14}" y="${y}">${escape(box.title)}</text></g>`;
  const name = `${text} class="name" x="${middle}" y="${y}" text-anchor="middle">${escape(box.title)}</text>`;
  if (!box.line) return `${head}${name}</g>`;
  const line =
    `<text class="line" x="${middle}" y="${below}" text-anchor="middle" fill="#5a6a65" stroke="none"` +
    ` font-family="ui-monospace, monospace" font-size="11">${escape(box.line)}</text>`;
  return `${head}${name}${line}</g>`;
}

/** A box's kind and name in one word, unique in a picture: scope:encoder, op:12, input:labels, output:7. */
export function boxName(box: Box): string {
  return `${box.kind}:${box.kind === "scope" || box.kind === "input" ? box.select : box.ref}`;
}

/** Pieces of line to draw as one path each, so that the trunk they share is not drawn twice. */
export function strands(edges: Edge[]): Edge[][] {
  const found = new Map<string, Edge[]>();
  for (const edge of edges) {
    const name = JSON.stringify([edge.group, edge.source, edge.tie, edge.backward, edge.values]);
    const here = found.get(name);
    if (here) here.push(edge);
    else found.set(name, [edge]);
  }
  return [...found.values()];
}

function edgeMarkup(edges: Edge[]): string {
  const edge = at(edges, 0);
  const look = edge.tie ? ' stroke="#89340b" stroke-dasharray="4 4"' : "";
  return `<path class="${edgeClass(edge)}" d="${edges.map((each) => path(each.points)).join("")}"${look}/>`;
}

/** The classes of a line: edge, and what is special about it. */
export function edgeClass(edge: Edge): string {
  return "edge" + (edge.tie ? " tie" : "") + (edge.backward ? " backward" : "");
}

/** Corner points as an SVG path: straight where they share a column, an S-curve where they do not. */
export function path(points: Point[]): string {
  let [x, y] = at(points, 0);
  let text = `M${x} ${y}`;
  for (const [nextX, nextY] of points.slice(1)) {
    const middle = (y + nextY) / 2;
    text += nextX === x ? `V${nextY}` : `C${x} ${middle} ${nextX} ${middle} ${nextX} ${nextY}`;
    [x, y] = [nextX, nextY];
  }
  return text;
}

const ENTITIES: Record<string, string> = { "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;", "'": "&#39;" };

/** Text for SVG, hidden characters revealed. */
export function escape(text: string): string {
  return reveal(text).replace(/[&<>"']/g, (c) => ENTITIES[c] ?? c);
}

/** The whole graph, every scope a cluster, in Graphviz's DOT language. */
export function dot(graph: Graph): string {
  const lines = ["digraph model {", "  node [shape=box, style=rounded];"];
  for (const [pad, kind, ref, text] of outline(graph)) {
    if (kind === "scope") lines.push(`${pad}subgraph cluster_${ref} { label=${dotText(text)};`);
    else if (kind === "op") lines.push(`${pad}op${ref} [label=${dotText(text)}];`);
    else if (kind === "end") lines.push(`${pad}}`);
    else lines.push(`${pad}${kind}${ref} [label=${dotText(text)}, shape=ellipse];`);
  }
  for (const [source, target] of arrows(graph)) lines.push(`  ${source} -> ${target};`);
  return [...lines, "}"].join("\n") + "\n";
}

/** The whole graph, every scope a subgraph, as a Mermaid flowchart. */
export function mermaid(graph: Graph): string {
  const lines = ["flowchart TB"];
  for (const [pad, kind, ref, text] of outline(graph)) {
    if (kind === "scope") lines.push(`${pad}subgraph scope${ref}["${mermaidText(text)}"]`);
    else if (kind === "op") lines.push(`${pad}op${ref}["${mermaidText(text)}"]`);
    else if (kind === "end") lines.push(`${pad}end`);
    else lines.push(`${pad}${kind}${ref}(["${mermaidText(text)}"])`);
  }
  for (const [source, target] of arrows(graph)) lines.push(`  ${source} --> ${target}`);
  return lines.join("\n") + "\n";
}

type Line = [pad: string, kind: "scope" | "op" | "end" | "value" | "output", ref: number, text: string];

/** The graph in nested order: scope ... end around its contents, op, value, output. */
function outline(graph: Graph): Line[] {
  const lines: Line[] = [];
  graph.values.forEach((value, i) => {
    if (value.kind === "input") lines.push(["  ", "value", i, value.name]);
  });
  const inside: ["scope" | "op", number][][] = graph.scopes.map(() => []);
  for (const [kind, ref] of inOrder(graph)) {
    const parent = kind === "scope" ? at(graph.scopes, ref).parent : at(graph.ops, ref).scope;
    if (parent !== null) at(inside, parent).push([kind, ref]);
  }
  const visit = (scope: number, pad: string): void => {
    lines.push([pad, "scope", scope, scopeTitle(graph, scope)]);
    for (const [kind, ref] of at(inside, scope)) {
      if (kind === "scope") visit(ref, pad + "  ");
      else lines.push([pad + "  ", "op", ref, opTitle(graph, ref)]);
    }
    lines.push([pad, "end", scope, ""]);
  };
  graph.scopes.forEach((scope, i) => {
    if (scope.parent === null) visit(i, "  ");
  });
  outputNames(graph).forEach(([name], i) => lines.push(["  ", "output", i, name]));
  return lines;
}

/** Which op or input feeds which op or output, each pair once. */
function arrows(graph: Graph): [source: string, target: string][] {
  const pairs = new Map<string, [string, string]>();
  const add = (value: number, target: string): void => {
    const there = at(graph.values, value);
    const source = there.kind === "input" ? `value${value}` : there.op === null ? null : `op${there.op}`;
    if (source !== null && !pairs.has(`${source} ${target}`)) pairs.set(`${source} ${target}`, [source, target]);
  };
  graph.ops.forEach((op, i) => readsOf(op).forEach((value) => add(value, `op${i}`)));
  outputNames(graph).forEach(([, value], i) => add(value, `output${i}`));
  return [...pairs.values()];
}

/** A DOT string: quotes and backslashes escaped, and the ampersand, which would begin an entity. */
function dotText(text: string): string {
  return `"${reveal(text).replaceAll("\\", "\\\\").replaceAll('"', '\\"').replaceAll("&", "&amp;")}"`;
}

/** The inside of a quoted Mermaid label: every sign that could mean something as its decimal entity. */
function mermaidText(text: string): string {
  return reveal(text).replace(/[\u0000-\u007f]/g, (c) => (/[A-Za-z0-9 _.-]/.test(c) ? c : `#${c.charCodeAt(0)};`));
}
