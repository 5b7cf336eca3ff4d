// A watch that names events and functions by an ABI file, from the explorer to the message.
import { expect, test } from '@jest/globals';
import type { AbiFiles } from '../../src/rules/abi/abi-files.ts';
import { createWorld, pollsWithBlocks, type World } from '../support/world.ts';

const SWEPT = 'Swept(address indexed to, uint256 amount)';
const EVENTS = [
  {
    type: 'event',
    name: 'Swept',
    inputs: [
      { type: 'address', name: 'to', indexed: true },
      { type: 'uint256', name: 'amount' },
    ],
  },
];
const LOCKED = { type: 'event', name: 'Swept', inputs: [{ type: 'bool', name: 'isAll' }] };

const filesWith = (...entries: readonly object[]): AbiFiles =>
  new Map([['Vault.json', { text: JSON.stringify([...EVENTS, ...entries]) }]]);

function rules(keys: string): string {
  const alert = '{ id: any, on: new, severity: critical }';
  return `watches: [{ id: w, kind: logs, of: vault, every: 1m, ${keys}, alerts: [${alert}] }]`;
}

function sweep(world: World): void {
  world.sandbox.mine();
  world.sandbox.emit({ event: SWEPT, args: ['treasury', '5'] });
}

test('abi added at a reload, and a file that changed, lose nothing and repeat nothing', async () => {
  await using world = await createWorld(rules(`events: '${SWEPT}'`));
  await world.poll();
  sweep(world);
  await world.load(rules('abi: Vault.json, events: [Swept, Upgraded]'), filesWith());
  expect(await world.poll()).toEqual(['any event']);
  expect(await pollsWithBlocks(world, 3)).toEqual([]);
  // The proxy emits it, and the ABI of the implementation lacks it.
  world.sandbox.mine();
  world.sandbox.emit({ event: 'Upgraded(address indexed implementation)', args: ['treasury'] });
  expect(await world.poll()).toEqual(['any event']);
  sweep(world);
  await world.load(rules('abi: Vault.json, events: [Swept, Upgraded]'), filesWith(LOCKED));
  expect(await world.poll()).toEqual(['any event']);
  world.sandbox.mine();
  world.sandbox.emit({ event: 'Swept(bool isAll)', args: ['true'] });
  expect(await world.poll()).toEqual(['any event']);
  await world.restart();
  expect(await pollsWithBlocks(world, 3)).toEqual([]);
});
