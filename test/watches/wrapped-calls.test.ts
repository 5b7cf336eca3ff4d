// Calls that are arguments of other calls, from raw call data on the explorer to the first line of the message.
import { describe, expect, test } from '@jest/globals';
import { ADDRESSES, TOKENS } from '../../src/sandbox/names.ts';
import { createWorld, polls, type World } from '../support/world.ts';

const STRANGER = '0x3c54fbFfcC0dCB1dAA210F8c51Bb20751258b3AB';
const HASH = `0x${'ab'.repeat(32)}`;
const SAFE =
  'execTransaction(address to, uint256 value, bytes data, uint8 operation, uint256 safeTxGas, uint256 baseGas, uint256 gasPrice, address gasToken, address refundReceiver, bytes signatures)';
const TO_OWNER = { function: 'transferOwnership(address newOwner)', args: [STRANGER] };
const TRANSFER_OWNERSHIP = `0xf2fde38b${STRANGER.slice(2).padStart(64, '0')}`;
const PAUSE = '0x8456cb59';

type Call = NonNullable<Parameters<World['sandbox']['addTransaction']>[0]>;
type Argument = NonNullable<Call['args']>[number];

/** What the Safe is told to do. */
const safe = (to: string, data: Argument, { value = '0', operation = 0 } = {}): Call => ({
  to: 'treasury',
  function: SAFE,
  args: [to, value, data, operation, 0, 0, 0, STRANGER, STRANGER, '0x'],
});

const each = (...data: readonly string[]): string => JSON.stringify(data);

/** One call of `multiSend`. */
function packed(to: string, data: string, { value = 0n, operation = 0 } = {}): string {
  const word = (number: bigint): string => number.toString(16).padStart(64, '0');
  return `0${operation}${to.slice(2)}${word(value)}${word(BigInt(data.length / 2 - 1))}${data.slice(2)}`;
}

const rules = (alerts: string, keys = ''): string =>
  `watches: [{ id: safe, kind: transactions, of: treasury, every: 1m, ${keys} alerts: [${alerts}] }]`;
const ANY = '{ id: any, on: new }';

function send(world: World, call: Call): void {
  world.sandbox.mine();
  world.sandbox.addTransaction({ to: 'treasury', ...call });
}

/** Titles with the texts of their lines. Nothing in them comes from the chain. */
function told({ messages }: World): readonly unknown[] {
  return messages.map(({ title, lines }) => [
    title,
    ...lines.map((line) => line.map((part) => ('text' in part ? part.text : '?')).join('')),
  ]);
}

async function lineOf(call: Call, keys = '', more = ''): Promise<string | undefined> {
  await using world = await createWorld(`${rules(ANY, keys)}\n${more}`);
  await world.poll();
  send(world, call);
  expect(await world.poll()).toEqual(['any event']);
  const line = JSON.stringify(world.messages[0]?.lines);
  return /"(Written in the call data: [^"]*)"/.exec(line)?.[1];
}

test('a call that a Safe is told to make is named in the first line, and the subject names what was called', async () => {
  await using world = await createWorld(rules(ANY));
  await world.poll();
  send(world, safe('vault', TO_OWNER));
  expect(await world.poll()).toEqual(['any event']);
  expect(told(world)).toEqual([
    [
      'hot_wallet called execTransaction on treasury',
      'Written in the call data: transferOwnership on vault.',
      expect.stringMatching(/^hot_wallet to treasury, block 101, tx 0x/),
    ],
  ]);
});

test('no condition sees it: what is only written does not count as called', async () => {
  const owner = '{ id: owner, on: new, if: called == "transferOwnership" }';
  await using world = await createWorld(rules(owner, 'calls: [transferOwnership],'));
  await world.poll();
  send(world, safe('vault', TO_OWNER));
  expect(await world.poll()).toEqual([]);
  send(world, TO_OWNER);
  expect(await world.poll()).toEqual(['owner event']);
  expect(JSON.stringify(world.messages)).not.toContain('Written');
});

