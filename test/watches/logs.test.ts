// Events of contracts, from raw logs on the explorer to the message.
import { toBody } from '../../src/notifiers/rendering/body.ts';
import { toContent } from '../../src/notifiers/rendering/group-content.ts';
import { toHtml, toText } from '../../src/notifiers/rendering/mail-parts.ts';
import { aDelivery } from '../notifiers/samples.ts';
import { describe, expect, test } from '@jest/globals';
import { createWorld, loadWatches, polls, pollsWithBlocks, type World } from '../support/world.ts';
import { coverageOf } from '../../src/watches/lists/coverage.ts';
import { ListState } from '../../src/watches/list-state.ts';

const STRANGER = '0x3c54fbFfcC0dCB1dAA210F8c51Bb20751258b3AB';
const OWNER_EVENT = 'OwnershipTransferred(address indexed previousOwner, address indexed newOwner)';

function rules(keys: string, alerts: string): string {
  return `watches: [{ id: admin, kind: logs, of: vault, every: 1m, ${keys} alerts: [${alerts}] }]`;
}

const PAUSED = '{ id: paused, on: new, if: event == "Paused", severity: critical }';
const OWNER =
  '{ id: owner, on: new, if: event == "OwnershipTransferred" && args.newOwner != treasury, severity: critical }';
const BOTH = 'events: [Paused, OwnershipTransferred],';

function noise(world: World, times: number): void {
  world.sandbox.mine();
  world.sandbox.emit({ args: ['treasury'], times });
}

function pause(world: World): void {
  world.sandbox.mine();
  world.sandbox.emit({ event: 'Paused(address account)', args: ['hot_wallet'] });
}

function newOwner(world: World, owner: string): void {
  world.sandbox.mine();
  world.sandbox.emit({ event: OWNER_EVENT, args: ['treasury', owner] });
}

/** The parts that are unread, as `status` names them. */
async function unreadIn({ store }: World): Promise<readonly string[]> {
  const id = loadWatches(rules(BOTH, OWNER))[0]?.id ?? '';
  const memory = (await store.recall([id])).get(id);
  return coverageOf(ListState.parse(memory?.state)).unread.map(({ heights, reason }) => `${heights}: ${reason}`);
}

/** The ranges of the questions for logs, and their first topic. */
function askedLogs({ asked }: World): readonly string[] {
  return asked.filter((one) => one.startsWith('api?'));
}

test('a pause and a foreign owner are told, our treasury as owner is not', async () => {
  await using world = await createWorld(rules(BOTH, `${PAUSED}, ${OWNER}`));
  newOwner(world, STRANGER);
  expect(await world.poll()).toEqual([]);
  pause(world);
  newOwner(world, STRANGER);
  newOwner(world, 'treasury');
  expect(await world.poll()).toEqual(['paused event', 'owner event']);
  expect(world.messages.map(({ title }) => title)).toEqual([
    'vault was paused by hot_wallet',
    'owner of vault is now 0x3c54…b3AB, was treasury',
  ]);
  expect(JSON.stringify(world.messages[1]?.lines)).toContain(`newOwner ${STRANGER}`);
  expect(await polls(world, 3)).toEqual([]);
});

test('an owner that only looks like the zero address in short is told as another one', async () => {
  await using world = await createWorld(rules(BOTH, OWNER));
  await world.poll();
  newOwner(world, `0x${'0'.repeat(40)}`);
  newOwner(world, `0x0000${'9'.repeat(32)}0000`);
  expect(await world.poll()).toEqual(['owner event', 'owner event']);
  expect(world.messages.map(({ title }) => title)).toEqual([
    'owner of vault is now the zero address, was treasury',
    'owner of vault is now 0x0000…0000, was treasury',
  ]);
});

test.each(['instance', 'multichain'] as const)('the %s form is read, one request a poll', async (form) => {
  await using world = await createWorld(rules('events: Paused,', PAUSED), { form });
  await world.poll();
  const before = world.asked.length;
  pause(world);
  expect(await world.poll()).toEqual(['paused event']);
  const asked = world.asked.slice(before);
  expect(asked).toHaveLength(1);
  expect(asked[0]).toMatch(
    /^api\?module=logs&action=getLogs&address=0x[0-9a-f]{40}&topic0=0x62e7.*&fromBlock=28&toBlock=latest$/,
  );
});

