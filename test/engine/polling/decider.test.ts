// Who asks a question of a tick: it decides who pays for it.
import { expect, test } from '@jest/globals';
import type { AskedBy } from '../../../src/core/model/watch/question.ts';
import { createTicks, type Reader } from '../../../src/engine/polling/read.ts';
import { loadWatches } from '../../support/world.ts';

const RULES = `
watches:
  - id: slots
    kind: read
    of: vault
    every: 1m
    read: { a: { slot: 1, as: bool }, b: { balance: true }, c: { slot: 3, as: bool }, d: { slot: 4, as: bool }, e: { balance: true }, f: { balance: true } }
    alerts: [{ id: x, on: changed, severity: SEVERITY }]
`;

test('questions of a poll that falls back are paid by its watch, and those beyond the plan are counted as such', () => {
  const watches = ['info', 'critical'].flatMap((severity) => loadWatches(RULES.replace('SEVERITY', severity)));
  const [watch] = watches;
  if (watch === undefined) throw new Error('no watch');
  const { kind, target } = watch;
  const fallback = kind.fallbackQuestions?.(target).flat() ?? [];
  expect([kind.questions?.(target), fallback].map((asked) => asked?.length)).toEqual([1, 2]);
  const asked = askedByIn(watches);
  expect([kind.question(target), ...fallback].map(({ path }) => asked(path))).toEqual([
    { severity: 'critical', isFirst: true, isExtra: false },
    { severity: 'critical', isFirst: true, isExtra: false },
    { severity: 'critical', isFirst: true, isExtra: true },
  ]);
  expect(asked('addresses/0x1')).toEqual({ severity: 'critical', isFirst: false });
});

function askedByIn(watches: ReturnType<typeof loadWatches>): AskedBy {
  const found: AskedBy[] = [];
  const refuse = () => Promise.reject(new Error('not asked'));
  const reader: Reader = {
    tickReader(askedBy) {
      if (askedBy !== undefined) found.push(askedBy);
      return { one: refuse, page: refuse, pageAgain: refuse };
    },
    head: () => null,
    blocks: () => null,
    blocksFrom: refuse,
  };
  createTicks(() => reader, 0, watches).of('chain');
  const [asked] = found;
  if (asked === undefined) throw new Error('no reader was asked for');
  return asked;
}
