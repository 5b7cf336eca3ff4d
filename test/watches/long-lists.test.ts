// Lists of thousands of rows. The detection pauses between rows, so that the caller may let other watches run.
import { describe, expect, test } from '@jest/globals';
import type { Detection, DetectionScope } from '../../src/core/model/detection.ts';
import type { Target } from '../../src/core/model/watch/target.ts';
import { Transaction } from '../../src/explorer/reading/resources/transaction.ts';
import { TokenBalance } from '../../src/explorer/reading/resources/token.ts';
import type { Steps } from '../../src/lib/steps.ts';
import { holdings } from '../../src/watches/holdings.ts';
import { seenIn } from '../../src/watches/holdings/reading.ts';
import { writtenReading } from '../../src/watches/newest-first-list.ts';
import { transactions } from '../../src/watches/transactions.ts';
import { anAddress } from '../support/engine/watch.ts';
import { aScope } from '../support/scope.ts';

const ROWS = 10_000;
const MOST_IN_STEP = 500;
const UNITS = { coin: 18 };
const TARGET: Target<object> = {
  explorer: 'ethereum',
  coin: { symbol: 'ETH', decimals: 18 },
  address: anAddress(1),
  token: null,
  maxPages: 1000,
  options: {},
};

/** Reads of one field of the raw rows, each row once. */
interface Reads {
  count: number;
}

const hexOf = (number: number, digits: number): string => `0x${number.toString(16).padStart(digits, '0')}`;

/** A raw row whose `value` counts the first time that it is read. */
function counted<T extends object>(row: T, value: string, reads: Reads): T {
  let isRead = false;
  return Object.defineProperty(row, 'value', {
    enumerable: true,
    get() {
      if (!isRead) reads.count += 1;
      isRead = true;
      return value;
    },
  });
}

function isPresent<T>(one: T | undefined): one is T {
  return one !== undefined;
}

const rowsOf = <T>(make: (index: number) => T | undefined): T[] =>
  Array.from({ length: ROWS }, (_, index) => make(index)).filter(isPresent);

function aTransaction(index: number, poll: number, reads: Reads): object {
  const number = poll * ROWS + ROWS - index;
  const timestamp = new Date(1.7e12 + number * 1000).toISOString();
  return counted(
    { hash: hexOf(number, 64), block_number: number, status: 'ok', timestamp },
    `${number}000000000000000000`,
    reads,
  );
}

function aHolding(index: number, poll: number, reads: Reads): object {
  return counted({ token: { address_hash: hexOf(index + 1, 40), decimals: '0' } }, `${index + poll}`, reads);
}

interface KindOfList {
  readonly name: string;
  readonly scope: DetectionScope;
  readonly detect: (poll: number, state: unknown, reads: Reads, scope: DetectionScope) => Steps<Detection<unknown>>;
}

const KINDS: readonly KindOfList[] = [
  {
    name: 'transactions',
    scope: aScope({ judged: ['value'] }),
    detect(poll, state, reads, scope) {
      const rows = rowsOf((index) => Transaction.read(aTransaction(index, poll, reads), UNITS));
      const known = state === null ? null : transactions.state.parse(state);
      return transactions.detect(TARGET, known, writtenReading(rows), scope);
    },
  },
  {
    name: 'holdings',
    scope: aScope({ tracked: ['balance'] }),
    detect(poll, state, reads, scope) {
      const rows = rowsOf((index) => TokenBalance.read(aHolding(index, poll, reads), UNITS));
      const known = state === null ? null : holdings.state.parse(state);
      return holdings.detect(TARGET, known, seenIn(rows), scope);
    },
  },
];

describe.each(KINDS)('a list of ten thousand $name', ({ scope, detect }) => {
  test('is compared a few hundred rows at a time, when it is first read and when all of it is news', () => {
    let state: unknown = null;
    for (let poll = 0; poll < 3; poll += 1) {
      const reads: Reads = { count: 0 };
      const steps = detect(poll, state, reads, scope);
      const inSteps: number[] = [];
      for (;;) {
        reads.count = 0;
        const { done, value } = steps.next();
        inSteps.push(reads.count);
        if (done !== true) continue;
        state = value.state;
        expect(value.events.length).toBeGreaterThanOrEqual(ROWS);
        break;
      }
      expect(inSteps.reduce((sum, one) => sum + one, 0)).toBe(ROWS);
      expect(Math.max(...inSteps)).toBeLessThanOrEqual(MOST_IN_STEP);
    }
  });
});
