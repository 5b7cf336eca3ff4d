// Functions and arguments of calls inside transactions, from raw call data on the explorer to the message.
import { describe, expect, test } from '@jest/globals';
import { ADDRESSES } from '../../src/sandbox/names.ts';
import { coverageOf } from '../../src/watches/lists/coverage.ts';
import { ListState } from '../../src/watches/list-state.ts';
import { createWorld, loadWatches, polls, pollsWithBlocks, type World } from '../support/world.ts';

const STRANGER = '0x3c54fbFfcC0dCB1dAA210F8c51Bb20751258b3AB';

function rules(keys: string, alerts: string): string {
  return `watches: [{ id: nested, kind: internal-transactions, of: vault, direction: to, every: 1m, ${keys} alerts: [${alerts}] }]`;
}

const CALLS = "calls: [pause, transferOwnership, 'swap(address from, address to, uint256 amount)'],";
const PAUSED = '{ id: paused, on: new, if: success == true && called == "pause", severity: critical }';
const OWN_CODE =
  '{ id: paused, on: new, if: success == true && call.type == "call" && called == "pause", severity: critical }';
const OWNER = '{ id: owner, on: new, if: success == true && args.newOwner != treasury, severity: critical }';
const FAILED = '{ id: failed, on: new, if: success == false }';
const ANY = '{ id: any, on: new }';

function call(world: World, more: Partial<Parameters<World['sandbox']['callContract']>[0]> = {}): void {
  world.sandbox.mine();
  world.sandbox.callContract({ from: STRANGER, to: 'vault', function: 'pause()', ...more });
}

function failCall(world: World, more: Partial<Parameters<World['sandbox']['failCall']>[0]> = {}): void {
  world.sandbox.mine();
  world.sandbox.failCall({ from: STRANGER, to: 'vault', ...more });
}

function titles({ messages }: World): readonly unknown[] {
  return messages.map(({ title }) => title);
}

function askedCalls({ asked }: World): readonly string[] {
  return asked.filter((one) => one.startsWith('api?'));
}

async function unreadIn({ store }: World, yaml: string): Promise<readonly string[]> {
  const id = loadWatches(yaml)[0]?.id ?? '';
  const memory = (await store.recall([id])).get(id);
  return coverageOf(ListState.parse(memory?.state)).unread.map(({ heights, reason }) => `${heights}: ${reason}`);
}

test('a pause through another contract is told by its name, and so is who becomes the owner', async () => {
  await using world = await createWorld(rules(CALLS, `${PAUSED}, ${OWNER}, ${FAILED}`));
  call(world);
  expect(await world.poll()).toEqual([]);
  call(world);
  call(world, { function: 'transferOwnership(address newOwner)', args: [STRANGER] });
  call(world, { function: 'transferOwnership(address newOwner)', args: ['treasury'] });
  call(world, { function: 'unpause()' });
  failCall(world, { function: 'pause()', reason: 'not an admin' });
  expect(await world.poll()).toEqual(['paused event', 'owner event', 'failed event']);
  expect(titles(world)).toEqual([
    'pause called on vault by 0x3c54…b3AB',
    'transferOwnership called on vault by 0x3c54…b3AB',
    'pause call of 0x3c54…b3AB to vault failed',
  ]);
  expect(JSON.stringify(world.messages[1]?.lines)).toContain(`newOwner ${STRANGER}`);
  expect(JSON.stringify(world.messages[2]?.lines)).toContain('not an admin');
  expect(await polls(world, 3)).toEqual([]);
});

test('coins beside a call are told with its function, and a call without a name is told as before', async () => {
  await using world = await createWorld(rules(CALLS, ANY));
  await world.poll();
  call(world, { function: 'pause()', value: 2n * 10n ** 18n });
  call(world, { function: null });
  failCall(world, { function: 'unheardOf()' });
  expect(await world.poll()).toEqual(['any event', 'any event', 'any event']);
  expect(titles(world)).toEqual([
    '0x3c54…b3AB sent 2 coin to vault, calling pause',
    'Call to vault',
    'Call to vault failed',
  ]);
});

test.each(['instance', 'multichain'] as const)('the %s form is read, one request a poll', async (form) => {
  await using world = await createWorld(rules(CALLS, PAUSED), { form });
  await world.poll();
  const before = world.asked.length;
  call(world);
  expect(await world.poll()).toEqual(['paused event']);
  const asked = world.asked.slice(before);
  expect(asked).toHaveLength(1);
  expect(asked[0]).toMatch(
    /^api\?module=account&action=txlistinternal&address=0x[0-9a-f]{40}&include_zero_value=true&sort=asc&page=1&offset=1000&filter_by=to&startblock=28$/,
  );
});