test('reading the same logs again writes nothing', async () => {
  await using world = await createWorld(rules(BOTH, `${PAUSED}, ${OWNER}`));
  await world.poll();
  pause(world);
  expect(await world.poll()).toEqual(['paused event']);
  expect(await pollsWithBlocks(world, 3)).toEqual([]);
  expect(world.decisions.map(({ hasChanged }) => hasChanged)).toEqual([false]);
});

describe('a reload', () => {
  test('that adds an event keeps the rest, and tells the event from then on', async () => {
    await using world = await createWorld(rules('events: OwnershipTransferred,', OWNER));
    await world.poll();
    pause(world);
    newOwner(world, STRANGER);
    await world.clock.advance(60_000);
    expect(await world.poll()).toEqual(['owner event']);
    // Mined before the reload and read after it: the known event is news, as ever.
    newOwner(world, STRANGER);
    await world.load(rules(BOTH, `${OWNER}, ${PAUSED}`));
    expect(await world.poll()).toEqual(['owner event']);
    await world.restart();
    await world.clock.advance(60_000);
    pause(world);
    expect(await world.poll()).toEqual(['paused event']);
    expect(await pollsWithBlocks(world, 3)).toEqual([]);
  });

  test('that adds an event tells none of before, in an answer that is the same', async () => {
    const unpause = { event: 'Unpaused(address account)', args: ['hot_wallet'] };
    await using world = await createWorld(rules(BOTH, PAUSED));
    await world.poll();
    pause(world);
    world.sandbox.emit(unpause);
    await world.clock.advance(60_000);
    expect(await world.poll()).toEqual(['paused event']);
    expect(await world.poll()).toEqual([]);
    const unpaused = '{ id: unpaused, on: new, if: event == "Unpaused" }';
    await world.load(rules('events: [Paused, OwnershipTransferred, Unpaused],', `${PAUSED}, ${unpaused}`));
    expect(await polls(world, 3)).toEqual([]);
    await world.clock.advance(60_000);
    world.sandbox.mine();
    world.sandbox.emit(unpause);
    expect(await world.poll()).toEqual(['unpaused event']);
    expect(await pollsWithBlocks(world, 3)).toEqual([]);
  });

  test('that adds an event tells none of before, in the hours after it either', async () => {
    await using world = await createWorld(rules('events: OwnershipTransferred,', OWNER));
    await world.poll();
    pause(world);
    world.sandbox.mine({ blocks: 200 });
    newOwner(world, STRANGER);
    expect(await world.poll()).toEqual(['owner event']);
    await world.clock.advance(60_000);
    const many = '{ id: many, on: new, if: event == "Paused", at_least: { count: 2, within: 6h } }';
    await world.load(rules(BOTH, `${OWNER}, ${PAUSED}, ${many}`));
    expect(await world.run(7_200_000)).toEqual([]);
    pause(world);
    expect(await world.poll()).toEqual(['paused event']);
  });

  test('that removes an event takes nothing back', async () => {
    await using world = await createWorld(rules(BOTH, `${OWNER}, { id: any, on: new }`));
    await world.poll();
    pause(world);
    expect(await world.poll()).toEqual(['any event']);
    await world.load(rules('events: OwnershipTransferred,', `${OWNER}, { id: any, on: new }`));
    expect(await pollsWithBlocks(world, 6)).toEqual([]);
    newOwner(world, STRANGER);
    expect(await world.poll()).toEqual(['owner event', 'any event']);
  });

  test('that removes an event takes nothing back in the hours after it either', async () => {
    await using world = await createWorld(rules(BOTH, `${OWNER}, { id: any, on: new }`));
    await world.poll();
    pause(world);
    expect(await world.poll()).toEqual(['any event']);
    await world.load(rules('events: OwnershipTransferred,', `${OWNER}, { id: any, on: new }`));
    expect(await world.poll()).toEqual([]);
    await world.clock.advance(3_700_000);
    world.sandbox.mine({ blocks: 100 });
    expect(await pollsWithBlocks(world, 6)).toEqual([]);
  });

  test('that removes an event still retracts what is read after it', async () => {
    await using world = await createWorld(rules('events: [Paused, Unpaused, OwnershipTransferred],', PAUSED));
    await world.poll();
    pause(world);
    expect(await world.poll()).toEqual(['paused event']);
    await world.load(rules(BOTH, PAUSED));
    pause(world);
    expect(await world.poll()).toEqual(['paused event']);
    world.sandbox.reorganise({ blocks: 1, transactions: 'dropped' });
    world.sandbox.mine({ blocks: 5 });
    expect(await polls(world, 4)).toEqual(['paused retracted']);
  });

  test('that removes an event still tells the absence of another', async () => {
    const quiet = '{ id: quiet, on: new, if: event == "Deposit", none_for: 30m }';
    await using world = await createWorld(rules('events: [Deposit, Withdraw, Paused],', quiet));
    await world.poll();
    await world.load(rules('events: [Deposit, Withdraw],', quiet));
    expect(await world.run(2_000_000)).toEqual(['quiet firing']);
  });

  test('that adds units tells nothing again', async () => {
    const set = '{ id: big, on: new, if: args.amount > 1_000 }';
    const events = "events: 'Swept(address indexed to, uint256 amount)',";
    await using world = await createWorld(rules(events, set));
    await world.poll();
    world.sandbox.mine();
    world.sandbox.emit({ event: 'Swept(address indexed to, uint256 amount)', args: ['treasury', '5000000'] });
    expect(await world.poll()).toEqual(['big event']);
    await world.load(rules(`${events} units: { amount: 6 },`, set));
    expect(await pollsWithBlocks(world, 3)).toEqual([]);
    world.sandbox.emit({ event: 'Swept(address indexed to, uint256 amount)', args: ['treasury', '1200000000'] });
    expect(await world.poll()).toEqual(['big event']);
    expect(world.messages[0]?.title).toBe('vault emitted Swept, amount 1,200, above 1,000');
  });
});

