// From raw call data on the explorer to the message: functions and arguments of transactions.
import { describe, expect, test } from '@jest/globals';
import { signatureOf } from '../../src/core/calls/catalogue.ts';
import { checksummed } from '../../src/lib/abi/checksum.ts';
import { selectorOf } from '../../src/lib/abi/signature.ts';
import { ADDRESSES } from '../../src/sandbox/names.ts';
import { createWorld, polls, type World } from '../support/world.ts';

const NEW_OWNER = '0x3c54da8e5bd0bb2b2ec5d4cd4a1b4a5a1be5b3ab';

function word(value: bigint | string): string {
  return BigInt(value).toString(16).padStart(64, '0');
}

const PAUSE = '0x8456cb59';
const TRANSFER_OWNERSHIP = `0xf2fde38b${word(NEW_OWNER)}`;

function rules(keys: string, alerts: string): string {
  return `watches: [{ id: vault-calls, kind: transactions, of: vault, every: 1m, ${keys} alerts: [${alerts}] }]`;
}

const OWNER = '{ id: owner, on: new, if: status == "ok" && args.newOwner != treasury, severity: critical }';
const PAUSED = '{ id: paused, on: new, if: status == "ok" && called == "pause" }';

function call(
  world: World,
  input: string,
  more: Partial<Parameters<World['sandbox']['addTransaction']>[0]> = {},
): void {
  world.sandbox.mine();
  world.sandbox.addTransaction({ from: 'hot_wallet', to: 'vault', input, ...more });
}

test('an owner that changes is told by the arguments of the call, as the subject and the first line say', async () => {
  await using world = await createWorld(rules('calls: [transferOwnership, pause],', `${OWNER}, ${PAUSED}`));
  await world.poll();
  call(world, TRANSFER_OWNERSHIP);
  call(world, `0xf2fde38b${word(ADDRESSES.treasury)}`);
  call(world, PAUSE, { status: 'error' });
  expect(await world.poll()).toEqual(['owner event']);
  const [message] = world.messages;
  expect(message?.title).toBe('hot_wallet called transferOwnership on vault');
  expect(JSON.stringify(message)).toContain(`newOwner ${checksummed(NEW_OWNER)}`);
  expect(await world.poll()).toEqual([]);
});

test('adding calls: at a reload loses nothing, repeats nothing and corrects nothing', async () => {
  await using world = await createWorld(rules('', PAUSED));
  await world.poll();
  call(world, PAUSE);
  call(world, TRANSFER_OWNERSHIP);
  expect(await world.poll()).toEqual(['paused event']);
  // Mined before the reload and read after it.
  call(world, TRANSFER_OWNERSHIP);
  await world.load(
    rules('calls: { stop: "pause()", own: "transferOwnership(address newOwner)" },', `${PAUSED}, ${OWNER}`),
  );
  expect(await world.poll()).toEqual(['owner event']);
  expect(await world.poll()).toEqual([]);
  await world.restart();
  expect(await world.poll()).toEqual([]);
  await world.load(rules('', PAUSED));
  expect(await world.poll()).toEqual([]);
});

test('a call that a reorganisation drops is retracted by the same name', async () => {
  await using world = await createWorld(rules('calls: transferOwnership,', OWNER));
  world.sandbox.addTransaction({ to: 'vault' });
  await world.poll();
  call(world, TRANSFER_OWNERSHIP);
  expect(await world.poll()).toEqual(['owner event']);
  world.sandbox.reorganise({ blocks: 1, transactions: 'dropped' });
  world.sandbox.mine({ blocks: 5 });
  expect(await polls(world, 4)).toEqual(['owner retracted']);
  expect(await polls(world, 3)).toEqual([]);
});

test('a text argument from a stranger stands in the first line in quotes, and never in the subject', async () => {
  const NOTE = 'https://evil.example';
  const input = [word(32n), word(BigInt(NOTE.length)), Buffer.from(NOTE).toString('hex').padEnd(64, '0')].join('');
  const signature = 'note(string text)';
  await using world = await createWorld(
    rules(`calls: '${signature}',`, '{ id: noted, on: new, if: args.text.contains("evil") }'),
  );
  await world.poll();
  call(world, selectorOf(signatureOf(signature)) + input);
  expect(await world.poll()).toEqual(['noted event']);
  expect(world.messages[0]?.title).toBe('hot_wallet called note on vault');
  expect(JSON.stringify(world.messages[0])).toContain(JSON.stringify({ untrusted: NOTE }));
});

