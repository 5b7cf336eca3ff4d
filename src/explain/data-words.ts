import { blindSince } from '../core/model/blindness.ts';
import { goneFields, NO_SIGHTINGS } from '../core/model/field-sightings.ts';
import type { Memory } from '../core/model/memory.ts';
import type { Watch } from '../core/model/watch.ts';
import { showInstant, type Instant } from '../lib/clock.ts';

/**
 * The data state of a watch: `data blind-field since 2026-01-01T00:02:00Z`, `no longer sent: token.reputation`,
 * `blind since 2026-01-01T00:01:00Z`.
 */
export function dataWords(watch: Watch, memory: Memory, now: Instant): string[] {
  const { data } = memory;
  const since = blindFrom(watch, memory, now);
  const state = data === null ? [] : [`data ${data.state} since ${showInstant(data.since)}`];
  const gone = goneFields(data?.fields ?? NO_SIGHTINGS);
  const missing = gone.length === 0 ? [] : [`no longer sent: ${gone.join(', ')}`];
  return [...state, ...missing, ...(since === null ? [] : [`blind since ${showInstant(since)}`])];
}

/** Since when the watch is blind according to its memory, whether or not a daemon runs; null when it is not. */
export function blindFrom(
  { schedule: { intervalMs } }: Watch,
  memory: Memory | undefined,
  now: Instant,
): Instant | null {
  return blindSince(memory, { intervalMs, from: null, now });
}