describe('a reorganisation', () => {
  test('that drops an event retracts it', async () => {
    await using world = await createWorld(rules(BOTH, `${PAUSED}, ${OWNER}`));
    newOwner(world, 'treasury');
    await world.poll();
    pause(world);
    expect(await world.poll()).toEqual(['paused event']);
    world.sandbox.reorganise({ blocks: 1, transactions: 'dropped' });
    world.sandbox.mine({ blocks: 5 });
    expect(await polls(world, 4)).toEqual(['paused retracted']);
    expect(await pollsWithBlocks(world, 3)).toEqual([]);
  });

  test('that drops an event of a busy contract retracts it', async () => {
    await using world = await createWorld(
      rules('events: Paused,', PAUSED.replace('"Paused"', '"Paused" && args.account == hot_wallet')),
    );
    await world.poll();
    pause(world);
    expect(await world.poll()).toEqual(['paused event']);
    world.sandbox.reorganise({ blocks: 1, transactions: 'dropped' });
    const said: string[] = [];
    for (let poll = 0; poll < 5; poll += 1) {
      noise(world, 400);
      said.push(...(await world.poll()));
    }
    expect(said).toEqual(['paused retracted']);
  });

  test('that moves an event to another block says nothing', async () => {
    await using world = await createWorld(rules(BOTH, `${PAUSED}, ${OWNER}`));
    await world.poll();
    pause(world);
    world.sandbox.emit({ event: 'Paused(address account)', args: ['treasury'], times: 2 });
    world.sandbox.mine({ blocks: 2 });
    expect(await world.poll()).toEqual(['paused event', 'paused event', 'paused event']);
    world.sandbox.reorganise({ blocks: 3, transactions: 'remined' });
    expect(await pollsWithBlocks(world, 5)).toEqual([]);
  });

  test('that moves an event from before the first poll above the head says nothing', async () => {
    await using world = await createWorld(rules(BOTH, PAUSED));
    pause(world);
    world.sandbox.mine({ blocks: 3 });
    await world.poll();
    world.sandbox.mine({ blocks: 3 });
    world.sandbox.reorganise({ blocks: 7, transactions: 'remined' });
    expect(await pollsWithBlocks(world, 4)).toEqual([]);
  });
});

test('an event that waits for confirmations is told provisionally, and after a restart for good', async () => {
  const waiting = PAUSED.replace('severity', 'confirmations: 3, severity');
  await using world = await createWorld(rules(BOTH, waiting));
  await world.poll();
  pause(world);
  expect(await world.poll()).toEqual([]);
  await world.restart();
  world.sandbox.mine({ blocks: 3 });
  expect(await world.poll()).toEqual(['paused event']);
});

