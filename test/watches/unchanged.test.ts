// An answer that came before is passed over. Nothing may be passed over with it.
import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { NOTHING_DETECTED, type DetectedEvent, type DetectionScope } from '../../src/core/model/detection.ts';
import { createAnswerCache, type AnswerCache } from '../../src/explorer/http/answer-cache.ts';
import type { Clock } from '../../src/lib/clock.ts';
import { encodeView } from '../../src/core/values/encoded.ts';
import { InternalTransaction } from '../../src/explorer/reading/resources/internal-transaction.ts';
import { createUnchangedAnswers } from '../../src/watches/unchanged.ts';
import { aScope } from '../support/scope.ts';
import { createWorld, type World } from '../support/world.ts';
import { finish, inOneStep } from '../../src/lib/steps.ts';

const digestsOnly = (clock: Clock): AnswerCache => createAnswerCache({ clock, maxBytes: 0 });
const nothing = (): AnswerCache => ({ get: () => null, put: () => undefined });

describe.each([
  ['as a whole', {}],
  ['as digests only', { answers: digestsOnly }],
])('while answers are remembered %s', (_how, options) => {
  test('the same answer says nothing again, and the next one says what is new', async () => {
    await using world = await createWorld(
      `
watches:
  - { id: calls, kind: internal-transactions, of: vault, every: 1m, alerts: [{ id: failed, on: new, if: success == false }] }
  - { id: from-vault, kind: internal-transactions, of: vault, direction: from, every: 1m, alerts: [{ id: out, on: new }] }
  - { id: transactions, kind: transactions, of: vault, every: 1m, alerts: [{ id: any, on: new }] }
  - { id: tokens, kind: holdings, of: vault, every: 1m, alerts: [{ id: arrived, on: added }, { id: moved, on: changed }] }
`,
      options,
    );
    for (let again = 0; again < 3; again += 1) {
      expect(await world.poll()).toEqual([]);
      expect(await world.poll()).toEqual([]);
      world.sandbox.mine();
      world.sandbox.failCall({ to: 'vault' });
      world.sandbox.addTransaction({ value: 1n });
      world.sandbox.giveToken({ address: 'vault', value: 5 });
      expect((await world.poll()).toSorted()).toEqual(['any event', 'arrived event', 'failed event']);
    }
    expect(await world.poll()).toEqual([]);
  });

  test('a rule that reads another field begins to look at it', async () => {
    const rules = (alerts: string): string =>
      `watches: [{ id: tokens, kind: holdings, of: treasury, every: 1m, alerts: [${alerts}] }]`;
    await using world = await createWorld(rules('{ id: any, on: changed }'), options);
    const { token } = world.sandbox.giveToken({ address: 'treasury', value: 5 });
    await world.poll();
    await world.poll();
    await world.load(rules(`{ id: scam, on: changed, if: 'token.reputation == "scam"' }`));
    expect(await world.poll()).toEqual([]);
    world.sandbox.flagToken({ token });
    expect(await world.poll()).toEqual(['scam event']);
    expect(await world.poll()).toEqual([]);
  });

  test('an item is followed until it has its confirmations', async () => {
    await using world = await createWorld(
      'watches: [{ id: deep, kind: transactions, of: vault, every: 1m, alerts: [{ id: any, on: new, confirmations: 3 }] }]',
      options,
    );
    await world.poll();
    world.sandbox.mine();
    world.sandbox.addTransaction({ value: 1n });
    expect(await world.poll()).toEqual([]);
    expect(await world.poll()).toEqual([]);
    world.sandbox.mine({ blocks: 3 });
    expect(await world.poll()).toEqual(['any event']);
    expect(await world.poll()).toEqual([]);
  });

  test('an item that cannot be decided yet stays open while nothing moves', async () => {
    await using world = await createWorld(
      `watches: [{ id: all, kind: transactions, of: vault, every: 1m, alerts: [{ id: good, on: new, if: 'status == "ok"' }] }]`,
      options,
    );
    await world.poll();
    world.sandbox.addTransaction({ status: 'pending', minedAfter: 1 });
    for (let again = 0; again < 3; again += 1) expect(await world.poll()).toEqual([]);
    world.sandbox.mine({ blocks: 1 });
    expect(await world.poll()).toEqual(['good event']);
    expect(await world.poll()).toEqual([]);
  });

  test('a restart begins with what was learned before', async () => {
    await using world = await createWorld(
      'watches: [{ id: calls, kind: internal-transactions, of: vault, every: 1m, alerts: [{ id: failed, on: new, if: success == false }] }]',
      options,
    );
    await world.poll();
    await world.poll();
    await world.restart();
    world.sandbox.mine();
    world.sandbox.failCall({ to: 'vault' });
    expect(await world.poll()).toEqual(['failed event']);
    await world.restart();
    expect(await world.poll()).toEqual([]);
  });
});

