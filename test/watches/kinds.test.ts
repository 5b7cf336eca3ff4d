import { readdirSync } from 'node:fs';
import { describe, expect, test } from '@jest/globals';
import { kinds } from '../../src/watches/index.ts';
import { typeAt } from '../../src/core/values/fields.ts';
import { createWorld, type World } from '../support/world.ts';

test('every kind in the folder stands in the list', () => {
  const helpers = [
    'synthetic.ts',
    'index.ts',
    'examples.ts',
    'list-events.ts',
    'list-state.ts',
    'unchanged.ts',
    'one-change.ts',
    'seen-rows.ts',
    'newest-first-list.ts',
    'values.ts',
  ];
  const files = readdirSync('src/watches').filter((file) => file.endsWith('.ts') && !helpers.includes(file));
  const missing = files.filter((file) => !kinds.some(({ name }) => `${name}.ts` === file));
  expect(missing.map((file) => `add the kind of ${file} to src/watches/index.ts`)).toEqual([]);
});

test('names and nouns are fit for rules', () => {
  expect(new Set(kinds.map(({ name }) => name)).size).toBe(kinds.length);
  for (const kind of kinds) expect(kind.noun).toMatch(/^[a-z]+$/);
});

describe.each(kinds.map((kind) => [kind.name, kind] as const))('%s', (_name, kind) => {
  test('shows, compares and exports only fields that it has', () => {
    const paths = [...kind.shown, ...kind.comparedByDefault, ...(kind.while?.exported ?? [])];
    expect(paths.filter((path) => typeAt(kind.fields, path) === undefined)).toEqual([]);
  });

  test('tests write what it sees in the fields that rules read', () => {
    const { fields } = kind.script.record;
    const differing = Object.entries(fields).filter(([name, { type }]) => typeAt(kind.fields, name) !== type);
    expect(differing.map(([name]) => name)).toEqual([]);
  });
});

const EVERYTHING = `
watches:
  - { id: a, kind: balance, of: treasury, token: USDC, every: 1m, alerts: [{ id: x, on: changed }, { id: y, while: balance > 1e60 }] }
  - { id: b, kind: holdings, of: treasury, every: 1m, alerts: [{ id: x, on: added }, { id: y, on: removed }] }
  - { id: c, kind: token, token: ACME, every: 1m, alerts: [{ id: x, on: changed }] }
  - { id: d, kind: internal-transactions, of: vault, every: 1m, alerts: [{ id: x, on: new }] }
  - { id: e, kind: transactions, of: vault, every: 1m, alerts: [{ id: x, on: new }] }
  - { id: h, kind: logs, of: USDC, events: [Transfer, Approval], every: 1m, alerts: [{ id: x, on: new }] }
  - { id: i, kind: transfers, of: treasury, every: 1m, alerts: [{ id: x, on: new }] }
  - { id: f, kind: blocks, every: 1m, alerts: [{ id: x, on: new }] }
  - { id: g, kind: contract, of: vault, expected: treasury, every: 1m, alerts: [{ id: x, on: changed }, { id: y, while: is_verified == false }] }
  - { id: j, kind: read, of: vault, read: { assets: { call: 'totalAssets() view returns (uint256)', units: USDC } }, every: 1m, alerts: [{ id: x, on: changed }, { id: y, while: assets < 5 }] }
`;

test('the first poll of every kind says nothing, and the second, on the same chain, has learned nothing', async () => {
  await using world = await createWorld(EVERYTHING, { isLively: true });
  expect(await world.poll()).toEqual([]);
  expect(await world.poll()).toEqual([]);
  expect(world.decisions.map(({ hasChanged }) => hasChanged)).toEqual(Array.from({ length: 10 }, () => false));
});

test('what every kind remembers survives the store, and a restart', async () => {
  await using world = await createWorld(EVERYTHING, { isLively: true });
  await world.poll();
  await world.restart();
  expect(await world.poll()).toEqual([]);
  expect(world.log.lines.filter((line) => line.startsWith('warn'))).toEqual([]);
});

test('both forms of the API say the same with the same ids', async () => {
  const told = async (form: 'instance' | 'multichain'): Promise<string[]> => {
    await using world = await createWorld(EVERYTHING, { form, isLively: true });
    await world.poll();
    world.sandbox.mine({ blocks: 30 });
    await world.poll();
    return world.messages.map(({ key }) => key).toSorted();
  };
  const [instance, multichain] = [await told('instance'), await told('multichain')];
  expect(instance.length).toBeGreaterThan(10);
  expect(multichain).toEqual(instance);
});

test.each(['repeated-rows', 'shuffled-rows'] as const)('%s: every item is told once all the same', async (fault) => {
  const told = async (isSpoilt: boolean): Promise<string[]> => {
    await using world = await createWorld(EVERYTHING, { isLively: true });
    await world.poll();
    world.sandbox.mine({ blocks: 30 });
    if (isSpoilt) world.sandbox.fail({ fault, times: 1000 });
    const items: string[] = [];
    // A holding that is gone is told by the second poll.
    for (let count = 0; count < 2; count += 1) {
      await world.poll();
      // Holdings are numbered in the order in which they are met, so their keys differ.
      items.push(...world.messages.map(({ watch, alert, fields }) => JSON.stringify([watch, alert, fields])));
    }
    world.sandbox.clearFaults();
    expect(await world.poll()).toEqual([]);
    return items.toSorted();
  };
  expect(await told(true)).toEqual(await told(false));
});

test('a list that stays behind the others is told when it catches up, and nothing twice', async () => {
  await using world = await createWorld(EVERYTHING, { isLively: true });
  const lists = [
    'transactions',
    'address-transactions',
    'address-internal-transactions',
    'address-tokens',
    'get-logs',
  ] as const;
  await world.poll();
  for (const operation of lists) world.sandbox.lag({ operation, blocks: 8 });
  const keys: string[] = [];
  for (let step = 0; step < 6; step++) {
    world.sandbox.mine({ blocks: 5 });
    await world.poll();
    keys.push(...newsIn(world));
  }
  for (const operation of lists) world.sandbox.lag({ operation, blocks: 0 });
  await world.poll();
  keys.push(...newsIn(world));
  expect(new Set(keys).size).toBe(keys.length);
  expect(keys.length).toBeGreaterThan(30);
});

/** Without corrections of what was told while it waited. */
function newsIn({ messages }: World): string[] {
  return messages.filter(({ type }) => type === 'alert.event').map(({ key }) => key);
}
