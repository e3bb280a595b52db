// Light, dark, or as the system says. The choice stands in the address and, where the browser allows, is remembered.

import type { Store, Theme } from "./state.ts";

const KEY = "cutaway-theme";
const ORDER: Theme[] = ["system", "light", "dark"];

/** What a reader chose on an earlier visit. */
export function remembered(): Theme {
  try {
    const theme = localStorage.getItem(KEY);
    return ORDER.find((one) => one === theme) ?? "system";
  } catch {
    return "system"; // a frame without an origin has no storage
  }
}

function remember(theme: Theme): void {
  try {
    localStorage.setItem(KEY, theme);
  } catch {
    // it then lasts as long as the page
  }
}

/** Puts a theme on. */
export function wear(root: Document, theme: Theme): void {
  if (theme === "system") delete root.documentElement.dataset["theme"];
  else root.documentElement.dataset["theme"] = theme;
}

export function startTheme(root: Document, store: Store): void {
  const button = root.querySelector<HTMLButtonElement>("#theme");
  const show = (theme: Theme): void => {
    wear(root, theme);
    if (button) button.textContent = `Theme: ${theme}`;
  };
  button?.addEventListener("click", () => {
    const next = ORDER[(ORDER.indexOf(store.state.theme) + 1) % ORDER.length]!;
    remember(next);
    store.set({ theme: next });
  });
  store.subscribe(({ theme }) => show(theme));
  show(store.state.theme);
}
