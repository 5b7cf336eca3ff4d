// When `every:` is due: at k x every + phase, where the phase is a hash of the question that is asked first.
import { fractionOf } from './identity.ts';
import type { Instant } from '../../../lib/clock.ts';
import type { Watch } from './watch.ts';

/**
 * Where there are many watches, several are due in one moment: a poll by itself, that first has to wake the process and
 * to fill the caches of the processor, takes almost twice the CPU.
 */
const PHASE_STEP_MS = 50;

/** Equal questions at equal intervals have equal phases, whichever watch asks them. A multiple of the step. */
export function phaseOf({ kind, target, schedule }: Pick<Watch, 'kind' | 'target' | 'schedule'>): number {
  const { explorer, path, params } = kind.question(target);
  const steps = schedule.intervalMs / PHASE_STEP_MS;
  return Math.floor(fractionOf(explorer, path, JSON.stringify(params)) * steps) * PHASE_STEP_MS;
}

/** The first due time after `now`. */
export function nextDue(
  { intervalMs, phaseMs }: { readonly intervalMs: number; readonly phaseMs: number },
  now: Instant,
): Instant {
  return (Math.floor((now - phaseMs) / intervalMs) + 1) * intervalMs + phaseMs;
}
