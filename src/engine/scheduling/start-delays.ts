// When watches that were not asked for long are asked first. After a start all of them are: ten thousand requests at once
// keep the process busy past the next due times, which it then skips. So a few hundred questions go at once, and the rest
// one after the other.
import type { Watch } from '../../core/model/watch/watch.ts';
import type { WatchId } from '../../core/model/ids.ts';

const MOST_AT_ONCE = 200;
const STEP_MS = 100;
const MOST_IN_A_STEP = 25;

/** By watch, in milliseconds from now; the earlier watches come first. Those that ask the same ask together. */
export function startDelays(watches: readonly Watch[]): Map<WatchId, number> {
  const delayByQuestion = new Map<string, number>();
  return new Map(
    watches.map((watch) => {
      const question = questionOf(watch);
      const delayMs = delayByQuestion.get(question) ?? delayOf(delayByQuestion.size);
      delayByQuestion.set(question, delayMs);
      return [watch.id, delayMs];
    }),
  );
}

function questionOf({ kind, target }: Watch): string {
  const { explorer, path, params } = kind.question(target);
  return JSON.stringify([explorer, path, params]);
}

/** `before`: how many questions come before it. */
function delayOf(before: number): number {
  return before < MOST_AT_ONCE ? 0 : (Math.floor((before - MOST_AT_ONCE) / MOST_IN_A_STEP) + 1) * STEP_MS;
}
