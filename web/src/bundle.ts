// The recording as the page carries it (src/cutaway/page/data.py), read back: graphs, examples, lesson, tensors.

import { type Entry, readSafetensors, Tensor } from "./tensor.ts";

/** A tree of docs/format.md: `{"value": id}` leaves in plain JSON. */
export type Tree = null | boolean | number | string | Tree[] | { [key: string]: Tree };

export interface Source {
  file: string;
  function: string;
  line: number;
}
export interface Scope {
  name: string;
  path: string;
  class: string;
  parent: number | null;
  call: number;
  parameters: Record<string, number>;
  source: Source | null;
}
export interface Value {
  name: string;
  kind: string;
  dtype: string;
  shape: number[];
  strides: number[];
  offset: number;
  op: number | null;
  scope: number;
  also: string[];
}
export interface Op {
  function: string;
  scope: number;
  args: Tree[];
  kwargs: Record<string, Tree>;
  outputs: Tree;
  writes: [number, number][];
  source: Source | null;
  note?: string;
}
export interface Graph {
  scopes: Scope[];
  values: Value[];
  ops: Op[];
  inputs: Record<string, Tree>;
  outputs: Tree;
  gradients: { loss: number; of: number; value: number }[];
  outside: { value: number; why: string }[];
}
export interface Example {
  name: string;
  graph: number;
  values: (number | null)[];
}

/** One panel of docs/lesson.md. Which keys it has depends on its kind. */
export interface Panel {
  kind: string;
  title?: string;
  value?: string;
  choose?: string[];
  follow?: boolean;
  rows?: string | string[];
  columns?: string | string[];
  input?: string;
  segments?: string;
  labels?: string;
  names?: string | string[];
  total?: string;
  total_title?: string;
  part?: { value: string; title: string; probabilities: string; labels: string }[];
  tokens?: string | string[];
  run?: { title: string; base: string; changed: string[] }[];
  line?: { value: string; title: string }[];
  examples?: string[];
  at?: number[];
  axis?: string;
  values?: string[];
}
export interface Step {
  step: number;
  title: string;
  scope?: string;
  value?: string;
  cells?: string;
  example?: string;
}
export interface Lesson {
  examples: { name: string; title: string; beside?: string }[];
  tour: Step[];
  panels: Panel[];
  open: string[];
  vocabulary: Record<string, string>;
}
export interface Data {
  manifest: { name: string; title: string; revision: string; counts: Record<string, number> };
  graph: { graphs: Graph[]; examples: Example[] };
  lesson: Lesson;
}

const COMPLEX = new Set(["complex64", "complex128"]);

/** Graphs, examples and their tensors: what Record is in Python. */
export class Recording {
  readonly graphs: Graph[];
  readonly examples: Example[];
  readonly #stored: Map<string, Entry>;
  readonly #ids = new Map<Graph, Map<string, number>>();

  constructor(graph: Data["graph"], values: ArrayBuffer) {
    this.graphs = graph.graphs;
    this.examples = graph.examples;
    this.#stored = readSafetensors(values);
  }

  example(name: string): Example {
    const found = this.examples.find((example) => example.name === name);
    if (!found) throw new Error(`no example named ${name}`);
    return found;
  }

  graph(example: string): Graph {
    return this.graphs[this.example(example).graph]!;
  }

  /** Value id by name; a tied parameter has several names. */
  id(graph: Graph, name: string): number | undefined {
    let ids = this.#ids.get(graph);
    if (!ids) {
      ids = new Map();
      for (const [i, value] of graph.values.entries()) for (const also of value.also) ids.set(also, i);
      for (const [i, value] of graph.values.entries()) ids.set(value.name, i);
      this.#ids.set(graph, ids);
    }
    return ids.get(name);
  }

  /** The recorded content of a value in an example; null where it does not exist or was not kept. */
  tensor(example: string, name: string): Tensor | null {
    const { graph: place, values } = this.example(example);
    const graph = this.graphs[place]!;
    const id = this.id(graph, name);
    if (id === undefined) return null;
    const variant = values[id];
    const value = graph.values[id]!;
    if (variant === null || variant === undefined) return null;
    const entry = this.#stored.get(`${value.name}@${variant}`);
    if (!entry) throw new Error(`the stored values lack ${value.name}@${variant}`);
    const shape = COMPLEX.has(value.dtype) ? entry.shape.slice(0, -1) : entry.shape;
    return new Tensor(value.dtype, shape, entry.data);
  }
}

/** Reads the page's three data blocks, whole. Works from file:// too: nothing is fetched. */
export async function readPage(root: Document): Promise<{ data: Data; recording: Recording }> {
  const words = JSON.parse(block(root, "cutaway-data")) as Omit<Data, "graph">;
  const graph = JSON.parse(new TextDecoder().decode(await inflate(root, "cutaway-graph"))) as Data["graph"];
  const values = await inflate(root, "cutaway-values");
  const recording = new Recording(graph, values);
  for (const { name } of graph.examples) for (const value of recording.graph(name).values) recording.tensor(name, value.name);
  if (!words.lesson.examples.length) throw new Error("no example is offered");
  for (const { name } of words.lesson.examples) recording.example(name);
  return { data: { ...words, graph }, recording };
}

/** The content of a block of base64 text that holds gzip. */
async function inflate(root: Document, id: string): Promise<ArrayBuffer> {
  const text = block(root, id);
  try {
    const packed = Uint8Array.from(atob(text), (letter) => letter.charCodeAt(0));
    return await new Response(new Blob([packed]).stream().pipeThrough(new DecompressionStream("gzip"))).arrayBuffer();
  } catch {
    throw new Error(`the data block ${id} cannot be unpacked`); // a browser's own words are "Failed to fetch"
  }
}

function block(root: Document, id: string): string {
  const text = root.getElementById(id)?.textContent;
  if (!text) throw new Error(`the page has no data block ${id}`);
  return text;
}
