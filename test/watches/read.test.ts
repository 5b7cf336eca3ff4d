// Values that contracts answer: from the rule to the message.
import { describe, expect, test } from '@jest/globals';
import { missingValues } from '../../src/core/poll.ts';
import { dataWords } from '../../src/explain/data-words.ts';
import { drawnPath } from '../../src/query/values/lines.ts';
import { decodeArguments, type AbiValue } from '../../src/lib/abi/decode.ts';
import { encodeArguments } from '../../src/lib/abi/encode.ts';
import { parseView } from '../../src/lib/abi/signature.ts';
import { ADDRESSES, TOKENS } from '../../src/sandbox/names.ts';
import { createWorld, loadWatches, polls, type World } from '../support/world.ts';
import { run } from '../rule-tests/support/trials.ts';
import type { Row } from '../support/engine/replicas.ts';

const ADMIN_SLOT = '0xb53127684a568b3173ae13b9f8a6016e243e63b6e8ee1178d6a717850b5d6103';
const ASSETS = "assets: { call: 'totalAssets() view returns (uint256)', units: USDC }";
const HELD =
  "held: { of: USDC, call: 'balanceOf(address account) view returns (uint256)', with: [vault], units: USDC }";
const ADMIN = `proxy_admin: { slot: '${ADMIN_SLOT}', as: address }`;
const INSOLVENT = '{ id: insolvent, while: held < assets * 0.98, severity: critical }';
const ADMIN_CHANGED = '{ id: admin-changed, on: changed, if: proxy_admin != before.proxy_admin, severity: critical }';

function rules(reads: readonly string[], alerts: readonly string[], id = 'w'): string {
  return `
watches:
  - id: ${id}
    kind: read
    of: vault
    every: 1m
    read: { ${reads.join(', ')} }
    alerts: [${alerts.join(', ')}]
`;
}

const { vault, hot_wallet } = ADDRESSES;

function drain(world: World): void {
  world.sandbox.moveBalance({ from: vault, to: hot_wallet, token: TOKENS.USDC, value: 500_000_000_000n });
}

function refill(world: World): void {
  world.sandbox.moveBalance({ from: hot_wallet, to: vault, token: TOKENS.USDC, value: 500_000_000_000n });
}

/** 0x and 64 digits, with this digit in the place of an address. */
const word = (digit: string): string => `0x${digit.repeat(40).padStart(64, '0')}`;

function notesOf({ decisions: [decision] }: World): string[] {
  return (decision?.reasons ?? []).flatMap((reason) => (reason.type === 'note' ? [reason.text] : []));
}

async function failuresOf(text: string, rule: string): Promise<string> {
  const { results } = await run(`rules: read.yaml\n${text}`, { 'rules/read.yaml': rule });
  return results.flatMap(({ details }) => details).join('\n');
}

describe('a rule test', () => {
  test('less than 98 % is told after three observed minutes; a revert is not observed', async () => {
    const rule = rules([ASSETS, HELD], ['{ id: insolvent, while: held < assets * 0.98, for: 3m }']);
    const text = `
tests:
  - name: the story
    watch: w
    saw:
      - { at: 0m, assets: 10_000_000, held: 9_700_000 }
      - { at: 1m, reverted: { assets: true } }
      - { at: 2m, assets: 10_000_000, held: 9_700_000 }
      - { at: 3m, assets: 10_000_000, held: 9_700_000 }
      - { at: 4m, assets: 10_000_000, held: 9_700_000 }
      - { at: 5m, assets: 10_000_000, held: 9_700_000 }
      - { at: 6m, held: 9_700_000 }
      - { at: 7m, assets: 10_000_000, held: 9_850_000 }
    expect:
      - { at: 5m, alert: insolvent, state: firing, title: 'vault held 9,700,000, below assets * 0.98 (9,800,000)' }
      - { at: 7m, alert: insolvent, state: resolved, title: 'vault held 9,850,000, at or above assets * 0.98 (9,800,000)' }
`;
    expect(await failuresOf(text, rule)).toBe('');
  });

  test('answers as the explorer gave them, one after the other', async () => {
    const rule = rules(['x: { balance: true }', ADMIN], ['{ id: low, while: x < 5 }']);
    const text = `
tests:
  - name: the story
    watch: w
    saw:
      - at: 0m
        answers: [{ path: eth-rpc, body: [{ id: 0, result: '0x64' }, { id: 1, result: '0x1' }, { id: 2, result: '0x0' }] }]
      - at: 1m
        answers: [{ path: eth-rpc, body: [{ id: 0, error: Action not found. }] }]
    expect:
      - { at: 0m, alert: low, state: firing, title: 'vault x 0.000000000000000001, below 5' }
`;
    expect(await failuresOf(text, rule)).toBe('');
  });

  test('a price that falls, and a call that reverts', async () => {
    const price =
      "price: { call: 'convertToAssets(uint256 shares) view returns (uint256)', with: [1_000_000_000_000_000_000], units: USDC }";
    const rule = rules(
      [price],
      [
        `{ id: price-fell, while: 'change(price, "2m") < percent("-1")' }`,
        '{ id: broken, while: reverted.price == true, for: 1m }',
      ],
    );
    const text = `
tests:
  - name: the story
    watch: w
    saw:
      - { at: 0m, price: 1.02 }
      - { at: 1m, price: 1.02 }
      - { at: 2m, price: 1.0 }
      - { at: 3m, reverted: { price: true } }
      - { at: 4m, reverted: { price: true } }
      - { at: 5m, price: 1.0 }
    expect:
      - { at: 2m, alert: price-fell, state: firing, title: 'vault price fell 2 % in 2 min (limit 1 %)' }
      - { at: 4m, alert: broken, state: firing, title: 'vault price cannot be read: the call reverts' }
      - { at: 5m, alert: price-fell, state: resolved }
      - { at: 5m, alert: broken, state: resolved, title: 'vault price can be read: the call does not revert' }
`;
    expect(await failuresOf(text, rule)).toBe('');
  });

  test('records, coins, and text of a stranger, which stands in quotes below the subject', async () => {
    const rule = rules(
      [
        "reserves: { call: 'getReserves() view returns (uint112 first, uint112 second)' }",
        "title: { call: 'name() view returns (string)' }",
        'coins: { balance: true }',
      ],
      [
        '{ id: thin, while: reserves.first < 100 }',
        '{ id: renamed, on: changed, if: title != before.title }',
        '{ id: low, while: coins < 5 }',
      ],
    );
    const text = `
tests:
  - name: the story
    watch: w
    saw:
      - { at: 0m, reserves: { first: 200, second: 1 }, title: Vault, coins: 7 }
      - { at: 1m, reserves: { first: 50, second: 1 }, title: 'send to evil.example', coins: 4 }
    expect:
      - { at: 1m, alert: thin, state: firing, title: 'vault reserves first 50, below 100' }
      - { at: 1m, alert: renamed, state: event, title: vault title changed, text: { contains: 'Now "send to evil[.]example". Last poll "Vault".' } }
      - { at: 1m, alert: low, state: firing, title: 'vault coins 4, below 5' }
`;
    expect(await failuresOf(text, rule)).toBe('');
  });
});

