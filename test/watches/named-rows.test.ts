import { expect, test } from '@jest/globals';
import type { MissReason } from '../../src/core/model/observation.ts';
import { Missed } from '../../src/core/model/watch/question.ts';
import { addressTransfersOf } from '../../src/explorer/operations.ts';
import { startingAt } from '../../src/watches/list-state.ts';
import { readNamed } from '../../src/watches/lists/named-rows.ts';
import { addressOf } from '../explorer/support/open.ts';

/** The tokens that are asked for when each answer has this state; null: it is usable. */
async function askedFor(answers: readonly (MissReason | null)[]): Promise<readonly number[]> {
  const address = addressOf(`0x${'11'.repeat(20)}`);
  const questions = answers.map((_, token) =>
    addressTransfersOf('chain', address, { side: undefined, token: `${token}` }),
  );
  const state = startingAt({ start: 1 });
  if (state === null) throw new Error('no state');
  const asked: number[] = [];
  const page = (question: object) => {
    const token = questions.findIndex((one) => one === question);
    asked.push(token);
    const missed = answers[token] ?? null;
    return missed === null ? Promise.resolve({ rows: [], next: null }) : Promise.reject(new Missed(missed, 'no'));
  };
  const none = () => undefined;
  const row = { identityOf: none, blockOf: none, happenedAt: none, cursorFrom: () => null };
  await readNamed(questions, state, { page }, { ...row, maxPages: 20 });
  return asked;
}

test('one token for which the server has no usable answer does not hide the others', async () => {
  expect(await askedFor(['server-error', null, null])).toEqual([0, 1, 2]);
  expect(await askedFor(['not-found', 'timeout', null, null])).toEqual([0, 1, 2, 3]);
});

test('a server that fails for every token is left alone soon, and at once where the plan or the network is the cause', async () => {
  expect(await askedFor(Array<MissReason>(6).fill('server-error'))).toEqual([0, 1, 2]);
  expect(await askedFor([null, 'plan', null])).toEqual([0, 1]);
  expect(await askedFor(['rate-limited', null])).toEqual([0]);
  expect(await askedFor(['out-of-credits', null])).toEqual([0]);
});
