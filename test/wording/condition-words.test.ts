// The names of counted items: which words a condition gives them, and that two conditions never give the same.
import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import type { Condition } from '../../src/core/model/watch/condition.ts';
import type { CountAlert, Threshold } from '../../src/core/model/watch/watch.ts';
import type { AnyKind } from '../../src/core/model/watch/kind.ts';
import { Transaction } from '../../src/explorer/reading/resources/transaction.ts';
import { AddressRef } from '../../src/explorer/reading/resources/address.ts';
import { untrusted } from '../../src/lib/untrusted.ts';
import { Address } from '../../src/core/values/address.ts';
import { Amount } from '../../src/core/values/amount.ts';
import { countSentence } from '../../src/core/wording/count-sentence.ts';
import { createLanguage } from '../../src/rules/language/language.ts';
import type { Meaning } from '../../src/rules/language/model.ts';
import { blocks } from '../../src/watches/blocks.ts';
import { internalTransactions } from '../../src/watches/internal-transactions.ts';
import { transactions } from '../../src/watches/transactions.ts';

function addressOf(byte: string): Address {
  const address = Address.parse(`0x${byte.repeat(20)}`);
  if (address === undefined) throw new Error('no address');
  return address;
}

const VAULT = addressOf('ca');
const TREASURY = addressOf('a1');
const NAMES = new Map<string, Meaning>([
  ['vault', VAULT],
  ['treasury', TREASURY],
  ['ours', [VAULT, TREASURY]],
]);

const KINDS = { calls: internalTransactions, transactions, blocks } satisfies Record<string, AnyKind>;

const TEN_MINUTES = 600_000;
const THREE: Threshold = { type: 'at-least', count: 3, withinMs: TEN_MINUTES };
const NONE: Threshold = { type: 'none-for', ms: TEN_MINUTES };
const HALF: Threshold = { type: 'ratio', part: new Amount(5n, 1), of: null, min: 1, withinMs: TEN_MINUTES };

interface Counting {
  readonly kind: AnyKind;
  readonly condition: string;
  readonly id?: string;
  readonly fires?: Threshold;
}

function compiled(kind: AnyKind, condition: string): Condition | null {
  return createLanguage(kind, 'ethereum', NAMES).condition(condition, { before: false, windows: false }).value;
}

function sentenceOf({ kind, condition, id = 'full', fires = THREE }: Counting) {
  const value = compiled(kind, condition);
  if (value === null) throw new Error(`does not compile: ${condition}`);
  const alert: Pick<CountAlert, 'id' | 'fires' | 'per' | 'if'> = { id, fires, per: [], if: value };
  return countSentence({
    kind,
    alert,
    names: {
      of: kind === blocks ? null : 'vault',
      token: null,
      coin: 'ETH',
      explorer: 'ethereum',
      place: null,
      zone: 'UTC',
      known: (address) => (address.equals(TREASURY) ? 'treasury' : null),
      lookAlike: () => null,
      isWatched: (address) => address?.equals(VAULT) === true,
    },
    view: kind.fields.make({}),
    before: null,
    limitOf: () => null,
    count: 3,
    isLeast: false,
    total: new Amount(2n, 0),
    newest: null,
    items: [],
    reasons: new Map(),
    others: null,
    at: 0,
    isOver: false,
  });
}

