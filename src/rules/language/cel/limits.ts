// What one evaluation of a condition may cost. What it looks at was written by strangers: a long text or long lists must
// not take the machine's time. Beyond a limit the condition is unknown, and the limit says why.
//
// Evaluation is synchronous and CEL's functions are given their arguments alone, so the count is kept here: `metered`
// begins it, and whatever costs in proportion to foreign data calls `spend`.

/** Characters of a text that re() and glob() look at. */
export const LONGEST_SUBJECT = 4096;
/** Items of a list, also of one within JSON. */
export const MOST_ITEMS = 200;
/** Instructions of a compiled pattern. */
export const LARGEST_PATTERN = 500;
/** A step is a node of the condition within exists() and the like, a value of JSON, or some characters of a pattern. */
const MOST_STEPS = 300_000;
/** Characters times instructions of a pattern that take as long as a node: some 100 ns on a machine of 2026. */
const PATTERN_STEP = 16;

/**
 * CEL may catch it, as `a || b` does when `b` is true, and `exists` for each further item: one object for all, since the
 * stack of each would cost more than what it stops.
 */
const EXCEEDED = new Error('a limit was exceeded');

let left = MOST_STEPS;
let reason: string | null = null;

/** Does the work within the limits. `limit`: which one it met, also where CEL went on without what failed. */
export function metered<T>(work: () => T): { readonly value: T | 'unknown'; readonly limit: string | null } {
  left = MOST_STEPS;
  reason = null;
  try {
    return { value: work(), limit: reason };
  } catch {
    // A field that is missing, a division by zero, a limit: nothing is known, and nothing may be claimed.
    return { value: 'unknown', limit: reason };
  }
}

/** Throws when the evaluation has no step left. */
export function spend(steps: number): void {
  left -= steps;
  if (left < 0) exceed(`it takes more than ${MOST_STEPS} steps`);
}

/** Throws when a pattern may not look at this text. */
export function spendOnPattern(text: string, instructions: number): void {
  if (text.length > LONGEST_SUBJECT) exceed(`a text is longer than ${LONGEST_SUBJECT} characters`);
  spend(Math.ceil((text.length * instructions) / PATTERN_STEP));
}

/** Throws when a list is too long. */
export function spendOnList(items: number): void {
  if (items > MOST_ITEMS) exceed(`a list has more than ${MOST_ITEMS} items`);
  spend(items);
}

function exceed(why: string): void {
  reason ??= why;
  throw EXCEEDED;
}
