// Limits of one evaluation of a condition. Its values are untrusted: long texts or lists must not take much time.
// Beyond a limit the condition is unknown, and the limit is its reason.
//
// Each evaluation has its own limit; those of one poll together have a budget, which their caller counts and keeps.
//
// Evaluation is synchronous, and CEL passes only arguments to functions, so the count is kept in this module: `metered`
// starts it, and every function whose cost depends on the data calls `spend`.

/** Characters of a text that re() and glob() read. */
export const LONGEST_SUBJECT = 4096;
/** Items of a list, also of one within JSON. */
export const MOST_ITEMS = 200;
/** Instructions of a compiled pattern. */
export const LARGEST_PATTERN = 500;
/** A step is a node of the condition within exists() and the like, a value of JSON, or some characters of a pattern. */
const MOST_STEPS = 300_000;
/** Characters times instructions of a pattern that take as long as a node: some 100 ns on a machine of 2026. */
const PATTERN_STEP = 16;
/** A condition without lists and patterns takes some 5 µs. */
const LEAST_STEPS = 50;

/**
 * CEL may catch it, as `a || b` does if `b` is true, and `exists` for each further item. One object serves all, since
 * the stack of each would cost more than the work that the limit prevents.
 */
const EXCEEDED = new Error('a limit was exceeded');

let left = MOST_STEPS;
let reason: string | null = null;

/**
 * Runs the work within the limits. `limit`: the one that was exceeded, even if CEL continued after the error. `steps`:
 * the steps that it took.
 */
export function metered<T>(work: () => T): {
  readonly value: T | 'unknown';
  readonly limit: string | null;
  readonly steps: number;
} {
  left = MOST_STEPS;
  reason = null;
  try {
    return { value: work(), limit: reason, steps: stepsTaken() };
  } catch {
    // A missing field, a division by zero, or a limit: the result is unknown.
    return { value: 'unknown', limit: reason, steps: stepsTaken() };
  }
}

function stepsTaken(): number {
  return LEAST_STEPS + MOST_STEPS - left;
}

/** Throws when the evaluation has used all its steps. */
export function spend(steps: number): void {
  left -= steps;
  if (left < 0) exceed(`it takes more than ${MOST_STEPS} steps`);
}

/** Throws when the text is too long for a pattern. */
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
