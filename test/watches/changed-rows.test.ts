// A row that is known may come again with another content, in a block that was replaced or in the same one.
import { describe, expect, test } from '@jest/globals';
import { ListState } from '../../src/watches/list-state.ts';
import { createWorld, loadWatches, polls, type World } from '../support/world.ts';

const CALLS = `
watches:
  - id: calls
    kind: internal-transactions
    of: vault
    every: 1m
    alerts:
      - { id: failed, on: new, if: success == false }
`;

const TRANSACTIONS = `
watches:
  - id: txs
    kind: transactions
    of: vault
    every: 1m
    alerts:
      - { id: failed, on: new, if: status == "error" }
      - { id: large, on: new, if: value > 100 }
`;

const STALLED = `{ id: stalled, while: 'age > duration("216h")' }`;

async function replaced(world: World): Promise<string> {
  await world.poll();
  world.sandbox.mine();
  const { hash } = world.sandbox.failCall({ to: 'vault' });
  world.sandbox.changeTransaction({ hash, reason: null });
  expect(await world.poll()).toEqual([]);
  world.sandbox.reorganise({ blocks: 1 });
  world.sandbox.changeTransaction({ hash, reason: 'paused' });
  return hash;
}

describe('a call that went well at first, and failed once its block was replaced', () => {
  test('is told, once', async () => {
    await using world = await createWorld(CALLS);
    await replaced(world);
    expect(await polls(world, 3)).toEqual(['failed event']);
  });

  test('also where the daemon was started again in between', async () => {
    await using world = await createWorld(CALLS);
    await replaced(world);
    await world.restart();
    expect(await polls(world, 3)).toEqual(['failed event']);
  });

  test('and is not told a second time when it changes to and fro', async () => {
    await using world = await createWorld(CALLS);
    const hash = await replaced(world);
    const said = await polls(world, 1);
    world.sandbox.changeTransaction({ hash, reason: null });
    said.push(...(await polls(world, 1)));
    world.sandbox.changeTransaction({ hash, reason: 'paused' });
    said.push(...(await polls(world, 30)));
    expect(said.filter((words) => words === 'failed event')).toHaveLength(1);
    expect(said.at(-1)).not.toBe('failed retracted');
  });
});

test.each([
  ['right', 0],
  ['two hours behind the chain', -7_200_000],
])(
  'a call that fails anew while the explorer is away is told, though it is final by then: a clock %s',
  async (_, byMs) => {
    await using world = await createWorld(`${CALLS}  - { id: head, kind: blocks, every: 1m, alerts: [${STALLED}] }\n`);
    await world.clock.setTo(world.clock.now() + byMs);
    await replaced(world);
    world.sandbox.fail({ fault: 'blocked', operation: 'address-internal-transactions', times: 1000 });
    for (let minute = 0; minute < 80; minute += 1) {
      world.sandbox.mine();
      await world.poll();
    }
    world.sandbox.clearFaults();
    const said = await polls(world, 5);
    expect(said.filter((words) => words.startsWith('failed'))).toEqual(['failed event']);
  },
);

describe('calls that a summary told of, and that lie so deep that they are final', () => {
  const RULES = `${CALLS}      - { id: any, on: new }
  - { id: head, kind: blocks, every: 1m, alerts: [${STALLED}] }
`;
  const MANY = 60;

  /** Gives the newest of them. */
  async function told(world: World): Promise<string> {
    await world.poll();
    world.sandbox.mine();
    const calls = Array.from({ length: MANY }, () => world.sandbox.failCall({ to: 'vault', reason: 'paused' }));
    const said = await world.poll();
    expect(said.filter((words) => words === 'failed event')).toHaveLength(MANY);
    for (let block = 0; block < 80; block += 1) world.sandbox.mine();
    expect(await polls(world, 2)).toEqual([]);
    return calls.at(-1)?.hash ?? '';
  }

  test('are not told again one by one when their results are missing from some answers', async () => {
    await using world = await createWorld(RULES);
    await told(world);
    world.replicas.use({ without: 'success' });
    expect(await polls(world, 1)).toEqual([]);
    world.replicas.use({});
    expect(await polls(world, 3)).toEqual([]);
  });

  test('are not told again when one says something else for a while', async () => {
    await using world = await createWorld(RULES);
    const hash = await told(world);
    world.sandbox.changeTransaction({ hash, reason: null });
    expect(await polls(world, 1)).toEqual([]);
    world.sandbox.changeTransaction({ hash, reason: 'paused' });
    expect(await polls(world, 3)).toEqual([]);
  });
});

test('an alert that told the row corrects it; one that did not, and still does not match, stays silent', async () => {
  await using world = await createWorld(TRANSACTIONS);
  await world.poll();
  world.sandbox.mine();
  const { hash } = world.sandbox.addTransaction({ value: 101n * 10n ** 18n });
  expect(await world.poll()).toEqual(['large event']);
  world.sandbox.changeTransaction({ hash, reason: 'paused' });
  expect((await polls(world, 3)).toSorted()).toEqual(['failed event', 'large corrected']);
});

test('a rule that looks at other fields is not told of what it finds in rows that were known before it', async () => {
  await using world = await createWorld(TRANSACTIONS);
  await world.poll();
  world.sandbox.mine();
  world.sandbox.addTransaction({ value: 50n * 10n ** 18n });
  await world.poll();
  await world.load(TRANSACTIONS.replace('value > 100', 'value > 10 && gas_used > 1'));
  expect(await polls(world, 3)).toEqual([]);
});

test('where no rule judges a field, nothing is kept of what rows say', async () => {
  const rules = 'watches: [{ id: all, kind: transactions, of: vault, every: 1m, alerts: [{ id: any, on: new }] }]';
  await using world = await createWorld(rules);
  await world.poll();
  world.sandbox.mine();
  world.sandbox.addTransaction({});
  expect(await world.poll()).toEqual(['any event']);
  const id = loadWatches(rules)[0]?.id ?? '';
  const state = ListState.parse((await world.store.recall([id])).get(id)?.state);
  expect(state.digests).toEqual({ basis: '', text: '' });
});
