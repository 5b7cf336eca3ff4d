// When a watch is due. `every:` is at k x every + phase, where the phase is a hash of the question that is asked first;
// `cron:` is at its own times.
import { fractionOf } from './identity.ts';
import type { Instant } from '../../../lib/clock.ts';
import { unfiltered } from './question.ts';
import type { Schedule, Watch } from './watch.ts';

type CronSchedule = Extract<Schedule, { type: 'cron' }>;

/**
 * Phases are multiples of this. So if there are many watches, several of them are due in one moment. A poll on its own
 * has to wake the process and to fill the processor's caches first, and takes almost twice the CPU time.
 */
const PHASE_STEP_MS = 50;
const STEPS_OF_MINUTE = 60_000 / PHASE_STEP_MS;
/** More minutes than the longest interval has. */
const MOST_MINUTES = 2 ** 31;

type Scheduled = Pick<Watch, 'kind' | 'target' | 'schedule'>;

/** The hash takes 5 µs, and a page of ten thousand watches needs each next due time. So phases are cached. */
const phases = new WeakMap<Watch['target'], Pick<Scheduled, 'kind' | 'schedule'> & { readonly phaseMs: number }>();

/**
 * Questions that differ only in their filters have equal phases, for all watches. If one interval is a multiple of the
 * other, the due times of the longer are due times of the shorter, so that one request answers both. The phase is a
 * multiple of `PHASE_STEP_MS`.
 */
export function phaseOf({ kind, target, schedule }: Scheduled): number {
  const known = phases.get(target);
  if (known?.kind === kind && known.schedule === schedule) return known.phaseMs;
  const phaseMs = hashedPhase({ kind, target, schedule });
  phases.set(target, { kind, schedule, phaseMs });
  return phaseMs;
}

function hashedPhase({ kind, target, schedule }: Scheduled): number {
  const { explorer, path, params } = unfiltered(kind.question(target));
  const steps = Math.max(1, Math.floor(schedule.intervalMs / PHASE_STEP_MS));
  // The place within the minute and the number of the minute have separate hashes. So the place within the minute stays
  // if the interval changes to another number of minutes.
  const second = fractionOf(explorer, path, JSON.stringify(params));
  const minute = fractionOf('minute', explorer, path, JSON.stringify(params));
  const step = Math.floor(second * STEPS_OF_MINUTE) + STEPS_OF_MINUTE * Math.floor(minute * MOST_MINUTES);
  return (step % steps) * PHASE_STEP_MS;
}

/** The first due time after `now`. */
export function nextDue(
  { intervalMs, phaseMs }: { readonly intervalMs: number; readonly phaseMs: number },
  now: Instant,
): Instant {
  return (Math.floor((now - phaseMs) / intervalMs) + 1) * intervalMs + phaseMs;
}

/** A watch with a stretched interval may be due after this part of the interval. */
export const PACE_SLACK = 0.9;

/**
 * The next due time after `now`; null if the cron has no time within a year. `paceMs`: the interval in force; a
 * stretched interval counts from `now`.
 */
export function nextTimeOf(watch: Scheduled, now: Instant, paceMs: number = watch.schedule.intervalMs): Instant | null {
  const { schedule } = watch;
  const isStretched = paceMs > schedule.intervalMs;
  if (schedule.type === 'cron') return schedule.times.after(isStretched ? now + PACE_SLACK * paceMs : now);
  return isStretched ? now + paceMs : nextDue({ intervalMs: schedule.intervalMs, phaseMs: phaseOf(watch) }, now);
}

/**
 * True if a due poll did not take place: the last answer is older than the interval, or the cron had a time since then.
 * A missed cron time is made up for only within one interval, since a later moment may lie outside the hours of the
 * cron.
 */
export function isOverdue(
  { schedule }: Pick<Watch, 'schedule'>,
  coveredUntil: Instant | null,
  now: Instant,
  paceMs: number = schedule.intervalMs,
): boolean {
  const { intervalMs } = schedule;
  if (coveredUntil !== null && paceMs > intervalMs && now - coveredUntil <= paceMs) return false;
  if (schedule.type === 'every') return coveredUntil === null || now - coveredUntil > intervalMs;
  const due = schedule.times.upTo(now);
  return due !== null && now - due < intervalMs && (coveredUntil === null || coveredUntil < due);
}

const FEW_MS = 60_000;

/** True if three polls were missed. */
export function isLongOverdue(
  watch: Pick<Watch, 'schedule'>,
  coveredUntil: Instant | null,
  now: Instant,
  paceMs: number,
): boolean {
  return isOverdue(watch, coveredUntil, now - Math.max(2 * paceMs, FEW_MS), paceMs);
}

/** The time between two due times, on average over a year. */
export function meanMsOf(schedule: Schedule): number {
  return schedule.type === 'cron' ? schedule.meanMs : schedule.intervalMs;
}

/** `0 8 * * *`, `0 8 * * * Europe/Berlin`: equal times have equal names. */
export function showCron({ expression, zone }: Pick<CronSchedule, 'expression' | 'zone'>): string {
  return zone === 'UTC' ? expression : `${expression} ${zone}`;
}
