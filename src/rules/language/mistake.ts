// What is wrong in a condition or a template.

/** Something wrong in a text: where, what, and what to do. */
export interface Mistake {
  readonly message: string;
  readonly hint?: string | undefined;
  readonly start: number;
  readonly end: number;
}

export interface Compiled<T> {
  /** Null when there are mistakes. */
  readonly value: T | null;
  readonly mistakes: readonly Mistake[];
  readonly doubts: readonly Mistake[];
}
