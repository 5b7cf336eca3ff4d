// `getLogs` as explorers answer it: the traps that a reader meets.
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { parseEvent, topicOf } from '../../src/lib/abi/signature.ts';
import { ADDRESSES, TOKENS } from '../../src/sandbox/names.ts';
import { createSandbox, type Sandbox } from '../../src/sandbox/sandbox.ts';
import { serveSandbox, type SandboxServer } from '../../src/sandbox/server.ts';
import { createFakeClock } from '../support/fake-clock.ts';

let sandbox: Sandbox;
let served: SandboxServer;

beforeEach(async () => {
  sandbox = createSandbox({ seed: 7, blockTimeMs: 'manual', clock: createFakeClock(), quiet: true });
  served = await serveSandbox(sandbox);
});

afterEach(() => served.close());

interface Answer {
  readonly status: string;
  readonly message: string;
  readonly result: readonly Readonly<Record<string, unknown>>[] | null;
}

async function ask(query: string, path = '/api'): Promise<Answer> {
  const response = await fetch(`${served.url}${path}?module=logs&action=getLogs&${query}`);
  expect(response.status).toBe(200);
  return (await response.json()) as Answer;
}

const VAULT = `address=${ADDRESSES.vault}`;
const RANGE = 'fromBlock=0&toBlock=latest';

function topicOfEvent(text: string): string {
  const parsed = parseEvent(text);
  return 'signature' in parsed ? topicOf(parsed.signature) : '';
}

describe('an answer', () => {
  test('has the logs of a contract, the oldest first, with numbers in hexadecimal digits and four places for topics', async () => {
    sandbox.emit({ args: ['treasury'] });
    sandbox.mine();
    sandbox.emit({ event: 'Unpaused(address account)', args: ['treasury'] });
    const { status, result } = await ask(`${VAULT}&${RANGE}`);
    expect(status).toBe('1');
    expect(result).toMatchObject([
      { blockNumber: '0x64', logIndex: '0x', topics: [topicOfEvent('Paused(address account)'), null, null, null] },
      { blockNumber: '0x65', data: `0x${ADDRESSES.treasury.slice(2).toLowerCase().padStart(64, '0')}` },
    ]);
  });

  test('without logs has status 0 and an empty list, a refused question has none', async () => {
    expect(await ask(`${VAULT}&${RANGE}`)).toEqual({ status: '0', message: 'No logs found', result: [] });
    expect((await ask(VAULT)).result).toBeNull();
    expect((await ask(RANGE)).result).toBeNull();
  });

  test('to a pair of topics needs their operator, and leaves a malformed topic out without a word', async () => {
    sandbox.emit({ args: ['treasury'] });
    const topic = `topic0=${topicOfEvent('Unpaused(address account)')}`;
    expect((await ask(`${VAULT}&${RANGE}&${topic}`)).result).toEqual([]);
    expect((await ask(`${VAULT}&${RANGE}&${topic}&topic2=${topic}`)).result).toBeNull();
    expect((await ask(`${VAULT}&${RANGE}&topic0=0x12`)).result).toHaveLength(1);
  });

  test('has at most 1,000 logs', async () => {
    sandbox.emit({ args: ['treasury'], times: 1200 });
    expect((await ask(`${VAULT}&${RANGE}`)).result).toHaveLength(1000);
  });

  test('of the multichain form comes from below the chain, and from one address for all chains', async () => {
    sandbox.emit({ args: ['treasury'] });
    const key = `apikey=${sandbox.apiKey}`;
    expect((await ask(`${VAULT}&${RANGE}&${key}`, `/${sandbox.chainId}/api`)).result).toHaveLength(1);
    expect((await ask(`${VAULT}&${RANGE}&${key}&chain_id=${sandbox.chainId}`, '/v2/api')).result).toHaveLength(1);
  });

  test('lacks what a reorganisation dropped', async () => {
    sandbox.mine();
    sandbox.emit({ args: ['treasury'] });
    sandbox.reorganise({ blocks: 1, transactions: 'dropped' });
    expect((await ask(`${VAULT}&${RANGE}`)).result).toEqual([]);
  });
});

test('each transfer of a token has its log, and the vault has events of its own', async () => {
  await using lively = await serveSandbox(
    createSandbox({ seed: 7, blockTimeMs: 'manual', clock: createFakeClock(), startBlock: 1000 }),
  );
  const rowsOf = async (address: string): Promise<Answer['result']> => {
    const query = `module=logs&action=getLogs&address=${address}&fromBlock=900&toBlock=latest`;
    return ((await (await fetch(`${lively.url}/api?${query}`)).json()) as Answer).result;
  };
  const transfers = await rowsOf(TOKENS.USDC);
  expect(transfers?.length).toBeGreaterThan(30);
  const transfer = topicOfEvent('Transfer(address from, address to, uint256 value)');
  expect(transfers?.every(({ topics }) => Array.isArray(topics) && topics[0] === transfer)).toBe(true);
  expect((await rowsOf(ADDRESSES.vault))?.length).toBeGreaterThan(0);
});

test.each([
  [{ args: [] }, 'args: Paused(address account) has 1 arguments, not 0'],
  [{ event: 'Paused(adress account)', args: ['treasury'] }, 'event: no type "adress"'],
  [{ args: ['nobody'] }, 'args: the values do not fit Paused(address account)'],
])('a wrong emit is refused: %j', (options, message) => {
  expect(() => sandbox.emit(options)).toThrow(message);
});