describe('the message of several changes', () => {
  const story = async (reads: readonly string[], [first, second]: readonly [string, string], expected: string) => {
    const text = `
tests:
  - name: the story
    watch: w
    saw: [{ at: 0m, ${first} }, { at: 1m, ${second} }]
    expect: [{ at: 1m, alert: any, state: event, ${expected} }]
`;
    return failuresOf(text, rules(reads, ['{ id: any, on: changed }']));
  };

  test('has each of them', async () => {
    const reads = [
      ADMIN,
      "owner: { call: 'owner() view returns (address)' }",
      "fee: { call: 'fee() view returns (uint256)' }",
      "paused: { call: 'paused() view returns (bool)' }",
      "label: { call: 'label() view returns (string)' }",
    ];
    const before = 'proxy_admin: vault, owner: vault, fee: 5, paused: false, label: old';
    const after = `proxy_admin: '0x3333333333333333333333333333333333333333', owner: hot_wallet, fee: 6, paused: true, label: 'resolved: all is well'`;
    const text =
      'Owner 0x927b…8076, was vault.\\nFee 6, was 5.\\nPaused yes, was no.\\nLabel "resolved: all is well", was "old".';
    const expected = `title: 'vault proxy admin is now 0x3333…3333, was vault', text: { contains: "${text.replaceAll('"', '\\"')}" }`;
    expect(await story(reads, [before, after], expected)).toBe('');
  });

  test('has the values of a record one by one', async () => {
    const reads = ["reserves: { call: 'getReserves() view returns (uint112 first, uint112 second)' }"];
    const expected = "title: 'vault reserves first 2, was 1', text: { contains: 'Reserves second 5, was 4.' }";
    expect(
      await story(reads, ['reserves: { first: 1, second: 4 }', 'reserves: { first: 2, second: 5 }'], expected),
    ).toBe('');
  });

  test.each([
    ['[vault, treasury]', '[hot_wallet, vault]', 'Added 0x927b…8076. Removed 0x66fa…4deb.'],
    ['[vault, treasury]', '[treasury, vault]', 'The order of the items differs.'],
    ['[vault]', '[vault, vault]', 'Added vault.'],
  ])('has what a list gained and lost: %s, %s', async (before, after, line) => {
    const reads = ["owners: { call: 'getOwners() view returns (address[])' }"];
    const expected = `title: vault owners changed, text: { contains: '${line}' }`;
    expect(await story(reads, [`owners: ${before}`, `owners: ${after}`], expected)).toBe('');
  });
});

test('a record whose call reverts is a lost value, as any other is', async () => {
  const rule = rules(
    ["pair: { call: 'totalAssets() view returns (uint112 a, uint112 b)' }"],
    ['{ id: x, while: pair.a < 5 }'],
  );
  await using world = await createWorld(rule);
  await polls(world, 3);
  const [watch] = loadWatches(rule);
  const [decision] = world.decisions;
  if (watch === undefined || decision === undefined) throw new Error('no poll took place');
  expect(missingValues(watch, decision.memory)).toEqual({ fields: ['pair.a'], lost: 'pair' });
  expect(decision.memory.data?.state).toBe('blind-field');
});

test('a drained vault is told, and its end; quiet polls write nothing and send one request', async () => {
  await using world = await createWorld(rules([ASSETS, HELD, ADMIN], [INSOLVENT]));
  expect(await world.poll()).toEqual([]);
  // The decimals of USDC are asked once.
  expect(world.replicas.asked).toEqual(['/api/eth-rpc', '/api/eth-rpc']);
  expect(await polls(world, 2)).toEqual([]);
  expect(world.decisions.map(({ hasChanged }) => hasChanged)).toEqual([false]);
  expect(world.replicas.asked).toHaveLength(4);
  drain(world);
  expect(await world.poll()).toEqual(['insolvent firing']);
  expect(world.messages.map(({ title }) => title)).toEqual([
    'vault held 6,063,915.55, below assets * 0.98 (6,432,637.24)',
  ]);
  expect(await polls(world, 2)).toEqual([]);
  refill(world);
  expect(await world.poll()).toEqual(['insolvent resolved']);
});

test('values agree with the ledger in both forms of the explorer', async () => {
  const reads = [
    ASSETS,
    HELD,
    'coins: { balance: true }',
    "supply: { of: USDC, call: 'totalSupply() view returns (uint256)', units: 6 }",
    "decimals: { of: USDC, call: 'decimals() view returns (uint8)' }",
    "symbol: { of: USDC, call: 'symbol() view returns (string)' }",
    "owner: { call: 'owner() view returns (address)' }",
    "paused: { call: 'paused() view returns (bool)' }",
  ];
  const both = rules(reads, ['{ id: x, on: changed }']).concat(`
  - { id: coin, kind: balance, of: vault, every: 1m, alerts: [{ id: y, on: changed }] }
  - { id: usdc, kind: balance, of: vault, token: USDC, every: 1m, alerts: [{ id: y, on: changed }] }
`);
  const valuesIn = async (form: 'instance' | 'multichain'): Promise<unknown> => {
    await using world = await createWorld(both, { form });
    await world.poll();
    const states = world.decisions.map(({ memory }) => memory.state as { readonly values: Record<string, unknown> });
    const values = Object.assign({}, ...states.map((state) => state.values)) as Record<string, unknown>;
    expect(values['held']).toBe(values['balance']);
    expect([values['decimals'], values['symbol'], values['paused']]).toEqual(['6', 'USDC', false]);
    expect(values['owner']).toBe(ADDRESSES.treasury.toLowerCase());
    return values;
  };
  expect(await valuesIn('instance')).toEqual(await valuesIn('multichain'));
});

test('a revert fires and ends nothing, and a value that is known again is no change', async () => {
  await using world = await createWorld(rules([ASSETS, HELD, ADMIN], [INSOLVENT, '{ id: any, on: changed }']));
  await world.poll();
  drain(world);
  expect(await world.poll()).toEqual(['insolvent firing', 'any event']);
  world.sandbox.revertCall({ call: 'totalAssets()' });
  expect(await world.poll()).toEqual([]);
  expect(notesOf(world)).toEqual(['assets: the call reverts']);
  refill(world);
  // The value that changed is told; the end is not known yet.
  expect(await polls(world, 3)).toEqual(['any event']);
  const [watch] = loadWatches(rules([ASSETS, HELD, ADMIN], [INSOLVENT]));
  const [decision] = world.decisions;
  if (watch === undefined || decision === undefined) throw new Error('no poll took place');
  const words = dataWords(watch, decision.memory, { now: world.clock.now(), zone: 'UTC', pause: null });
  expect(words.join('\n')).toContain('assets');
  expect(missingValues(watch, decision.memory)).toEqual({ fields: ['assets'], lost: 'assets' });
  expect(decision.memory.data?.state).toBe('blind-field');
  world.sandbox.revertCall({ call: 'totalAssets()', reverts: false });
  expect(await world.poll()).toEqual(['insolvent resolved']);
  expect(await polls(world, 2)).toEqual([]);
});

test.each([
  ['nothing', '0x'],
  ['half a byte', '0x0'],
  ['a word that is too short', '0x05'],
])('a call that reverted and then returns %s does not end the alert: it cannot be read yet', async (_name, result) => {
  const broken = '{ id: broken, while: reverted.assets == true }';
  await using world = await createWorld(rules([ASSETS, HELD], [broken, INSOLVENT]));
  world.sandbox.revertCall({ call: 'totalAssets()' });
  expect(await world.poll()).toEqual(['broken firing']);
  world.sandbox.revertCall({ call: 'totalAssets()', reverts: false });
  world.replicas.use({
    answersCall: (call, own) => (JSON.stringify(call).includes('01e1d114') ? { id: call['id'], result } : own),
  });
  expect(await polls(world, 2)).toEqual([]);
  world.replicas.use({});
  expect(await world.poll()).toEqual(['broken resolved']);
});

test('a slot that changes while it is not known is told against the last known value', async () => {
  await using world = await createWorld(rules([ADMIN], [ADMIN_CHANGED]));
  await world.poll();
  // No address: the upper digits are not zero.
  world.sandbox.setSlot({ slot: ADMIN_SLOT, value: `0x${'7'.repeat(64)}` });
  expect(await polls(world, 2)).toEqual([]);
  world.sandbox.setSlot({ slot: ADMIN_SLOT, value: word('3') });
  expect(await world.poll()).toEqual(['admin-changed event']);
  expect(world.messages[0]?.title).toBe('vault proxy admin is now 0x3333…3333, was treasury');
  await world.restart();
  expect(await polls(world, 2)).toEqual([]);
});

test.each(['0x', `0x1${'0'.repeat(64)}`])('a slot that answers %s is unknown, and no slot of zeros', async (result) => {
  await using world = await createWorld(rules([ADMIN], [ADMIN_CHANGED]));
  await world.poll();
  world.replicas.use({
    answersCall: (call, own) => (call['method'] === 'eth_getStorageAt' ? { id: call['id'], result } : own),
  });
  expect(await polls(world, 2)).toEqual([]);
  expect(notesOf(world)).toEqual([]);
  world.replicas.use({});
  expect(await polls(world, 2)).toEqual([]);
});

