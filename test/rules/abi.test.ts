// `abi:`: files that name functions and events, read from a real directory.
import { mkdirSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { loadSetup } from '../../src/app/setup/setup.ts';
import { summarize } from '../../src/config/problem.ts';
import { readRegularFile } from '../../src/lib/files/regular-file.ts';
import { createRuleCache } from '../../src/rules/cache.ts';
import { describeWatches } from '../../src/rules/describe.ts';
import { createFolder, type Folder } from '../support/daemon.ts';
import { CONFIG } from '../support/world.ts';

const input = (type: string, name = '', indexed = false) => ({ type, name, indexed });
const event = (name: string, ...inputs: readonly object[]) => ({ type: 'event', name, inputs });
const call = (name: string, ...inputs: readonly object[]) => ({ type: 'function', name, inputs });

const VAULT = [
  { type: 'constructor', inputs: [input('address', 'owner')] },
  { type: 'error', name: 'Broken', inputs: [] },
  { ...event('Hidden'), anonymous: true },
  event('Deposit', input('address', 'who', true), input('uint256')),
  event('Deposit', input('uint256', 'shares')),
  event('Odd', input('address', 'in')),
  call('sweep', input('address', 'to'), input('uint256', 'amount')),
  call('sweep', input('address', 'to')),
  call('fill', { type: 'tuple[]', name: 'orders', components: [input('address', 'to'), input('uint8[2]')] }),
];

let folder: Folder;
beforeEach(() => {
  folder = createFolder({ 'home/config.yaml': CONFIG, 'home/Vault.json': JSON.stringify(VAULT) });
});
afterEach(() => {
  folder[Symbol.dispose]();
});

function load(keys: string, kind = 'logs', cache = createRuleCache()) {
  const rules = `watches:\n  - { id: w, kind: ${kind}, of: vault, ${keys}, alerts: [{ id: a, on: new, notify: screen }] }\n`;
  folder.write('home/rules.yaml', rules);
  const read = (path: string, bounds = {}): string => readRegularFile(path, { maxBytes: 1024 * 1024, ...bounds });
  const loaded = loadSetup(join(folder.path, 'home/config.yaml'), { env: {}, readFile: read, cache });
  const setup = loaded.setup ?? loaded.sound;
  if (setup === null) throw new Error('the config does not load');
  const { lines } = describeWatches(setup.watches, setup.config);
  return {
    kind: setup.watches[0]?.kind,
    checksum: setup.watches[0]?.checksum,
    reads: lines.find((line) => line.startsWith('w: reads'))?.replace('w: reads ', ''),
    problems: loaded.problems.map(summarize),
    warnings: setup.warnings.map(({ message, hint }) => `${message}. ${hint ?? ''}`),
    options: (setup.watches[0]?.target.options ?? {}) as Readonly<Record<string, unknown>>,
  };
}

const signaturesIn = (named: unknown): readonly string[] =>
  (named as readonly { readonly signature: string }[]).map(({ signature }) => signature);

describe('a name', () => {
  test('means all its overloads, with arg1 for an argument without a name', () => {
    const { problems, options } = load('abi: ./Vault.json, events: Deposit');
    expect(problems).toEqual([]);
    expect(signaturesIn(options['events'])).toEqual([
      'Deposit(address indexed who, uint256 arg1)',
      'Deposit(uint256 shares)',
    ]);
  });

  test('with the types means one of them', () => {
    const { options } = load('abi: Vault.json, events: { In: "Deposit(address, uint256)" }');
    expect(options['events']).toEqual([{ name: 'In', signature: 'Deposit(address indexed who, uint256 arg1)' }]);
  });

  test('that only the catalogue has is found there, as an event of the proxy', () => {
    const { problems, options } = load('abi: Vault.json, events: [Deposit, Upgraded]');
    expect(problems).toEqual([]);
    expect(signaturesIn(options['events'])).toContain('Upgraded(address indexed implementation)');
  });

  test('of a function is read with its tuples', () => {
    const { problems, options } = load('abi: Vault.json, calls: [fill, "sweep(address)"]', 'transactions');
    expect(problems).toEqual([]);
    expect(signaturesIn(options['calls'])).toEqual(['fill((address to, uint8[2] arg1)[] orders)', 'sweep(address to)']);
  });

  test('in two files counts once', () => {
    folder.write('home/abi/out.json', JSON.stringify({ bytecode: '0x[[[', abi: VAULT }));
    const { problems, options } = load('abi: [Vault.json, abi/out.json], events: "Deposit(uint256)"');
    expect(problems).toEqual([]);
    expect(signaturesIn(options['events'])).toEqual(['Deposit(uint256 shares)']);
  });

  test('of a constructor, an error, or an anonymous event is not known', () => {
    for (const name of ['Broken', 'Hidden', 'constructor'])
      expect(load(`abi: Vault.json, events: ${name}`).problems[0]).toContain(`no event "${name}" is known here`);
  });

  test('that is misspelt is compared with those of the file', () => {
    expect(load('abi: Vault.json, calls: swep', 'transactions').problems[0]).toContain('Did you mean sweep?');
  });

  test('whose arguments have an impossible name is said with what to write', () => {
    expect(load('abi: Vault.json, events: Odd').problems[0]).toContain(
      'Odd of the ABI cannot be read: in cannot be the name of an argument here.',
    );
  });
});

test('a signature of the watch counts before the ABI, with a warning where another argument is indexed', () => {
  const { warnings, options } = load(
    'abi: Vault.json, events: "Deposit(address who, uint256 value)", units: { value: 6 }',
  );
  expect(signaturesIn(options['events'])).toEqual(['Deposit(address who, uint256 value)']);
  expect(warnings).toContain(
    'Deposit(address,uint256) has other indexed arguments than in the ABI, which has Deposit(address indexed who, uint256 arg1). The signature here counts. Write Deposit(address,uint256) for the one of the ABI.',
  );
  const same = load('abi: Vault.json, events: "Deposit(address indexed from, uint256 value)"');
  expect(same.warnings.join()).not.toContain('indexed');
});

describe('a file that cannot be used is a problem at its line', () => {
  const deep = (times: number): string => `[${'['.repeat(times - 1)}${']'.repeat(times - 1)}]`;
  const tuples = (depth: number): object =>
    depth === 0 ? input('uint8', 'a') : { type: 'tuple', name: 'a', components: [tuples(depth - 1)] };

  test.each<[string, string | null, string]>([
    ['is missing', null, '"x.json" cannot be read: no such file. Paths begin at the directory'],
    ['is no JSON', 'pragma solidity', '"x.json" is no JSON. Name a file that the compiler wrote.'],
    ['is no ABI', '{"contracts":[]}', '"x.json" is no ABI. Name a JSON list of functions and events'],
    ['is no list of entries', '[1]', '"x.json" is no ABI'],
    ['is too large', `[${' '.repeat(8 * 1024 * 1024)}]`, '"x.json" cannot be read: it is larger than 8 MiB'],
    ['is nested too deep', deep(129), '"x.json" is nested more than 128 deep'],
    [
      'has too many entries',
      JSON.stringify(Array.from({ length: 2001 }, () => ({ type: 'error' }))),
      '"x.json" has more than 2000 entries',
    ],
    ['has deep tuples', JSON.stringify([call('f', tuples(9))]), '"x.json" has tuples that are nested more than 8 deep'],
  ])('that %s', (_what, text, problem) => {
    if (text !== null) folder.write('home/x.json', text);
    const { problems } = load('abi: [Vault.json, x.json], events: Paused');
    expect(problems).toEqual([expect.stringContaining(problem)]);
    expect(problems[0]).toContain('rules.yaml:2:');
    expect(problems[0]).toContain('watches[0].abi[1]');
  });

  test('while a file at each limit is read', () => {
    const text = JSON.stringify([...Array.from({ length: 1999 }, () => ({ type: 'error' })), event('Far', tuples(8))]);
    folder.write('home/x.json', `${text}${' '.repeat(8 * 1024 * 1024 - text.length)}`);
    expect(load('abi: x.json, events: Far').problems).toEqual([]);
  });

  test('that lies outside of the directory, also behind a link', () => {
    folder.write('outside.json', JSON.stringify(VAULT));
    mkdirSync(join(folder.path, 'home/abi'));
    symlinkSync('../../outside.json', join(folder.path, 'home/abi/link.json'));
    for (const path of ['../outside.json', 'abi/link.json'])
      expect(load(`abi: ${path}, events: Deposit`).problems).toEqual([
        expect.stringContaining('cannot be read: it is outside of the directory of the config. Paths begin at'),
      ]);
    symlinkSync('../Vault.json', join(folder.path, 'home/abi/inside.json'));
    expect(load('abi: abi/inside.json, events: Deposit').problems).toEqual([]);
  });
});

test('abi without calls is a mistake, and so is abi at a kind that reads neither', () => {
  expect(load('abi: Vault.json', 'transactions').problems).toEqual([
    expect.stringContaining('abi is for a watch with calls. Name functions in calls, or leave abi out.'),
  ]);
  expect(load('abi: Vault.json', 'transfers').problems.join()).toContain('abi');
});

test('a load after the file changed reads the new one, with the same cache and the same memory', () => {
  const cache = createRuleCache();
  const keys = 'abi: Vault.json, events: Deposit';
  const first = load(keys, 'logs', cache);
  expect(load(keys, 'logs', cache).kind).toBe(first.kind);
  folder.write('home/Vault.json', JSON.stringify([event('Deposit', input('bool', 'isLate'))]));
  const second = load(keys, 'logs', cache);
  expect(second.reads).toMatch(/^Deposit\(bool\) /);
  expect(second.kind).not.toBe(first.kind);
  expect(second.checksum).toBe(first.checksum);
  expect(load('events: Paused', 'logs', cache).checksum).toBe(first.checksum);
});
