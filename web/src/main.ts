// The page's script. Python wrote a whole document; this enhances that same one.

import "./style.css";
import "./scale.css";
import "./bench.css";
import "./graph.css";
import "./panels.css";
import "./proof.css";
import { startArchitecture } from "./architecture.ts";
import { readPage } from "./bundle.ts";
import { startCatalogue } from "./catalogue.ts";
import { copy, startCopying } from "./copying.ts";
import { startExamples } from "./examples.ts";
import { startSource } from "./source.ts";
import { type State, Store } from "./state.ts";
import { remembered, startTheme } from "./theme.ts";
import { startTour } from "./tour.ts";
import "./media.css";

async function startPage(root: Document): Promise<void> {
  const line = root.querySelector<HTMLElement>(".opening");
  try {
    const { data, recording } = await readPage(root);
    const examples = data.lesson.examples.map(({ name }) => name);
    const start: State = {
      example: examples[0]!, choose: {}, step: null, select: null, open: data.lesson.open, theme: remembered(),
    };
    const store = new Store(start, examples);
    const announce = announcer(root);
    startTheme(root, store);
    startLink(root, announce);
    startCopying(root, announce);
    startSource(root, announce);
    startTour(root, data, recording, store, announce);
    startExamples(root, data, recording, store, announce);
    await startArchitecture(root, data, recording, store);
  } catch (error) {
    if (line) line.textContent = `The interactive parts did not open: ${error instanceof Error ? error.message : String(error)}.`;
    console.error(error);
  }
}

/** Says changes to screen readers. The same words twice are said twice. */
function announcer(root: Document): (words: string) => void {
  const region = root.querySelector("#announce");
  return (words) => {
    if (region) region.textContent = region.textContent === words ? `${words} ` : words;
  };
}

function startLink(root: Document, announce: (words: string) => void): void {
  root.querySelector("#link")?.addEventListener("click", () => {
    void copy(location.href).then((done) => announce(done ? "Link copied" : `The link is ${location.href}`));
  });
}

function start(): void {
  if (document.body.dataset["cutaway"] === "catalogue") startCatalogue(document);
  else void startPage(document);
}

if (document.readyState === "loading") document.addEventListener("DOMContentLoaded", start);
else start();
