// The causes why watches are blind, and the watches of each cause.
import { showInstant, type Instant } from '../../../lib/clock.ts';
import type { DataSince, DataState } from '../memory.ts';
import type { MissReason } from '../observation.ts';
import type { Watch } from '../watch/watch.ts';
import { firstNames } from '../../../lib/first-names.ts';

/**
 * The first that applies: why no result was stored, why no answer came, the quality of the data. `no-poll`: no poll
 * took effect, though the last one was ok. `damaged-memory`: the watch's memory cannot be read, and it is not polled.
 */
export type BlindReason =
  'storage-fails' | 'storage-full' | MissReason | Exclude<DataState, 'ok'> | 'no-poll' | 'damaged-memory';

/** The reason by the data state alone. */
export function reasonOf(data: Pick<DataSince, 'state'> | null): BlindReason {
  return data === null || data.state === 'ok' ? 'no-poll' : data.state;
}

const WORDS = {
  stale: 'the chain head is stalled',
  nodata: 'no answer',
  partial: 'answers are incomplete',
  plan: 'the plan leaves no credits for this watch now',
  throttled: 'the explorer allows no more requests',
  error: 'the explorer answers with errors',
  'blind-field': 'a field that a rule reads is missing',
  'no-poll': 'no poll took effect',
  'damaged-memory': 'the stored memory cannot be read',
  'storage-fails': 'the state cannot be written',
  'storage-full': 'the state is full',
  'not-found': 'the explorer does not know this object (404)',
  'wrong-path': 'no explorer answers at this address',
  unprocessable: 'the explorer rejects the request as invalid (422)',
  unauthorized: 'the API key is rejected (401)',
  forbidden: 'access is refused (403)',
  blocked: 'blocked by a firewall',
  'out-of-credits': 'no credits are left (402)',
  'no-key': 'the explorer requires an API key',
  'rate-limited': 'too many requests (429)',
  'server-error': 'the explorer fails (5xx)',
  redirect: 'the explorer has moved (3xx)',
  http: 'a status that the API does not use',
  'not-json': 'the answer is not JSON',
  shape: 'the answer has another shape',
  truncated: 'the answer broke off',
  'too-large': 'the answer is too large',
  encoding: 'the answer cannot be decoded',
  timeout: 'no answer in time',
  dns: 'the name of the explorer is not found',
  tls: 'the certificate of the explorer is not valid',
  network: 'the explorer cannot be reached',
  'no-explorer': 'the config has no such explorer',
  'other-chain': 'another chain answers',
} satisfies Readonly<Record<BlindReason | 'throttled' | 'error', string>>;
const wordsOf: ReadonlyMap<string, string> = new Map(Object.entries(WORDS));

/** `causeWords('stale') // 'the chain head is stalled'`; an unknown cause stays as it is. */
export function causeWords(cause: string): string {
  return wordsOf.get(cause) ?? cause;
}

const ANSWERED: ReadonlySet<string> = new Set<BlindReason>([
  'plan',
  'nodata',
  'stale',
  'partial',
  'blind-field',
  'storage-fails',
  'storage-full',
  'damaged-memory',
]);

/** The words for the begin of the blindness: `no answer since` if no usable answer came. */
export function sinceWords(reason: string): 'blind since' | 'no answer since' {
  return ANSWERED.has(reason) ? 'blind since' : 'no answer since';
}

export interface BlindWatch {
  readonly watch: Watch;
  /** The first due time that it missed. */
  readonly since: Instant;
  readonly reason: BlindReason;
  /** The missing fields that its conditions read. */
  readonly fields: readonly string[];
  /** The name of a value that is lost: `implementation`. Left out or null: there is none. */
  readonly lost?: string | null;
}

/** Watches of one explorer that are blind for one reason. */
export interface BlindCause {
  readonly explorer: string;
  readonly reason: BlindReason;
  /** The time since which the first of them has been blind. */
  readonly since: Instant;
  readonly watches: readonly Watch[];
  /** For the reason `blind-field`: the missing fields. */
  readonly fields: readonly string[];
}

/** One cause for each explorer and reason. The cause that has lasted longest comes first. */
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
