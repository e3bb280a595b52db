import { beforeEach, expect, test } from "vitest";
import { countWords, matches, startCatalogue } from "../src/catalogue";

function card(title: string): string {
  return `<li class="catalogue-card" data-search="${title.toLowerCase()}"><a href="#">${title}</a></li>`;
}

function field<T extends HTMLElement>(selector: string): T {
  const found = document.querySelector<T>(selector);
  if (!found) throw new Error(`no ${selector}`);
  return found;
}

function shown(): string[] {
  return [...document.querySelectorAll<HTMLElement>(".catalogue-card")]
    .filter((item) => !item.hidden)
    .map((item) => item.textContent ?? "");
}

function type(words: string): void {
  field<HTMLInputElement>("#catalogue-words").value = words;
  field("#catalogue-words").dispatchEvent(new Event("input", { bubbles: true }));
}

beforeEach(() => {
  history.replaceState(null, "", "/");
  document.body.innerHTML = `
    <form class="catalogue-search" hidden>
      <input id="catalogue-words">
      <select id="catalogue-family"><option value=""></option><option>Language</option><option>Basics</option></select>
      <p id="catalogue-count" role="status"></p>
    </form>
    <section class="catalogue-family" data-family="Language"><ul>${card("BERT pretraining")}${card("GPT")}</ul></section>
    <section class="catalogue-family" data-family="Basics"><ul>${card("XOR")}</ul></section>`;
});

test("every word asked for must occur", () => {
  expect(matches("bert pretraining 2018", "Language", "2018 bert", "")).toBe(true);
  expect(matches("bert pretraining 2018", "Language", "bert 2019", "")).toBe(false);
  expect(matches("bert", "Language", "", "Basics")).toBe(false);
});

test("the count says how many of how many", () => {
  expect(countWords(3, 3)).toBe("3 models");
  expect(countWords(1, 3)).toBe("1 of 3 models");
  expect(countWords(1, 1)).toBe("1 model");
});

test("the search appears with the script and shows everything", () => {
  startCatalogue(document);
  expect(field("form").hidden).toBe(false);
  expect(shown()).toEqual(["BERT pretraining", "GPT", "XOR"]);
  expect(field("#catalogue-count").textContent).toBe("3 models");
});

test("a search hides cards and whole families, announces the count and stands in the URL", () => {
  startCatalogue(document);
  type("xor");
  expect(shown()).toEqual(["XOR"]);
  expect(field(".catalogue-family[data-family=Language]").hidden).toBe(true);
  expect(field("#catalogue-count").textContent).toBe("1 of 3 models");
  expect(location.hash).toBe("#search=xor");
});

test("the family and the words of a linked view are taken over", () => {
  history.replaceState(null, "", "/#search=g&family=Language");
  startCatalogue(document);
  expect(field<HTMLInputElement>("#catalogue-words").value).toBe("g");
  expect(field<HTMLSelectElement>("#catalogue-family").value).toBe("Language");
  expect(shown()).toEqual(["BERT pretraining", "GPT"]);
});

test("an unknown family in the URL hides nothing", () => {
  history.replaceState(null, "", "/#family=Nowhere");
  startCatalogue(document);
  expect(shown()).toHaveLength(3);
});

test("Enter goes to the first card found", () => {
  startCatalogue(document);
  type("gpt");
  field("form").dispatchEvent(new Event("submit", { cancelable: true }));
  expect(document.activeElement?.textContent).toBe("GPT");
});

test("it wears the theme that was chosen on a page", () => {
  localStorage.setItem("cutaway-theme", "dark");
  startCatalogue(document);
  expect(document.documentElement.dataset["theme"]).toBe("dark");
  localStorage.removeItem("cutaway-theme");
  startCatalogue(document);
  expect(document.documentElement.dataset["theme"]).toBeUndefined();
});
