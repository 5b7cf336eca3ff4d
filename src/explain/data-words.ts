import { reasonOf, sinceWords } from '../core/model/quality/blind-cause.ts';
import { blindSince, latest, overdueSince, type Watching } from '../core/model/quality/blindness.ts';
import { neverHolding, neverWords } from '../core/model/quality/sightings.ts';
import { missingValues } from '../core/poll.ts';
import type { AlertId } from '../core/model/ids.ts';
import type { Memory } from '../core/model/memory.ts';
import type { Watch } from '../core/model/watch/watch.ts';
import type { Pause } from '../core/model/watch/pause.ts';
import type { Instant } from '../lib/clock.ts';
import { showInZone, type Moment } from '../lib/time-zone.ts';
import { singleLine } from '../lib/untrusted.ts';

/** The moment for which the state of a watch is described, and the times that do not count as missed. */
export interface Looked extends Moment {
  /** The last pause of the watch, which may have ended; null: there was none. */
  readonly pause: Pause | null;
  /** The start of the daemon that polls the watch. Times before it are not missed. Null or absent: all times count. */
  readonly from?: Instant | null;
}

/** `paused until 2026-01-01T18:00:00Z by alice: the vault is moved`; empty if the watch is not paused. */
export function pauseWords({ pause, now, zone }: Looked): string[] {
  if (pause === null || pause.until <= now) return [];
  return [`paused until ${showInZone(zone, pause.until)} by ${pause.actor}: ${singleLine(pause.comment)}`];
}

/**
 * The data state of a watch: `data blind-field since 2026-01-01T00:02:00Z`, `not sent: token.reputation`,
 * `no answer since 2026-01-01T00:01:00Z`.
 */
export function dataWords(watch: Watch, memory: Memory, looked: Looked): string[] {
  const { data } = memory;
  const since = blindFrom(watch, memory, looked);
  const state = data === null ? [] : [`data ${data.state} since ${showInZone(looked.zone, data.since)}`];
  const { fields, lost } = missingValues(watch, memory);
  const missing = fields.length === 0 ? [] : [`${lost === null ? 'not sent' : 'not known'}: ${fields.join(', ')}`];
  return [
    ...state,
    ...missing,
    ...waitingWords(watch, memory, looked.zone),
    ...(since === null ? [] : [`${sinceWords(reasonOf(data))} ${showInZone(looked.zone, since)}`]),
  ];
}

/**
 * A value that does not count yet, and another way of reading: `the earlier implementation is shown again, and counts
 * after ten minutes (since 2026-01-01T00:02:00Z)`.
 */
export function waitingWords({ kind, checksum }: Watch, memory: Memory, zone: string): string[] {
  if (memory.state === null || memory.checksum !== checksum) return [];
  const remarks = [kind.waits?.(memory.state) ?? null, kind.fallback?.(memory.state) ?? null];
  return remarks.flatMap((one) => (one === null ? [] : [`${one.what} (since ${showInZone(zone, one.since)})`]));
}

/** Comparisons of the alert that never hold, as the answers so far show. */
export function neverWordsOf(watch: Watch, { data }: Pick<Memory, 'data'>, alert: AlertId): string[] {
  return neverHolding(watch.senders, data?.senders)
    .filter((one) => one.alert === alert)
    .map((one) => `${neverWords(one)}. ${one.hint}`);
}

/**
 * The time since which the watch is blind, computed from its memory, whether or not a daemon runs; null if it is not
 * blind, or paused.
 */
export function blindFrom(watch: Watch, memory: Memory | undefined, looked: Omit<Looked, 'zone'>): Instant | null {
  const watching = watchingOf(watch, looked);
  return watching && blindSince(memory, watching);
}

/** Like `blindFrom`, for a watch that missed due times but is not blind. */
export function overdueFrom(watch: Watch, memory: Memory | undefined, looked: Omit<Looked, 'zone'>): Instant | null {
  const watching = watchingOf(watch, looked);
  return watching && overdueSince(memory, watching);
}

function watchingOf(watch: Watch, { now, pause, from = null }: Omit<Looked, 'zone'>): Watching | null {
  if (pause !== null && pause.until > now) return null;
  return { watch, from: latest(pause?.until ?? null, from), now };
}
