// Counts the work for each explorer: the answers of the last hour (`createExplorerFacts`), and all polls and requests
// since the start of the process (`createWorkCounts`).
import type { Clock } from '../../lib/clock.ts';

export interface ExplorerReporter {
  request(facts: { readonly explorer: string; readonly outcome: string; readonly seconds: number }): void;
  explorerHeaders(facts: {
    readonly explorer: string;
    readonly credits: number | null;
    readonly limit: number | null;
    readonly remaining: number | null;
  }): void;
  forgetExplorer(explorer: string): void;
  of(explorer: string): ExplorerHour;
}

interface ExplorerHour {
  readonly answers: readonly { readonly outcome: string; readonly count: number }[];
  /** The 99th percentile of the durations, accurate to 20 %. Null if there was no request. */
  readonly p99Ms: number | null;
  readonly rate: { readonly remaining: number; readonly limit: number | null } | null;
  /** The credits in the newest answer that shows them. Null if no answer showed them. */
  readonly credits: number | null;
}

const HOUR_MS = 3_600_000;
const TENTHS = 10;
const TENTH_MS = HOUR_MS / TENTHS;

interface Tenth {
  readonly number: number;
  readonly byOutcome: Map<string, number>;
  readonly byDuration: Map<number, number>;
}

interface Known {
  /** The newest last. */
  tenths: Tenth[];
  rate: ExplorerHour['rate'];
  credits: ExplorerHour['credits'];
}

export function createExplorerFacts(clock: Pick<Clock, 'now'>): ExplorerReporter {
  const knownByName = new Map<string, Known>();

  function known(explorer: string): Known {
    const found = knownByName.get(explorer);
    if (found !== undefined) return found;
    const fresh: Known = { tenths: [], rate: null, credits: null };
    knownByName.set(explorer, fresh);
    return fresh;
  }

  function tenthOf(explorer: string): Tenth {
    const own = known(explorer);
    const number = Math.floor(clock.now() / TENTH_MS);
    const last = own.tenths.at(-1);
    if (last?.number === number) return last;
    const fresh: Tenth = { number, byOutcome: new Map(), byDuration: new Map() };
    // After the clock was set back, tenths with higher numbers may exist. They are dropped as well.
    own.tenths = [...own.tenths.filter((one) => one.number > number - TENTHS && one.number < number), fresh];
    return fresh;
  }

  return {
    request({ explorer, outcome, seconds }) {
      const tenth = tenthOf(explorer);
      count(tenth.byOutcome, outcome);
      count(tenth.byDuration, stepOf(seconds * 1000));
    },
    explorerHeaders({ explorer, credits, limit, remaining }) {
      const own = known(explorer);
      if (remaining !== null && remaining >= 0) own.rate = { remaining, limit };
      if (credits !== null && credits >= 0) own.credits = credits;
    },
    forgetExplorer(explorer) {
      knownByName.delete(explorer);
    },
    of(explorer) {
      const own = knownByName.get(explorer);
      if (own === undefined) return { answers: [], p99Ms: null, rate: null, credits: null };
      const { rate, credits } = own;
      const number = Math.floor(clock.now() / TENTH_MS);
      const tenths = own.tenths.filter((one) => one.number > number - TENTHS && one.number <= number);
      const answers = [...added(tenths.map(({ byOutcome }) => byOutcome))].map(([outcome, n]) => ({
        outcome,
        count: n,
      }));
      const p99Ms = percentile(added(tenths.map(({ byDuration }) => byDuration)), 0.99);
      return { answers: answers.toSorted((a, b) => b.count - a.count), p99Ms, rate, credits };
    },
  };
}

function count<K>(counts: Map<K, number>, key: K, by = 1): void {
  counts.set(key, (counts.get(key) ?? 0) + by);
}

function added<K>(all: readonly ReadonlyMap<K, number>[]): Map<K, number> {
  const sum = new Map<K, number>();
  for (const counts of all) for (const [key, n] of counts) count(sum, key, n);
  return sum;
}

const GROWTH = 1.2;

/** Durations are counted in steps that grow, so that an hour of requests needs little memory. */
function stepOf(ms: number): number {
  return Math.ceil(Math.log(Math.max(1, ms)) / Math.log(GROWTH));
}

function percentile(counts: ReadonlyMap<number, number>, share: number): number | null {
  const all = [...counts].toSorted(([a], [b]) => a - b);
  const total = all.reduce((sum, [, n]) => sum + n, 0);
  let seen = 0;
  for (const [step, n] of all) {
    seen += n;
    if (seen >= total * share) return Math.round(GROWTH ** step);
  }
  return null;
}

/** The work for one explorer. */
export interface ExplorerWork {
  readonly polls: number;
  readonly missed: number;
  readonly requests: number;
  /** The sum of the prices of the requests. */
  readonly credits: number;
  /** The newest block; null: no answer showed one. */
  readonly head: number | null;
  /** The credits in the newest answer that shows them. Null if no answer showed them. */
  readonly creditsLeft: number | null;
}

/** By the explorer's name. */
export type WorkByExplorer = ReadonlyMap<string, ExplorerWork>;

export const NOTHING_DONE = { polls: 0, missed: 0, requests: 0, credits: 0 } as const;

export interface WorkCounts {
  polled(explorer: string, isSeen: boolean): void;
  request(facts: { readonly explorer: string; readonly credits: number }): void;
  explorerHeaders(facts: { readonly explorer: string; readonly credits: number | null }): void;
  head(facts: { readonly explorer: string; readonly height: bigint }): void;
  /** The work since the start of the process. */
  readonly now: () => WorkByExplorer;
}

export function createWorkCounts(): WorkCounts {
  const workByExplorer = new Map<string, ExplorerWork>();

  function add(explorer: string, change: (before: ExplorerWork) => Partial<ExplorerWork>): void {
    const before = workByExplorer.get(explorer) ?? { ...NOTHING_DONE, head: null, creditsLeft: null };
    workByExplorer.set(explorer, { ...before, ...change(before) });
  }

  return {
    polled(explorer, isSeen) {
      add(explorer, ({ polls, missed }) => ({ polls: polls + 1, missed: missed + (isSeen ? 0 : 1) }));
    },
    request({ explorer, credits: price }) {
      add(explorer, ({ requests, credits }) => ({ requests: requests + 1, credits: credits + price }));
    },
    explorerHeaders({ explorer, credits }) {
      if (credits !== null) add(explorer, () => ({ creditsLeft: credits }));
    },
    head({ explorer, height }) {
      add(explorer, () => ({ head: Number(height) }));
    },
    now: () => new Map(workByExplorer),
  };
}

/** The work between two results of `now`. */
export function workSince(before: WorkByExplorer, now: WorkByExplorer): WorkByExplorer {
  return new Map(
    [...now].map(([explorer, done]) => {
      const { polls, missed, requests, credits } = before.get(explorer) ?? NOTHING_DONE;
      return [
        explorer,
        {
          ...done,
          polls: done.polls - polls,
          missed: done.missed - missed,
          requests: done.requests - requests,
          credits: done.credits - credits,
        },
      ];
    }),
  );
}