describe('an address without code, or without the function', () => {
  test.each([
    [
      "x: { of: hot_wallet, call: 'totalAssets() view returns (uint256)' }",
      'x: no code at this address, or no such function',
    ],
    ["x: { call: 'nonesuch() view returns (uint256)' }", 'x: the call reverts'],
    ["x: { call: 'owner() view returns (uint8)' }", 'x: the answer does not fit the type'],
    [
      "x: { call: 'totalAssets() view returns (uint256)', units: hot_wallet }",
      'x: the decimals of its token are unknown',
    ],
  ])('%s', async (read, note) => {
    await using world = await createWorld(rules([read], ['{ id: x, while: x < 5 }', '{ id: y, on: changed }']));
    expect(await world.poll()).toEqual([]);
    expect(notesOf(world)).toEqual([note]);
    expect(await polls(world, 4)).toEqual([]);
  });
});

describe('an explorer that does not answer calls', () => {
  test.each(['no-calls', 'not-found', 'html', 'server-error', 'truncated', 'rate-limited'] as const)(
    '%s fires and ends nothing, and the watch goes on when it is over',
    async (fault) => {
      await using world = await createWorld(rules([ASSETS, HELD, ADMIN], [INSOLVENT, ADMIN_CHANGED]));
      await world.poll();
      drain(world);
      expect(await world.poll()).toEqual(['insolvent firing']);
      refill(world);
      world.sandbox.fail({ fault, times: 1000, operation: 'eth-rpc' });
      expect(await polls(world, 3)).toEqual([]);
      expect(world.decisions[0]?.memory.data?.state).toBe(fault === 'rate-limited' ? 'throttled' : 'error');
      world.sandbox.clearFaults();
      expect(await polls(world, 2)).toEqual(['insolvent resolved']);
    },
  );

  test('a refusal of one release says what is wrong', async () => {
    await using world = await createWorld(rules([ASSETS], ['{ id: x, while: assets < 5 }']));
    world.sandbox.fail({ fault: 'no-calls', times: 1000 });
    await world.poll();
    expect(JSON.stringify(world.log.fields)).toContain('answers no eth_call (before 6.3, or switched off)');
  });

  test.each(['6', '8', '9', '11', '12'] as const)('release %s answers, and says what reverts', async (as) => {
    await using world = await createWorld(
      rules([ASSETS, HELD], [INSOLVENT, '{ id: broken, while: reverted.assets == true }']),
      { as },
    );
    expect(await world.poll()).toEqual([]);
    drain(world);
    expect(await world.poll()).toEqual(['insolvent firing']);
    world.sandbox.revertCall();
    expect(await world.poll()).toEqual(['broken firing']);
  });
});

describe('a reload', () => {
  test('that adds a name keeps the others, and reads the first value of the new one as its baseline', async () => {
    const any = '{ id: any, on: changed }';
    await using world = await createWorld(rules([ASSETS, HELD], [INSOLVENT, any]));
    await world.poll();
    drain(world);
    expect(await world.poll()).toEqual(['insolvent firing', 'any event']);
    await world.load(rules([ASSETS, HELD, ADMIN], [INSOLVENT, any]));
    expect(await polls(world, 2)).toEqual([]);
    world.sandbox.setSlot({ slot: ADMIN_SLOT, value: word('3') });
    expect(await world.poll()).toEqual(['any event']);
    refill(world);
    expect(await world.poll()).toEqual(['insolvent resolved', 'any event']);
  });

  test('that gives a name another meaning begins it again, with its windows', async () => {
    const fell = `{ id: fell, while: 'change(x, "2m") < percent("-1")' }`;
    const changed = '{ id: any, on: changed, if: x != before.x }';
    const call = "call: 'totalAssets() view returns (uint256)'";
    await using world = await createWorld(rules([`x: { ${call}, units: 6 }`], [fell, changed]));
    expect(await polls(world, 4)).toEqual([]);
    await world.load(rules([`x: { ${call}, units: 8 }`], [fell, changed]));
    expect(await polls(world, 4)).toEqual([]);
    // Another spelling of the same question.
    await world.load(rules([`x: { ${call}, units: '8', of: vault }`], [fell, changed]));
    expect(await polls(world, 4)).toEqual([]);
    world.sandbox.revertCall();
    expect(await polls(world, 2)).toEqual([]);
  });

  test('that spells a question otherwise keeps its memory: a change at that time is told', async () => {
    const any = '{ id: any, on: changed }';
    const signature = 'function balanceOf(address who) external view returns (uint256 amount)';
    await using world = await createWorld(rules([HELD], [any]));
    await world.poll();
    drain(world);
    await world.load(rules([`held: { of: USDC, call: '${signature}', with: ['${vault}'], units: USDC }`], [any]));
    expect(await world.poll()).toEqual(['any event']);
  });

  test('that takes a name away and brings it back begins it again', async () => {
    const any = '{ id: any, on: changed }';
    await using world = await createWorld(rules([ASSETS, ADMIN], [any]));
    await world.poll();
    await world.load(rules([ASSETS], [any]));
    await world.poll();
    world.sandbox.setSlot({ slot: ADMIN_SLOT, value: word('3') });
    await world.load(rules([ASSETS, ADMIN], [any]));
    expect(await polls(world, 2)).toEqual([]);
  });
});

describe('a replica that is behind', () => {
  test('changes nothing, and the chain that went back is believed at the third reading', async () => {
    await using world = await createWorld(rules([ASSETS, HELD, ADMIN], [INSOLVENT, ADMIN_CHANGED]));
    await world.poll();
    world.sandbox.mine({ blocks: 5 });
    world.sandbox.setSlot({ slot: ADMIN_SLOT, value: word('3') });
    drain(world);
    expect(await world.poll()).toEqual(['insolvent firing', 'admin-changed event']);
    world.replicas.use({ lag: 5 });
    expect(await polls(world, 2)).toEqual([]);
    expect(notesOf(world)).toEqual(['answered as of block 100, before block 105: 2 of 3 readings']);
    world.replicas.use({});
    expect(await world.poll()).toEqual([]);
    world.replicas.use({ lag: 5 });
    expect(await polls(world, 3)).toContain('admin-changed event');
  });

  test('may hide behind a reading that does not say its block: such a one is believed at the third', async () => {
    await using world = await createWorld(rules([ASSETS, HELD], [INSOLVENT]));
    await world.poll();
    world.sandbox.mine({ blocks: 5 });
    drain(world);
    const undated = {
      answersCall: (call: Row, own: Row): Row =>
        call['method'] === 'eth_blockNumber' ? { id: call['id'], error: { code: -32000, message: 'no peers' } } : own,
    };
    world.replicas.use(undated);
    expect(await polls(world, 2)).toEqual([]);
    expect(notesOf(world)).toEqual(['answered without the number of its block: 2 of 3 readings']);
    world.replicas.use({ lag: 5 });
    expect(await world.poll()).toEqual([]);
    world.replicas.use(undated);
    expect(await polls(world, 2)).toEqual([]);
    expect(await world.poll()).toEqual(['insolvent firing']);
    refill(world);
    // No number is known any more that could be lower.
    expect(await world.poll()).toEqual(['insolvent resolved']);
  });

  test('does not know yet that a call reverts, or that it reverts no longer', async () => {
    await using world = await createWorld(rules([ASSETS, HELD], ['{ id: broken, while: reverted.assets == true }']));
    await world.poll();
    world.sandbox.mine({ blocks: 5 });
    world.sandbox.revertCall();
    expect(await world.poll()).toEqual(['broken firing']);
    world.replicas.use({ lag: 5 }, 2);
    expect(await polls(world, 3)).toEqual([]);
    world.sandbox.mine({ blocks: 5 });
    world.sandbox.revertCall({ reverts: false });
    expect(await world.poll()).toEqual(['broken resolved']);
    world.replicas.use({ lag: 5 }, 2);
    expect(await polls(world, 3)).toEqual([]);
  });

  test('a reorganisation is read with the next blocks', async () => {
    await using world = await createWorld(rules([ADMIN], [ADMIN_CHANGED]));
    await world.poll();
    world.sandbox.setSlot({ slot: ADMIN_SLOT, value: word('3') });
    expect(await world.poll()).toEqual(['admin-changed event']);
    world.sandbox.reorganise({ blocks: 3 });
    world.sandbox.setSlot({ slot: ADMIN_SLOT, value: word('4') });
    world.sandbox.mine();
    expect(await world.poll()).toEqual(['admin-changed event']);
  });
});