test('events of an outage are told after it', async () => {
  await using world = await createWorld(rules(BOTH, `${PAUSED}, ${OWNER}`));
  await world.poll();
  world.sandbox.fail({ fault: 'server-error', times: 1000 });
  pause(world);
  expect(await world.poll()).toEqual([]);
  world.sandbox.mine({ blocks: 500 });
  newOwner(world, STRANGER);
  world.sandbox.clearFaults();
  expect(await world.poll()).toEqual(['paused event', 'owner event']);
});

test('equal events of one transaction are told each, once', async () => {
  await using world = await createWorld(rules('events: Paused,', PAUSED));
  await world.poll();
  world.sandbox.mine();
  world.sandbox.emit({ args: ['treasury'], times: 3 });
  world.sandbox.emit({ args: ['treasury'] });
  expect(await world.poll()).toEqual(Array.from({ length: 4 }, () => 'paused event'));
  expect(await pollsWithBlocks(world, 2)).toEqual([]);
});

describe('more events than a page has', () => {
  const COUNTED = '{ id: many, on: new, at_least: { count: 900, within: 1h } }';

  test('are read on from the last block of the page, each once', async () => {
    await using world = await createWorld(rules('events: Paused,', COUNTED));
    await world.poll();
    for (let block = 0; block < 3; block += 1) {
      world.sandbox.mine();
      world.sandbox.emit({ args: ['treasury'], times: 400 });
    }
    expect(await world.poll()).toEqual(['many firing']);
    expect(world.messages[0]?.title).toBe('1200 or more vault events in 1 h');
  });

  test('wait for the next poll, if they take too many pages', async () => {
    await using world = await createWorld(rules('events: Paused, max_pages: 1,', COUNTED));
    await world.poll();
    for (let block = 0; block < 3; block += 1) {
      world.sandbox.mine();
      world.sandbox.emit({ args: ['treasury'], times: 400 });
    }
    expect(await world.poll()).toEqual([]);
    expect(await unreadIn(world)).toEqual(['blocks from 103 on: 1 pages read']);
    expect(await polls(world, 4)).toEqual(['many firing']);
    expect(await unreadIn(world)).toEqual([]);
  });

  test('in one block are named as not read, where one event alone is too many', async () => {
    await using world = await createWorld(
      rules('events: Paused,', '{ id: many, on: new, at_least: { count: 900, within: 1h } }'),
    );
    await world.poll();
    world.sandbox.mine();
    world.sandbox.emit({ args: ['treasury'], times: 1200 });
    world.sandbox.mine();
    const said = await world.poll();
    expect(said).toEqual(['many firing']);
    expect(await unreadIn(world)).toEqual(['block 101: more rows than a page has']);
    expect(await pollsWithBlocks(world, 3)).toEqual([]);
  });

  test('in one block leave an absence open, since one of the unread events may end it', async () => {
    const quiet = '{ id: quiet, on: new, if: args.account == hot_wallet, none_for: 30m }';
    await using world = await createWorld(rules('events: Paused,', quiet));
    await world.poll();
    await world.clock.advance(600_000);
    world.sandbox.mine();
    world.sandbox.emit({ args: ['treasury'], times: 1200 });
    world.sandbox.emit({ args: ['hot_wallet'] });
    expect(await world.poll()).toEqual([]);
    await world.restart();
    noise(world, 600);
    expect(await world.run(1_500_000)).toEqual([]);
    expect(await world.run(600_000)).toEqual(['quiet firing']);
  });

  test('in one block hide no other event: each is asked for alone', async () => {
    await using world = await createWorld(rules('events: [Paused, OwnershipTransferred],', OWNER));
    await world.poll();
    world.sandbox.mine();
    world.sandbox.emit({ args: ['treasury'], times: 1200 });
    world.sandbox.emit({ event: OWNER_EVENT, args: ['treasury', STRANGER] });
    expect(await world.poll()).toEqual(['owner event']);
  });

  test('of other kinds make the watch ask for its events one by one', async () => {
    await using world = await createWorld(rules(BOTH, OWNER), { rpc: false });
    await world.poll();
    for (let block = 0; block < 40; block += 1) {
      world.sandbox.mine();
      world.sandbox.emit({ event: 'Noise(uint256 id)', args: ['1'], times: 100 });
    }
    newOwner(world, STRANGER);
    expect(await world.poll()).toEqual(['owner event']);
    const before = askedLogs(world).length;
    expect(await pollsWithBlocks(world, 1)).toEqual([]);
    const asked = askedLogs(world).slice(before);
    expect(asked).toHaveLength(2);
    expect(asked.every((one) => one.includes('topic0='))).toBe(true);
  });
});