describe('the line', () => {
  test.each<readonly [string, Call, string | undefined]>([
    ['names a function that is not known by its selector', safe('vault', '0x12345678'), '0x12345678 on vault'],
    ['names coins that no function takes', safe('vault', '0x', { value: '7' }), 'coins to vault'],
    ['says that a call is delegated', safe('vault', PAUSE, { operation: 1 }), 'a delegated pause call to vault'],
    ['names a token of the config', safe(TOKENS.USDC, TO_OWNER), 'transferOwnership on USDC'],
    [
      'names what a timelock schedules',
      {
        function:
          'schedule(address target, uint256 value, bytes data, bytes32 predecessor, bytes32 salt, uint256 delay)',
        args: ['vault', 0, TO_OWNER, HASH, HASH, 60],
      },
      'transferOwnership on vault',
    ],
    [
      'names what multicall calls on the contract itself',
      { function: 'multicall(bytes[] data)', args: [each(PAUSE, TRANSFER_OWNERSHIP)] },
      'pause on treasury, transferOwnership on treasury',
    ],
    [
      'is the same for a call that failed',
      { ...safe('vault', TO_OWNER), status: 'error', reason: 'GS013' },
      'transferOwnership on vault',
    ],
    [
      'is the same for a call that waits',
      { ...safe('vault', TO_OWNER), status: 'pending' },
      'transferOwnership on vault',
    ],
  ])('%s', async (_what, call, line) => {
    expect(await lineOf(call)).toBe(`Written in the call data: ${line ?? ''}.`);
  });

  test('has three different calls, counts equal ones, and says how many more there are', async () => {
    const calls = [PAUSE, PAUSE, TRANSFER_OWNERSHIP, '0x12345678', '0x11111111', '0x22222222', '0x22222222'];
    const data = [...calls.map((one) => packed(ADDRESSES.vault, one)), packed(STRANGER, PAUSE)].join('');
    expect(await lineOf({ function: 'multiSend(bytes transactions)', args: [`0x${data}`] })).toBe(
      'Written in the call data: pause on vault (2 times), transferOwnership on vault, 0x12345678 on vault and 4 more.',
    );
  });

  test('has the names that the rule gives functions', async () => {
    const halt = { function: 'halt(bool now)', args: [true] };
    expect(await lineOf(safe('vault', halt))).toBe('Written in the call data: 0x96a38d22 on vault.');
    expect(await lineOf(safe('vault', halt), "calls: { Stop: 'halt(bool now)' },")).toBe(
      'Written in the call data: Stop on vault.',
    );
  });

  test.each<readonly [string, Call]>([
    ['for an address without a name', safe(STRANGER, TO_OWNER)],
    ['where nothing is called and nothing is paid', safe('vault', '0x')],
    ['where the Safe refuses the operation', safe('vault', TO_OWNER, { operation: 2 })],
    ['where the data ends too early', { input: `0x6a761202${'00'.repeat(64)}` }],
    [
      'where a batch ends within a call',
      { function: 'multiSend(bytes transactions)', args: [`0x${packed(ADDRESSES.vault, PAUSE).slice(0, -2)}`] },
    ],
    ['for a creation, whose input is code', { to: null, input: `0x6a761202${'00'.repeat(64)}` }],
    ['for a function that calls nothing', { function: 'deposit(uint256 value)', args: [1] }],
  ])('is left out %s', async (_where, call) => {
    await using world = await createWorld(
      'watches: [{ id: all, kind: transactions, every: 1m, alerts: [{ id: any, on: new }] }]',
    );
    await world.poll();
    send(world, call);
    expect(await world.poll()).toEqual(['any event']);
    expect(world.messages[0]?.lines).toHaveLength(1);
    expect(JSON.stringify(world.messages)).not.toContain('Written');
  });
});

test('has the names of an ABI file that the rule names, from the next poll after the reload on', async () => {
  const halt = safe('vault', { function: 'halt(bool now)', args: [true] });
  const abi = [{ type: 'function', name: 'halt', inputs: [{ type: 'bool', name: 'now' }] }];
  await using world = await createWorld(rules(ANY));
  await world.poll();
  await world.load(
    rules(ANY, 'abi: Vault.json, calls: [halt],'),
    new Map([['Vault.json', { text: JSON.stringify(abi) }]]),
  );
  send(world, halt);
  expect(await world.poll()).toEqual(['any event']);
  expect(told(world)[0]).toContain('Written in the call data: halt on vault.');
  await world.load(rules(ANY));
  expect(await polls(world, 2)).toEqual([]);
});

test('the line stays with a message that waits for confirmations over a restart, and a retraction does not repeat it', async () => {
  await using world = await createWorld(rules('{ id: any, on: new, confirmations: 3 }'));
  world.sandbox.addTransaction({ to: 'treasury' });
  await world.poll();
  send(world, safe('vault', TO_OWNER));
  expect(await world.poll()).toEqual([]);
  await world.restart();
  world.sandbox.mine({ blocks: 3 });
  expect(await world.poll()).toEqual(['any event']);
  expect(JSON.stringify(told(world))).toContain('Written in the call data: transferOwnership on vault.');
  world.sandbox.reorganise({ blocks: 5, transactions: 'dropped' });
  world.sandbox.mine({ blocks: 8 });
  expect(await polls(world, 4)).toEqual(['any retracted']);
  expect(JSON.stringify(told(world))).not.toContain('Written');
});