describe('a reorganisation that takes back what was told', () => {
  const EVENTS = [INSOLVENT, ADMIN_CHANGED];

  test('ends the alert, and tells the value of before as a change', async () => {
    await using world = await createWorld(rules([ASSETS, HELD, ADMIN], EVENTS));
    await world.poll();
    drain(world);
    world.sandbox.setSlot({ slot: ADMIN_SLOT, value: word('3') });
    world.sandbox.mine({ blocks: 3 });
    expect(await world.poll()).toEqual(['insolvent firing', 'admin-changed event']);
    // The blocks are replaced, and what was in them is not in the new ones.
    refill(world);
    world.sandbox.setSlot({
      slot: ADMIN_SLOT,
      value: ADDRESSES.treasury.toLowerCase().replace('0x', `0x${'0'.repeat(24)}`),
    });
    world.sandbox.reorganise({ blocks: 3 });
    expect(await world.poll()).toEqual(['insolvent resolved', 'admin-changed event']);
    expect(world.messages.map(({ title }) => title)).toContain('vault proxy admin is now treasury, was 0x3333…3333');
    expect(await polls(world, 2)).toEqual([]);
  });

  test('while a value is unknown is told when it is known', async () => {
    await using world = await createWorld(rules([ASSETS, HELD, ADMIN], EVENTS));
    await world.poll();
    drain(world);
    expect(await world.poll()).toEqual(['insolvent firing']);
    world.sandbox.revertCall({ call: 'totalAssets()' });
    expect(await polls(world, 2)).toEqual([]);
    refill(world);
    world.sandbox.reorganise({ blocks: 3 });
    expect(await polls(world, 2)).toEqual([]);
    world.sandbox.revertCall({ call: 'totalAssets()', reverts: false });
    expect(await world.poll()).toEqual(['insolvent resolved']);
  });
});

describe('a watch of two requests', () => {
  const names = ['a', 'b', 'c', 'd', 'admin'];
  const five = names.map((name, i) => `${name}: { slot: ${i}, as: address }`);
  const body = (block: string, words: readonly string[]): string => {
    const answers = [`0x${block}`, ...words].map((result, id) => `{ id: ${id}, result: '${result}' }`);
    return `{ path: eth-rpc, body: [${answers.join(', ')}] }`;
  };
  const poll = (at: string, first: string, second: string, admin: string): string => {
    const same = ['1', '1', '1', '1'].map(word);
    return `      - { at: ${at}, answers: [${body(first, same)}, ${body(second, [word(admin)])}] }`;
  };

  test('believes neither part if a replica that is behind answers one of them', async () => {
    const rule = rules(five, ['{ id: any, on: changed }']);
    const text = `
tests:
  - name: the story
    watch: w
    saw:
${[poll('0m', '64', '64', '1'), poll('1m', '68', '69', '2'), poll('2m', '6a', '68', '1'), poll('3m', '6b', '6b', '2'), poll('4m', '6b', '6c', '3')].join('\n')}
    expect:
      - { at: 1m, alert: any, state: event, title: 'vault admin is now 0x2222…2222, was 0x1111…1111' }
      - { at: 4m, alert: any, state: event, title: 'vault admin is now 0x3333…3333, was 0x2222…2222' }
`;
    expect(await failuresOf(text, rule)).toBe('');
  });
});

describe('a request that does not say its block beside one that does', () => {
  const names = ['a', 'b', 'c', 'd', 'admin'];
  const five = names.map((name, i) => `${name}: { slot: ${i}, as: address }`);
  const body = (block: string, words: readonly string[]): string => {
    const answers = words.map((result, id) => `{ id: ${id + 1}, result: '${result}' }`);
    return `{ path: eth-rpc, body: [{ id: 0, ${block} }, ${answers.join(', ')}] }`;
  };
  const poll = (at: string, block: string, admin: string): string =>
    `      - { at: ${at}, answers: [${body("result: '0x64'", ['1', '1', '1', '1'].map(word))}, ${body(block, [word(admin)])}] }`;

  test('has unknown values, which may be older', async () => {
    const text = `
tests:
  - name: the story
    watch: w
    saw:
${[poll('0m', "result: '0x64'", '1'), poll('1m', 'error: { code: -32000, message: no peers }', '2'), poll('2m', "result: '0x64'", '1'), poll('3m', "result: '0x64'", '3')].join('\n')}
    expect:
      - { at: 3m, alert: any, state: event, title: 'vault admin is now 0x3333…3333, was 0x1111…1111' }
`;
    expect(await failuresOf(text, rules(five, ['{ id: any, on: changed }']))).toBe('');
  });
});

/** A poll whose second call ended so; the third one is answered. */
function endedSo(at: string, error: string, value = '0x1'): string {
  return `      - { at: ${at}, answers: [{ path: eth-rpc, body: [{ id: 0, result: '0x64' }, { id: 1, ${error} }, { id: 2, result: '${value}' }] }] }`;
}

describe('a call that a contract ends with an error', () => {
  test.each([
    "{ code: 3, message: 'execution reverted: Pausable: paused' }",
    "{ code: -32015, message: 'VM execution error.', data: 'Reverted 0x' }",
    "{ code: -32000, message: 'invalid opcode: INVALID' }",
    "{ code: -32603, message: 'Internal error: stack underflow (0 <=> 6)' }",
    '{ code: -32000, message: out of gas }',
    'execution reverted',
  ])('%s reverts, whichever node says it', async (error) => {
    const rule = rules(
      ["x: { call: 'x() view returns (uint256)' }", 'c: { balance: true }'],
      ['{ id: broken, while: reverted.x == true }'],
    );
    const text = `
tests:
  - name: the story
    watch: w
    saw:
${endedSo('0m', `error: ${error}`)}
    expect:
      - { at: 0m, alert: broken, state: firing, title: 'vault x cannot be read: the call reverts' }
`;
    expect(await failuresOf(text, rule)).toBe('');
  });

  test.each([
    'error: { code: -32000, message: header not found }',
    "error: { code: -32000, message: 'missing trie node' }",
    'result: null',
    "result: '0x5', error: null }, { id: 1, result: '0x6'",
  ])('%s is no revert, and no value', async (answer) => {
    const x = '{ call: "x() view returns (uint256)" }';
    const rule = rules(
      [`x: ${x}`, 'c: { balance: true }'],
      ['{ id: broken, while: reverted.x == true }', '{ id: low, while: x < 9 }'],
    );
    const text = `
tests:
  - name: the story
    watch: w
    saw:
${endedSo('0m', answer)}
    expect: []
`;
    expect(await failuresOf(text, rule)).toBe('');
  });
});

/** The answers of an explorer whose node fails at these calls. */
const failing = (fails: (call: string) => boolean) => ({
  answersCall: (call: Row, answer: Row): Row =>
    fails(JSON.stringify(call)) ? { id: call['id'], error: { code: -32000, message: 'no peers' } } : answer,
});

test('coins of more than 32 bytes are unknown', async () => {
  const text = `
tests:
  - name: the story
    watch: w
    saw:
      - { at: 0m, answers: [{ path: eth-rpc, body: [{ id: 0, result: '0x64' }, { id: 1, result: '0x1${'0'.repeat(64)}' }] }] }
    expect: []
`;
  expect(await failuresOf(text, rules(['c: { balance: true }'], ['{ id: high, while: c > 9 }']))).toBe('');
});

