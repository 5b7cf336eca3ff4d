// A newcomer has a config, rules and tests of their own chain in one command, and loses nothing by a second one.
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from '@jest/globals';
import { ADDRESSES, CONTRACTS, TOKENS } from '../../src/sandbox/names.ts';
import type { Terminal } from '../../src/cli/terminal.ts';
import { createFolder } from '../support/daemon.ts';
import { run } from '../support/cli.ts';
import { runSandbox } from '../sandbox/support.ts';

const FILES = ['config.yaml', 'rules/watches.yaml', 'rules/watches.test.yaml'];
const nobody: Partial<Terminal> = { ask: () => Promise.resolve(null) };

/** A person who types these lines, and what they were asked. */
function typing(...lines: string[]): Partial<Terminal> & { readonly asked: string[] } {
  const asked: string[] = [];
  return {
    asked,
    ask(question) {
      asked.push(question);
      return Promise.resolve(lines.shift() ?? '');
    },
  };
}

describe('init', () => {
  test('looks at what each address is, and writes rules that fit it, with tests that pass', async () => {
    using folder = createFolder();
    const addresses = [`acme=${TOKENS.ACME}`, `vault=${ADDRESSES.vault}`, `wallet=${ADDRESSES.hot_wallet}`];
    const options = addresses.flatMap((address) => ['--address', address]);
    const made = await run(['init', '--explorer', 'sandbox', ...options, '--out', folder.path], nobody);
    expect([made.code, made.err]).toEqual([0, '']);
    expect(made.out).toMatch(/^acme: token, .*\nvault: contract, .*\nwallet: account, /);
    // `check` warns of rules by which a contract signs a transaction.
    expect(readFileSync(join(folder.path, 'config.yaml'), 'utf8')).toContain(
      `  acme: { address: ${TOKENS.ACME}, is: token }\n  vault: { address: ${ADDRESSES.vault}, is: contract }\n  wallet: ${ADDRESSES.hot_wallet}\n`,
    );
    const rules = readFileSync(join(folder.path, 'rules/watches.yaml'), 'utf8');
    const ids = [...rules.matchAll(/- id: (\S+)/g)].map(([, id]) => id);
    expect(ids.toSorted()).toEqual(
      [
        'head',
        'acme-token',
        'vault-calls',
        'vault-code',
        'vault-coins',
        'vault-tokens',
        'wallet-coins',
        'wallet-tokens',
      ].toSorted(),
    );
    expect(rules).toContain(`expected: ['${CONTRACTS.implementation}'] # behind it when this was written`);
    const tested = await run(['test', join(folder.path, 'rules')], { env: {} });
    expect([tested.code, tested.err]).toEqual([0, '']);
    expect(tested.out).toMatch(/\n8 tests: 8 ok, 0 failed\n$/);
    const checked = await run(['check', '-c', join(folder.path, 'config.yaml')], { env: {} });
    expect([checked.code, checked.err]).toEqual([0, '']);
  });

  test.each([
    [200_000, 'plan: { credits: 199980, per: month } # 199980 were left when this was written; write'],
    [100_000, 'plan: { credits: 100000, per: day } # 99980 were left when this was written, as of the free plan'],
  ])('of a key that has %i writes the plan by the first answer, so that its credits last', async (credits, written) => {
    using folder = createFolder();
    const limits = { requestsPerSecond: 50, credits, per: 'day', resets: null } as const;
    await using explorer = await runSandbox({ blockTimeMs: 'manual', quiet: true, limits });
    const { chainId, apiKey } = explorer.sandbox;
    const place = ['--explorer', explorer.url, '--chain-id', chainId, '--key-env', 'KEY'];
    const options = [...place, '--address', `vault=${ADDRESSES.vault}`, '--out', folder.path];
    const env = { KEY: apiKey };
    const { code, err } = await run(['init', ...options], { ...nobody, env });
    expect([code, err]).toEqual([0, '']);
    expect(readFileSync(join(folder.path, 'config.yaml'), 'utf8')).toContain(`    ${written}`);
    expect((await run(['check', '-c', join(folder.path, 'config.yaml')], { env })).code).toBe(0);
  });

  test('another channel beside the first one left every rule without anybody to tell', async () => {
    using folder = createFolder();
    await run(['init', '--explorer', 'sandbox', '--out', folder.path], nobody);
    const config = join(folder.path, 'config.yaml');
    const text = readFileSync(config, 'utf8');
    writeFileSync(config, text.replace('channels:\n', 'channels:\n  pager: { type: log }\n'));
    const { code, err, out } = await run(['check', '-c', config], { env: {} });
    expect([code, err]).toEqual([0, '']);
    expect(out).toContain('notifies screen');
  });

  test('warns of a letter that does not fit the checksum, and goes on', async () => {
    using folder = createFolder();
    const wrong = ADDRESSES.vault.replace(/0$/, '1');
    const options = ['--explorer', 'sandbox', '--address', `vault=${wrong}`, '--out', folder.path];
    const { code, err } = await run(['init', ...options], nobody);
    expect([code, err]).toEqual([0, expect.stringContaining('does not match its checksum: a digit may be wrong')]);
  });

  test('asks for what is left out, until no more is said', async () => {
    using folder = createFolder();
    const person = typing('http://127.0.0.1:1', '', 'KEY', `a=${TOKENS.ACME}`, '');
    const { code, err } = await run(['init', '--out', folder.path], { ...person, env: { KEY: 'a-key' } });
    expect([code, err]).toEqual([1, expect.stringContaining('no answer about a: ')]);
    expect(person.asked.map((question) => question.split(/[ ,]/, 2).join(' '))).toEqual([
      'Address of',
      'Chain id',
      'Environment variable',
      'An address',
      'An address',
    ]);
  });

  test('of the sandbox knows the addresses itself', async () => {
    using folder = createFolder();
    const { code, out } = await run(['init', '--out', folder.path], typing('sandbox'));
    expect([
      code,
      out
        .split('\n')
        .slice(0, 4)
        .map((line) => line.split(':')[0]),
    ]).toEqual([0, Object.keys(ADDRESSES)]);
    expect(FILES.filter((file) => !existsSync(join(folder.path, file)))).toEqual([]);
  });

  test('overwrites nothing', async () => {
    using folder = createFolder({ 'config.yaml': 'mine: true\n' });
    const { code, err } = await run(['init', '--explorer', 'sandbox', '--out', folder.path], nobody);
    expect([code, err]).toEqual([1, expect.stringContaining('is there already. Nothing is overwritten')]);
    expect(readFileSync(join(folder.path, 'config.yaml'), 'utf8')).toBe('mine: true\n');
    expect(existsSync(join(folder.path, 'rules'))).toBe(false);
  });

  test('mixes nothing with the rules of another config', async () => {
    using folder = createFolder({ 'rules/token.yaml': 'watches: []' });
    const { code, err } = await run(['init', '--explorer', 'sandbox', '--out', folder.path], nobody);
    expect(code).toBe(1);
    expect(err).toContain(`${join(folder.path, 'rules/token.yaml')} of another config is there already.`);
    expect(err).toContain('name another folder, such as --out watch');
    expect(existsSync(join(folder.path, 'config.yaml'))).toBe(false);
  });

  test.each([
    ['nobody to be asked', [], 64, 'nobody is there to be asked: write --explorer URL'],
    ['no address', ['--explorer', 'https://e.example.com'], 64, 'write --address NAME=0x...'],
    ['a wrong address', ['--explorer', 'sandbox', '--address', 'a=0x12'], 64, '"0x12" is no address'],
    ['a wrong name', ['--explorer', 'sandbox', '--address', `1a=${TOKENS.ACME}`], 64, '"1a" is no name'],
    [
      'a name of a field',
      ['--explorer', 'sandbox', '--address', `balance=${ADDRESSES.vault}`],
      1,
      'nothing was written',
    ],
    ['no URL', ['--explorer', 'nowhere', '--address', `a=${TOKENS.ACME}`], 1, 'nothing was written'],
    [
      'an explorer that does not answer',
      ['--explorer', 'http://127.0.0.1:1', '--address', `a=${TOKENS.ACME}`],
      1,
      'no answer about a: ',
    ],
  ])('%s is said, and nothing is written', async (_what, options, expected, words) => {
    using folder = createFolder();
    const { code, err } = await run(['init', ...options, '--out', folder.path], { ...nobody, env: {} });
    expect([code, err]).toEqual([expected, expect.stringContaining(words)]);
    expect(FILES.filter((file) => existsSync(join(folder.path, file)))).toEqual([]);
  });
});
