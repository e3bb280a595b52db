/** What a torch function does: one sentence, and one formula in the language of formula.ts where it has one. */
export interface Entry {
  words: string;
  formula?: string;
}

/** Entries by the function's short name, without the underscore of in-place forms. */
export type Family = Record<string, Entry>;
