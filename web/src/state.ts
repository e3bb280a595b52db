// What a reader has chosen, as one object whose home is the URL's hash: any view can be linked, back and forward work.
// In a frame that may not touch its address the state lives in memory.

export interface State {
  example: string;
  choose: Record<string, number>; // axis name -> index, as "head"
  step: number | null; // of the tour
  select: string | null; // a value's or scope's name
  open: string[]; // unfolded scopes
  theme: Theme;
}
export type Theme = "system" | "light" | "dark";
export type Patch = Partial<State>;

const OWN = new Set(["example", "step", "select", "open", "theme"]);

/** `#example=causal&head=1&step=2&select=probs&open=encoder,encoder.attention&theme=dark`; what is default is left out. */
export function write(state: State, start: State): string {
  const parts: [string, string][] = [];
  if (state.example !== start.example) parts.push(["example", encodeURIComponent(state.example)]);
  for (const [axis, index] of Object.entries(state.choose)) {
    if (index) parts.push([encodeURIComponent(axis), String(index)]);
  }
  if (state.step !== null) parts.push(["step", String(state.step)]);
  if (state.select !== null) parts.push(["select", encodeURIComponent(state.select)]);
  if (!same(state.open, start.open)) parts.push(["open", state.open.map(encodeURIComponent).join(",")]);
  if (state.theme !== start.theme) parts.push(["theme", state.theme]);
  return parts.map((part) => part.join("=")).join("&");
}

/** What an address may name: the offered examples, and the steps of the tour. */
export interface Known {
  examples: readonly string[];
  steps: readonly number[];
}

/** The state that a hash stands for; what it does not say, or says wrongly, is as at the start. */
export function read(hash: string, start: State, { examples, steps }: Known): State {
  const state: State = { ...start, choose: {} };
  for (const part of hash.replace(/^#/, "").split("&")) {
    const at = part.indexOf("=");
    if (at < 0) continue;
    const key = decode(part.slice(0, at));
    const text = part.slice(at + 1);
    const value = decode(text);
    if (key === "example" && examples.includes(value)) state.example = value;
    else if (key === "step" && /^\d+$/.test(value) && steps.includes(Number(value))) state.step = Number(value);
    else if (key === "select") state.select = value;
    else if (key === "open") state.open = text ? text.split(",").map(decode) : [];
    else if (key === "theme" && (value === "light" || value === "dark" || value === "system")) state.theme = value;
    else if (!OWN.has(key) && /^\d+$/.test(value)) state.choose[key] = Number(value);
  }
  return state;
}

/** Holds the state, writes it to the address, and tells subscribers what it became. */
export class Store {
  state: State;
  readonly start: State;
  readonly #listeners: ((state: State, before: State) => void)[] = [];
  #closed = false;

  /** complete: what a state that an address gave is made of, where it says less than it means (a step alone). */
  constructor(start: State, known: Known, complete: (state: State) => State = (state) => state) {
    this.start = start;
    this.state = start;
    const follow = (): void => {
      // An address without "=" names a place in the page (a line of the source), not a state.
      if (location.hash && !location.hash.includes("=")) return;
      const said = read(location.hash, start, known);
      const meant = complete(said);
      if (meant === said) this.#become(said);
      else this.set(meant);
    };
    follow();
    addEventListener("popstate", follow);
    addEventListener("hashchange", follow);
  }

  /** Change some of it. `push` makes a new entry of the history; without, the present entry is rewritten. */
  set(patch: Patch, { push = false } = {}): void {
    if (this.#closed) return;
    const next = { ...this.state, ...patch };
    const hash = write(next, this.start);
    try {
      const address = hash ? `#${hash}` : location.pathname + location.search;
      if (push && hash !== location.hash.slice(1)) history.pushState(null, "", address);
      else history.replaceState(null, "", address);
    } catch {
      // An about:srcdoc frame refuses: the state still changes, it just has no address.
    }
    this.#become(next);
  }

  subscribe(listener: (state: State, before: State) => void): void {
    this.#listeners.push(listener);
  }

  /** From here on nothing changes any more. */
  close(): void {
    this.#closed = true;
  }

  #become(next: State): void {
    const before = this.state;
    if (this.#closed || JSON.stringify(before) === JSON.stringify(next)) return;
    this.state = next;
    for (const listener of this.#listeners) listener(next, before);
  }
}

function decode(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text; // a lone percent sign
  }
}

function same(a: readonly string[], b: readonly string[]): boolean {
  return a.length === b.length && a.every((item) => b.includes(item));
}
