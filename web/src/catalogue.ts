// Search and filter for the catalogue that Python wrote: cards are hidden and shown, never made.
// What is asked stands in the URL's hash (#search=bert&family=Basics), so a found view can be linked.

import "./catalogue.css";
import { remembered, wear } from "./theme.ts";

/** What of a list matches: each word of `words` must occur in the text, and the family must be the one chosen. */
export function matches(text: string, family: string, words: string, chosen: string): boolean {
  const asked = words.toLowerCase().split(/\s+/);
  return (chosen === "" || family === chosen) && asked.every((word) => text.includes(word));
}

/** How many of how many, in words for the eye and for a screen reader. */
export function countWords(shown: number, all: number): string {
  const models = all === 1 ? "model" : "models";
  return shown === all ? `${all} ${models}` : `${shown} of ${all} ${models}`;
}

/** Starts search and filter on the catalogue's document. */
export function startCatalogue(root: Document): void {
  wear(root, remembered());
  const form = root.querySelector<HTMLFormElement>(".catalogue-search");
  const words = root.querySelector<HTMLInputElement>("#catalogue-words");
  const family = root.querySelector<HTMLSelectElement>("#catalogue-family");
  const count = root.querySelector<HTMLElement>("#catalogue-count");
  if (!form || !words || !family || !count) return;
  const sections = [...root.querySelectorAll<HTMLElement>(".catalogue-family")];

  const show = () => {
    let shown = 0;
    let all = 0;
    for (const section of sections) {
      const cards = [...section.querySelectorAll<HTMLElement>(".catalogue-card")];
      for (const card of cards) {
        card.hidden = !matches(card.dataset["search"] ?? "", section.dataset["family"] ?? "", words.value, family.value);
      }
      const here = cards.filter((card) => !card.hidden).length;
      section.hidden = here === 0;
      shown += here;
      all += cards.length;
    }
    count.textContent = countWords(shown, all);
  };

  const read = () => {
    const asked = new URLSearchParams(location.hash.slice(1));
    words.value = asked.get("search") ?? "";
    family.value = asked.get("family") ?? "";
    if (family.selectedIndex < 0) family.value = "";
    show();
  };

  const write = () => {
    const asked = new URLSearchParams();
    if (words.value.trim()) asked.set("search", words.value.trim());
    if (family.value) asked.set("family", family.value);
    const hash = asked.toString();
    history.replaceState(null, "", hash ? `#${hash}` : location.pathname + location.search);
    show();
  };

  form.addEventListener("input", write);
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    const first = root.querySelector<HTMLElement>(".catalogue-family:not([hidden]) .catalogue-card:not([hidden]) a");
    first?.focus();
  });
  window.addEventListener("hashchange", read);
  form.hidden = false;
  read();
}
