import { Address } from '../../../src/core/values/address.ts';
import { Missed } from '../../../src/core/model/watch/question.ts';
import { addressTokens, blocks, tokenDetails } from '../../../src/explorer/operations.ts';
import { createExplorer, type Explorer, type ExplorerOptions } from '../../../src/explorer/explorer.ts';
import type { ExplorerMeter } from '../../../src/explorer/http/meter.ts';
import { systemClock, type Clock } from '../../../src/lib/clock.ts';
import { aBudget } from '../../support/spending.ts';

type Counted = Parameters<ExplorerMeter['request']>[0];
type Headers = Parameters<ExplorerMeter['explorerHeaders']>[0];
type Unknown = Parameters<ExplorerMeter['unknownFields']>[0];

export interface Opened extends AsyncDisposable {
  readonly explorer: Explorer;
  readonly counted: Counted[];
  readonly headers: Headers[];
  readonly unknown: Unknown[];
  /** Every line that was logged, as text. */
  readonly logged: string[];
  readonly stop: AbortController;
  /** Outcomes of the requests that left, in order. */
  outcomes(): string[];
}

export type OpenOptions = Partial<Omit<ExplorerOptions, 'meter' | 'log' | 'signal'>>;

export function openExplorer(baseUrl: string, options: OpenOptions = {}): Opened {
  const clock: Clock = options.clock ?? systemClock;
  const stop = new AbortController();
  const counted: Counted[] = [];
  const headers: Headers[] = [];
  const unknown: Unknown[] = [];
  const logged: string[] = [];
  const log = (event: string, fields: unknown = {}): void => {
    logged.push(`${event} ${JSON.stringify(fields)}`);
  };
  const explorer = createExplorer({
    name: 'ethereum',
    baseUrl,
    auth: { type: 'none' },
    coin: { symbol: 'ETH', decimals: 18 },
    userAgent: 'chainwarden/0.0.0',
    budget: aBudget({ clock, requestsPerSecond: null }),
    clock,
    log: { debug: log, info: log, warn: log, error: log },
    signal: stop.signal,
    meter: {
      request: (facts) => counted.push(facts),
      explorerHeaders: (facts) => headers.push(facts),
      unknownFields: (facts) => unknown.push(facts),
      head: () => undefined,
    },
    ...options,
  });
  return {
    explorer,
    counted,
    headers,
    unknown,
    logged,
    stop,
    outcomes: () => counted.map(({ outcome }) => outcome),
    [Symbol.asyncDispose]: () => explorer[Symbol.asyncDispose](),
  };
}

/** How a question ended that has no answer. */
export async function missOf(asked: Promise<unknown>): Promise<Missed> {
  const ended = await asked.then(
    () => new Error('there was an answer'),
    (error: unknown) => error,
  );
  if (ended instanceof Missed) return ended;
  throw ended instanceof Error ? ended : new Error(String(ended));
}

export function addressOf(text: string): Address {
  const address = Address.parse(text);
  if (address === undefined) throw new Error(`no address: ${text}`);
  return address;
}

export const VAULT = addressOf('0x00000000000000000000000000000000000000aa');
const TOKEN = addressOf('0x00000000000000000000000000000000000000bb');

export const aToken = tokenDetails('ethereum', TOKEN);
export const someBlocks = blocks('ethereum');
export const someTokens = addressTokens('ethereum', VAULT);

/** A page of blocks from `top` down, a second apart. */
export function blockRows(top: number, count: number): Record<string, unknown>[] {
  return Array.from({ length: count }, (_, i) => ({
    height: top - i,
    hash: `0x${(top - i).toString(16).padStart(64, '0')}`,
    timestamp: new Date(Date.UTC(2026, 0, 1) + (top - i) * 1000).toISOString(),
  }));
}

/** A clock on which every sleep is over at once, and noted. */
export function impatient(sleeps: number[] = []): Clock {
  let now = Date.UTC(2026, 0, 1);
  return {
    now: () => now,
    monotonic: () => now,
    sleep: async (ms) => {
      sleeps.push(ms);
      now += ms;
    },
  };
}