test('a page with an item that is awaited is looked at twice, not at every poll', () => {
  const unchanged = createUnchangedAnswers<object>();
  const [content, state] = [{}, {}];
  const looked: string[] = [];
  const detect = (awaited: readonly string[], scope: Partial<DetectionScope> = {}): string[] => {
    const whole = aScope({ tracked: NO_PATHS, awaited: { keys: new Set(awaited), slots: new Set() }, ...scope });
    const detected = unchanged.detect(content, state, whole, () => {
      looked.push(awaited.join());
      const events = ['newest', 'told', 'open', 'other'].map(aKnownCall);
      return inOneStep({ ...NOTHING_DETECTED, state, events });
    });
    return finish(detected).events.map(({ key }) => key);
  };
  expect(detect(['told', 'open'])).toEqual(['newest', 'told', 'open', 'other']);
  for (let again = 0; again < 5; again += 1) expect(detect(['told', 'open'])).toEqual(['newest', 'told', 'open']);
  expect(detect(['told'])).toEqual(['newest', 'told', 'open']);
  expect(looked).toEqual(['told,open']);
  expect(detect(['other'])).toHaveLength(4);
  expect(detect(['other'], { chain: { head: 5, isBehind: false, replaced: [] } })).toHaveLength(4);
  expect(detect(['other'], { tracked: ['value'] })).toHaveLength(4);
  expect(looked).toEqual(['told,open', 'other', 'other', 'other']);
});

test('an awaited item is kept as text, and says the same whenever it is looked at', () => {
  const unchanged = createUnchangedAnswers<object>();
  const [content, state] = [{}, {}];
  const row = {
    transaction_hash: '0x01',
    index: 3,
    value: '1500000000000000000',
    from: { hash: `0x${'11'.repeat(20)}` },
  };
  const view = InternalTransaction.read(row, { coin: 18 });
  if (view === undefined) throw new Error('no row');
  const scope = aScope({ tracked: NO_PATHS, awaited: { keys: new Set(['told']), slots: new Set() } });
  const detect = (): readonly DetectedEvent[] => {
    const detected = unchanged.detect(content, state, scope, () => {
      const events = ['newest', 'told'].map((key, i) => ({ ...aKnownCall(key, i), view }));
      return inOneStep({ ...NOTHING_DETECTED, state, events });
    });
    return finish(detected).events;
  };
  detect();
  const before = encodeView(view);
  expect(before['value']).toBe('1.5');
  row.value = '0';
  const [, told] = detect();
  expect(told).toMatchObject({ key: 'told', novelty: 'known', block: 7, happenedAt: 999 });
  expect(told && encodeView(told.view)).toEqual(before);
  expect(detect()[1]).toBe(told);
});

const NO_PATHS: readonly string[] = [];

function aKnownCall(key: string, i: number): DetectedEvent {
  const view = InternalTransaction.make({});
  const item = { key, view, happenedAt: 1000 - i, block: 7, slot: null };
  return { on: 'new', ...item, novelty: 'known', before: null, changed: [] };
}

