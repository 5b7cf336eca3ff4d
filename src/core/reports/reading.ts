// Reads the members of a report: the samples in their memories, and those that are stored apart.
import { historyOf, withStored } from '../alerts/history.ts';
import { balanceKey, type KnownBalance } from '../model/distinct-balances.ts';
import type { Memory, Run } from '../model/memory.ts';
import { isLongOverdue, isOverdue } from '../model/watch/schedule.ts';
import { paceIn, type Watch } from '../model/watch/watch.ts';
import { Amount } from '../values/amount.ts';
import { isDollars } from '../values/fields.ts';
import { HOLE } from '../windows/hole.ts';
import type { Instant } from '../../lib/clock.ts';
import type { Report } from './model.ts';

export interface MemberReading extends KnownBalance {
  readonly watch: Watch;
  /** `price`: the amount is known, and it has no price. `poll`: no poll has read the value for a report yet. */
  readonly lacks: 'nothing' | 'value' | 'price' | 'poll';
  /**
   * True if the value is unknown, or if the watch's cron had a time since the last answer. The report then waits for
   * it.
   */
  readonly isAwaited: boolean;
  /** If the value is unknown, the last time at which it was known; null if there was none, or if it is not stored. */
  readonly knownUntil: Instant | null;
  /** True if the head of the chain stands still. */
  readonly isStale: boolean;
  /** Undefined: unknown. */
  readonly now: (path: string) => Amount | undefined;
  /** The present value, and the value `ms` milliseconds ago; undefined if one of them is unknown. */
  readonly changed: (ms: number) => { readonly now: Amount; readonly then: Amount } | undefined;
}

/** A member of a report, with its stored data. */
export interface StoredMember {
  readonly watch: Watch;
  readonly memory: Memory | undefined;
  /** The stored runs around the beginning of each change, by its length. */
  readonly past: ReadonlyMap<number, readonly Run[]>;
}

/** The stored runs that a change needs: those that ended after `after`, the oldest first. */
export interface PastRuns {
  readonly ms: number;
  readonly path: string;
  readonly after: Instant;
}

export function pastRunsOf(report: Report, { watch, memory }: Omit<StoredMember, 'past'>, at: Instant): PastRuns[] {
  const path = changePath(report, watch);
  const holeMs = HOLE * paceIn(memory, watch);
  return report.values.flatMap((value) =>
    value.type === 'change' ? { ms: value.ms, path, after: at - value.ms - holeMs - 1 } : [],
  );
}

export function readMember(report: Report, { watch, memory, past }: StoredMember, at: Instant): MemberReading {
  const own = memory?.checksum === watch.checksum ? memory : undefined;
  const intervalMs = paceIn(own, watch);
  const coveredUntil = own?.coveredUntil ?? null;
  const isOld = isLongOverdue(watch, coveredUntil, at, intervalMs);
  const time = { at, coveredUntil, intervalMs, wantedMs: watch.schedule.intervalMs };
  const now = (path: string): Amount | undefined => (isOld ? undefined : openValue(own, path));
  const lacks = lackOf(report, { watch, memory: own }, now);
  return {
    watch,
    key: balanceKey(watch),
    at: coveredUntil,
    isOld,
    amount: now(mainPath(report, watch)),
    lacks,
    isAwaited: lacks === 'value' || lacks === 'poll' || isDueByCron(watch, coveredUntil, { at, intervalMs }),
    knownUntil: isOld ? coveredUntil : (own?.data?.lastOk ?? null),
    isStale: own?.data?.state === 'stale',
    now,
    changed(ms) {
      const path = changePath(report, watch);
      const value = now(path);
      if (own === undefined || value === undefined) return undefined;
      const { history } = withStored(own, { [path]: past.get(ms) ?? [] });
      const delta = historyOf(history, time)({ measure: 'delta', path, ms });
      return delta === undefined ? undefined : { now: value, then: value.minus(delta) };
    },
  };
}

/**
 * The watch's cron may have the same time as the report, so the report waits for that poll. Watches with `every` are
 * polled often enough.
 */
function isDueByCron(
  watch: Watch,
  coveredUntil: Instant | null,
  { at, intervalMs }: { readonly at: Instant; readonly intervalMs: number },
): boolean {
  return watch.schedule.type === 'cron' && isOverdue(watch, coveredUntil, at, intervalMs);
}

/** The path whose change the report shows. */
function changePath({ total }: Report, { kind }: Watch): string {
  return total ?? kind.while?.measured ?? '';
}

function openValue(memory: Memory | undefined, path: string): Amount | undefined {
  const last = memory?.history[path]?.at(-1);
  return last?.[1] === null ? Amount.parse(last[2]) : undefined;
}

/** A member counts as known if the value at this path is known. */
export function mainPath({ total, values }: Report, { kind }: Watch): string {
  const first = values.find((value) => value.type === 'field');
  return total ?? first?.path ?? kind.while?.measured ?? '';
}

/** All fields that a member must know. */
function pathsOf(report: Report, watch: Watch): string[] {
  const fields = report.values.flatMap((value) => (value.type === 'field' ? value.path : []));
  return [...new Set([mainPath(report, watch), ...fields])];
}

function lackOf(
  report: Report,
  { watch, memory }: Omit<StoredMember, 'past'>,
  now: MemberReading['now'],
): MemberReading['lacks'] {
  const missing = pathsOf(report, watch).filter((path) => now(path) === undefined);
  if (missing.length === 0) return 'nothing';
  const measured = watch.kind.while?.measured ?? null;
  const isKnown = measured !== null && now(measured) !== undefined;
  if (!isKnown || !missing.every((path) => isDollars(watch.kind.fields, path))) return 'value';
  // Each poll stores a list of samples for each path that it reads. The list may be empty.
  return missing.every((path) => memory?.history[path] !== undefined) ? 'price' : 'poll';
}
