// Claims beside true events: anybody can make as many claims as he likes.
import { expect, test } from '@jest/globals';
import type { Condition } from '../../../src/core/model/watch/condition.ts';
import type { EventAlert } from '../../../src/core/model/watch/watch.ts';
import { textAt } from '../../../src/core/wording/values.ts';
import { rawText } from '../../../src/lib/untrusted.ts';
import { runPolls } from '../../support/engine/run-polls.ts';
import { anAddress, aWatch, moodIs, onAlert, saw, type Item } from '../../support/engine/watch.ts';

const CLAIM = { label: 'claim' };

/** A kind whose items with the label `claim` are claims. */
function watchOf(alert: Partial<EventAlert>) {
  const rule = onAlert({ severity: 'critical', ...alert });
  const watch = aWatch([{ ...rule, asClaim: { ...rule, severity: 'warning', isClaim: true } }]);
  const claimantOf: typeof watch.kind.claimantOf = (_target, view) => {
    const label = textAt(view, 'label');
    return label !== undefined && rawText(label) === CLAIM.label ? anAddress(7) : null;
  };
  return { ...watch, kind: { ...watch.kind, claimantOf } };
}

function read(when: string, items: Readonly<Record<string, Item>>, head = 160) {
  return saw({ items, range: { from: 100, head } }, when);
}

function claims(count: number, change: Partial<Item> = {}): Record<string, Item> {
  const item = { mood: 'wild', block: 150, ...CLAIM, ...change };
  return Object.fromEntries(Array.from({ length: count }, (_, i) => [`claim${i}`, item]));
}

const START = read('0m', {});
const TRUE = { mood: 'wild', block: 120 };

test.each([{}, { confirmations: 30, provisional: true }])(
  'an older true event is followed beside any number of claims, and is retracted: %p',
  (alert) => {
    const lost = claims(1100);
    const gone = ['2m', '3m', '4m'].map((when) => read(when, lost));
    const told = runPolls(watchOf(alert), [START, read('1m', { ...lost, true: TRUE }), ...gone]);
    expect(told.messages.filter(({ type }) => type === 'alert.retracted').map(({ severity }) => severity)).toEqual([
      'critical',
    ]);
    expect(Object.keys(told.memory.alerts['wild'] ?? {})).toHaveLength(1001);
  },
);

test('a true event takes its steps before the claims of a poll', () => {
  const costly: Condition = {
    ...moodIs('wild'),
    evaluate: ({ view }, budget) => {
      if (budget !== undefined) budget.left -= 16_000_000;
      return moodIs('wild').evaluate({ view, before: null, history: null, at: 0 });
    },
  };
  const all = { ...claims(1500), true: TRUE };
  const { messages } = runPolls(watchOf({ if: costly }), [START, read('1m', all)]);
  expect(messages.map(({ severity }) => severity)).toEqual(['critical']);
});

test('a claim that cannot be judged makes the alert unknown no more than it would make it true', () => {
  const unknown = { mood: null, block: 150 };
  const truthOf = (item: Item) =>
    runPolls(watchOf({}), [START, read('1m', { a: item })]).decisions.at(-1)?.truths['wild'];
  expect(truthOf(unknown)).toBe('unknown');
  expect(truthOf({ ...unknown, ...CLAIM })).toBe('not-evaluated');
});