const EVERYTHING = `
watches:
  - { id: calls, kind: internal-transactions, of: vault, every: 1m, alerts: [{ id: failed, on: new, if: success == false, confirmations: 2 }] }
  - { id: from-vault, kind: internal-transactions, of: vault, direction: to, every: 1m, alerts: [{ id: out, on: new }] }
  - id: transactions
    kind: transactions
    of: vault
    every: 1m
    alerts:
      - { id: good, on: new, if: status == "ok" }
      - { id: mined, on: mined }
      - { id: many, on: new, at_least: { count: 3, within: 5m } }
  - { id: all, kind: transactions, every: 1m, alerts: [{ id: deep, on: new, if: value > 0, confirmations: 3 }] }
  - { id: head, kind: blocks, every: 1m, alerts: [{ id: new, on: new }, { id: reorg, on: reorg }] }
  - id: tokens
    kind: holdings
    of: treasury
    every: 1m
    alerts: [{ id: arrived, on: added }, { id: gone, on: removed }, { id: scam, on: changed, if: token.reputation == "scam" }]
  - { id: usdc, kind: balance, token: USDC, of: treasury, every: 1m, alerts: [{ id: low, while: balance < 100 }] }
`;

/** What can happen within a minute. A block that a reorganisation left empty takes in nothing, so a new one is mined. */
const acts = {
  mine: ({ sandbox }: World) => sandbox.mine({ blocks: 2 }),
  call({ sandbox }: World) {
    sandbox.mine();
    sandbox.failCall({ to: 'vault' });
  },
  pay({ sandbox }: World) {
    sandbox.mine();
    sandbox.addTransaction({ value: 1n });
  },
  wait({ sandbox }: World) {
    sandbox.mine();
    sandbox.addTransaction({ status: 'pending', minedAfter: 2 });
  },
  give: ({ sandbox }: World) => sandbox.giveToken({ address: 'treasury', value: 5 }),
  flag: ({ sandbox }: World) => sandbox.flagToken({ token: 'ACME' }),
  unflag: ({ sandbox }: World) => sandbox.flagToken({ token: 'ACME', reputation: 'ok' }),
  spend: ({ sandbox }: World) => sandbox.setBalance({ address: 'treasury', token: 'USDC', value: 5 }),
  earn: ({ sandbox }: World) => sandbox.setBalance({ address: 'treasury', token: 'USDC', value: 500_000_000 }),
  reorganise: ({ sandbox }: World) => sandbox.reorganise({ blocks: 2 }),
  drop: ({ sandbox }: World) => sandbox.reorganise({ blocks: 1, transactions: 'dropped' }),
  fail: ({ sandbox }: World) => sandbox.fail({ fault: 'not-found', times: 2 }),
  restart: (world: World) => world.restart(),
};

test('whatever happens, the same is said as if every answer were looked at', async () => {
  const names = Object.keys(acts) as (keyof typeof acts)[];
  const alerts = new Set<string>();
  const minute = fc.array(fc.constantFrom(...names), { maxLength: 3 });
  await fc.assert(
    fc.asyncProperty(fc.array(minute, { minLength: 8, maxLength: 16 }), async (minutes) => {
      const worlds = await Promise.all(
        [nothing, digestsOnly, undefined].map((answers) =>
          createWorld(EVERYTHING, answers === undefined ? {} : { answers }),
        ),
      );
      await using _all = { [Symbol.asyncDispose]: () => closeAll(worlds) };
      for (const happening of [[], ...minutes.flatMap((acts) => [acts, []])]) {
        const [looked, ...others] = await Promise.all(worlds.map((world) => pollAfter(world, happening)));
        for (const said of others) expect(said).toEqual(looked);
        for (const alert of looked ?? []) alerts.add(alert);
      }
    }),
    { numRuns: 6 },
  );
  expect(alerts.size).toBeGreaterThan(5);
});

async function closeAll(worlds: readonly World[]): Promise<void> {
  for (const world of worlds) await world[Symbol.asyncDispose]();
}

async function pollAfter(world: World, happening: readonly (keyof typeof acts)[]): Promise<string[]> {
  for (const name of happening) await acts[name](world);
  return (await world.poll()).toSorted();
}