test('one call that is refused is unknown, and the others are told', async () => {
  const alerts = [INSOLVENT, ADMIN_CHANGED];
  await using world = await createWorld(rules([ASSETS, HELD, ADMIN], alerts));
  await world.poll();
  world.sandbox.setSlot({ slot: ADMIN_SLOT, value: word('3') });
  drain(world);
  world.replicas.use({
    answersCall: (call, answer) =>
      call['method'] === 'eth_getStorageAt'
        ? { id: call['id'], error: { code: -32603, message: 'Internal error' } }
        : answer,
  });
  expect(await world.poll()).toEqual(['insolvent firing']);
  expect(notesOf(world)).toEqual(['proxy_admin: the explorer refuses the call']);
  world.replicas.use({});
  expect(await world.poll()).toEqual(['admin-changed event']);
});

test('an explorer that refuses all calls, but knows the newest block, is an error that says so', async () => {
  await using world = await createWorld(rules([ASSETS, HELD, ADMIN], [INSOLVENT]));
  await world.poll();
  drain(world);
  world.replicas.use({
    answersCall: (call, answer) =>
      call['method'] === 'eth_blockNumber' ? answer : { id: call['id'], error: 'Action not found.' },
  });
  expect(await polls(world, 2)).toEqual([]);
  expect(world.decisions[0]?.memory.data?.state).toBe('error');
  expect(JSON.stringify(world.log.fields)).toContain(
    'answers no eth_call (before 6.3, or switched off) (Action not found.)',
  );
  world.replicas.use({});
  expect(await world.poll()).toEqual(['insolvent firing']);
});

test('a node that answers no call is an error, although the explorer itself knows the newest block', async () => {
  await using world = await createWorld(rules([ASSETS, HELD], [INSOLVENT]));
  await world.poll();
  drain(world);
  expect(await world.poll()).toEqual(['insolvent firing']);
  refill(world);
  world.replicas.use(failing((call) => !call.includes('eth_blockNumber')));
  expect(await polls(world, 2)).toEqual([]);
  expect(world.decisions[0]?.memory.data?.state).toBe('error');
  world.replicas.use({});
  expect(await world.poll()).toEqual(['insolvent resolved']);
});

test('a token that does not answer leaves the other values as they are, and is asked again', async () => {
  const amount = "amount: { call: 'totalAssets() view returns (uint256)', units: ACME }";
  const alerts = [ADMIN_CHANGED, '{ id: low, while: amount < 1_000_000_000 }'];
  await using world = await createWorld(rules([amount, ADMIN], alerts));
  world.replicas.use(failing((call) => call.includes('0x313ce567')));
  expect(await world.poll()).toEqual([]);
  world.sandbox.setSlot({ slot: ADMIN_SLOT, value: word('3') });
  expect(await world.poll()).toEqual(['admin-changed event']);
  world.replicas.use({});
  expect(await world.poll()).toEqual(['low firing']);
});

test('two watches that ask the same are one request, and others are their own', async () => {
  const two = `${rules([ASSETS], ['{ id: x, while: assets < 5 }'], 'a')}${rules([ASSETS], ['{ id: x, while: assets < 6 }'], 'b').replace('\nwatches:', '')}`;
  await using world = await createWorld(two);
  await world.poll();
  await world.poll();
  const before = world.replicas.asked.length;
  await world.poll();
  expect(world.replicas.asked).toHaveLength(before + 1);
  await world.load(`${two}${rules([HELD], ['{ id: x, while: held < 5 }'], 'c').replace('\nwatches:', '')}`);
  await polls(world, 2);
  const later = world.replicas.asked.length;
  await world.poll();
  expect(world.replicas.asked).toHaveLength(later + 2);
});

test('values that are compared with each other have a chart of the first one; an address has none', () => {
  const pathOf = (reads: readonly string[], alert: string): (string | null)[] =>
    loadWatches(rules(reads, [alert])).map((watch) => drawnPath(watch));
  expect(pathOf([ASSETS, HELD], INSOLVENT)).toEqual(['held']);
  expect(pathOf([ASSETS, HELD], '{ id: low, while: assets < 5 }')).toEqual(['assets']);
  expect(pathOf([ADMIN], ADMIN_CHANGED)).toEqual([null]);
});

describe('confirmations', () => {
  const deep = (confirmations: number, alerts: readonly string[], reads: readonly string[] = [ADMIN]): string =>
    rules(reads, alerts).replace('every: 1m', `every: 1m\n    confirmations: ${confirmations}`);
  const ANY = '{ id: any, on: changed }';

  test('a value is told when its block is so many blocks below the newest, and what ends sooner is not told', async () => {
    await using world = await createWorld(deep(3, [ADMIN_CHANGED]));
    expect(await world.poll()).toEqual([]);
    world.sandbox.mine();
    world.sandbox.setSlot({ slot: ADMIN_SLOT, value: word('3') });
    world.sandbox.mine({ blocks: 2 });
    expect(await world.poll()).toEqual([]);
    world.sandbox.mine();
    expect(await world.poll()).toEqual(['admin-changed event']);
    expect(world.messages[0]?.title).toBe('vault proxy admin is now 0x3333…3333, was treasury');
    world.sandbox.setSlot({ slot: ADMIN_SLOT, value: word('4') });
    world.sandbox.mine();
    world.sandbox.setSlot({ slot: ADMIN_SLOT, value: word('3') });
    world.sandbox.mine({ blocks: 9 });
    expect(await polls(world, 2)).toEqual([]);
  });

  test('cost one request for the newest block, which the watches of an explorer share', async () => {
    const second = deep(3, ['{ id: x, on: changed }'], ['coins: { balance: true }']).replace('\nwatches:', '');
    await using world = await createWorld(`${deep(3, [ADMIN_CHANGED])}${second.replace('id: w', 'id: v')}`);
    await world.poll();
    const before = world.replicas.asked.length;
    await world.poll();
    expect(world.replicas.asked).toHaveLength(before + 3);
  });

  test('a reload that adds them, raises them and takes them away loses and repeats no change', async () => {
    await using world = await createWorld(rules([ADMIN], [ANY]));
    await world.poll();
    world.sandbox.mine({ blocks: 5 });
    world.sandbox.setSlot({ slot: ADMIN_SLOT, value: word('3') });
    expect(await world.poll()).toEqual(['any event']);
    await world.load(deep(6, [ANY]));
    // Six blocks ago the admin was another one. That is older than what was told.
    expect(await polls(world, 4)).toEqual([]);
    expect(notesOf(world)).toEqual(['answered as of block 99, before block 105']);
    world.sandbox.mine({ blocks: 6 });
    expect(await world.poll()).toEqual([]);
    world.sandbox.setSlot({ slot: ADMIN_SLOT, value: word('4') });
    await world.load(deep(9, [ANY]));
    world.sandbox.mine({ blocks: 9 });
    expect(await world.poll()).toEqual(['any event']);
    world.sandbox.setSlot({ slot: ADMIN_SLOT, value: word('5') });
    await world.load(rules([ADMIN], [ANY]));
    await world.restart();
    expect(await world.poll()).toEqual(['any event']);
    expect(await polls(world, 2)).toEqual([]);
  });

  test('a reorganisation that is less deep tells and takes back nothing', async () => {
    await using world = await createWorld(deep(5, [ADMIN_CHANGED]));
    await world.poll();
    world.sandbox.setSlot({ slot: ADMIN_SLOT, value: word('3') });
    world.sandbox.mine({ blocks: 5 });
    expect(await world.poll()).toEqual(['admin-changed event']);
    world.sandbox.reorganise({ blocks: 3 });
    expect(await polls(world, 2)).toEqual([]);
  });

  test('a chain that went back is believed at the third reading in a row, not at one between others', async () => {
    await using world = await createWorld(deep(3, [ADMIN_CHANGED]));
    await world.poll();
    world.sandbox.setSlot({ slot: ADMIN_SLOT, value: word('3') });
    world.sandbox.mine({ blocks: 3 });
    expect(await world.poll()).toEqual(['admin-changed event']);
    const newestIs = (height: number): void => {
      world.replicas.use({
        answersCall: (call, answer) =>
          call['method'] === 'eth_blockNumber' ? { ...answer, result: `0x${height.toString(16)}` } : answer,
      });
    };
    newestIs(90);
    expect(await polls(world, 2)).toEqual([]);
    // The chain has the block of the last change, so it did not go back.
    newestIs(101);
    expect(await world.poll()).toEqual([]);
    newestIs(90);
    expect(await polls(world, 2)).toEqual([]);
    expect(await world.poll()).toEqual(['admin-changed event']);
  });

  test('an explorer that refuses to say which block is the newest is an error that says so', async () => {
    await using world = await createWorld(deep(12, [ADMIN_CHANGED]));
    world.sandbox.fail({ fault: 'no-calls', times: 100 });
    expect(await world.poll()).toEqual([]);
    expect(JSON.stringify(world.log.fields)).toContain('answers no eth_call (before 6.3, or switched off)');
  });

  test('a call that is refused in a request of its own is unknown, and the others are told', async () => {
    const slots = ['a', 'b', 'c', 'd'].map((name, i) => `${name}: { slot: ${i}, as: bool }`);
    await using world = await createWorld(deep(3, [ADMIN_CHANGED], [ADMIN, ...slots, 'x: { slot: 9, as: bool }']));
    await world.poll();
    world.sandbox.setSlot({ slot: ADMIN_SLOT, value: word('3') });
    world.sandbox.mine({ blocks: 3 });
    const isLast = (call: Row): boolean => JSON.stringify(call).includes(`${'0'.repeat(63)}9"`);
    world.replicas.use({
      answersCall: (call, own) => (isLast(call) ? { id: call['id'], error: 'Action not found.' } : own),
    });
    expect(await world.poll()).toEqual(['admin-changed event']);
    expect(notesOf(world)).toEqual(['x: the explorer refuses the call']);
  });

  test('a node without that block is an error that names the block; nothing fires, and nothing ends', async () => {
    await using world = await createWorld(deep(12, [INSOLVENT], [ASSETS, HELD]));
    drain(world);
    expect(await world.poll()).toEqual(['insolvent firing']);
    refill(world);
    const pruned = { code: -32000, message: 'missing trie node 7e3a (path )' };
    world.replicas.use({
      answersCall: (call, answer) =>
        call['method'] === 'eth_blockNumber' ? answer : { id: call['id'], error: pruned },
    });
    expect(await polls(world, 3)).toEqual([]);
    expect(world.decisions[0]?.memory.data?.state).toBe('error');
    expect(JSON.stringify(world.log.fields)).toContain('at block 88, 12 blocks below the newest: missing trie node');
    world.replicas.use({});
    expect(await world.poll()).toEqual(['insolvent resolved']);
  });

  test('an explorer that does not say which block is the newest is asked for nothing else', async () => {
    await using world = await createWorld(deep(12, [ADMIN_CHANGED]));
    await world.poll();
    world.replicas.use({
      answersCall: (call, answer) => (call['method'] === 'eth_blockNumber' ? { id: call['id'], result: '0x' } : answer),
    });
    const before = world.replicas.asked.length;
    expect(await world.poll()).toEqual([]);
    expect(world.replicas.asked).toHaveLength(before + 1);
    expect(world.decisions[0]?.memory.data?.state).toBe('error');
  });

  test('are no part of a rule test: it writes the values as they count', async () => {
    const text = `
tests:
  - name: the story
    watch: w
    saw: [{ at: 0m, proxy_admin: vault }, { at: 1m, proxy_admin: '${hot_wallet}' }]
    expect: [{ at: 1m, alert: admin-changed, state: event }]
`;
    expect(await failuresOf(text, deep(12, [ADMIN_CHANGED]))).toBe('');
  });
});

