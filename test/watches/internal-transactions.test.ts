import { describe, expect, test } from '@jest/globals';
import { createWorld, type World } from '../support/world.ts';

const RULES = `
watches:
  - id: vault-calls
    kind: internal-transactions
    of: vault
    direction: to
    every: 1m
    alerts:
      - { id: call-failed, on: new, if: success == false, text: '{{ error }}' }
`;

test('a call that fails is told once', async () => {
  await using world = await createWorld(RULES);
  world.sandbox.failCall({ to: 'vault', reason: 'before the baseline' });
  expect(await world.poll()).toEqual([]);
  world.sandbox.mine();
  world.sandbox.failCall({ to: 'vault', reason: 'paused' });
  expect(await world.poll()).toEqual(['call-failed event']);
  expect(world.messages[0]?.text).toEqual([{ untrusted: 'paused' }]);
  expect(await world.poll()).toEqual([]);
});

test('calls that are traced late appear below newer ones, and are told', async () => {
  await using world = await createWorld(RULES);
  world.sandbox.failCall({ to: 'vault' });
  await world.poll();
  world.sandbox.mine();
  world.sandbox.hideTraces({ block: world.sandbox.head() });
  const late = world.sandbox.head();
  world.sandbox.failCall({ to: 'vault', reason: 'late' });
  world.sandbox.mine();
  world.sandbox.failCall({ to: 'vault', reason: 'in time' });
  expect(await world.poll()).toEqual(['call-failed event']);
  world.sandbox.hideTraces({ block: late, hidden: false });
  expect(await world.poll()).toEqual(['call-failed event']);
  expect(world.messages[0]?.text).toEqual([{ untrusted: 'late' }]);
});

test('more than a page of new calls is read page by page, oldest told first, none twice', async () => {
  await using world = await createWorld(RULES);
  await world.poll();
  for (let i = 0; i < 120; i += 1) {
    world.sandbox.mine();
    world.sandbox.failCall({ to: 'vault', reason: `number ${i}` });
  }
  const said = await world.poll();
  expect(said).toHaveLength(120);
  expect(world.messages[0]?.text).toEqual([{ untrusted: 'number 0' }]);
  expect(await world.poll()).toEqual([]);
});

test('a page that fails on the way leaves a gap that the next poll reads', async () => {
  await using world = await createWorld(RULES);
  await world.poll();
  for (let i = 0; i < 120; i += 1) {
    world.sandbox.mine();
    world.sandbox.failCall({ to: 'vault', reason: `number ${i}` });
  }
  world.sandbox.fail({ fault: 'stuck-cursor', times: 1 });
  const first = await world.poll();
  const second = await world.poll();
  const third = await world.poll();
  expect(first.length + second.length).toBe(120);
  expect(third).toEqual([]);
});

test('after a reorganisation the same call in another block is not told again', async () => {
  await using world = await createWorld(RULES);
  await world.poll();
  world.sandbox.mine();
  world.sandbox.failCall({ to: 'vault' });
  expect(await world.poll()).toEqual(['call-failed event']);
  world.sandbox.reorganise({ blocks: 1 });
  expect(await world.poll()).toEqual([]);
});

describe('watches of both directions', () => {
  const TO = RULES.replace('watches:', '').replaceAll('vault-calls', 'to').replace('id: call-failed', 'id: got');
  const FROM = TO.replace('id: to', 'id: from').replace('direction: to', 'direction: from').replace('got', 'gave');
  const BOTH = `watches:${TO}${FROM}`;
  const listsIn = ({ asked }: { readonly asked: readonly string[] }): readonly string[] =>
    asked.filter((one) => one.includes('internal-transactions'));

  async function live(rules: string, happens: (world: World, minute: number) => void) {
    await using world = await createWorld(rules);
    const said: string[] = [];
    world.sandbox.failCall({ to: 'vault', reason: 'before' });
    world.sandbox.failCall({ from: 'vault', to: 'treasury', reason: 'before' });
    for (let minute = 1; minute <= 20; minute += 1) {
      happens(world, minute);
      said.push(...(await world.poll()).map((what) => `${minute} ${what}`));
    }
    return { said: said.toSorted(), lists: listsIn(world) };
  }

  /** One each way in the third minute, one each way that is traced late, and a block that is replaced. */
  function calls({ sandbox }: World, minute: number): void {
    sandbox.mine();
    if (minute === 3) sandbox.failCall({ to: 'vault', reason: 'in' });
    if (minute === 5) sandbox.failCall({ from: 'vault', to: 'treasury', reason: 'out' });
    if (minute === 8) sandbox.hideTraces({ block: sandbox.head() });
    if (minute === 8) sandbox.failCall({ to: 'vault', reason: 'late in' });
    if (minute === 8) sandbox.failCall({ from: 'vault', to: 'treasury', reason: 'late out' });
    if (minute === 10) sandbox.hideTraces({ block: sandbox.head() - 2, hidden: false });
    if (minute === 14) sandbox.reorganise({ blocks: 3 });
  }

  test('ask one question in each tick, and tell the same as apart', async () => {
    const [both, to, from] = [
      await live(BOTH, calls),
      await live(`watches:${TO}`, calls),
      await live(`watches:${FROM}`, calls),
    ];
    expect(both.said).toEqual([...to.said, ...from.said].toSorted());
    expect(both.said).toContain('10 got event');
    expect(both.said).toContain('10 gave event');
    const [apart, together] = [to.lists.length + from.lists.length, both.lists.length];
    // The first reading of each is its own.
    expect([apart, together]).toEqual([40, 21]);
  });

  test('strangers that fill the page hide nothing: then each asks its own question', async () => {
    const flood = (world: World, minute: number): void => {
      world.sandbox.mine();
      if (minute === 6) world.sandbox.failCall({ from: 'vault', to: 'treasury', reason: 'out' });
      if (minute === 6 || minute === 7)
        for (let i = 0; i < 70; i += 1) {
          world.sandbox.mine();
          world.sandbox.failCall({ to: 'vault', reason: `number ${i}` });
        }
    };
    const { said, lists } = await live(BOTH, flood);
    expect(said.filter((what) => what.endsWith('gave event'))).toEqual(['6 gave event']);
    expect(said.filter((what) => what.endsWith('got event'))).toHaveLength(140);
    expect(lists.filter((asked) => asked.includes('filter=from')).length).toBeGreaterThan(1);
  });

  test('are due at the same moments', async () => {
    await using world = await createWorld(BOTH.replace('every: 1m', 'every: 5m'));
    await world.run(20 * 60_000);
    // Sixteen times one alone, four times both together; the first reading of the slower one is its own.
    expect(listsIn(world).length).toBeLessThanOrEqual(22);
    expect(listsIn(world).filter((asked) => !asked.includes('filter')).length).toBeGreaterThanOrEqual(3);
  });
});

test('a delegatecall and a callcode move no coins, whatever the explorer shows', async () => {
  await using world = await createWorld(`
watches:
  - id: vault-sends
    kind: internal-transactions
    of: vault
    direction: from
    every: 1m
    alerts:
      - { id: sent, on: new, if: value > 0 }
      - { id: shown, on: new, if: inherited_value > 0, text: '{{ inherited_value }}' }
`);
  await world.poll();
  for (const type of ['delegatecall', 'callcode', 'call'] as const) {
    world.sandbox.mine();
    world.sandbox.failCall({ from: 'vault', to: 'treasury', type, value: 10n ** 18n });
  }
  expect(await world.poll()).toEqual(['sent event', 'shown event', 'shown event']);
  expect(world.messages[1]?.text).toEqual([{ text: '1' }]);
});