test('a call that was waiting is told once more when it is mined', async () => {
  await using world = await createWorld(rules('{ id: mined, on: mined }'));
  await world.poll();
  world.sandbox.addTransaction({ ...safe('vault', TO_OWNER), status: 'pending', minedAfter: 1 });
  expect(await world.poll()).toEqual([]);
  world.sandbox.mine();
  expect(await world.poll()).toEqual(['mined event']);
  expect(told(world)).toEqual([
    [
      'execTransaction call of hot_wallet to treasury was mined',
      'Written in the call data: transferOwnership on vault.',
      expect.stringMatching(/^Status ok\. Block 101, tx /),
    ],
  ]);
});

describe('a batch that a Safe is told to delegate', () => {
  const batch = (...calls: readonly string[]): Argument => ({
    function: 'multiSend(bytes transactions)',
    args: [`0x${calls.join('')}`],
  });
  const delegated = (...calls: readonly string[]): Call => safe(STRANGER, batch(...calls), { operation: 1 });
  const line = (words: string): string =>
    `Written in the call data: ${words}, in a multiSend call delegated to 0x3c54…b3ab.`;

  test('is named with the contract that gets it', async () => {
    const calls = [packed(ADDRESSES.vault, TRANSFER_OWNERSHIP), packed(STRANGER, PAUSE)];
    expect(await lineOf(delegated(...calls))).toBe(line('transferOwnership on vault and 1 more'));
  });

  test('says that a call in it is delegated once more', async () => {
    const calls = [packed(ADDRESSES.vault, PAUSE, { operation: 1 })];
    expect(await lineOf(delegated(...calls))).toBe(line('a delegated pause call to vault'));
  });

  test('is not named at addresses without a name, but a contract with a name is', async () => {
    expect(await lineOf(delegated(packed(STRANGER, PAUSE)))).toBeUndefined();
    expect(await lineOf(safe('vault', batch(packed(STRANGER, PAUSE)), { operation: 1 }))).toBe(
      'Written in the call data: a delegated multiSend call to vault.',
    );
  });

  test('is left out where it is damaged or not delegated, and a contract with a name is still told', async () => {
    expect(await lineOf(delegated(`${packed(ADDRESSES.vault, PAUSE)}00`))).toBeUndefined();
    expect(await lineOf(safe(STRANGER, batch(packed(ADDRESSES.vault, PAUSE))))).toBeUndefined();
    const damaged = batch(`${packed(ADDRESSES.vault, PAUSE)}00`);
    expect(await lineOf(safe('hot_wallet', damaged, { operation: 1 }))).toBe(
      'Written in the call data: a delegated multiSend call to hot_wallet.',
    );
  });

  test('stays in the message over a restart, and a retraction does not repeat it', async () => {
    await using world = await createWorld(rules('{ id: any, on: new, confirmations: 3 }'));
    world.sandbox.addTransaction({ to: 'treasury' });
    await world.poll();
    send(world, delegated(packed(ADDRESSES.vault, TRANSFER_OWNERSHIP)));
    expect(await world.poll()).toEqual([]);
    await world.restart();
    world.sandbox.mine({ blocks: 3 });
    expect(await world.poll()).toEqual(['any event']);
    expect(told(world)[0]).toContain(line('transferOwnership on vault'));
    world.sandbox.reorganise({ blocks: 5, transactions: 'dropped' });
    world.sandbox.mine({ blocks: 8 });
    expect(await polls(world, 4)).toEqual(['any retracted']);
    expect(JSON.stringify(told(world))).not.toContain('Written');
  });
});

describe('the order of calls', () => {
  const unknown = ['1', '2', '3'].map((digit) => packed(ADDRESSES.vault, `0x${digit.repeat(8)}`));
  const harmless = [TOKENS.USDC, TOKENS.ACME, ADDRESSES.vault].map((to) => packed(to, '0x095ea7b3'));
  const lineOfBatch = (...calls: readonly string[]): Promise<string | undefined> =>
    lineOf({ function: 'multiSend(bytes transactions)', args: [`0x${calls.join('')}`] });

  test('harmless calls and functions that are not known do not hide a change of the owner', async () => {
    const danger = packed(ADDRESSES.vault, TRANSFER_OWNERSHIP);
    expect(await lineOfBatch(...harmless, ...unknown, danger)).toBe(
      'Written in the call data: transferOwnership on vault, 0x11111111 on vault, 0x22222222 on vault and 4 more.',
    );
  });

  test('harmless calls do not hide one that is delegated', async () => {
    const danger = packed(ADDRESSES.vault, '0x095ea7b3', { operation: 1 });
    expect(await lineOfBatch(...harmless, danger)).toBe(
      'Written in the call data: a delegated approve call to vault, approve on USDC, approve on ACME and 1 more.',
    );
  });

  test('coins do not hide a function', async () => {
    const paid = ['vault', 'treasury', 'hot_wallet'] as const;
    const coins = paid.map((name) => packed(ADDRESSES[name], '0x', { value: 1n }));
    expect(await lineOfBatch(...coins, packed(ADDRESSES.vault, '0x12345678'))).toBe(
      'Written in the call data: 0x12345678 on vault, coins to vault, coins to treasury and 1 more.',
    );
  });
});