test.each(['6', '8', '9', '11', '12'] as const)('release %s tells calls that move no coins', async (as) => {
  await using world = await createWorld(rules(CALLS, PAUSED), { as });
  await world.poll();
  call(world);
  expect(await world.poll()).toEqual(['paused event']);
  expect(await polls(world, 2)).toEqual([]);
});

test('reading the same calls again writes nothing', async () => {
  await using world = await createWorld(rules(CALLS, PAUSED));
  await world.poll();
  call(world);
  expect(await world.poll()).toEqual(['paused event']);
  expect(await pollsWithBlocks(world, 3)).toEqual([]);
  expect(world.decisions.map(({ hasChanged }) => hasChanged)).toEqual([false]);
});

describe('a reload', () => {
  test('that adds calls: loses nothing, repeats nothing and corrects nothing', async () => {
    await using world = await createWorld(rules('', `${ANY}, ${FAILED}`));
    await world.poll();
    call(world);
    failCall(world, { function: 'pause()' });
    expect(await world.poll()).toEqual(['any event', 'any event', 'failed event']);
    call(world); // mined before the reload and read after it
    await world.load(rules(CALLS, `${ANY}, ${FAILED}, ${PAUSED}`));
    expect(await world.poll()).toEqual(['paused event', 'any event']);
    await world.restart();
    expect(await pollsWithBlocks(world, 6)).toEqual([]);
    expect(askedCalls(world).length).toBeGreaterThan(0);
  });

  test('that adds calls: while a backlog is unread reads on where the other list stopped', async () => {
    const yaml = rules('max_pages: 2,', ANY);
    await using world = await createWorld(yaml);
    await world.poll();
    for (let i = 0; i < 5; i += 1) {
      world.sandbox.mine();
      for (let j = 0; j < 60; j += 1) world.sandbox.callContract({ to: 'vault' });
    }
    world.sandbox.mine({ blocks: 300 });
    call(world);
    expect(await world.poll()).toHaveLength(100);
    expect(await unreadIn(world, yaml)).not.toEqual([]);
    await world.load(rules(`max_pages: 2, ${CALLS}`, ANY));
    expect(await world.poll()).toHaveLength(201);
    expect(await unreadIn(world, yaml)).toEqual([]);
    expect(await pollsWithBlocks(world, 3)).toEqual([]);
  });

  test('that removes calls: does not either', async () => {
    await using world = await createWorld(rules(CALLS, ANY));
    await world.poll();
    call(world);
    expect(await world.poll()).toEqual(['any event']);
    call(world);
    await world.load(rules('', ANY));
    expect(await world.poll()).toEqual(['any event']);
    await world.restart();
    expect(await pollsWithBlocks(world, 6)).toEqual([]);
    call(world);
    expect(await world.poll()).toEqual(['any event']);
  });

  test.each(['9', '12'] as const)('to and fro while release %s is swept loses and repeats nothing', async (as) => {
    await using world = await createWorld(rules(CALLS, ANY), { as });
    await world.poll();
    let told = 0;
    for (const keys of ['', CALLS, '', CALLS]) {
      await world.clock.advance(3_700_000);
      call(world);
      told += (await world.poll()).length;
      await world.load(rules(keys, ANY));
      call(world);
      world.sandbox.mine({ blocks: 100 });
      told += (await pollsWithBlocks(world, 4)).length;
    }
    expect(told).toBe(8);
  });
});

test('a reorganisation that drops a call takes it back, one that moves it does not tell it again', async () => {
  await using world = await createWorld(rules(CALLS, PAUSED));
  await world.poll();
  call(world);
  expect(await world.poll()).toEqual(['paused event']);
  world.sandbox.reorganise({ blocks: 1 });
  expect(await pollsWithBlocks(world, 3)).toEqual([]);
  call(world);
  expect(await world.poll()).toEqual(['paused event']);
  world.sandbox.reorganise({ blocks: 1, transactions: 'dropped' });
  world.sandbox.mine({ blocks: 5 });
  expect(await polls(world, 4)).toEqual(['paused retracted']);
});

test('calls that are traced late are told, also below newer ones', async () => {
  await using world = await createWorld(rules(CALLS, PAUSED));
  await world.poll();
  world.sandbox.mine();
  const late = world.sandbox.head();
  world.sandbox.hideTraces({ block: late });
  world.sandbox.callContract({ from: STRANGER, to: 'vault', function: 'pause()' });
  call(world);
  expect(await world.poll()).toEqual(['paused event']);
  world.sandbox.hideTraces({ block: late, hidden: false });
  expect(await world.poll()).toEqual(['paused event']);
  expect(await polls(world, 2)).toEqual([]);
});