describe('data and topics', () => {
  test('of another layout than the written one are read', async () => {
    const kept = "events: 'Kept(address keeper, bool done, string note)',";
    await using world = await createWorld(rules(kept, '{ id: kept, on: new, if: args.done }'));
    await world.poll();
    world.sandbox.mine();
    const event = 'Kept(address indexed keeper, bool done, string note)';
    world.sandbox.emit({ event, args: ['treasury', true, 'x'] });
    world.sandbox.emit({ event, args: ['treasury', false, 'x'] });
    expect(await world.poll()).toEqual(['kept event']);
    expect(world.messages[0]?.title).toBe('vault emitted Kept');
  });

  test('of the other known layout are read', async () => {
    await using world = await createWorld(rules(`events: '${OWNER_EVENT}',`, OWNER));
    await world.poll();
    world.sandbox.mine();
    const event = 'OwnershipTransferred(address previousOwner, address newOwner)';
    world.sandbox.emit({ event, args: ['treasury', STRANGER] });
    world.sandbox.emit({ event, args: ['treasury', 'treasury'] });
    expect(await world.poll()).toEqual(['owner event']);
    expect(world.messages[0]?.title).toBe('owner of vault is now 0x3c54…b3AB, was treasury');
  });

  test('that do not fit are told as not judged', async () => {
    await using world = await createWorld(rules(BOTH, OWNER));
    await world.poll();
    world.sandbox.mine();
    world.sandbox.emit({ event: OWNER_EVENT, args: ['treasury', STRANGER], data: `0x${'f'.repeat(64)}` });
    expect(await world.poll()).toEqual(['owner event']);
    expect(JSON.stringify(world.messages[0])).toContain(
      'could not be judged: the data does not fit OwnershipTransferred(address,address)',
    );
  });

  test('of a stranger stand in quotes in the first line, and never in the subject', async () => {
    const note = 'Noted(string text)';
    await using world = await createWorld(
      rules(`events: '${note}',`, '{ id: noted, on: new, if: args.text.contains("evil") }'),
    );
    await world.poll();
    world.sandbox.mine();
    world.sandbox.emit({ event: note, args: ['https://evil.example'] });
    expect(await world.poll()).toEqual(['noted event']);
    expect(world.messages[0]?.title).toBe('vault emitted Noted');
    expect(JSON.stringify(world.messages[0])).toContain(JSON.stringify({ untrusted: 'https://evil.example' }));
  });
});

test('with start: events from that block on are told', async () => {
  await using world = await createWorld(rules('events: Paused, start: 101,', PAUSED));
  world.sandbox.emit({ args: ['hot_wallet'] });
  pause(world);
  expect(await world.poll()).toEqual(['paused event']);
  expect(await pollsWithBlocks(world, 2)).toEqual([]);
});

test('an absence of events is told, and its end', async () => {
  const quiet = '{ id: quiet, on: new, if: event == "Deposit", none_for: 1h }';
  await using world = await createWorld(rules('events: [Deposit, Paused],', quiet));
  await world.poll();
  expect(await world.run(3_700_000)).toEqual(['quiet firing']);
  world.sandbox.mine();
  world.sandbox.emit({ event: 'Deposit(address indexed dst, uint256 wad)', args: ['treasury', '1'] });
  expect(await world.run(120_000)).toEqual(['quiet resolved']);
});

