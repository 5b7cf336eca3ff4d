// When `every:` is due: at k x every + phase, where the phase is a hash of the question that is asked first.
import { fractionOf } from './identity.ts';
import type { Instant } from '../../../lib/clock.ts';
import type { Watch } from './watch.ts';

/** Equal questions at equal intervals have equal phases, whichever watch asks them. */
export function phaseOf({ kind, target, schedule }: Pick<Watch, 'kind' | 'target' | 'schedule'>): number {
  const { explorer, path, params } = kind.question(target);
  return Math.floor(fractionOf(explorer, path, JSON.stringify(params)) * schedule.intervalMs);
}

/** The first due time after `now`. */
export function nextDue(
  { intervalMs, phaseMs }: { readonly intervalMs: number; readonly phaseMs: number },
  now: Instant,
): Instant {
  return (Math.floor((now - phaseMs) / intervalMs) + 1) * intervalMs + phaseMs;
}
