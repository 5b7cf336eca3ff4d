// Limits of one evaluation of a condition. Its values are untrusted: long texts or lists must not take much time.
// Beyond a limit the condition is unknown, and the limit is its reason.
//
// Each evaluation has its own limit. The evaluations of one poll share a budget, which the caller counts and keeps.
//
// Evaluation is synchronous, and CEL passes only arguments to functions, so the count is kept in this module: `metered`
// starts it, and every function whose cost depends on the data calls `spend`.

/** The longest text that re() and glob() read, in characters. */
export const LONGEST_SUBJECT = 4096;
/** The most items of a list, also of a list within JSON. */
export const MOST_ITEMS = 200;
/** The most instructions of a compiled pattern. */
export const LARGEST_PATTERN = 500;
/**
 * The most steps. A step is a node of the condition within exists() and the like, a value of JSON, or some characters
 * of a pattern.
 */
const MOST_STEPS = 300_000;
/**
 * The size of a pattern's step, in characters times instructions. It takes as long as a node: about 100 ns on a machine
 * of 2026.
 */
const PATTERN_STEP = 16;
/** The steps that every evaluation counts: a condition without lists and patterns takes about 5 µs. */
const LEAST_STEPS = 50;

/**
 * CEL may catch this error: `a || b` does if `b` is true, and `exists` does for each further item. The same object is
 * thrown each time, since the stack of each new one would cost more than the work that the limit prevents.
 */
const EXCEEDED = new Error('a limit was exceeded');

let left = MOST_STEPS;
let reason: string | null = null;

/**
 * Runs the work within the limits. `limit`: the exceeded limit, even if CEL continued after the error; null: there is
 * none. `steps`: the steps that the work took.
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

/** Ends the evaluation: its result is unknown for this reason, also where CEL continues after the error. */
export function exceed(why: string): void {
  reason ??= why;
  throw EXCEEDED;
}
