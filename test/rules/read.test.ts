// The key `read` of a watch: what it refuses, and what `check` says of it.
import { describe, expect, test } from '@jest/globals';
import { loadConfig } from '../../src/config/config.ts';
import { formatProblems } from '../../src/config/problem.ts';
import { notifiers } from '../../src/notifiers/index.ts';
import { describeWatches } from '../../src/rules/describe.ts';
import { loadRules } from '../../src/rules/load.ts';
import { TOKENS } from '../../src/sandbox/names.ts';
import { kinds } from '../../src/watches/index.ts';
import { CONFIG } from '../support/world.ts';

const ABI = JSON.stringify([
  { type: 'function', name: 'totalAssets', inputs: [], outputs: [{ type: 'uint256' }], stateMutability: 'view' },
  { type: 'function', name: 'pause', inputs: [], outputs: [], stateMutability: 'nonpayable' },
  {
    type: 'function',
    name: 'preview',
    inputs: [{ type: 'uint256', name: 'shares' }],
    outputs: [{ type: 'uint256' }, { type: 'bool', name: 'ok' }],
    stateMutability: 'pure',
  },
]);

const ALERTS = 'alerts: [{ id: a, on: changed, notify: screen }]';

function load(read: string, more = '', config = CONFIG, alerts = ALERTS) {
  const rules = `
watches:
  - id: w
    kind: read
    of: vault
    every: 5m
    ${more}
    read: ${read}
    ${alerts}
`;
  const loaded = loadConfig('config.yaml', { env: {}, readFile: () => config, notifiers });
  if (loaded.config === null) throw new Error(formatProblems(loaded.problems));
  const abis = new Map([['Vault.json', { text: ABI }]]);
  const { watches, problems } = loadRules(loaded.config, [{ file: 'rules.yaml', text: rules }], { kinds, abis });
  return { watches, config: loaded.config, problems: problems.map(({ message, hint = '' }) => `${message}. ${hint}`) };
}