describe('the subject of a count names its condition', () => {
  test.each<[keyof typeof KINDS, string, string]>([
    ['calls', 'success == false', '3 failed vault calls in 10 min'],
    ['calls', '!success', '3 failed vault calls in 10 min'],
    ['calls', 'success', '3 successful vault calls in 10 min'],
    ['transactions', 'status == "error"', '3 failed vault transactions in 10 min'],
    ['transactions', 'status == "ok"', '3 successful vault transactions in 10 min'],
    ['transactions', 'status != "error"', '3 vault transactions with status not error in 10 min'],
    ['transactions', 'method == "deposit"', '3 vault transactions that the explorer names deposit in 10 min'],
    ['transactions', 'value > 1_000', '3 vault transactions with value above 1,000 in 10 min'],
    ['transactions', '0.12345678 >= value', '3 vault transactions with value at or below 0.12345678 in 10 min'],
    ['transactions', 'from == treasury', '3 vault transactions from treasury in 10 min'],
    ['transactions', 'to.hash in ours', '3 vault transactions to ours in 10 min'],
    [
      'transactions',
      'status == "error" && from == treasury && value > 5',
      '3 failed vault transactions from treasury and with value above 5 in 10 min',
    ],
    ['transactions', `from == "0x${'a1'.repeat(20)}"`, '3 vault transactions from treasury in 10 min'],
    ['transactions', 'from.is_contract == false', '3 vault transactions with from is contract no in 10 min'],
    ['blocks', 'gas_used_percentage > 95', '3 blocks with gas used percentage above 95 in 10 min'],
    ['blocks', 'age > duration("1m30s")', '3 blocks with age above 90 s in 10 min'],
  ])('%s: %s', (kind, condition, title) => {
    expect(sentenceOf({ kind: KINDS[kind], condition })).toMatchObject({ title, lines: [] });
  });

  test.each([
    `from == "0x${'bb'.repeat(20)}"`,
    '!(to.hash in ours)',
    'value > fee.value',
    'method == "deposit or withdraw"',
    'status == "error" || value > 5',
    'value > 1 && gas_used > 100_000 && block_number > 14_000_000 && position > 12',
  ])('by the id of the alert, and shows it below: %s', (condition) => {
    expect(sentenceOf({ kind: transactions, condition })).toMatchObject({
      title: '3 vault transactions that match full in 10 min',
      lines: [[{ text: `Condition: ${condition}` }]],
    });
  });

  test('of an absence, and of a part of all', () => {
    const of = (fires: Threshold, condition: string): string =>
      sentenceOf({ kind: transactions, condition, fires }).title;
    expect(of(NONE, 'status == "ok" && value > 5')).toBe(
      'no successful transaction of vault with value above 5 for 10 min',
    );
    expect(of(HALF, 'status == "error"')).toBe('2 failed of 3 vault transactions in 10 min: 66.7 %, limit 50 %');
    expect(of(HALF, 'value > 5')).toBe('2 with value above 5 of 3 vault transactions in 10 min: 66.7 %, limit 50 %');
  });
});

/** Parts with equal meanings have equal keys. */
const PARTS: readonly (readonly [text: string, key: string])[] = [
  ...['<', '<=', '>', '>=', '==', '!='].flatMap((sign) =>
    [
      ['5', '5'],
      ['5.0', '5'],
      ['0.1234567', '0.1234567'],
      ['0.12345671', '0.12345671'],
      ['1_000_000.001', '1000000.001'],
    ].map(([number = '', key = '']) => [`value ${sign} ${number}`, `value ${sign} ${key}`] as const),
  ),
  ['5 < value', 'value > 5'],
  ['gas_used > 5', 'gas_used > 5'],
  ['status == "error"', 'failed'],
  ['status == "ok"', 'ok'],
  ['status != "ok"', 'not ok'],
  ['method == "ok"', 'method ok'],
  ['method != "ok"', 'method not ok'],
  ['method == "not"', 'method not'],
  ['method == "deposit and with value above 5"', 'method trap'],
  ['method == "deposit"', 'method deposit'],
  ['from == treasury', 'from treasury'],
  ['from.hash == treasury', 'from treasury'],
  ['to == treasury', 'to treasury'],
  ['to != treasury', 'to not treasury'],
  ['to.hash in ours', 'to ours'],
  ['!(to.hash in ours)', 'to not ours'],
  [`to == "0x${'a1'.repeat(20)}"`, 'to treasury'],
  [`to == "0x${'bb'.repeat(20)}"`, 'to stranger'],
  ['to.is_contract', 'contract'],
  ['!to.is_contract', 'no contract'],
  ['to.is_contract != true', 'no contract'],
  ['value > fee.value', 'value over fee'],
];

const condition = fc.array(fc.constantFrom(...PARTS), { minLength: 1, maxLength: 3 }).map((parts) => ({
  text: parts.map(([text]) => text).join(' && '),
  key: parts.map(([, key]) => key).join(' && '),
}));

