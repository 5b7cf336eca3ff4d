// Why watches are blind, and which ones together.
import { showInstant, type Instant } from '../../../lib/clock.ts';
import type { DataSince, DataState } from '../memory.ts';
import type { MissReason } from '../observation.ts';
import type { Watch } from '../watch/watch.ts';
import { firstNames } from '../../../lib/first-names.ts';

/**
 * Why nothing was kept, else why an answer was missed, else what the data is worth. `no-poll`: no poll took effect, though
 * the last one was ok. `damaged-memory`: what is remembered of it cannot be read, and it is not polled.
 */
export type BlindReason =
  'storage-fails' | 'storage-full' | MissReason | Exclude<DataState, 'ok'> | 'no-poll' | 'damaged-memory';

/** As the data alone has it. */
export function reasonOf(data: Pick<DataSince, 'state'> | null): BlindReason {
  return data === null || data.state === 'ok' ? 'no-poll' : data.state;
}

const ANSWERED: ReadonlySet<string> = new Set<BlindReason>([
  'nodata',
  'stale',
  'partial',
  'blind-field',
  'storage-fails',
  'storage-full',
  'damaged-memory',
]);

/** Whether there was no answer, or one that does not tell. */
export function sinceWords(reason: string): 'blind since' | 'no answer since' {
  return ANSWERED.has(reason) ? 'blind since' : 'no answer since';
}

export interface BlindWatch {
  readonly watch: Watch;
  /** The first due time that it missed. */
  readonly since: Instant;
  readonly reason: BlindReason;
  /** Those that its conditions read and that are gone. */
  readonly fields: readonly string[];
}

/** Watches of one explorer that are blind for one reason. */
export interface BlindCause {
  readonly explorer: string;
  readonly reason: BlindReason;
  /** Of the one that has been blind for longest. */
  readonly since: Instant;
  readonly watches: readonly Watch[];
  /** Of a blind field: which ones. */
  readonly fields: readonly string[];
}

/** By explorer and reason, those that have been blind for longest first. */
export function causesOf(blind: readonly BlindWatch[]): BlindCause[] {
  const groups = Map.groupBy(blind, ({ watch, reason }) => `${watch.target.explorer} ${reason}`);
  const causes = [...groups.values()].flatMap((group): BlindCause[] => {
    const [first] = group.toSorted((a, b) => a.since - b.since);
    if (first === undefined) return [];
    const { explorer } = first.watch.target;
    const watches = group.map(({ watch }) => watch);
    const fields = first.reason === 'blind-field' ? [...new Set(group.flatMap((one) => one.fields))] : [];
    return [{ explorer, reason: first.reason, since: first.since, watches, fields }];
  });
  return causes.toSorted((a, b) => a.since - b.since);
}

const MOST_NAMED = 10;

/** `treasury, payroll[alice] and 36 more` */
export function namesOf(watches: readonly Watch[]): string {
  const names = watches.map(({ name }) => name);
  return firstNames(names, MOST_NAMED);
}

/** `ethereum: timeout since 2026-01-01T00:00:00Z: treasury, payroll[alice] and 36 more` */
export function showCause({ explorer, reason, since, watches, fields }: BlindCause): string {
  const mending = reason === 'damaged-memory' ? ' (chainwarden state forget WATCH)' : '';
  const which = fields.length === 0 ? '' : ` (${fields.join(', ')})`;
  return `${explorer}: ${reason}${which} since ${showInstant(since)}: ${namesOf(watches)}${mending}`;
}