describe('a mistake', () => {
  test.each([
    ['{}', 'names nothing to read'],
    ['{ x: { with: [1] } }', 'has none of call, slot and balance'],
    ["{ x: { slot: '0x1', balance: true } }", 'has several of call, slot and balance'],
    ["{ x: { slot: '0x1', as: address, units: 6 } }", 'units has no meaning beside slot'],
    ["{ x: { slot: '0x1' } }", 'as is missing'],
    ["{ x: { slot: '0x1', as: string } }", '"string" is no type of a slot here'],
    ['{ x: { slot: here, as: address } }', 'must be 0x and at most 64 digits, or a number'],
    ["{ x: { call: 'pause()' } }", 'only a view or pure function can be called'],
    ["{ x: { call: 'total() view' } }", '"returns" is missing'],
    ["{ x: { call: 'total() view returns ()' } }", 'the function returns nothing'],
    ["{ x: { call: 'total() view returns (uint257)' } }", 'no type "uint257"'],
    ["{ x: { call: 'total() view returns (uint256, uint256)' } }", 'an argument needs a name'],
    ["{ x: { call: 'total(uint256 id) view returns (uint256)' } }", 'total takes id, and with has 0'],
    ["{ x: { call: 'total() view returns (uint256)', with: [1] } }", 'total takes no arguments, and with has 1'],
    [
      "{ x: { call: 'total(uint8 id) view returns (uint256)', with: [300] } }",
      '"300" is no value of id. Write the digits of a whole number that fits uint8, as 1_000_000.',
    ],
    [
      "{ x: { call: 'total(uint256 id) view returns (uint256)', with: 1e18 } }",
      '"1e18" is no value of id. Write the digits of a whole number that fits uint256, as 1_000_000.',
    ],
    [
      "{ x: { call: 'total(bytes4 id) view returns (uint256)', with: '0x1' } }",
      '"0x1" is no value of id. Write bytes4 as 0x and 8 digits.',
    ],
    ["{ x: { call: 'total(bool all) view returns (uint256)', with: 1 } }", 'Write true or false.'],
    [
      "{ x: { call: 'total((uint8 a) id) view returns (uint256)', with: [a] } }",
      'id is a tuple or a list of lists, which cannot be given here',
    ],
    [
      "{ x: { call: 'total(uint8[][] id) view returns (uint256)', with: { id: [1] } } }",
      'id is a tuple or a list of lists, which cannot be given here',
    ],
    [
      "{ x: { call: 'held(address of, uint8 id) view returns (uint256)', with: { off: vault, id: 1 } } }",
      'held has no argument off. Did you mean of?',
    ],
    [
      "{ x: { call: 'held(address of, uint8[] ids) view returns (uint256)', with: {} } }",
      'with lacks of and ids. Write with: { of: …, ids: [ … ] }.',
    ],
    [
      "{ x: { call: 'held(address of) view returns (uint256)', with: { of: [vault, treasury] } } }",
      'of is one value, and a list is given. For several addresses, name them in of of the watch, and write of here: each is a watch of its own.',
    ],
    [
      "{ x: { call: 'total(uint8 id) view returns (uint256)', with: [[1, 2]] } }",
      'id is one value, and a list is given. Write one read for each value.',
    ],
    [
      "{ x: { call: 'total(uint8[] ids) view returns (uint256)', with: { ids: [1, 300] } } }",
      '"300" is no value of ids. Write the digits of a whole number that fits uint8',
    ],
    [
      "{ x: { call: 'total(uint8[2] ids) view returns (uint256)', with: { ids: [1, 2, 3] } } }",
      'ids has 2 values, and 3 are given',
    ],
    [
      "{ x: { call: 'held(address[3] of) view returns (uint256)', with: { of: ours } } }",
      'of has 3 values, and 2 are given',
    ],
    [
      `{ x: { call: 'total(uint8[] ids) view returns (uint256)', with: { ids: [${'1, '.repeat(65)}] } } }`,
      'ids has at most 64 values here',
    ],
    [
      "{ x: { call: 'total(bytes data) view returns (uint256)', with: { data: 0x1 } } }",
      '"0x1" is no value of data. Write 0x and digits, two for each byte.',
    ],
    ["{ x: { call: 'held(address[] of) view returns (uint256)', with: { of: [valt] } } }", 'no address "valt"'],
    [
      "{ x: { call: 'held(address of) view returns (uint256)', with: [valt] } }",
      'no address "valt". Did you mean vault',
    ],
    ["{ x: { call: 'held(address of) view returns (uint256)', with: [ours] } }", '"ours" has several addresses'],
    ["{ x: { call: 'total() view returns (uint256)', of: valt } }", 'no address "valt"'],
    ["{ x: { call: 'total() view returns (uint256)', units: USDX } }", 'no token "USDX"'],
    ["{ x: { call: 'total() view returns (uint256)', units: 78 } }", 'a number of decimals up to 77'],
    ["{ x: { call: 'owner() view returns (address)', units: 6 } }", 'only one whole number has units'],
    ['{ treasury: { balance: true } }', '"treasury" is a field of read already'],
    ['{ reverted: { balance: true } }', '"reverted" cannot be a name here'],
    ["{ 'a b': { balance: true } }", '"a b" cannot be a name here'],
    ['{ constructor: { balance: true } }', '"constructor" is not allowed as a key'],
    ['{ x: { balance: true }, confirmations: 3 }', 'must be'],
  ])('%s: %s', (read, expected) => {
    expect(load(read).problems.join('\n')).toContain(expected);
  });

  test('arguments that no explorer takes in one request', () => {
    const labels = Array.from({ length: 30 }, () => 'a'.repeat(900)).join(', ');
    const read = `{ x: { call: 'total(string[] labels) view returns (uint256)', with: { labels: [${labels}] } } }`;
    expect(load(read).problems).toEqual(['the arguments have 29,828 bytes, and at most 24,000 fit into a request. ']);
  });

  test('more than 20 names', () => {
    const reads = Array.from({ length: 21 }, (_, i) => `x${i}: { balance: true }`);
    expect(load(`{ ${reads.join(', ')} }`).problems).toEqual(['has at most 20 names. ']);
  });

  test.each(['0', '65', '1.5', 'many'])('confirmations: %s', (written) => {
    expect(load('{ x: { balance: true } }', `confirmations: ${written}`).problems).toEqual([
      'must be a whole number from 1 to 64. ',
    ]);
  });

  test('confirmations at an alert, which belong to the watch', () => {
    const alert = '{ id: b, on: changed, confirmations: 3, notify: screen }';
    const { problems } = load('{ x: { balance: true } }', `confirmations: 3\n    alerts: [${alert}]`, CONFIG, '');
    expect(problems).toEqual(['read has no blocks to count. Write it at the watch.']);
  });

  test('a report without values: one of its own is named as an example', () => {
    const rule =
      "{ id: w, kind: read, of: vault, read: { x: { balance: true } }, alerts: [{ id: a, on: schedule, cron: '0 8 * * *' }] }";
    const { config } = loadConfig('config.yaml', { env: {}, readFile: () => CONFIG, notifiers });
    if (config === null) throw new Error('the config has mistakes');
    const { problems } = loadRules(config, [{ file: 'rules.yaml', text: `watches: [${rule}]` }], { kinds });
    expect(formatProblems(problems)).toContain('on: schedule needs values. Write the values to send, as values: [x].');
  });

  test('an explorer whose JSON-RPC the config does not allow', () => {
    const config = CONFIG.replace('{ form: sandbox }', '{ form: instance, instance_url: "https://explorer.example" }');
    expect(load('{ x: { balance: true } }', '', config).problems).toEqual([
      'read asks the JSON-RPC of chain, which the config does not allow. Write rpc: true at the explorer chain in the config. A poll is a POST.',
    ]);
    const allowed = config.replace('instance_url', 'rpc: true, instance_url');
    expect(load('{ x: { balance: true } }', '', allowed).problems).toEqual([]);
    const onSandbox = (rpc: boolean) => CONFIG.replace('{ form: sandbox }', `{ form: sandbox, rpc: ${rpc} }`);
    expect(load('{ x: { balance: true } }', '', onSandbox(true)).problems).toEqual([]);
    expect(load('{ x: { balance: true } }', '', onSandbox(false)).problems).toEqual([
      expect.stringContaining('Write rpc: true'),
    ]);
  });
});