test('two counts of one watch with different conditions have different subjects', () => {
  fc.assert(
    fc.property(condition, condition, fc.constantFrom(THREE, NONE, HALF), (one, other, fires) => {
      fc.pre(one.key !== other.key && [one, other].every(({ text }) => compiled(transactions, text) !== null));
      const titles = [one, other].map(
        ({ text }, i) => sentenceOf({ kind: transactions, condition: text, id: `a${i}`, fires }).title,
      );
      expect(new Set(titles).size).toBe(2);
    }),
    { numRuns: 1000 },
  );
});

const SIGNS = ['<', '<=', '>', '>=', '==', '!='];
const WRITTEN = ['5', '5.0', '-5', '0.5', '50e-1', '1e3', '1_000', '0', '-0', '0.50'];
const TEXTS = ['ok', 'error', 'deposit', 'failed', 'not', 'yes', 'above 5', 'treasury', '5', 'a.b', 'it\\"s'];
const PLACES = ['treasury', 'vault', `"0x${'a1'.repeat(20)}"`, `"0x${'A1'.repeat(20)}"`, `"0x${'bb'.repeat(20)}"`];

const written = fc
  .oneof(
    fc.tuple(fc.constantFrom('value', 'gas_used', 'nonce'), fc.constantFrom(...SIGNS), fc.constantFrom(...WRITTEN)),
    fc.tuple(fc.constantFrom(...WRITTEN), fc.constantFrom(...SIGNS), fc.constantFrom('(value)', 'nonce')),
    fc.tuple(
      fc.constantFrom('status', 'method'),
      fc.constantFrom('==', '!='),
      fc.constantFrom(...TEXTS.map((text) => `"${text}"`)),
    ),
    fc.tuple(fc.constantFrom('from', 'to.hash'), fc.constantFrom('==', '!='), fc.constantFrom(...PLACES)),
    fc.tuple(fc.constantFrom('from.hash', 'to.hash'), fc.constant('in'), fc.constantFrom('ours', '[treasury, vault]')),
    fc.tuple(
      fc.constantFrom('to', 'from').map((end) => `${end}.is_contract`),
      fc.constantFrom('', '== false', '!= true'),
    ),
  )
  .map((parts) => parts.join(' '));

const nested = fc.letrec<{ condition: string }>((tie) => ({
  condition: fc.oneof(
    { depthSize: 'small' },
    written,
    tie('condition').map((one) => `!(${one})`),
    fc
      .tuple(tie('condition'), fc.constantFrom('&&', '||'), tie('condition'))
      .map(([a, sign, b]) => `(${a}) ${sign} (${b})`),
  ),
})).condition;

const end = fc
  .record({ hash: fc.constantFrom(VAULT, TREASURY, addressOf('bb')), is_contract: fc.boolean() })
  .map((values) => AddressRef.make(values));
const item = fc
  .record({
    value: fc.constantFrom('-5', '0', '0.5', '4.9', '5', '1000').map((text) => Amount.parse(text)),
    nonce: fc.constantFrom(0n, 5n, 6n, 1000n),
    gas_used: fc.constantFrom(0n, 4n, 5n, 1000n),
    status: fc.constantFrom('ok', 'error', 'failed'),
    method: fc.constantFrom(...TEXTS).map((text) => untrusted(text)),
    from: end,
    to: end,
  })
  .map((values) => Transaction.make(values));

test('two conditions with one subject hold for the same items', () => {
  const seed = 20_261_129;
  const items = fc.sample(item, { numRuns: 100, seed });
  const truths = new Map<string, string>();
  for (const text of fc.sample(nested, { numRuns: 1500, seed })) {
    const value = compiled(transactions, text);
    if (value === null) continue;
    const { title } = sentenceOf({ kind: transactions, condition: text });
    if (title.includes(' that match full')) continue;
    const truth = items.map((view) => value.evaluate({ view, before: null, history: null, at: 0 })).join();
    expect([title, truths.get(title) ?? truth]).toEqual([title, truth]);
    truths.set(title, truth);
  }
  expect(truths.size).toBeGreaterThan(50);
});
