// Times as operators write and read them, in the time zone of the config.
import { parseDuration } from '../lib/durations.ts';
import { showDuration, type Instant } from '../lib/clock.ts';
import { nextTimeAt, zoneName, type Moment } from '../lib/time-zone.ts';
import { showExactTime, showTime as showMinute } from '../core/wording/words.ts';
import { singleLine } from '../lib/untrusted.ts';
import { CommandError, EXIT } from './exit.ts';

/** The end of a pause, a silence or an acknowledgement: a duration from now on, or a time. */
export interface UntilOptions {
  readonly for?: string;
  readonly until?: string;
}

/** Null if neither is given. Throws a `CommandError` for an invalid time. */
export function untilOf({ for: length, until }: UntilOptions, moment: Moment): Instant | null {
  if (length !== undefined && until !== undefined)
    throw new CommandError(EXIT.usage, 'Give --for or --until, not both.');
  if (length !== undefined) return moment.now + lengthOf(length);
  return until === undefined ? null : timeOf(until, moment, '--until');
}

function lengthOf(text: string): number {
  const ms = parseDuration(text);
  if (ms !== undefined && ms > 0) return ms;
  throw new CommandError(EXIT.usage, `--for: "${singleLine(text, 60)}" is not a duration such as 30m, 2h or 1d`);
}

const MINUTE_MS = 60_000;

/**
 * Parses a time. `18:00` means the next 18:00 in the zone. Throws a `CommandError` with the name of the option if the
 * text is no time.
 */
export function timeOf(text: string, { now, zone }: Moment, option: string): Instant {
  if (/^([01]\d|2[0-3]):([0-5]\d)$/.test(text)) return nextTimeAt(text, zone, now);
  // A time without a zone is refused. It would be read in the zone of this machine, but the operator may mean another
  // zone.
  const at = /^\d{4}-\d\d-\d\dT\d\d:\d\d.*(?:Z|[+-]\d\d:\d\d)$/.test(text) ? Date.parse(text) : NaN;
  if (!Number.isNaN(at)) return at;
  const shown = singleLine(text, 60);
  throw new CommandError(
    EXIT.usage,
    `${option}: "${shown}" is not a time such as 18:00 (${zoneName(zone, now)}) or 2026-01-31T18:00Z`,
  );
}

/**
 * Parses a duration before `end`, such as `24h`, or a time. Throws a `CommandError` if the text is neither a duration
 * nor a time.
 */
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

/** `18:00 UTC`, or `2026-01-31 18:00 UTC` for another day; with seconds if there are any. */
export function showTime(at: Instant, moment: Moment): string {
  return at % MINUTE_MS === 0 ? showMinute(at, moment) : showExactTime(at, moment);
}

/** `18:00 UTC, in 1h30m` */
export function showUntil(at: Instant, moment: Moment): string {
  return `${showTime(at, moment)}, in ${showDuration(at - moment.now)}`;
}