describe('an ABI file', () => {
  test('names view functions, with all that they return', () => {
    const { watches, problems } = load(
      '{ x: { call: totalAssets, units: USDC }, y: { call: preview, with: [5] } }',
      'abi: Vault.json',
    );
    expect(problems).toEqual([]);
    expect(watches[0]?.target.options).toMatchObject({
      read: {
        x: { call: 'totalAssets() view returns (uint256 arg0)', units: TOKENS.USDC.toLowerCase() },
        y: { call: 'preview(uint256 shares) view returns (uint256 arg0, bool ok)', with: ['5'] },
      },
    });
  });

  test('has no name for what it lacks, and for what changes something', () => {
    expect(load('{ x: { call: totalAsset } }', 'abi: Vault.json').problems[0]).toContain('Did you mean totalAssets?');
    expect(load('{ x: { call: pause } }', 'abi: Vault.json').problems[0]).toContain('no view function "pause"');
  });
});

test('check says what is asked, and prices every request', () => {
  const reads = ['a', 'b', 'c', 'd', 'e'].map((name) => `${name}: { slot: '0x5', as: uint256 }`);
  const { watches, config } = load(`{ x: { call: 'totalAssets() view returns (uint256)' }, ${reads.join(', ')} }`);
  const { lines } = describeWatches(watches, config);
  expect(lines.find((line) => line.startsWith('w: asks'))).toContain('totalAssets() 0x01e1d114 as x, slot 0x5 as a');
  // Two requests to one path.
  expect(lines[0]).toContain('asks eth-rpc  576 requests, 11,520 credits a day');
  expect(watches[0]?.kind.questions?.(watches[0].target)).toHaveLength(2);
});

test('confirmations cost a request for the newest block, and leave room for five values in each other one', () => {
  const reads = ['a', 'b', 'c', 'd', 'e'].map((name) => `${name}: { slot: '0x5', as: uint256 }`);
  const { watches, config, problems } = load(`{ ${reads.join(', ')} }`, 'confirmations: 12');
  expect(problems).toEqual([]);
  const { lines } = describeWatches(watches, config);
  expect(lines.find((line) => line.startsWith('w: asks'))).toContain('slot 0x5 as e, 12 blocks below the newest');
  expect(lines[0]).toContain('asks eth-rpc  576 requests, 11,520 credits a day');
});

describe('arguments', () => {
  const pathsOf = (read: string): readonly string[] => {
    const { watches, problems } = load(read);
    expect(problems).toEqual([]);
    return watches.map(({ kind, target }) => kind.question(target).path);
  };

  test.each([
    [
      "held(address who, uint8 id) view returns (uint256)', with: [vault, 7]",
      "held(address who, uint8 id) view returns (uint256)', with: { id: 7, who: vault }",
    ],
    [
      "held(address who) view returns (uint256)', with: vault",
      "held(address account) view returns (uint256)', with: { account: of }",
    ],
    [
      "held(address[] who) view returns (uint256)', with: [[treasury, vault]]",
      "held(address[] who) view returns (uint256)', with: { who: ours }",
    ],
  ])('%s is the same question as %s', (one, other) => {
    expect(pathsOf(`{ x: { call: '${one} } }`)).toEqual(pathsOf(`{ x: { call: '${other} } }`));
  });

  test('lists and texts are sent behind the fixed values', () => {
    const call = "names(uint8[] ids, string label, bool all) view returns (uint256)'";
    const word = (value: number): string => value.toString(16).padStart(64, '0');
    const text = Buffer.from('ab').toString('hex').padEnd(64, '0');
    const words = [96, 192, 1, 2, 5, 6, 2].map(word).join('') + text;
    expect(pathsOf(`{ x: { call: '${call}, with: { ids: [5, 6], label: ab, all: true } } }`)[0]).toContain(words);
  });
});

test('many values are one request, and check says that their calls are joined', () => {
  const reads = Array.from({ length: 16 }, (_, i) => `c${i}: { call: 'c${i}() view returns (uint256)' }`);
  const slots = ['a', 'b', 'c'].map((name) => `${name}: { slot: '0x5', as: uint256 }`);
  const { watches, config, problems } = load(`{ ${[...reads, ...slots, 'x: { balance: true }'].join(', ')} }`);
  expect(problems).toEqual([]);
  const { lines } = describeWatches(watches, config);
  expect(lines.find((line) => line.startsWith('w: asks'))).toMatch(/the coins as x, the calls joined by Multicall3$/);
  expect(lines[0]).toContain('asks eth-rpc  288 requests, 5,760 credits a day');
});
