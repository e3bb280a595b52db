// One of several: buttons as a radio group, where arrow keys choose and Tab leaves.

import { html, type TemplateResult } from "lit";

/** The neighbour that a key leads to, or null for another key. Wraps around. */
export function neighbour(key: string, at: number, count: number): number | null {
  const to: Record<string, number> = { ArrowRight: at + 1, ArrowDown: at + 1, ArrowLeft: at - 1, ArrowUp: at - 1, Home: 0, End: -1 };
  const next = to[key];
  return next === undefined ? null : (next + count) % count;
}

/** Follow clicks and keys in a group of role="radio" or role="tab" buttons. */
export function followChoice(group: Element, choose: (button: HTMLButtonElement) => void): void {
  const buttons = (): HTMLButtonElement[] => [...group.querySelectorAll<HTMLButtonElement>("button")];
  group.addEventListener("click", (event) => {
    const button = (event.target as Element).closest("button");
    if (button) choose(button);
  });
  group.addEventListener("keydown", (event) => {
    const { key } = event as KeyboardEvent;
    const all = buttons();
    const next = neighbour(key, all.indexOf(event.target as HTMLButtonElement), all.length);
    if (next === null) return;
    event.preventDefault();
    event.stopPropagation();
    all[next]!.focus();
    choose(all[next]!);
  });
}

/** Mark the one chosen button: the only one that Tab reaches. */
export function markChosen(group: Element, chosen: (button: HTMLButtonElement) => boolean, attribute = "aria-checked"): void {
  for (const button of group.querySelectorAll<HTMLButtonElement>("button")) {
    const is = chosen(button);
    button.setAttribute(attribute, String(is));
    button.tabIndex = is ? 0 : -1;
  }
}

/** Buttons 0 to count - 1 for an axis; a list where there are many. */
export function axisChoice(axis: string, count: number, at: number, choose: (index: number) => void): TemplateResult {
  const all = Array.from({ length: count }, (_, i) => i);
  const pick = (event: Event): void => choose(Number((event.target as HTMLSelectElement | HTMLButtonElement).value));
  if (count > 16) {
    return html`<label>${axis} <select @change=${pick}>${all.map(
      (i) => html`<option value=${i} .selected=${i === at}>${i}</option>`,
    )}</select></label>`;
  }
  const key = (event: KeyboardEvent): void => {
    const next = neighbour(event.key, at, count);
    if (next === null) return;
    event.preventDefault();
    event.stopPropagation();
    const group = event.currentTarget as HTMLElement;
    choose(next);
    group.querySelectorAll("button")[next]?.focus();
  };
  return html`<span>${axis}</span><span class="picker" role="radiogroup" aria-label=${axis} @keydown=${key}>${all.map(
    (i) => html`<button type="button" role="radio" value=${i} aria-checked=${i === at} tabindex=${i === at ? 0 : -1}
      @click=${pick}>${i}</button>`,
  )}</span>`;
}
