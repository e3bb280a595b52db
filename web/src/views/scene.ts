// What every panel is drawn from. The twin of src/cutaway/panels/scene.py.

import type { Lesson, Panel, Recording } from "../bundle.ts";
import type { Cell } from "../number.ts";
import type { Tensor } from "../tensor.ts";

export const IGNORED = -100; // the label of a position that is no target

/** The cells a tour step points at: a value's name and one index an axis, null for all. */
export interface Point {
  value: string;
  cells: (number | null)[];
}

/** A distribution over which a target is predicted; the position is null where there is only one. */
export interface Row {
  position: number | null;
  truth: number;
  cells: Cell[];
}

export class Scene {
  readonly recording: Recording;
  readonly lesson: Lesson;
  readonly example: string;
  readonly choices: Readonly<Record<string, number>>;
  readonly point: Point | null;
  readonly select: string | null;

  constructor(
    recording: Recording,
    lesson: Lesson,
    example: string,
    choices: Readonly<Record<string, number>> = {},
    { point = null, select = null }: { point?: Point | null; select?: string | null } = {},
  ) {
    this.recording = recording;
    this.lesson = lesson;
    this.example = example;
    this.choices = choices;
    this.point = point;
    this.select = select;
  }

  /** The chosen example, and the one its lesson puts beside it. */
  get drawn(): string[] {
    const beside = this.lesson.examples.find(({ name }) => name === this.example)?.beside;
    return beside ? [this.example, beside] : [this.example];
  }

  title(example: string): string {
    return this.lesson.examples.find(({ name }) => name === example)?.title ?? example;
  }

  tensor(example: string, value: string): Tensor | null {
    return this.recording.tensor(example, value);
  }

  /** The value to show where none was chosen: the last result that the example kept, else the last value that it kept. */
  get landmark(): string | undefined {
    const kept = this.recording.graph(this.example).values.filter(({ name }) => this.tensor(this.example, name));
    return (kept.findLast(({ kind }) => kind === "result") ?? kept.at(-1))?.name;
  }

  /** A recorded value that must be there. */
  need(example: string, value: string): Tensor {
    const tensor = this.tensor(example, value);
    if (!tensor) throw new Error(`${value} was not kept in the example ${example}`);
    return tensor;
  }

  numbers(example: string, value: string): number[] {
    return this.need(example, value).cells().map(Number);
  }

  word(id: number): string {
    return this.lesson.vocabulary[String(id)] ?? String(id);
  }

  /** Headers of an axis: words of a value of ids with their positions, given words, or positions. */
  labels(example: string, axis: string | readonly string[] | undefined, count: number): string[] {
    if (axis === undefined) return Array.from({ length: count }, (_, i) => String(i));
    return typeof axis === "string" ? this.numbers(example, axis).map((id, i) => `${i}: ${this.word(id)}`) : [...axis];
  }

  /** Each target's distribution with its position and true index. */
  rows(example: string, value: string, labels: string): Row[] {
    const tensor = this.need(example, value);
    const targets = [...this.numbers(example, labels).entries()].filter(([, label]) => label !== IGNORED);
    if (tensor.shape.length === 1) return targets.map(([, truth]) => ({ position: null, truth, cells: tensor.cells() }));
    const width = tensor.shape[1]!;
    return targets.map(([position, truth]) => ({ position, truth, cells: tensor.cells(position * width, width) }));
  }
}

/** What a view needs to know of a panel beyond the scene: this one's keys. */
export type View = (scene: Scene, panel: Panel) => unknown;