test('blocks that a sweep finds untraced are named until they are traced', async () => {
  const yaml = rules(CALLS, PAUSED);
  await using world = await createWorld(yaml);
  await world.poll();
  world.sandbox.mine();
  const late = world.sandbox.head();
  world.sandbox.hideTraces({ block: late });
  world.sandbox.callContract({ from: STRANGER, to: 'vault', function: 'pause()' });
  world.sandbox.mine({ blocks: 200 });
  call(world);
  expect(await world.poll()).toEqual(['paused event']);
  expect(await unreadIn(world, yaml)).toEqual([]);
  await world.clock.advance(3_700_000);
  expect(await polls(world, 12)).toEqual([]);
  expect(await unreadIn(world, yaml)).toEqual([`blocks 101-${world.sandbox.head() - 73}: not traced yet`]);
  world.sandbox.hideTraces({ block: late, hidden: false });
  await world.clock.advance(3_700_000);
  expect(await polls(world, 12)).toEqual(['paused event']);
  expect(await unreadIn(world, yaml)).toEqual([]);
});

describe('a host that refuses the API', () => {
  const refuse = (world: World): void => {
    world.sandbox.fail({ fault: 'blocked', operation: 'tx-list-internal', times: 100 });
  };

  test('for some time leaves functions unknown until it answers, and nothing is told twice or lost', async () => {
    await using world = await createWorld(rules(CALLS, `${FAILED}, ${PAUSED}`));
    await world.poll();
    for (let i = 0; i < 3; i += 1) {
      call(world);
      expect(await world.poll()).toEqual(['paused event']);
      call(world);
      failCall(world, { function: 'pause()' });
      refuse(world);
      expect(await polls(world, 2)).toEqual(['failed event']);
      world.sandbox.clearFaults();
      expect(await world.poll()).toEqual(['paused event']);
      expect(await polls(world, 2)).toEqual([]);
    }
  });

  test('for good, after it answered for long, leaves only functions unknown, also after a restart', async () => {
    await using world = await createWorld(rules(CALLS, `${FAILED}, ${PAUSED}`));
    await world.poll();
    call(world);
    expect(await world.poll()).toEqual(['paused event']);
    world.sandbox.mine({ blocks: 100 });
    call(world);
    expect(await polls(world, 2)).toEqual(['paused event']);
    refuse(world);
    failCall(world, { function: 'pause()' });
    expect(await pollsWithBlocks(world, 3)).toEqual(['failed event']);
    await world.restart();
    failCall(world, { function: 'pause()' });
    expect(await world.poll()).toEqual(['failed event']);
    expect(world.decisions[0]?.memory.data?.state).toBe('blind-field');
  });

  test.each(['unprocessable', 'unauthorized', 'not-found', 'redirect', 'html', 'null', 'array'] as const)(
    'by an answer that is %s is asked for the other list',
    async (fault) => {
      await using world = await createWorld(rules(CALLS, `${FAILED}, ${PAUSED}`));
      world.sandbox.fail({ fault, operation: 'tx-list-internal', times: 100 });
      await world.poll();
      call(world);
      failCall(world, { function: 'pause()' });
      expect(await world.poll()).toEqual(['failed event']);
      world.sandbox.clearFaults();
      expect(await polls(world, 2)).toEqual(['paused event']);
    },
  );

  test('because it is down is not asked for the other list: the poll is missed', async () => {
    await using world = await createWorld(rules(CALLS, PAUSED));
    await world.poll();
    world.sandbox.fail({ fault: 'server-error', operation: 'tx-list-internal', times: 100 });
    const before = world.asked.length;
    call(world);
    expect(await world.poll()).toEqual([]);
    expect(world.asked.slice(before).filter((one) => !one.startsWith('api?'))).toEqual([]);
    world.sandbox.clearFaults();
    expect(await world.poll()).toEqual(['paused event']);
  });

  test('from the start is asked for the list without call data, and only functions are unknown', async () => {
    await using world = await createWorld(rules(CALLS, `${FAILED}, ${PAUSED}`));
    refuse(world);
    await world.poll();
    call(world);
    failCall(world, { function: 'pause()' });
    expect(await world.poll()).toEqual(['failed event']);
    expect(titles(world)).toEqual(['Call to vault failed']);
    const states: unknown[] = [];
    for (let i = 0; i < 3; i += 1) {
      expect(await pollsWithBlocks(world, 1)).toEqual([]);
      states.push(world.decisions[0]?.memory.data?.state);
    }
    expect(states).toEqual(['blind-field', 'blind-field', 'blind-field']);
    world.sandbox.clearFaults();
    expect(await polls(world, 2)).toEqual(['paused event']);
    expect(world.decisions[0]?.memory.data?.state).toBe('ok');
  });

  test('and serves it later tells the functions that it had not shown, once', async () => {
    await using world = await createWorld(rules('', FAILED));
    await world.poll();
    refuse(world);
    await world.load(rules(CALLS, `${FAILED}, ${PAUSED}`));
    call(world);
    failCall(world, { function: 'pause()' });
    expect(await world.poll()).toEqual(['failed event']);
    world.sandbox.clearFaults();
    expect(await world.poll()).toEqual(['paused event']);
    await world.restart();
    expect(await pollsWithBlocks(world, 4)).toEqual([]);
  });
});