describe('where', () => {
  const APPROVAL = 'Approval(address indexed owner, address indexed spender, uint256 value)';
  const approvals = (where: string, alerts = '{ id: unlimited, on: new, if: unlimited(args.value) }'): string =>
    `watches: [{ id: admin, kind: logs, of: USDC, every: 1m, events: '${APPROVAL}', where: ${where}, alerts: [${alerts}] }]`;
  const approve = (world: World, owner: string, value = String(2n ** 256n - 1n)): void => {
    world.sandbox.mine();
    world.sandbox.emit({ address: 'USDC', event: APPROVAL, args: [owner, STRANGER, value] });
  };

  test('people read an approval without limit as such, also where a rule has a text, and programs the exact number', async () => {
    const text = 'text: "{{ args.value }}, rounded {{ args.value | rounded }}"';
    const rule = approvals('{ owner: treasury }', `{ id: unlimited, on: new, if: unlimited(args.value), ${text} }`);
    await using world = await createWorld(rule);
    approve(world, 'treasury');
    await world.poll();
    const before = world.messages.length;
    approve(world, 'treasury');
    expect(await world.poll()).toEqual(['unlimited event']);
    const message = world.messages[before];
    if (message === undefined) throw new Error('nothing was told');
    const delivery = aDelivery({ message });
    const mail = toText(toContent(delivery));
    const shown = [mail, toHtml(toContent(delivery)), JSON.stringify(message.lines)];
    expect(shown.filter((one) => /\d{30}|\d,\d{3},\d{3},\d{3},\d{3}/.test(one))).toEqual([]);
    expect(mail).toContain('unlimited, rounded unlimited');
    expect(mail).toContain('value unlimited');
    const largest = String(2n ** 256n - 1n);
    expect(JSON.parse(toBody(delivery))).toMatchObject({ data: { fields: { args: { value: largest } } } });
  });

  test('asks only for the owners of a group, a question each', async () => {
    await using world = await createWorld(approvals('{ owner: ours }'), { rpc: false });
    approve(world, 'treasury');
    await world.poll();
    const before = askedLogs(world).length;
    approve(world, 'treasury');
    approve(world, 'hot_wallet');
    approve(world, 'vault', '5');
    expect(await world.poll()).toEqual(['unlimited event']);
    expect(world.messages[0]?.title).toBe('treasury approved 0x3c54…b3AB to spend USDC without limit');
    const asked = askedLogs(world).slice(before);
    expect(asked).toHaveLength(2);
    expect(asked.every((one) => /topic0=0x\w{64}&topic1=0x0{24}\w{40}&topic0_1_opr=and&/.test(one))).toBe(true);
    expect(await pollsWithBlocks(world, 3)).toEqual([]);
    await world.restart();
    expect(await pollsWithBlocks(world, 2)).toEqual([]);
  });

  test('tells an event when it has its confirmations', async () => {
    const waiting = '{ id: any, on: new, confirmations: 3 }';
    await using world = await createWorld(approvals('{ owner: ours }', waiting));
    await world.poll();
    approve(world, 'treasury');
    expect(await world.poll()).toEqual([]);
    world.sandbox.mine({ blocks: 3 });
    expect(await world.poll()).toEqual(['any event']);
  });

  test('of two arguments asks with the operators of all topics', async () => {
    await using world = await createWorld(approvals(`{ owner: treasury, spender: '${STRANGER}' }`));
    await world.poll();
    approve(world, 'treasury');
    expect(await world.poll()).toEqual(['unlimited event']);
    expect(askedLogs(world).at(-1)).toContain('topic0_1_opr=and&topic0_2_opr=and&topic1_2_opr=and');
  });

  test('retracts what a reorganisation drops, and reads on after an outage', async () => {
    await using world = await createWorld(approvals('{ owner: ours }'));
    approve(world, 'treasury', '1');
    await world.poll();
    approve(world, 'vault');
    expect(await world.poll()).toEqual(['unlimited event']);
    world.sandbox.reorganise({ blocks: 1, transactions: 'dropped' });
    world.sandbox.mine({ blocks: 5 });
    expect(await polls(world, 4)).toEqual(['unlimited retracted']);
    world.sandbox.fail({ fault: 'server-error', times: 1000 });
    approve(world, 'treasury');
    expect(await world.poll()).toEqual([]);
    world.sandbox.clearFaults();
    world.sandbox.mine({ blocks: 200 });
    expect(await world.poll()).toEqual(['unlimited event']);
  });

  test('more events than a page has are read for each owner', async () => {
    await using world = await createWorld(
      approvals('{ owner: ours }', '{ id: many, on: new, at_least: { count: 1000, within: 1h } }'),
    );
    await world.poll();
    for (const owner of ['treasury', 'vault', 'treasury']) {
      world.sandbox.mine();
      world.sandbox.emit({ address: 'USDC', event: APPROVAL, args: [owner, STRANGER, '1'], times: 600 });
    }
    expect(await world.poll()).toEqual(['many firing']);
    expect(await pollsWithBlocks(world, 2)).toEqual([]);
  });
});
