// Delays of the first polls of watches without a recent one. After a start all watches are polled: ten thousand
// requests at once keep the process busy past the next due times, which it then skips, and all their answers are in
// memory together. So if there are many, some are polled at once and the others one after the other. A watch that is
// due soon anyway is not polled before that.
import type { Watch } from '../../core/model/watch/watch.ts';
import { sharedKey } from '../../core/model/watch/question.ts';
import type { WatchId } from '../../core/model/ids.ts';

const MOST_AT_ONCE = 50;
const STEP_MS = 100;
const MOST_IN_A_STEP = 25;
/** An answer that comes this much earlier is not worth a second request. */
const SOON_MS = 5_000;

/**
 * The delay of each watch in milliseconds from now, in the order of `watches`. Watches with the same question are
 * polled together. Watches that are due soon anyway are left out. `dueInMs`: the time until a watch is due by its
 * schedule.
 */
export function startDelays(watches: readonly Watch[], dueInMs: (watch: Watch) => number): Map<WatchId, number> {
  const groups = [...Map.groupBy(watches, questionOf).values()];
  const areMany = groups.length > MOST_AT_ONCE;
  let before = 0;
  const delays = groups.flatMap((group) => {
    const delayMs = delayOf(before);
    if (areMany && group.every((watch) => dueInMs(watch) <= delayMs + SOON_MS)) return [];
    before += 1;
    return group.map(({ id }) => [id, delayMs] as const);
  });
  return new Map(delays);
}

function questionOf({ kind, target }: Watch): string {
  return sharedKey(kind.question(target));
}

/** `before`: the number of questions that are polled before this one. */
function delayOf(before: number): number {
  return before < MOST_AT_ONCE ? 0 : (Math.floor((before - MOST_AT_ONCE) / MOST_IN_A_STEP) + 1) * STEP_MS;
}
