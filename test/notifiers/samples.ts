import { jest } from '@jest/globals';
import { untrusted } from '../../src/lib/untrusted.ts';
import { newsOf, type Attempt, type Delivery, type Message } from '../../src/core/model/delivery.ts';
import type { NotifierTools } from '../../src/notifiers/notifier.ts';
import { createFakeClock } from '../support/fake-clock.ts';

const START = Date.UTC(2026, 0, 1);
const TREASURY = '0x47ac0Fb4F2D84898e4D9E7b4DaB3C24507a6D503';
const USDC = '0xA0b86991c6218b36c1d19D4a2e9Eb0cE3606eB48';

/** A limit of an attempt that does not end it, however long a busy machine pauses. */
export const PATIENT_MS = 600_000;

/** A condition that fires: the treasury's USDC fell from 2,000,000 to 940,000. */
export function aMessage(changes: Partial<Message> = {}): Message {
  return {
    type: 'alert.firing',
    at: START + 180_000,
    key: 'k7xq2mfd3p5rnabcwz4ty6v1e2',
    episode: 3,
    seq: 5,
    watch: 'treasury-usdc',
    alert: 'low',
    kind: 'balance',
    severity: 'critical',
    explorer: 'ethereum',
    zone: 'UTC',
    place: null,
    chainId: '1',
    of: { name: 'treasury', address: TREASURY },
    token: { address: USDC, symbol: untrusted('USDC'), decimals: 6 },
    title: 'Treasury USDC is low',
    detail: '940,000, below 1,000,000',
    measured: '940,000',
    lines: [[{ text: 'Fell 1,060,000.5 since the last poll. Clears above 1,050,000. ethereum, 00:03 UTC.' }]],
    runbook: null,
    text: [{ text: '940000 ' }, { untrusted: untrusted('USDC') }, { text: ` left at ${TREASURY}` }],
    condition: 'balance < 1000000',
    rule: 'rules/treasury.yaml:17',
    observedAt: START + 180_000,
    since: START + 60_000,
    firedAt: null,
    resolvedAt: null,
    reason: null,
    late: false,
    fields: {
      balance: { text: '940000' },
      raw: { text: '940000000000' },
      token: { record: { symbol: { untrusted: untrusted('USDC') }, decimals: 6, reputation: { text: 'ok' } } },
    },
    before: { balance: { text: '2000000.5' } },
    links: [`https://explorer.example/address/${TREASURY}`],
    summary: null,
    ...changes,
  };
}

export function aResolvedMessage(changes: Partial<Message> = {}): Message {
  const { fields } = aMessage();
  return aMessage({
    type: 'alert.resolved',
    at: START + 785_000,
    seq: 6,
    detail: '1,200,000, above 1,050,000',
    measured: '1,200,000',
    lines: [[{ text: 'When it fired: 940,000.' }]],
    observedAt: START + 785_000,
    resolvedAt: START + 785_000,
    fields: { ...fields, balance: { text: '1200000' } },
    before: fields,
    ...changes,
  });
}

/** Of one message, unless `members` says otherwise. */
export function aDelivery({ message, ...changes }: Partial<Delivery> & { message?: Message } = {}): Delivery {
  return {
    id: 'd4gq6yhz7krmtabcxw2ns5v3f1',
    channel: 'ops',
    recipient: 'ops',
    kind: 'news',
    at: START + 180_000,
    members: [newsOf(message ?? aMessage())],
    more: [],
    ...changes,
  };
}

/** `aTry(2, { maybeCopy: true })` */
export function aTry(number = 1, changes: Partial<Attempt> = {}): Attempt {
  return { number, maybeCopy: false, receipt: null, ...changes };
}

/** `printed` holds what the log channel said. The clock stands at 2026-01-01T00:05:00Z. */
export function someTools(): NotifierTools & { readonly printed: string[] } {
  const printed: string[] = [];
  return {
    channel: 'ops',
    clock: createFakeClock(START + 300_000),
    print: async (line) => void printed.push(line),
    version: '0.1.0',
    printed,
  };
}

export const never = new AbortController().signal;

/** What a channel needs to reach the receivers of tests. */
export const LOOPBACK = ['127.0.0.0/8'];

/** No timeout ends but by `pass`. */
export function holdTimeouts(): Disposable & { pass(ms: number): void } {
  jest.useFakeTimers({
    doNotFake: ['Date', 'hrtime', 'nextTick', 'performance', 'queueMicrotask', 'setImmediate', 'clearImmediate'],
  });
  return {
    pass: (ms) => {
      jest.advanceTimersByTime(ms);
    },
    [Symbol.dispose]: () => {
      jest.useRealTimers();
    },
  };
}
