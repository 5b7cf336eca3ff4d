// The rules of `rules.ts` once more, as plain functions over rows: no CEL, and no line of the code under test.
import { whyNotGone } from './oracle/departures.ts';
import { TOKENS } from '../../src/sandbox/names.ts';
import type { ReadPoll, References, Row, Sample } from './model.ts';
import { EVERYBODY } from './owed-log.ts';
import { CRON, COUNTS, DEPARTURES, reportsOf } from './timed-references.ts';
import { INTERVAL_MS, PATHS } from './rules.ts';

const MINUTE = 60_000;
const COIN = 10 ** 18;
const WINDOW_MS = 120 * MINUTE;
const USDC = TOKENS.USDC.toLowerCase();

const always = (): boolean => true;
const isFailedCall = ({ facts }: Row): boolean => facts['success'] === 'false';

export const REFERENCES: References = {
  intervalMs: INTERVAL_MS,
  recipients: [EVERYBODY],
  events: [
    { watch: 'vault', alert: 'failed', path: PATHS.vault, on: 'new', confirmations: 0, matches: isFailedCall },
    { watch: 'vault', alert: 'deep', path: PATHS.vault, on: 'new', confirmations: 12, matches: isFailedCall },
    { watch: 'newcomer', alert: 'call', path: PATHS.newcomer, on: 'new', confirmations: 0, matches: always },
    { watch: 'busy', alert: 'failed', path: PATHS.busy, on: 'new', confirmations: 0, matches: isFailedCall },
    { watch: 'wallet', alert: 'sent', path: PATHS.wallet, on: 'new', confirmations: 0, matches: always },
    {
      watch: 'wallet',
      alert: 'failed',
      path: PATHS.wallet,
      on: 'mined',
      confirmations: 0,
      matches: ({ facts }) => facts['status'] === 'error',
    },
    {
      watch: 'large',
      alert: 'large',
      path: PATHS.large,
      on: 'new',
      confirmations: 0,
      matches: ({ facts }) => Number(facts['value']) >= 1000 * COIN,
    },
  ],
  conditions: [
    {
      watch: 'coin',
      alert: 'low',
      path: PATHS.coin,
      forMs: 10 * MINUTE,
      needsHead: true,
      valueOf: coinsIn,
      isTrue: (coins) => coins < 100,
      ends: (coins) => coins > 120,
    },
    {
      name: 'coin/low at 110',
      watch: 'coin',
      alert: 'low',
      path: PATHS.coin,
      forMs: 10 * MINUTE,
      needsHead: true,
      valueOf: coinsIn,
      isTrue: (coins) => coins < 110,
      ends: (coins) => coins > 130,
    },
    {
      watch: 'dip',
      alert: 'low',
      path: PATHS.coin,
      forMs: 0,
      cooldownMs: 240 * MINUTE,
      needsHead: true,
      valueOf: coinsIn,
      isTrue: (coins) => coins < 100,
      ends: (coins) => coins >= 100,
    },
    {
      watch: 'coin',
      alert: 'lowest',
      path: PATHS.coin,
      forMs: 0,
      needsHead: true,
      valueOf: coinsIn,
      lookBack: { ms: WINDOW_MS, compare: aboveLowest },
      isTrue: (above) => above < 0,
      ends: (above) => above >= 0,
    },
    {
      watch: 'usdc',
      alert: 'low',
      path: PATHS.tokens,
      forMs: 0,
      needsHead: true,
      valueOf: dollarsIn,
      isTrue: (dollars) => dollars < 1_000_000,
      ends: (dollars) => dollars >= 1_000_000,
    },
    {
      watch: 'usdc',
      alert: 'again',
      path: PATHS.tokens,
      forMs: 0,
      cooldownMs: 50 * MINUTE,
      needsHead: true,
      valueOf: dollarsIn,
      isTrue: (dollars) => dollars < 1_000_000,
      ends: (dollars) => dollars >= 1_000_000,
    },
    {
      watch: 'blocks',
      alert: 'stalled',
      path: PATHS.blocks,
      forMs: 0,
      needsHead: false,
      valueOf: ageIn,
      isTrue: (age) => age > 30 * MINUTE,
      ends: (age) => age <= 30 * MINUTE,
    },
  ],
  holdings: [{ watch: 'tokens', path: PATHS.tokens, arrived: 'arrived', left: 'left' }],
  changes: [{ watch: 'acme', path: PATHS.acme, fact: 'reputation', alertByValue: { scam: 'scam', ok: 'cleared' } }],
  reorganisations: { watch: 'blocks', alert: 'reorg', path: PATHS.blocks },
  departures: DEPARTURES,
  reports: reportsOf(coinsIn),
  counts: COUNTS,
  code: [],
  rows: [],
  reads: [],
  cron: [{ ...CRON, valueOf: coinsIn }],
};

function coinsIn({ served }: ReadPoll): number | null {
  const answer = served.findLast((one) => one.answer !== null)?.answer ?? null;
  const coins = answer?.type === 'one' ? (answer.facts['coin_balance'] ?? null) : null;
  return coins === null ? null : Number(coins) / COIN;
}

/** How far above the lowest value since the window's beginning. Unknown when nobody knew a value at its beginning. */
function aboveLowest({ clockAt, value }: Sample, before: readonly Sample[], intervalMs: number): number | null {
  const begin = clockAt - WINDOW_MS;
  const first = before.findLast((sample) => sample.clockAt <= begin);
  if (first === undefined || first.clockAt < begin - 3 * intervalMs) return null;
  const within = before.filter((sample) => sample.clockAt > begin && sample.clockAt < clockAt);
  return value - Math.min(first.value, ...within.map((sample) => sample.value));
}

/**
 * A token that two polls of whole lists do not show is not held; one that was not held before needs only one, and two
 * lists of one poll where nothing was known. A list without any token is not believed.
 */
function dollarsIn({ poll, readings }: ReadPoll, last: number | null, polls: readonly ReadPoll[]): number | null {
  const row = readings.flatMap(({ rows }) => rows).findLast(({ id }) => id === USDC);
  if (row !== undefined) return amountOf(row.facts['value'] ?? null);
  const whole = readings.filter(
    ({ below, isWhole, nameless, rows }) => below === null && isWhole && nameless === 0 && rows.length > 0,
  );
  if (last === null || last === 0) return whole.length >= (last === 0 ? 1 : 2) ? 0 : null;
  return whole.length > 0 && whyNotGone(polls, poll.startedAt, USDC) === null ? 0 : null;
}

function amountOf(raw: string | null): number | null {
  return raw === null ? null : Number(raw) / 1e6;
}

function ageIn({ poll, readings }: ReadPoll): number | null {
  const times = readings.flatMap(({ rows }) => rows).map(({ facts }) => Date.parse(facts['timestamp'] ?? ''));
  const newest = Math.max(...times.filter((time) => !Number.isNaN(time)));
  return poll.decided === null || newest === -Infinity ? null : poll.decided.clockAt - newest;
}
