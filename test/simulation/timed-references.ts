// References of the rules that go by hours of the day or by counts.
import { TOKENS } from '../../src/sandbox/names.ts';
import type {
  CountedCalls,
  CountReference,
  CronReference,
  DepartureReference,
  Instant,
  ReadPoll,
  ReportReference,
} from './model.ts';
import { PATHS } from './rules.ts';

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;

/** The others are pieces. */
export const DEPARTURES: readonly DepartureReference[] = [
  {
    watch: 'leaving',
    alert: 'gone',
    path: PATHS.tokens,
    tokens: [TOKENS.USDC, TOKENS.SPAM, TOKENS.ACME].map((token) => token.toLowerCase()),
  },
];

export function reportsOf(valueOf: (poll: ReadPoll) => number | null): readonly ReportReference[] {
  const common = { watch: 'report', path: PATHS.coin, periodMs: 4 * HOUR, valueOf };
  return [
    { ...common, alert: 'coins', offsetMs: 20 * MINUTE, isTold: () => true },
    { ...common, alert: 'few', offsetMs: 40 * MINUTE, isTold: (coins) => coins < 120 },
  ];
}

export const COUNTS: readonly CountReference[] = [
  count('tally/many', ({ failed }) => failed >= 3),
  count('tally/many as gas', ({ failed }) => failed * CALL_GAS >= 180_000),
  // No call carries coins.
  count('tally/many as coins', () => false),
  count('tally/many as share', ({ failed, all }) => all >= 3 && failed >= 0.9 * all),
  // Each call has a transaction of its own.
  count('tally/many as each', () => false),
  count('tally/many as silence', ({ silentMs }) => silentMs >= 3 * HOUR),
];

/** Of each call that the simulation makes. */
const CALL_GAS = 60_000;

function count(name: string, holds: (counted: CountedCalls) => boolean): CountReference {
  return { name, watch: 'tally', alert: 'many', path: PATHS.vault, windowMs: 2 * HOUR, holds };
}

/** Every ten minutes from 8:00 to 17:50. */
export const CRON: Omit<CronReference, 'valueOf'> = {
  watch: 'office',
  path: PATHS.coin,
  dueBetween(from, to) {
    const first = Math.floor(from / (10 * MINUTE)) + 1;
    const count = Math.max(0, Math.floor(to / (10 * MINUTE)) - first + 1);
    return Array.from({ length: count }, (_, n) => (first + n) * 10 * MINUTE).filter(isInOffice).length;
  },
};

function isInOffice(at: Instant): boolean {
  const hour = new Date(at).getUTCHours();
  return hour >= 8 && hour <= 17;
}