test('a call that waits for confirmations is told after a restart, once it has them', async () => {
  const waiting = OWNER.replace('severity', 'confirmations: 3, severity');
  await using world = await createWorld(rules('calls: transferOwnership,', waiting));
  world.sandbox.addTransaction({ to: 'vault' });
  await world.poll();
  call(world, TRANSFER_OWNERSHIP);
  expect(await world.poll()).toEqual([]);
  await world.restart();
  world.sandbox.mine({ blocks: 3 });
  expect(await world.poll()).toEqual(['owner event']);
  expect(world.messages[0]?.title).toBe('hot_wallet called transferOwnership on vault');
});

test('a function that only the explorer names is told by its selector, and the name stands in the first line', async () => {
  await using world = await createWorld(rules('', '{ id: called, on: new, if: selector == "0xdf791e50" }'));
  await world.poll();
  world.sandbox.mine();
  world.sandbox.addTransaction({ from: 'hot_wallet', to: 'vault', method: 'swap' });
  expect(await world.poll()).toEqual(['called event']);
  expect(world.messages[0]?.title).toBe('hot_wallet called 0xdf791e50 on vault');
  expect(world.messages[0]?.lines[0]?.slice(0, 2)).toEqual([{ text: 'Name given: "' }, { untrusted: 'swap' }]);
});

test('coins that a call brings are told with the function', async () => {
  const alerts = '{ id: paid, on: new, if: value > 2 }';
  await using world = await createWorld(rules('', alerts));
  await world.poll();
  world.sandbox.mine();
  world.sandbox.addTransaction({ from: 'hot_wallet', to: 'vault', input: '0xd0e30db0', value: 3n * 10n ** 18n });
  world.sandbox.addTransaction({ from: 'hot_wallet', to: 'vault', value: 3n * 10n ** 18n });
  expect(await world.poll()).toEqual(['paid event', 'paid event']);
  const titles = world.messages.map(({ title }) => title).toSorted();
  expect(titles).toEqual([
    'hot_wallet sent 3 coin to vault, calling deposit, above 2',
    'vault received 3 coin, above 2',
  ]);
});

test('nobody hides a call by data that does not fit: it is told as not judged', async () => {
  await using world = await createWorld(rules('calls: transferOwnership,', OWNER));
  await world.poll();
  call(world, `0xf2fde38b${'f'.repeat(64)}`);
  call(world, '0xf2fde38b', { status: 'error' });
  expect(await world.poll()).toEqual(['owner event']);
  expect(JSON.stringify(world.messages[0])).toContain(
    'could not be judged: the call data does not fit transferOwnership(address)',
  );
  expect(await world.poll()).toEqual([]);
});

test('a list that is too long is named as what could not be judged', async () => {
  const pay = 'pay(uint256[] parts)';
  await using world = await createWorld(
    rules(`calls: '${pay}',`, `{ id: paid, on: new, if: 'args.parts.exists(part, part > 5)' }`),
  );
  await world.poll();
  call(world, `${selectorOf(signatureOf(pay))}${word(32n)}${word(65n)}${word(1n).repeat(65)}`);
  expect(await world.poll()).toEqual(['paid event']);
  expect(world.messages[0]?.reason).toBe(
    'could not be judged: args.parts has a list of more than 64 items, or is nested more than 3 deep',
  );
});