describe('several contracts', () => {
  const { treasury } = ADDRESSES;
  const BALANCE =
    "usdc: { of: USDC, call: 'balanceOf(address account) view returns (uint256)', with: { account: of }, units: USDC }";
  const several = (of: string, reads: readonly string[], alerts: readonly string[]): string =>
    rules(reads, alerts).replace('of: vault', `of: ${of}`);
  const ANY = '{ id: any, on: changed }';
  const titlesOf = ({ messages }: World): readonly string[] => messages.map(({ title }) => title).toSorted();

  test('are a watch each, with its own address as the argument', async () => {
    await using world = await createWorld(several('[vault, treasury]', [BALANCE], [ANY]));
    expect(await world.poll()).toEqual([]);
    world.sandbox.moveBalance({ from: vault, to: treasury, token: TOKENS.USDC, value: 1_000_000 });
    expect(await world.poll()).toEqual(['any event', 'any event']);
    expect(titlesOf(world)).toEqual([
      expect.stringMatching(/^treasury usdc .* was /),
      expect.stringMatching(/^vault usdc .* was /),
    ]);
    expect(await polls(world, 2)).toEqual([]);
  });

  test('a reload that adds one reads its baseline, and the others miss and repeat nothing', async () => {
    await using world = await createWorld(several('[vault, treasury]', [BALANCE], [ANY]));
    await world.poll();
    world.sandbox.moveBalance({ from: vault, to: hot_wallet, token: TOKENS.USDC, value: 1_000_000 });
    await world.load(several('[vault, treasury, hot_wallet]', [BALANCE], [ANY]));
    expect(await world.poll()).toEqual(['any event']);
    expect(titlesOf(world)).toEqual([expect.stringMatching(/^vault usdc /)]);
    world.sandbox.moveBalance({ from: hot_wallet, to: vault, token: TOKENS.USDC, value: 1_000_000 });
    await world.load(several('[hot_wallet]', [BALANCE], [ANY]));
    await world.restart();
    expect(await world.poll()).toEqual(['any event']);
    expect(titlesOf(world)).toEqual([expect.stringMatching(/^hot_wallet usdc /)]);
  });

  test('a name in place of a position, and the own address in place of its name, are the same question', async () => {
    const call = "call: 'balanceOf(address account) view returns (uint256)', units: USDC, of: USDC";
    await using world = await createWorld(rules([`usdc: { ${call}, with: [vault] }`], [ANY]));
    await world.poll();
    world.sandbox.moveBalance({ from: vault, to: treasury, token: TOKENS.USDC, value: 1_000_000 });
    await world.load(rules([`usdc: { ${call}, with: { account: of } }`], [ANY]));
    expect(await world.poll()).toEqual(['any event']);
    await world.load(rules([`usdc: { ${call}, with: { account: treasury } }`], [ANY]));
    expect(await polls(world, 2)).toEqual([]);
  });

  test('tokens have the decimals of each', async () => {
    const supply = "supply: { call: 'totalSupply() view returns (uint256)', units: of }";
    await using world = await createWorld(several('[USDC, ACME]', [supply], ['{ id: some, while: supply > 1 }']));
    expect(await world.poll()).toEqual(['some firing', 'some firing']);
    const balances = await createWorld(`
watches:
  - { id: t, kind: token, token: [USDC, ACME], every: 1m, alerts: [{ id: some, while: total_supply > 1 }] }
`);
    await balances.poll();
    const amounts = (messages: World['messages']): readonly string[] =>
      messages.map(({ title }) => /[\d,.]+(?=, above)/.exec(title)?.[0] ?? title).toSorted();
    expect(amounts(world.messages)).toEqual(amounts(balances.messages));
    await balances[Symbol.asyncDispose]();
  });

  test('a rule test without a config knows the own address', async () => {
    const text = `
tests:
  - name: the story
    watch: w
    saw: [{ at: 0m, usdc: 5 }, { at: 1m, usdc: 7 }]
    expect: [{ at: 1m, alert: any, state: event, title: 'vault usdc 7, was 5' }]
`;
    expect(await failuresOf(text, rules([BALANCE], [ANY]))).toBe('');
  });
});

