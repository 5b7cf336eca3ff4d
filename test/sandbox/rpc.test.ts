// Calls of contracts as explorers answer them, with their limits.
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { AbiParameters, Address } from 'ox';
import { parseSignature, selectorOf } from '../../src/lib/abi/signature.ts';
import { ADDRESSES, API_KEY, CHAIN_ID, CONTRACTS, TOKENS } from '../../src/sandbox/names.ts';
import { createSandbox, type Sandbox } from '../../src/sandbox/sandbox.ts';
import type { Release } from '../../src/sandbox/releases/release.ts';
import { serveSandbox, type SandboxServer } from '../../src/sandbox/server.ts';
import { createFakeClock } from '../support/fake-clock.ts';

let sandbox: Sandbox;
let served: SandboxServer;

async function serve(as: Release | null = null): Promise<void> {
  sandbox = createSandbox({ seed: 7, blockTimeMs: 'manual', clock: createFakeClock(), quiet: true, as });
  served = await serveSandbox(sandbox);
}

beforeEach(() => serve());
afterEach(() => served.close());

interface Posted {
  readonly status: number;
  readonly body: unknown;
}

async function post(body: unknown, path = '/api/eth-rpc', headers: Record<string, string> = {}): Promise<Posted> {
  const text = typeof body === 'string' ? body : JSON.stringify(body);
  const response = await fetch(served.url + path, { method: 'POST', body: text, headers });
  return { status: response.status, body: await response.json() };
}

async function result(method: string, ...params: readonly unknown[]): Promise<unknown> {
  const { body } = await post([{ jsonrpc: '2.0', id: 7, method, params }]);
  const [{ id, result: value, error }] = body as [{ id: number; result?: unknown; error?: unknown }];
  expect(id).toBe(7);
  return error ?? value;
}

/** `words`: arguments, each as a number or an address. */
function call(to: string, signature: string, ...words: readonly (string | number)[]): Promise<unknown> {
  const parsed = parseSignature(signature);
  if ('mistake' in parsed) throw new Error(parsed.mistake.message);
  const digits = words.map((word) => BigInt(word).toString(16).padStart(64, '0'));
  return result('eth_call', { to, input: selectorOf(parsed.signature) + digits.join('') }, 'latest');
}

const { vault, hot_wallet } = ADDRESSES;

test('the assets of the vault are what it holds, until somebody takes them', async () => {
  const assets = await call(vault, 'totalAssets()');
  expect(BigInt(String(assets))).toBeGreaterThan(0n);
  expect(await call(TOKENS.USDC, 'balanceOf(address account)', vault)).toBe(assets);
  const one = 10n ** 18n;
  expect(BigInt(String(await call(vault, 'convertToAssets(uint256 shares)', String(one))))).toBe(
    (one * BigInt(String(assets))) / BigInt(String(await call(vault, 'totalSupply()'))),
  );
  sandbox.moveBalance({ from: vault, to: hot_wallet, token: TOKENS.USDC, value: 5 });
  expect(await call(vault, 'totalAssets()')).toBe(assets);
  const held = BigInt(String(await call(TOKENS.USDC, 'balanceOf(address account)', vault)));
  expect(held).toBe(BigInt(String(assets)) - 5n);
});

test('slots, coins and the newest block', async () => {
  const slot = '0x360894a13ba1a3210667c828492db98dca3e2076cc3735a920a3ca505d382bbc';
  expect(await result('eth_getStorageAt', vault, slot, 'latest')).toBe(
    `0x${CONTRACTS.implementation.slice(2).toLowerCase().padStart(64, '0')}`,
  );
  sandbox.setSlot({ slot: '0x1', value: '0x2' });
  expect(await result('eth_getStorageAt', vault, `0x${'1'.padStart(64, '0')}`, 'latest')).toBe(
    `0x${'2'.padStart(64, '0')}`,
  );
  sandbox.setBalance({ address: hot_wallet, value: 255 });
  expect(await result('eth_getBalance', hot_wallet, 'latest')).toBe('0xff');
  expect(await result('eth_blockNumber')).toBe('0x64');
  expect(await result('eth_getBalance', hot_wallet, '0x10000')).toMatchObject({ code: -32000 });
});