test('units that are added at a reload take nothing back and tell nothing again', async () => {
  const swept = '{ id: swept, on: new, if: status == "ok" && args.amount > 1_000 }';
  const sweep = `0x6ea056a9${word(NEW_OWNER)}${word(5_000_000n)}`;
  const calls = 'calls: "sweep(address to, uint256 amount)",';
  await using world = await createWorld(rules(calls, swept));
  await world.poll();
  call(world, sweep);
  expect(await world.poll()).toEqual(['swept event']);
  await world.load(rules(`${calls} units: { amount: 6 },`, swept));
  world.sandbox.mine({ blocks: 2 });
  expect(await polls(world, 4)).toEqual([]);
  call(world, sweep);
  call(world, `0x6ea056a9${word(NEW_OWNER)}${word(1_000_000_001n)}`);
  expect(await world.poll()).toEqual(['swept event']);
  expect(world.messages[0]?.title).toBe('hot_wallet called sweep on vault, amount 1,000, just above 1,000');
});

describe('a sum of arguments', () => {
  const SWEEP = 'calls: "sweep(address to, uint256 amount)",';
  const drained = (than: string): string =>
    `{ id: drained, on: new, if: status == "ok", at_least: { sum: args.amount, than: ${than}, within: 1h } }`;
  const sweep = (amount: bigint): string => `0x6ea056a9${word(NEW_OWNER)}${word(amount)}`;

  test('begins anew at a reload that changes units: it never adds whole tokens to smallest parts', async () => {
    await using world = await createWorld(rules(SWEEP, drained('10_000_000')));
    await world.poll();
    call(world, sweep(6_000_000n));
    expect(await world.poll()).toEqual([]);
    await world.load(rules(`${SWEEP} units: { amount: 6 },`, drained('10')));
    expect(await world.poll()).toEqual([]);
    call(world, sweep(6_000_000n));
    expect(await world.poll()).toEqual([]);
    call(world, sweep(5_000_000n));
    expect(await world.poll()).toEqual(['drained firing']);
    expect(world.messages[0]?.title).toContain(': 11, at or above 10');
    await world.load(rules(`${SWEEP} units: { amount: 7 },`, drained('10')));
    expect(await world.poll()).toEqual(['drained resolved']);
  });

  test('is decided for calls of other functions and for plain transfers, and waits for none of them', async () => {
    await using world = await createWorld(rules(`${SWEEP} units: { amount: 6 },`, drained('10')));
    await world.poll();
    call(world, '0x');
    call(world, PAUSE);
    call(world, sweep(10_000_000n));
    expect(await world.poll()).toEqual(['drained firing']);
    expect(world.messages[0]?.title).toContain('of 1 successful vault transaction');
    expect(world.decisions.at(-1)?.reasons.filter(({ type }) => type === 'open')).toEqual([]);
    expect(world.decisions.at(-1)?.reasons.filter(({ type }) => type === 'no-match')).toHaveLength(2);
  });

  test('goes on at a reload that changes anything else', async () => {
    await using world = await createWorld(rules(`${SWEEP} units: { amount: 6 },`, drained('10')));
    await world.poll();
    call(world, sweep(6_000_000n));
    expect(await world.poll()).toEqual([]);
    await world.load(
      rules(`${SWEEP.replace('"s', '["s').replace('",', '", pause],')} units: { amount: 6 },`, drained('11')),
    );
    await world.restart();
    call(world, sweep(5_000_000n));
    expect(await world.poll()).toEqual(['drained firing']);
  });
});

test('a count for each bytes32 argument names it, and the rest beyond 100 values names none', async () => {
  const mark = 'mark(bytes32 id)';
  const alert = '{ id: marked, on: new, if: status == "ok", at_least: { count: 2, within: 1h }, per: args.id }';
  await using world = await createWorld(rules(`calls: '${mark}',`, alert));
  await world.poll();
  const marked = (id: number): void => {
    call(world, `${selectorOf(signatureOf(mark))}${word(BigInt(id) << 240n)}`);
  };
  for (let id = 1; id <= 102; id += 1) marked(id);
  marked(1);
  marked(2);
  expect(await world.poll()).toEqual(['marked firing', 'marked firing', 'marked firing']);
  expect(world.messages.map(({ title }) => title).toSorted()).toEqual([
    '2 successful vault transactions in 1 h with args id 0x0001…0000',
    '2 successful vault transactions in 1 h with args id 0x0002…0000',
    '2 successful vault transactions in 1 h with args id unknown',
  ]);
});
