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
import { startLinks } from "./links.ts";
import { startSource } from "./source.ts";
import { type State, Store } from "./state.ts";
import { remembered, startTheme } from "./theme.ts";
import { completeStep, startTour } from "./tour.ts";
import "./media.css";

async function startPage(root: Document): Promise<void> {
  const main = root.querySelector("main")!;
  const whole = main.cloneNode(true) as HTMLElement;
  let failing = "The recorded values in this page are damaged";
  let store: Store | undefined;
  say(main, "Opening the interactive graph…");
  try {
    const { data, recording } = await readPage(root);
    failing = "The interactive parts did not open";
    const known = { examples: data.lesson.examples.map(({ name }) => name), steps: data.lesson.tour.map(({ step }) => step) };
    const start: State = {
      example: known.examples[0]!, choose: {}, step: null, select: null, open: data.lesson.open, theme: remembered(),
    };
    store = new Store(start, known, (state) => completeStep(state, data, recording, start));
    const announce = announcer(root);
    startTheme(root, store);
    startLink(root, announce);
    startCopying(root, announce);
    startSource(root, announce);
    startLinks(root, recording, store);
    const reveal = startTour(root, data, recording, store, announce);
    startExamples(root, data, recording, store, announce);
    await startArchitecture(root, data, recording, store);
    if (!scrollY) reveal(); // a page that is read again stays where it was
  } catch (error) {
    // back to the document that Python wrote, with the reason, and without what only a script could answer
    store?.close();
    root.documentElement.dataset["live"] = "no";
    main.replaceWith(whole);
    say(whole, `${failing}: ${error instanceof Error ? error.message : String(error)}; the static page below is whole.`);
    console.error(error);
  }
}

function say(main: Element, words: string): void {
  const line = main.querySelector(".opening");
  if (line) line.textContent = words;
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
  const { dataset } = document.documentElement;
  if (dataset["live"]) return; // the page has loaded this script before
  dataset["live"] = "yes";
  if (document.body.dataset["cutaway"] === "catalogue") startCatalogue(document);
  else void startPage(document);
}

if (document.readyState === "loading") document.addEventListener("DOMContentLoaded", start);
else start();
