// The recordings that Python's golden files were made from, and HTML in a form that can be compared.

import { readFileSync } from "node:fs";
import { join } from "node:path";
import { type Data, type Lesson, Recording } from "../src/bundle.ts";

const ROOT = join(import.meta.dirname, "../..");

export const FOLDERS: Record<string, string> = {
  "bert-pretraining": "src/cutaway/lessons/bert-pretraining/recorded",
  xor: "src/cutaway/lessons/xor/recorded",
  sample: "tests/golden/sample",
};

export interface Drawn {
  lesson: Lesson;
  cases: { panel: number; example: string; choices: Record<string, number>; html: number }[];
  html: string[];
}

export function readGolden(): Record<string, Drawn> {
  return JSON.parse(readFileSync(`${ROOT}/tests/golden/panels.json`, "utf8")) as Record<string, Drawn>;
}

export function readRecording(name: string): Recording {
  const folder = `${ROOT}/${FOLDERS[name]}`;
  const graph = JSON.parse(readFileSync(`${folder}/graph.json`, "utf8")) as Data["graph"];
  const values = readFileSync(`${folder}/values.safetensors`);
  return new Recording(graph, values.buffer.slice(values.byteOffset, values.byteOffset + values.byteLength) as ArrayBuffer);
}

/** Elements with sorted attributes and their text; without comments and the white space between elements. */
export function outline(node: Node): string {
  if (node.nodeType === 3) return (node.textContent ?? "").replace(/\s+/g, " ").trim();
  if (!(node instanceof Element)) return "";
  const attributes = [...node.attributes].map(({ name, value }) => ` ${name.toLowerCase()}=${JSON.stringify(value)}`).sort();
  const inside = joined([...node.childNodes].flatMap((child) => (child.nodeType === 8 ? [] : [child])));
  return `<${node.tagName.toLowerCase()}${attributes.join("")}>${inside}</>`;
}

/** Neighbouring text nodes count as one, so that how a template was cut does not matter. */
function joined(nodes: Node[]): string {
  const parts: string[] = [];
  let text = "";
  for (const node of nodes) {
    if (node.nodeType === 3) {
      text += node.textContent ?? "";
      continue;
    }
    parts.push(text.replace(/\s+/g, " ").trim(), outline(node));
    text = "";
  }
  parts.push(text.replace(/\s+/g, " ").trim());
  return parts.join("");
}
