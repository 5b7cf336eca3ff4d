// An answer that came before is passed over. Nothing may be passed over with it.
import { describe, expect, test } from '@jest/globals';
import { createWorld } from '../support/world.ts';

describe.each([
  ['as a whole', {}],
  ['as digests only', { answerBytes: 0 }],
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
