// Times as operators write and read them, in UTC.
import { parseDuration } from '../lib/durations.ts';
import { showDuration, type Instant } from '../lib/clock.ts';
import { singleLine } from '../lib/untrusted.ts';
import { CommandError, EXIT } from './exit.ts';

/** Until when: for how long from now on, or a time. */
export interface UntilOptions {
  readonly for?: string;
  readonly until?: string;
}

/** Null where neither is given. Throws a `CommandError` for what is no time. */
export function untilOf({ for: length, until }: UntilOptions, now: Instant): Instant | null {
  if (length !== undefined && until !== undefined)
    throw new CommandError(EXIT.usage, 'Give --for or --until, not both.');
  if (length !== undefined) return now + lengthOf(length);
  return until === undefined ? null : timeOf(until, now, '--until');
}

function lengthOf(text: string): number {
  const ms = parseDuration(text);
  if (ms !== undefined && ms > 0) return ms;
  throw new CommandError(EXIT.usage, `--for: "${singleLine(text, 60)}" is not a duration such as 30m, 2h or 1d`);
}

const DAY_MS = 86_400_000;

/** `18:00` is the next one in UTC. `option`: which one it was written for. Throws a `CommandError`. */
export function timeOf(text: string, now: Instant, option: string): Instant {
  const ofDay = /^([01]\d|2[0-3]):([0-5]\d)$/.exec(text);
  if (ofDay !== null) {
    const today = now - (now % DAY_MS) + (Number(ofDay[1]) * 60 + Number(ofDay[2])) * 60_000;
    return today > now ? today : today + DAY_MS;
  }
  // Without a zone it would be that of this machine, which need not be the one that the operator has in mind.
  const at = /^\d{4}-\d\d-\d\dT\d\d:\d\d.*(?:Z|[+-]\d\d:\d\d)$/.test(text) ? Date.parse(text) : NaN;
  if (!Number.isNaN(at)) return at;
  const shown = singleLine(text, 60);
  throw new CommandError(EXIT.usage, `${option}: "${shown}" is not a time in UTC such as 18:00 or 2026-01-31T18:00Z`);
}

/** `24h`: so long before the end; or a time. Throws a `CommandError` for any other text. */
export function instantOf(text: string, end: Instant): Instant {
  const ms = parseDuration(text);
  if (ms !== undefined) return end - ms;
  const at = /^\d{4}-\d\d-\d\d/.test(text) ? Date.parse(text) : NaN;
  if (!Number.isNaN(at)) return at;
  const shown = singleLine(text, 60);
  throw new CommandError(
    EXIT.usage,
    `"${shown}" is neither a duration, such as 24h, nor a time, such as 2026-01-31T12:00:00Z`,
  );
}

/** `18:00 UTC`, or `2026-01-31 18:00 UTC` where that is not today; with seconds where there are any. */
export function showTime(at: Instant, now: Instant): string {
  const [day = '', time = ''] = new Date(at).toISOString().split('T');
  const isToday = new Date(now).toISOString().startsWith(day);
  return `${isToday ? '' : `${day} `}${time.replace(/(?::00)?\.\d+Z$/, '')} UTC`;
}

/** `18:00 UTC, in 1h30m` */
export function showUntil(at: Instant, now: Instant): string {
  return `${showTime(at, now)}, in ${showDuration(at - now)}`;
}
