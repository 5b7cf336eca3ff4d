// Mistakes in a condition or a template.

/** A mistake, its place, and how to correct it. */
export interface ConditionMistake {
  readonly message: string;
  readonly hint?: string | undefined;
  readonly start: number;
  readonly end: number;
}

export interface Compiled<T> {
  /** Null when there are mistakes. */
  readonly value: T | null;
  readonly mistakes: readonly ConditionMistake[];
  readonly doubts: readonly ConditionMistake[];
}
