// Long computations in steps of bounded length, so that the caller may let other work run between two steps.
import { nextTurn } from './clock.ts';

/** A computation that pauses at each `yield`. */
export type Steps<T> = Generator<undefined, T, undefined>;

const ITEMS_IN_STEP = 500;

/** The result of work that needs no pause. */
export function* inOneStep<T>(result: T): Steps<T> {
  yield* [];
  return result;
}

/** The same as `all.map(map)`. */
export function* mapInSteps<A, B>(all: readonly A[], map: (one: A) => B): Steps<B[]> {
  const mapped: B[] = [];
  for (const [index, one] of all.entries()) {
    if (index > 0 && index % ITEMS_IN_STEP === 0) yield;
    mapped.push(map(one));
  }
  return mapped;
}

/** Like `mapInSteps`, for work that may take long: pauses after each item. */
export function* eachInSteps<A, B>(all: readonly A[], map: (one: A) => B): Steps<B[]> {
  const mapped: B[] = [];
  for (const one of all) {
    mapped.push(map(one));
    yield;
  }
  return mapped;
}

/** The same as `all.filter(isOne)`. */
export function* filterInSteps<A>(all: readonly A[], isOne: (one: A) => boolean): Steps<A[]> {
  const isIn = yield* mapInSteps(all, isOne);
  return all.filter((_one, index) => isIn[index]);
}

/**
 * Returns a function that counts the work of a step. Call it after each piece of work with the number of items in the
 * piece. It returns true when the step should end.
 */
export function createPace(): (items: number) => boolean {
  let sinceStep = 0;
  return (items) => {
    sinceStep += 1 + items;
    if (sinceStep < ITEMS_IN_STEP) return false;
    sinceStep = 0;
    return true;
  };
}

/** Runs all steps without a pause. */
export function finish<T>(steps: Steps<T>): T {
  for (;;) {
    const { done, value } = steps.next();
    if (done === true) return value;
  }
}

/** Runs each step in its own turn of the event loop. */
export async function finishInTurns<T>(steps: Steps<T>): Promise<T> {
  for (;;) {
    const { done, value } = steps.next();
    if (done === true) return value;
    await nextTurn();
  }
}

const LONGEST_MS = 5;
// All computations of the process share this count, because they share the event loop.
let sinceTurnMs = 0;
let lastTurn = Promise.resolve();

/** Waits for one turn of the event loop when the computations of the process have run for five milliseconds in sum. */
export async function finishInSlices<T>(steps: Steps<T>): Promise<T> {
  for (;;) {
    if (sinceTurnMs >= LONGEST_MS) await turn();
    const from = performance.now();
    const { done, value } = steps.next();
    sinceTurnMs += performance.now() - from;
    if (done === true) return value;
  }
}

function turn(): Promise<void> {
  lastTurn = lastTurn.then(nextTurn).then(() => {
    sinceTurnMs = 0;
  });
  return lastTurn;
}