describe('in calls inside transactions', () => {
  const inside = (calls: string): string =>
    `watches: [{ id: inside, kind: internal-transactions, of: treasury, every: 1m, ${calls} alerts: [{ id: any, on: new, if: success == true }] }]`;
  const batch = {
    function: 'multiSend(bytes transactions)',
    args: [`0x${packed(ADDRESSES.vault, TRANSFER_OWNERSHIP)}`],
  };

  async function first(calls: string, call: Parameters<World['sandbox']['callContract']>[0]): Promise<unknown> {
    await using world = await createWorld(inside(calls));
    await world.poll();
    world.sandbox.mine();
    world.sandbox.callContract(call);
    expect(await world.poll()).toEqual(['any event']);
    return told(world)[0];
  }

  test('a batch that a Safe delegates is read', async () => {
    expect(
      await first('calls: [multiSend],', { from: 'treasury', to: STRANGER, type: 'delegatecall', ...batch }),
    ).toEqual([
      'treasury delegated a multiSend call to 0x3c54…b3AB',
      'Written in the call data: transferOwnership on vault.',
      expect.anything(),
    ]);
  });

  test('a batch that a module tells a Safe to delegate is read', async () => {
    const module = {
      function: 'execTransactionFromModule(address to, uint256 value, bytes data, uint8 operation)',
      args: [STRANGER, 0, batch, 1],
    };
    expect(
      await first('calls: [execTransactionFromModule],', { from: STRANGER, to: 'treasury', type: 'call', ...module }),
    ).toContain('Written in the call data: transferOwnership on vault, in a multiSend call delegated to 0x3c54…b3ab.');
  });

  test('the code of a delegated multicall runs at the contract that delegates it', async () => {
    const multicall = { function: 'multicall(bytes[] data)', args: [each(PAUSE)] };
    const delegated = { from: 'treasury', to: STRANGER, type: 'delegatecall', ...multicall } as const;
    expect(await first('calls: [pause],', delegated)).toContain('Written in the call data: pause on treasury.');
  });

  test('nothing is read without calls:, since that list has no call data', async () => {
    const lines = await first('', { from: 'treasury', to: STRANGER, type: 'delegatecall', ...batch });
    expect(lines).toHaveLength(2);
    expect(JSON.stringify(lines)).not.toContain('Written');
  });
});

describe('in the event of a timelock', () => {
  const SCHEDULED =
    'CallScheduled(bytes32 indexed id, uint256 indexed index, address target, uint256 value, bytes data, bytes32 predecessor, uint256 delay)';
  const OTHER = 'Planned(address target, uint256 value, bytes data)';
  const timelock = `watches: [{ id: timelock, kind: logs, of: vault, every: 1m, events: [CallScheduled, '${OTHER}'], alerts: [${ANY}] }]`;

  async function messageOf(event: string, args: readonly Argument[]): Promise<string> {
    await using world = await createWorld(timelock);
    await world.poll();
    world.sandbox.mine();
    world.sandbox.emit({ event, args: [...args] });
    expect(await world.poll()).toEqual(['any event']);
    return JSON.stringify(told(world));
  }

  const scheduled = (target: string, data: Argument): Promise<string> =>
    messageOf(SCHEDULED, [HASH, 0, target, 7, data, HASH, 3600]);

  test('the scheduled call is named', async () => {
    const message = await scheduled('treasury', TO_OWNER);
    expect(message).toContain('"vault scheduled a call to treasury, executable in 1 h"');
    expect(message).toContain('"Written in the event: transferOwnership on treasury."');
    expect(await scheduled('treasury', '0x12345678')).toContain('"Written in the event: 0x12345678 on treasury."');
    expect(await scheduled('treasury', '0x')).toContain('"Written in the event: coins to treasury."');
  });

  test('nothing is named at an address without a name, and in other events', async () => {
    expect(await scheduled(STRANGER, TO_OWNER)).not.toContain('Written');
    expect(await messageOf(OTHER, ['treasury', 7, TO_OWNER])).not.toContain('Written');
  });
});