test('a result that is set holds from its block on, and is gone when its block is dropped', async () => {
  const [before, other] = [await call(vault, 'owner()'), `0x${'7'.padStart(64, '0')}`];
  sandbox.mine({ blocks: 5 });
  sandbox.setResult({ call: 'owner()', value: '0x7' });
  const slot = `0x${'1'.padStart(64, '0')}`;
  sandbox.setSlot({ slot, value: '0x2' });
  expect(await call(vault, 'owner()')).toBe(other);
  expect(await result('eth_getStorageAt', vault, slot, 'latest')).toBe(`0x${'2'.padStart(64, '0')}`);
  const data = selectorOf({ name: 'owner', args: [] });
  expect(await result('eth_call', { to: vault, input: data }, '0x68')).toBe(before);
  sandbox.mine({ blocks: 2 });
  sandbox.reorganise({ blocks: 3, transactions: 'remined' });
  expect(await call(vault, 'owner()')).toBe(other);
  sandbox.reorganise({ blocks: 2, transactions: 'dropped' });
  expect(await call(vault, 'owner()')).toBe(other);
  sandbox.reorganise({ blocks: 3, transactions: 'dropped' });
  expect(await call(vault, 'owner()')).toBe(before);
  expect(await result('eth_getStorageAt', vault, slot, 'latest')).toBe(`0x${'0'.repeat(64)}`);
});

describe('what has no value', () => {
  test('an account without code answers 0x, and another function reverts', async () => {
    expect(await call(hot_wallet, 'totalAssets()')).toBe('0x');
    expect(await call(vault, 'nonesuch()')).toMatchObject({ message: 'execution reverted' });
    sandbox.revertCall({ call: 'totalAssets()' });
    expect(await call(vault, 'totalAssets()')).toMatchObject({ message: 'execution reverted' });
    sandbox.revertCall({ call: 'totalAssets()', reverts: false });
    expect(await call(vault, 'totalAssets()')).toMatch(/^0x/);
  });

  test('a method that is not there is refused with a text up to release 11, and with an object since', async () => {
    expect(await result('eth_mine')).toBe('Action not found.');
    await served.close();
    await serve('12');
    expect(await result('eth_mine')).toEqual({ code: -32601, message: 'Method not found' });
  });
});

describe('eth_getLogs', () => {
  const PAUSED = `0x62e78cea01bee320cd4e420270b5ea74000d11b0c9f74754ebdbfc544b05a258`;
  const UNPAUSED = '0x5db9ee0a495bf2e6ff9c91a7834c1ba4fdd244a5e8aa4e537bd38aeae4b073aa';
  const word = (address: string): string => `0x${address.slice(2).toLowerCase().padStart(64, '0')}`;
  const filtered = (topics: unknown, more: object = { address: vault }): Promise<unknown> =>
    result('eth_getLogs', { fromBlock: '0x0', toBlock: 'latest', topics, ...more });
  const approve = (owner: string, spender: string): void => {
    const event = 'Approval(address indexed owner, address indexed spender, uint256 value)';
    sandbox.emit({ address: TOKENS.USDC, event, args: [owner, spender, '5'] });
  };

  test('shows the logs that getLogs shows, the oldest first, with block hash and without time', async () => {
    sandbox.emit({ event: 'Paused(address account)', args: ['treasury'] });
    sandbox.mine();
    sandbox.emit({ event: 'Unpaused(address account)', args: ['treasury'], times: 2 });
    const rows = (await filtered([[PAUSED, UNPAUSED]])) as readonly Record<string, unknown>[];
    expect(rows).toMatchObject([
      { address: vault.toLowerCase(), blockNumber: '0x64', logIndex: '0x0', topics: [PAUSED], removed: false },
      { blockNumber: '0x65', logIndex: '0x0', topics: [UNPAUSED] },
      { blockNumber: '0x65', logIndex: '0x1', topics: [UNPAUSED] },
    ]);
    expect(rows[0]).toHaveProperty('blockHash', expect.stringMatching(/^0x[0-9a-f]{64}$/));
    expect(rows[0]).not.toHaveProperty('timeStamp');
    const query = `module=logs&action=getLogs&address=${vault}&fromBlock=0&toBlock=latest`;
    const { result: same } = (await (await fetch(`${served.url}/api?${query}`)).json()) as { result: typeof rows };
    const idOf = ({ transactionHash, topics, data }: Record<string, unknown>): unknown => [
      transactionHash,
      (topics as (string | null)[]).filter((topic) => topic !== null),
      data,
    ];
    expect(rows.map(idOf)).toEqual(same.map(idOf));
    expect(await filtered([PAUSED])).toHaveLength(1);
    expect(await filtered([UNPAUSED], { address: vault, toBlock: '0x64' })).toEqual([]);
    expect(await filtered([[PAUSED]], {})).toHaveLength(1);
  });

  test('has 1,000 rows at most', async () => {
    sandbox.emit({ event: 'Paused(address account)', args: ['treasury'], times: 1001 });
    expect(await filtered([PAUSED])).toHaveLength(1000);
  });

  test('goes by one of several values, and moves the places behind a null up', async () => {
    approve(vault, hot_wallet);
    approve(hot_wallet, vault);
    approve(ADDRESSES.treasury, vault);
    const [{ topics }] = (await filtered(null, { address: TOKENS.USDC })) as [{ topics: [string] }];
    const of = (...places: readonly unknown[]): Promise<unknown> =>
      filtered([topics[0], ...places], { address: TOKENS.USDC });
    expect(await of([word(vault), word(hot_wallet)])).toHaveLength(2);
    expect(await of(null, word(vault))).toHaveLength(1);
    expect(await of(word(hot_wallet), word(vault))).toHaveLength(1);
  });

  test('refuses topics that it does not understand, and before release 12 a list before the last place', async () => {
    for (const topics of [[], ['0x12'], [[]], 'all']) expect(await filtered(topics)).toBe('invalid params');
    expect(await filtered([PAUSED], { address: '0x12' })).toBe('invalid params');
    expect(await filtered([PAUSED], { address: vault, fromBlock: 'never' })).toBe('invalid params');
    expect(await filtered(null, {})).toBe('invalid params');
    expect(await filtered([[PAUSED, UNPAUSED], word(vault)])).toBe('invalid params');
    await served.close();
    await serve('12');
    expect(await filtered([[PAUSED, UNPAUSED], word(vault)])).toEqual([]);
    expect(await filtered([])).toEqual({ code: -32602, message: 'Invalid params' });
  });
});

