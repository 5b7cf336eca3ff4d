// What the answers of each explorer showed in the last hour: how they ended, how long they took, and how fast credits go.
import type { Clock, Instant } from '../../lib/clock.ts';

export interface ExplorerReporter {
  request(facts: {
    readonly explorer: string;
    readonly outcome: string;
    readonly credits: number;
    readonly seconds: number;
  }): void;
  explorerHeaders(facts: {
    readonly explorer: string;
    readonly credits: number | null;
    readonly limit: number | null;
    readonly remaining: number | null;
  }): void;
  forgetExplorer(explorer: string): void;
  of(explorer: string): ExplorerHour;
}

export interface ExplorerHour {
  readonly answers: readonly { readonly outcome: string; readonly count: number }[];
  /** 99 of 100 requests took no longer, to within a fifth; null: there was none. */
  readonly p99Ms: number | null;
  readonly rate: { readonly remaining: number; readonly limit: number | null } | null;
  /** As the last answer said it. */
  readonly credits: { readonly remaining: number; readonly at: Instant } | null;
  /** Credits of the requests in each tenth of the last hour, in credits an hour; null: it is not known for an hour yet. */
  readonly rates: readonly number[] | null;
}

const HOUR_MS = 3_600_000;
const TENTHS = 10;
const TENTH_MS = HOUR_MS / TENTHS;

interface Tenth {
  readonly number: number;
  readonly byOutcome: Map<string, number>;
  readonly byDuration: Map<number, number>;
  credits: number;
}

interface Known {
  readonly since: Instant;
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
    const fresh: Known = { since: clock.now(), tenths: [], rate: null, credits: null };
    knownByName.set(explorer, fresh);
    return fresh;
  }

  function tenthOf(explorer: string): Tenth {
    const own = known(explorer);
    const number = Math.floor(clock.now() / TENTH_MS);
    const last = own.tenths.at(-1);
    if (last?.number === number) return last;
    const fresh: Tenth = { number, byOutcome: new Map(), byDuration: new Map(), credits: 0 };
    // Later tenths than this one are there after the clock was set back.
    own.tenths = [...own.tenths.filter((one) => one.number > number - TENTHS && one.number < number), fresh];
    return fresh;
  }

  return {
    request({ explorer, outcome, credits, seconds }) {
      const tenth = tenthOf(explorer);
      count(tenth.byOutcome, outcome);
      count(tenth.byDuration, stepOf(seconds * 1000));
      tenth.credits += credits;
    },
    explorerHeaders({ explorer, credits, limit, remaining }) {
      const own = known(explorer);
      if (credits !== null) own.credits = { remaining: credits, at: clock.now() };
      if (remaining !== null && remaining >= 0) own.rate = { remaining, limit };
    },
    forgetExplorer(explorer) {
      knownByName.delete(explorer);
    },
    of(explorer) {
      const own = knownByName.get(explorer);
      if (own === undefined) return { answers: [], p99Ms: null, rate: null, credits: null, rates: null };
      const { since, rate, credits } = own;
      const now = clock.now();
      const number = Math.floor(now / TENTH_MS);
      const tenths = own.tenths.filter((one) => one.number > number - TENTHS && one.number <= number);
      const answers = [...added(tenths.map(({ byOutcome }) => byOutcome))].map(([outcome, n]) => ({
        outcome,
        count: n,
      }));
      const p99Ms = percentile(added(tenths.map(({ byDuration }) => byDuration)), 0.99);
      const rates = now - since < HOUR_MS ? null : ratesOf(tenths, number);
      return { answers: answers.toSorted((a, b) => b.count - a.count), p99Ms, rate, credits, rates };
    },
  };
}

/** Of the whole tenths before the present one. */
function ratesOf(tenths: readonly Tenth[], present: number): number[] {
  const creditsOf = new Map(tenths.map(({ number, credits }) => [number, credits]));
  return Array.from({ length: TENTHS - 1 }, (_, i) => (creditsOf.get(present - 1 - i) ?? 0) * TENTHS);
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

/** Durations are counted in steps that grow, so that an hour of requests takes no room. */
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
