// The last polls of each watch, and the last values of firing alerts, in memory.
import type { Decision } from '../../core/model/decision.ts';
import type { Present } from '../../core/model/delivery.ts';
import type { Truth, WatchId } from '../../core/model/ids.ts';
import { MISS_REASONS, type Observation } from '../../core/model/observation.ts';
import type { Watch } from '../../core/model/watch/watch.ts';
import { exactOf, valueAt } from '../../core/values/fields.ts';
import type { Instant } from '../../lib/clock.ts';
import { outcomeOf } from './report.ts';

// The last polls of each watch, for the pages of a watch. Ten thousand watches have 200,000 polls here, so they are
// stored in columns: an object for each would take three times the memory.

export interface PollRecord {
  readonly at: Instant;
  readonly outcome: (typeof OUTCOMES)[number];
  /** The value that the kind measures, as plain decimal text; null: unknown, or nothing to measure. */
  readonly value: string | null;
  /** The results of the first sixteen alerts, without those that had nothing to evaluate. */
  readonly truths: Readonly<Record<string, Truth>>;
  readonly ms: number;
}

export interface PollRing {
  /** The polls of all other watches are dropped. */
  adopt(watches: readonly Watch[]): void;
  polled(watch: Watch, observation: Observation, decision: Decision, ms: number): void;
  /** The newest first. */
  readonly of: (watch: Watch) => PollRecord[];
}

const OUTCOMES = ['complete', 'unchanged', 'partial', ...MISS_REASONS] as const;
const POLLS_KEPT = 20;
const MOST_ALERTS = 16;
/** The results of an alert; two bits store the index. */
const TRUTHS: readonly (Truth | null)[] = [null, true, false, 'unknown'];

/**
 * `place`: the index of its first poll in the columns. `count`: the number of its polls so far, also of overwritten
 * ones.
 */
interface Slot {
  readonly place: number;
  count: number;
}

interface Columns {
  readonly at: Float64Array;
  readonly ms: Uint32Array;
  readonly outcome: Uint8Array;
  readonly truths: Uint32Array;
  readonly values: (string | null)[];
}

export function createPollRing(): PollRing {
  const slotById = new Map<WatchId, Slot>();
  const free: number[] = [];
  let columns = columnsOf(0);

  function placeFor(): number {
    const place = free.pop();
    if (place !== undefined) return place;
    const size = columns.at.length;
    columns = grown(columns, Math.max(64 * POLLS_KEPT, 2 * size));
    for (let next = columns.at.length - POLLS_KEPT; next > size; next -= POLLS_KEPT) free.push(next);
    return size;
  }

  return {
    adopt(watches) {
      const kept = new Set(watches.map(({ id }) => id));
      for (const [id, { place }] of slotById) {
        if (kept.has(id)) continue;
        slotById.delete(id);
        free.push(place);
      }
      for (const id of kept) if (!slotById.has(id)) slotById.set(id, { place: placeFor(), count: 0 });
    },
    polled(watch, observation, decision, ms) {
      const slot = slotById.get(watch.id);
      if (slot === undefined) return;
      const before = slot.count === 0 ? null : (columns.values[slot.place + ((slot.count - 1) % POLLS_KEPT)] ?? null);
      const i = slot.place + (slot.count % POLLS_KEPT);
      slot.count += 1;
      columns.at[i] = observation.at;
      columns.ms[i] = Math.max(0, Math.round(ms));
      columns.outcome[i] = OUTCOMES.indexOf(outcomeOf(observation, decision));
      columns.truths[i] = packed(watch, decision.truths);
      const value = valueOf(watch, decision);
      // Equal texts share one string in memory.
      columns.values[i] = value === before ? before : value;
    },
    of(watch) {
      const slot = slotById.get(watch.id);
      if (slot === undefined) return [];
      const kept = Math.min(slot.count, POLLS_KEPT);
      return Array.from({ length: kept }, (_, back) => {
        const i = slot.place + ((slot.count - 1 - back) % POLLS_KEPT);
        return recordAt(columns, i, watch);
      });
    },
  };
}

function recordAt({ at, outcome, values, truths, ms }: Columns, i: number, watch: Watch): PollRecord {
  return {
    at: at[i] ?? 0,
    outcome: OUTCOMES[outcome[i] ?? 0] ?? 'complete',
    value: values[i] ?? null,
    truths: unpacked(watch, truths[i] ?? 0),
    ms: ms[i] ?? 0,
  };
}

function valueOf({ kind }: Watch, { now }: Decision): string | null {
  const path = kind.while?.measured ?? null;
  const value = now === null || path === null ? undefined : exactOf(valueAt(now, path));
  return value === undefined ? null : value.toString();
}

function packed({ alerts }: Watch, truths: Decision['truths']): number {
  return alerts.slice(0, MOST_ALERTS).reduce((bits, { id }, i) => {
    const truth = truths[id];
    const code = truth === undefined || truth === 'not-evaluated' ? 0 : TRUTHS.indexOf(truth);
    return (bits | (code << (2 * i))) >>> 0;
  }, 0);
}

function unpacked({ alerts }: Watch, bits: number): Record<string, Truth> {
  const known = alerts.slice(0, MOST_ALERTS).flatMap(({ id }, i): [string, Truth][] => {
    const truth = TRUTHS[(bits >>> (2 * i)) & 3] ?? null;
    return truth === null ? [] : [[id, truth]];
  });
  return Object.fromEntries(known);
}

function columnsOf(size: number): Columns {
  return {
    at: new Float64Array(size),
    ms: new Uint32Array(size),
    outcome: new Uint8Array(size),
    truths: new Uint32Array(size),
    values: Array.from({ length: size }, () => null),
  };
}

function grown(before: Columns, size: number): Columns {
  const after = columnsOf(size);
  after.at.set(before.at);
  after.ms.set(before.ms);
  after.outcome.set(before.outcome);
  after.truths.set(before.truths);
  for (const [i, value] of before.values.entries()) after.values[i] = value;
  return after;
}

// The last values of firing alerts, from the polls since the start of the process. A message that is sent later than
// its alert fired shows these. An alert has none before the first poll of its watch.

export interface PresentValues {
  /** Drops the values of all other watches. */
  adopt(watches: readonly Watch[]): void;
  /** Call this after the decision is committed. */
  polled(watch: WatchId, decision: Pick<Decision, 'firing'>): void;
  /** `key`: the key of the alert's messages. Null: the alert does not fire, or no values were read yet. */
  of(alert: { readonly watch: WatchId; readonly key: string }): Present | null;
}

export function createPresentValues(): PresentValues {
  const byWatch = new Map<WatchId, ReadonlyMap<string, Present>>();
  return {
    adopt(watches) {
      const kept = new Set(watches.map(({ id }) => id));
      for (const id of byWatch.keys()) if (!kept.has(id)) byWatch.delete(id);
    },
    polled(watch, { firing }) {
      const former = byWatch.get(watch);
      if (firing.length === 0 && former === undefined) return;
      // If a poll did not read the values, the last ones stay, with their time.
      const known = firing.flatMap(({ key, present }): [string, Present][] => {
        const values = present ?? former?.get(key) ?? null;
        return values === null ? [] : [[key, values]];
      });
      if (known.length === 0) byWatch.delete(watch);
      else byWatch.set(watch, new Map(known));
    },
    of: ({ watch, key }) => byWatch.get(watch)?.get(key) ?? null,
  };
}