describe('a request', () => {
  const BLOCK = { jsonrpc: '2.0', id: 1, method: 'eth_blockNumber', params: [] };

  test('has at most five calls, and may have one without an array', async () => {
    expect((await post([BLOCK, BLOCK, BLOCK, BLOCK, BLOCK])).status).toBe(200);
    expect((await post([BLOCK, BLOCK, BLOCK, BLOCK, BLOCK, BLOCK])).status).toBe(413);
    expect((await post(BLOCK)).body).toEqual({ jsonrpc: '2.0', id: 1, result: '0x64' });
    expect((await post('{')).status).toBe(400);
  });

  test('is a POST, and no other operation is', async () => {
    expect((await fetch(`${served.url}/api/eth-rpc`)).status).toBe(405);
    expect((await post([BLOCK], '/api/v2/blocks')).status).toBe(405);
    expect((await post('x'.repeat(70_000))).status).toBe(413);
  });

  test('of the multichain form needs a key', async () => {
    const path = `/${CHAIN_ID}/json-rpc`;
    expect((await post([BLOCK], path)).status).toBe(402);
    expect((await post([BLOCK], path, { authorization: `Bearer ${API_KEY}` })).status).toBe(200);
  });
});

describe('Multicall3', () => {
  const multicall = '0xcA11bde05977b3631167028862bE2a173976CA11';
  const aggregate = 'aggregate3((address target, bool allowFailure, bytes callData)[] calls)';
  const selector = (signature: string): string => {
    const parsed = parseSignature(signature);
    if ('mistake' in parsed) throw new Error(parsed.mistake.message);
    return selectorOf(parsed.signature);
  };
  const several = async (...calls: readonly (readonly [string, boolean, string])[]): Promise<unknown> => {
    const list = AbiParameters.encode(
      AbiParameters.from(['struct Call { address target; bool allowFailure; bytes callData; }', 'Call[] calls']),
      [
        calls.map(([target, allowFailure, callData]) => ({
          target: Address.checksum(target as `0x${string}`),
          allowFailure,
          callData: callData as `0x${string}`,
        })),
      ],
    );
    const answer = await result('eth_call', { to: multicall, input: selector(aggregate) + list.slice(2) }, 'latest');
    if (typeof answer !== 'string') return answer;
    const [results] = AbiParameters.decode(
      AbiParameters.from(['struct Result { bool success; bytes returnData; }', 'Result[] results']),
      answer as `0x${string}`,
    );
    return results.map(({ success, returnData }) => [success, returnData]);
  };

  test('answers many calls as each alone is answered, and hides none behind one that reverts', async () => {
    sandbox.setBalance({ address: hot_wallet, value: 255 });
    const coins = selector('getEthBalance(address account)') + hot_wallet.slice(2).toLowerCase().padStart(64, '0');
    expect(
      await several(
        [vault, true, selector('totalAssets()')],
        [vault, true, selector('nonesuch()')],
        [hot_wallet, true, selector('totalAssets()')],
        [multicall, true, coins],
      ),
    ).toEqual([
      [true, await call(vault, 'totalAssets()')],
      [false, '0x'],
      [true, '0x'],
      [true, `0x${(255).toString(16).padStart(64, '0')}`],
    ]);
  });

  test('reverts where a call reverts that may not', async () => {
    expect(await several([vault, false, selector('nonesuch()')])).toMatchObject({ message: 'execution reverted' });
    sandbox.revertCall({ address: multicall, call: aggregate });
    expect(await several([vault, true, selector('totalAssets()')])).toMatchObject({ message: 'execution reverted' });
  });
});