test('a call whose data does not fit its signature is told as not judged', async () => {
  await using world = await createWorld(rules(CALLS, OWNER));
  await world.poll();
  call(world, { function: 'transferOwnership(address newOwner)', args: [`0x${'f'.repeat(64)}`] });
  expect(await world.poll()).toEqual(['owner event']);
  expect(JSON.stringify(world.messages)).toContain(
    'could not be judged: the call data does not fit transferOwnership(address)',
  );
});

test('a block with more calls than a page has is named as not read in full, and later calls are told', async () => {
  const yaml = rules(CALLS, PAUSED);
  await using world = await createWorld(yaml);
  await world.poll();
  world.sandbox.mine();
  for (let i = 0; i < 1001; i += 1) world.sandbox.callContract({ to: 'vault' });
  const full = world.sandbox.head();
  call(world);
  expect(await polls(world, 2)).toEqual(['paused event']);
  expect(await unreadIn(world, yaml)).toEqual([`block ${full}: more rows than a page has`]);
});

describe('a block with more calls than a page has is named as not read in full', () => {
  const named = (block: number): string => `block ${block}: more rows than a page has`;
  const fill = (world: World, calls: number): number => {
    world.sandbox.mine();
    for (let i = 0; i < calls; i += 1) world.sandbox.callContract({ to: 'vault' });
    return world.sandbox.head();
  };

  test('within a backlog', async () => {
    const yaml = rules(`max_pages: 1, ${CALLS}`, PAUSED);
    await using world = await createWorld(yaml);
    await world.poll();
    const [, full = 0] = [200, 1001, 600].map((calls) => fill(world, calls));
    call(world);
    expect(await polls(world, 4)).toEqual(['paused event']);
    expect(await unreadIn(world, yaml)).toEqual([named(full)]);
  });

  test('where it is traced an hour late', async () => {
    const yaml = rules(CALLS, PAUSED);
    await using world = await createWorld(yaml);
    await world.poll();
    const late = fill(world, 1001);
    world.sandbox.hideTraces({ block: late });
    world.sandbox.mine({ blocks: 300 });
    call(world);
    expect(await polls(world, 2)).toEqual(['paused event']);
    world.sandbox.hideTraces({ block: late, hidden: false });
    await world.clock.advance(3_700_000);
    expect(await polls(world, 12)).toEqual([]);
    expect(await unreadIn(world, yaml)).toEqual([named(late)]);
    await world.clock.advance(3_700_000);
    expect(await polls(world, 12)).toEqual([]);
    expect(await unreadIn(world, yaml)).toEqual([named(late)]);
  });
});

test('a pause that a stranger delegates to the contract is none of it', async () => {
  await using world = await createWorld(rules(CALLS, OWN_CODE));
  await world.poll();
  call(world, { type: 'delegatecall', value: 5n * 10n ** 18n });
  expect(await pollsWithBlocks(world, 2)).toEqual([]);
  call(world);
  expect(await world.poll()).toEqual(['paused event']);
  expect(titles(world)).toEqual(['pause called on vault by 0x3c54…b3AB']);
  expect(JSON.stringify(world.messages)).not.toContain('Matched:');
});

test('calls that others delegate and contracts that are made or destroyed are told as such', async () => {
  await using world = await createWorld(
    `watches: [{ id: out, kind: internal-transactions, of: vault, alerts: [{ id: any, on: new, if: call.type == "delegatecall" }] }]`,
  );
  await world.poll();
  world.sandbox.mine();
  world.sandbox.callContract({ from: ADDRESSES.vault, to: STRANGER, type: 'delegatecall' });
  world.sandbox.failCall({ from: ADDRESSES.vault, to: STRANGER, type: 'delegatecall' });
  expect(await world.poll()).toEqual(['any event', 'any event']);
  expect(titles(world)).toEqual(['vault delegated a call to 0x3c54…b3AB', 'Call from vault failed']);
  expect(JSON.stringify(world.messages[0])).not.toContain('Matched:');
  expect(JSON.stringify(world.messages[1])).toContain('Matched: type delegatecall.');
});