describe('more values than one request has', () => {
  const PRICE =
    "price: { call: 'convertToAssets(uint256 shares) view returns (uint256)', with: [1_000_000_000_000_000_000] }";
  const COINS = 'coins: { balance: true }';
  const OWNER = "owner: { call: 'owner() view returns (address)' }";
  const ALL = [ASSETS, HELD, PRICE, COINS, OWNER, ADMIN];
  const ANY = '{ id: any, on: changed }';
  const BROKEN = '{ id: broken, while: reverted.price == true }';
  const multicall = '0xca11bde05977b3631167028862be2a173976ca11';
  const aggregate = 'aggregate3((address target, bool allowFailure, bytes callData)[] calls)';
  const PLAN = { creditsPerDay: 3000 };
  const refused = { error: { code: -32603, message: 'Internal error' } };
  const noMulticall = {
    answersCall: (called: Row, own: Row): Row => (isJoined(called) ? { id: called['id'], result: '0x' } : own),
  };
  /** Multicall3 says that these of its calls fail, beside those that do. */
  const withoutGas = (fails: (place: number) => boolean) => ({
    answersCall(called: Row, answer: Row): Row {
      if (!isJoined(called)) return answer;
      const types = parseView(`${aggregate} view returns ((bool success, bytes returnData)[] results)`);
      if ('mistake' in types) throw new Error(types.mistake.message);
      const { outputs } = types.signature;
      const [results] = decodeArguments(outputs, Buffer.from(String(answer['result']).slice(2), 'hex')) ?? [];
      const list = Array.isArray(results) ? results : [];
      const failing = list.map((one: AbiValue, i) => (fails(i) ? [false, '0x'] : one));
      const result = encodeArguments(
        outputs.map(({ type }) => type),
        [failing],
      );
      return { ...answer, result: `0x${result}` };
    },
  });
  const askedIn = async (world: World): Promise<number> => {
    const before = world.replicas.asked.length;
    await world.poll();
    return world.replicas.asked.length - before;
  };
  const isJoined = (call: Row): boolean => JSON.stringify(call).includes(multicall);
  const wordsOf = (rule: string, { decisions: [decision], clock }: World): string => {
    const [watch] = loadWatches(rule);
    if (watch === undefined || decision === undefined) throw new Error('no poll took place');
    return dataWords(watch, decision.memory, { now: clock.now(), zone: 'UTC', pause: null }).join('; ');
  };
  const DAY = 86_400_000;

  test('are one request, with the calls of contracts joined by Multicall3', async () => {
    await using world = await createWorld(rules(ALL, [INSOLVENT, ADMIN_CHANGED]));
    await world.poll();
    expect(await askedIn(world)).toBe(1);
    expect(world.decisions.map(({ hasChanged }) => hasChanged)).toEqual([false]);
    drain(world);
    world.sandbox.setSlot({ slot: ADMIN_SLOT, value: word('3') });
    expect(await world.poll()).toEqual(['insolvent firing', 'admin-changed event']);
    refill(world);
    expect(await world.poll()).toEqual(['insolvent resolved']);
  });

  test('one call that reverts hides none of the others, and is asked alone when it begins', async () => {
    await using world = await createWorld(rules(ALL, [INSOLVENT, BROKEN]));
    await world.poll();
    world.sandbox.revertCall({ call: 'convertToAssets(uint256 shares)' });
    drain(world);
    expect(await world.poll()).toEqual(['insolvent firing', 'broken firing']);
    expect(await askedIn(world)).toBe(1);
    world.sandbox.revertCall({ call: 'convertToAssets(uint256 shares)', reverts: false });
    refill(world);
    expect(await world.poll()).toEqual(['insolvent resolved', 'broken resolved']);
  });

  test('a call that reverts behind another one that uses up the gas reverts no longer alone', async () => {
    const rule = rules(ALL, [BROKEN, ANY]);
    await using world = await createWorld(rule);
    await world.poll();
    world.replicas.use(withoutGas((place) => place >= 2));
    expect(await polls(world, 2)).toEqual([]);
    expect(wordsOf(rule, world)).toMatch(
      /; values are asked one by one: Multicall3 says that the call of price reverts, and alone it does not \(since /,
    );
  });

  test.each([
    ['no Multicall3', { result: '0x' }, 'there is no Multicall3 on this chain'],
    ['one that reverts', { error: { code: 3, message: 'execution reverted' } }, 'the call of Multicall3 reverts'],
    [
      'a node that fails',
      { error: { code: -32000, message: 'timeout' } },
      'the node does not answer the call of Multicall3',
    ],
    ['another contract there', { result: word('1') }, 'the answer of Multicall3 does not fit'],
    ['an explorer that refuses it', refused, 'the explorer refuses the call of Multicall3'],
    [
      'one that says so with other words',
      { error: { code: -32602, message: 'Invalid params' } },
      'the explorer refuses the call of Multicall3',
    ],
    ['one that says so with a text', { error: 'Action not found.' }, 'the explorer refuses the call of Multicall3'],
  ])('%s: the values are asked one by one for a day, and the same is told', async (_name, answer, why) => {
    const rule = rules(ALL, [INSOLVENT, ADMIN_CHANGED]);
    await using world = await createWorld(rule);
    await world.poll();
    world.replicas.use({ answersCall: (called, own) => (isJoined(called) ? { id: called['id'], ...answer } : own) });
    drain(world);
    expect(await world.poll()).toEqual(['insolvent firing']);
    expect(notesOf(world)).toEqual([`values are asked one by one: ${why}`]);
    expect(await askedIn(world)).toBe(2);
    expect(world.decisions.map(({ hasChanged }) => hasChanged)).toEqual([false]);
    expect(wordsOf(rule, world)).toContain(`values are asked one by one: ${why} (since `);
    await world.restart();
    expect(await askedIn(world)).toBe(2);
    world.replicas.use({});
    await world.clock.advance(DAY);
    expect(await polls(world, 2)).toEqual([]);
    expect(await askedIn(world)).toBe(1);
    expect(wordsOf(rule, world)).not.toContain('one by one');
    refill(world);
    expect(await world.poll()).toEqual(['insolvent resolved']);
  });

  test.each(['not-found', 'unprocessable', 'blocked', 'html'] as const)(
    'a joined request that fails as %s is asked one by one',
    async (fault) => {
      const rule = rules(ALL, [INSOLVENT]);
      await using world = await createWorld(rule);
      await world.poll();
      drain(world);
      world.sandbox.fail({ fault, times: 1, operation: 'eth-rpc' });
      expect(await world.poll()).toEqual(['insolvent firing']);
      expect(notesOf(world)).toEqual(['values are asked one by one: the explorer refuses the call of Multicall3']);
    },
  );

  test('a joined request that the explorer fails to answer is a missed poll, and no reason to ask one by one', async () => {
    await using world = await createWorld(rules(ALL, [INSOLVENT]));
    await world.poll();
    drain(world);
    world.sandbox.fail({ fault: 'server-error', times: 3, operation: 'eth-rpc' });
    expect(await world.poll()).toEqual([]);
    expect(world.decisions[0]?.memory.data?.state).toBe('error');
    expect(await world.poll()).toEqual(['insolvent firing']);
    expect(await askedIn(world)).toBe(1);
  });

  test('calls that are too long for one request are not joined, and the others are told', async () => {
    const who = Array.from({ length: 64 }, (_, i) => `'0x${String(i).padStart(40, '1')}'`).join(', ');
    const long = Array.from(
      { length: 16 },
      (_, i) => `x${i}: { call: 'x${i}(address[] who) view returns (uint256)', with: { who: [${who}] } }`,
    );
    await using world = await createWorld(rules([ADMIN, ...long], [ADMIN_CHANGED]));
    expect(await askedIn(world)).toBe(5);
    world.sandbox.setSlot({ slot: ADMIN_SLOT, value: word('3') });
    expect(await world.poll()).toEqual(['admin-changed event']);
  });

  test('calls that are too long for one request are several requests', async () => {
    const labels = Array.from({ length: 20 }, () => 'a'.repeat(900)).join(', ');
    const long = ['x', 'y'].map(
      (name) => `${name}: { call: '${name}(string[] labels) view returns (uint256)', with: { labels: [${labels}] } }`,
    );
    await using world = await createWorld(rules([ADMIN, ...long], [ADMIN_CHANGED]));
    expect(await askedIn(world)).toBe(2);
    world.sandbox.setSlot({ slot: ADMIN_SLOT, value: word('3') });
    expect(await world.poll()).toEqual(['admin-changed event']);
  });

  test('the end of a revert is told although another call uses up the gas now', async () => {
    const reads = [
      ...ALL,
      "supply: { of: USDC, call: 'totalSupply() view returns (uint256)' }",
      'x: { slot: 7, as: bool }',
    ];
    await using world = await createWorld(rules(reads, [BROKEN]));
    await world.poll();
    world.sandbox.revertCall({ call: 'convertToAssets(uint256 shares)' });
    expect(await world.poll()).toEqual(['broken firing']);
    world.sandbox.revertCall({ call: 'totalAssets()' });
    world.replicas.use(withoutGas((place) => place === 0 || place === 2));
    expect(await polls(world, 2)).toEqual([]);
    world.sandbox.revertCall({ call: 'convertToAssets(uint256 shares)', reverts: false });
    expect(await world.poll()).toEqual(['broken resolved']);
    expect(await polls(world, 2)).toEqual([]);
  });

  test('a replica that is behind does not know yet that a call reverts alone: the calls stay joined', async () => {
    const rule = rules(ALL, [BROKEN]);
    await using world = await createWorld(rule);
    await world.poll();
    world.sandbox.mine({ blocks: 3 });
    world.sandbox.revertCall({ call: 'convertToAssets(uint256 shares)' });
    let isAlone = false;
    world.replicas.use({
      answersCall(called, own) {
        if (isAlone && called['method'] === 'eth_blockNumber') return { ...own, result: '0x64' };
        if (!isJoined(called) && JSON.stringify(called).includes('07a2d13a'))
          return { id: called['id'], result: word('1') };
        isAlone ||= isJoined(called);
        return own;
      },
    });
    expect(await world.poll()).toEqual([]);
    world.replicas.use({});
    expect(await world.poll()).toEqual(['broken firing']);
    expect(wordsOf(rule, world)).not.toContain('one by one');
    expect(await askedIn(world)).toBe(1);
  });

  test('several calls that revert cost no more than all of them one by one', async () => {
    await using world = await createWorld(rules(ALL, [BROKEN]));
    world.sandbox.revertCall({ call: 'convertToAssets(uint256 shares)' });
    world.sandbox.revertCall({ call: 'totalAssets()' });
    expect(await world.poll()).toEqual(['broken firing']);
    expect(await askedIn(world)).toBe(2);
    world.sandbox.revertCall({ call: 'convertToAssets(uint256 shares)', reverts: false });
    expect(await world.poll()).toEqual(['broken resolved']);
    expect(await askedIn(world)).toBe(1);
  });

  test.each([
    ['that is refused', refused],
    ['of a node that fails', { error: { code: -32000, message: 'no peers' } }],
  ])('a call %s alone is unknown, and the others are told', async (_name, error) => {
    await using world = await createWorld(rules(ALL, [ADMIN_CHANGED, BROKEN]));
    await world.poll();
    world.sandbox.revertCall({ call: 'convertToAssets(uint256 shares)' });
    world.sandbox.setSlot({ slot: ADMIN_SLOT, value: word('3') });
    world.replicas.use({
      answersCall: (called, own) =>
        JSON.stringify(called).includes('07a2d13a') && !isJoined(called) ? { id: called['id'], ...error } : own,
    });
    expect(await world.poll()).toEqual(['admin-changed event']);
    world.replicas.use({});
    expect(await world.poll()).toEqual(['broken firing']);
  });

  test('a request for a call alone without any answer leaves its value unknown, and the others are told', async () => {
    await using world = await createWorld(rules(ALL, [ADMIN_CHANGED, BROKEN]));
    await world.poll();
    world.sandbox.revertCall({ call: 'convertToAssets(uint256 shares)' });
    world.sandbox.setSlot({ slot: ADMIN_SLOT, value: word('3') });
    world.replicas.use({
      answersCall(called, own) {
        if (isJoined(called)) world.sandbox.fail({ fault: 'server-error', times: 3, operation: 'eth-rpc' });
        return own;
      },
    });
    expect(await world.poll()).toEqual(['admin-changed event']);
    expect(notesOf(world)).toEqual(['price: the node behind the explorer failed']);
    world.replicas.use({});
    expect(await world.poll()).toEqual(['broken firing']);
  });

  test('a reading that is doubted remembers that the values are asked one by one', async () => {
    const deep = rules(ALL, [ANY]).replace('every: 1m', 'every: 1m\n    confirmations: 20');
    await using world = await createWorld(rules(ALL, [ANY]));
    await world.poll();
    world.sandbox.mine({ blocks: 5 });
    world.sandbox.setSlot({ slot: ADMIN_SLOT, value: word('3') });
    expect(await world.poll()).toEqual(['any event']);
    world.replicas.use(noMulticall);
    await world.load(deep);
    expect(await world.poll()).toEqual([]);
    expect(notesOf(world).join('; ')).toContain('there is no Multicall3 on this chain');
    // The newest block, and two requests for six values.
    expect(await askedIn(world)).toBe(3);
    expect(world.decisions.map(({ hasChanged }) => hasChanged)).toEqual([false]);
  });

  test('a name that asks something else since a reload is asked alone, although the call before reverted', async () => {
    await using world = await createWorld(rules(ALL, [BROKEN]));
    world.sandbox.revertCall({ call: 'convertToAssets(uint256 shares)' });
    expect(await world.poll()).toEqual(['broken firing']);
    world.replicas.use(withoutGas((place) => place === 2));
    await world.load(
      rules([...ALL.slice(0, 2), "price: { call: 'totalSupply() view returns (uint256)' }", ...ALL.slice(3)], [BROKEN]),
    );
    expect(await world.poll()).toEqual(['broken resolved']);
  });

  test('a plan pays for values that are asked one by one as for joined calls', async () => {
    await using world = await createWorld(rules(ALL, [ANY]), PLAN);
    await world.poll();
    world.replicas.use(noMulticall);
    expect(await polls(world, 30)).toEqual([]);
    world.sandbox.setSlot({ slot: ADMIN_SLOT, value: word('3') });
    expect(await world.poll()).toEqual(['any event']);
  });

  test('a plan pays for calls that are asked again alone as for joined calls', async () => {
    await using world = await createWorld(rules(ALL, [BROKEN]), PLAN);
    for (let i = 0; i < 12; i += 1) {
      world.sandbox.revertCall({ call: 'convertToAssets(uint256 shares)' });
      await world.poll();
      expect(notesOf(world)).toEqual(['price: the call reverts']);
      world.sandbox.revertCall({ call: 'convertToAssets(uint256 shares)', reverts: false });
      await world.poll();
    }
  });

  test('a node that answers nothing is an error', async () => {
    await using world = await createWorld(rules(ALL, [INSOLVENT]));
    await world.poll();
    world.replicas.use(failing((call) => !call.includes('eth_blockNumber')));
    expect(await polls(world, 2)).toEqual([]);
    expect(world.decisions[0]?.memory.data?.state).toBe('error');
    world.replicas.use({});
    expect(await askedIn(world)).toBe(1);
  });

  test('a reload that passes from one way to the other misses and repeats nothing', async () => {
    await using world = await createWorld(rules([ASSETS, HELD, ADMIN], [ANY]));
    await world.poll();
    drain(world);
    await world.load(rules(ALL, [ANY]));
    expect(await world.poll()).toEqual(['any event']);
    expect(await polls(world, 2)).toEqual([]);
    refill(world);
    await world.load(rules([ASSETS, HELD, ADMIN], [ANY]));
    expect(await world.poll()).toEqual(['any event']);
  });

  test('with confirmations they are a request for the newest block, and one for the values', async () => {
    const rule = rules(ALL, [ADMIN_CHANGED]).replace('every: 1m', 'every: 1m\n    confirmations: 3');
    await using world = await createWorld(rule);
    await world.poll();
    expect(await askedIn(world)).toBe(2);
    world.sandbox.setSlot({ slot: ADMIN_SLOT, value: word('3') });
    world.sandbox.mine({ blocks: 2 });
    expect(await world.poll()).toEqual([]);
    world.sandbox.mine();
    expect(await world.poll()).toEqual(['admin-changed event']);
  });
});
