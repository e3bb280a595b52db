import { render } from "lit";
import { describe, expect, test } from "vitest";
import { KINDS } from "../src/views/panels.ts";
import { Scene } from "../src/views/scene.ts";
import { outline, readGolden, readRecording } from "./golden.ts";

const golden = readGolden();

describe.each(Object.keys(golden))("%s", (name) => {
  const { lesson, cases, html } = golden[name]!;
  const recording = readRecording(name);

  test.each(cases)("panel $panel of $example, $choices, is drawn as Python draws it", (one) => {
    const panel = lesson.panels[one.panel]!;
    const view = document.createElement("div");
    render(KINDS[panel.kind]!(new Scene(recording, lesson, one.example, one.choices), panel), view);
    const wanted = document.createElement("div");
    wanted.innerHTML = html[one.html]!;
    expect(outline(view)).toBe(outline(wanted));
  });

  test("its golden file covers every panel", () => {
    expect(new Set(cases.map(({ panel }) => panel)).size).toBe(lesson.panels.length);
  });
});
