// `txlistinternal` as explorers answer it: the traps that a reader meets.
import { describe, expect, test } from '@jest/globals';
import { ADDRESSES } from '../../src/sandbox/names.ts';
import type { Release } from '../../src/sandbox/releases/release.ts';
import { createSandbox, type Sandbox } from '../../src/sandbox/sandbox.ts';
import { serveSandbox } from '../../src/sandbox/server.ts';
import { createFakeClock } from '../support/fake-clock.ts';

interface Answer {
  readonly status: string;
  readonly message: string;
  readonly result: readonly Readonly<Record<string, string>>[] | null;
}

interface Served extends AsyncDisposable {
  readonly sandbox: Sandbox;
  ask(query: string): Promise<Answer>;
}

async function serve(as: Release | null = null): Promise<Served> {
  const sandbox = createSandbox({ seed: 7, blockTimeMs: 'manual', clock: createFakeClock(), quiet: true, as });
  const served = await serveSandbox(sandbox);
  return {
    sandbox,
    async ask(query) {
      const response = await fetch(`${served.url}/api?module=account&action=txlistinternal&${query}`);
      expect(response.status).toBe(200);
      return (await response.json()) as Answer;
    },
    [Symbol.asyncDispose]: () => served.close(),
  };
}

const VAULT = `address=${ADDRESSES.vault}&include_zero_value=true&sort=asc`;

test('calls are shown with their data, the oldest first, and numbers as decimal text', async () => {
  await using chain = await serve();
  chain.sandbox.callContract({ to: 'vault', function: 'setOwner(address newOwner)', args: ['treasury'] });
  chain.sandbox.mine();
  chain.sandbox.failCall({ to: 'vault', reason: 'paused' });
  chain.sandbox.failCall({ to: 'vault', type: 'create' });
  const { status, result } = await chain.ask(VAULT);
  expect(status).toBe('1');
  const owner = ADDRESSES.treasury.slice(2).toLowerCase().padStart(64, '0');
  expect(result).toMatchObject([
    { blockNumber: '100', isError: '0', errCode: '', type: 'call', callType: 'call', input: `0x13af4035${owner}` },
    { blockNumber: '101', isError: '1', errCode: 'paused', input: '0x', value: '0' },
    { type: 'create', callType: '', to: '', contractAddress: ADDRESSES.vault, input: '' },
  ]);
});

test('a range, a side and a page are what was asked for', async () => {
  await using chain = await serve();
  for (let i = 0; i < 4; i += 1) {
    chain.sandbox.mine();
    chain.sandbox.callContract({ to: 'vault' });
  }
  chain.sandbox.callContract({ to: 'treasury', from: ADDRESSES.vault });
  const heights = async (query: string): Promise<readonly string[]> =>
    ((await chain.ask(`${VAULT}&${query}`)).result ?? []).map(({ blockNumber = '' }) => blockNumber);
  expect(await heights('startblock=102&endblock=103')).toEqual(['102', '103']);
  expect(await heights('startblock=103&filter_by=to')).toEqual(['103', '104']);
  expect(await heights('filter_by=from')).toEqual(['104']);
  expect(await heights('page=2&offset=2')).toEqual(['103', '104', '104'].slice(0, 2));
});

test('no call is status 0 with an empty list, a refused question has no list', async () => {
  await using chain = await serve();
  expect(await chain.ask(VAULT)).toEqual({ status: '0', message: 'No internal transactions found', result: [] });
  expect((await chain.ask('sort=asc')).result).toBeNull();
});

describe.each([
  ['8', true, '1'],
  ['9', false, '1'],
  ['11', false, '2'],
] as const)('release %s', (as, showsZero, status) => {
  test('leaves out calls without coins unless asked, from 9.0; names missing traces, from 10.0', async () => {
    await using chain = await serve(as);
    chain.sandbox.callContract({ to: 'vault' });
    expect((await chain.ask(`address=${ADDRESSES.vault}`)).result).toHaveLength(showsZero ? 1 : 0);
    chain.sandbox.mine({ blocks: 20 });
    chain.sandbox.hideTraces({ block: chain.sandbox.head() });
    const answer = await chain.ask(VAULT);
    expect(answer.result).toHaveLength(1);
    expect(answer.status).toBe(status);
    expect((await chain.ask(`${VAULT}&endblock=110`)).status).toBe('1');
  });
});
