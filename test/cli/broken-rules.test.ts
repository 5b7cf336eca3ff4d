// A rule file was saved with a mistake in the night. The daemon goes on with the former rules, and so do the commands that
// say what it sees.
import { join } from 'node:path';
import { expect, test } from '@jest/globals';
import { CONFIG, prepareState, type PreparedState } from '../support/store/prepared-state.ts';

const COINS = `
watches: [{ id: coins, kind: balance, of: treasury, every: 1m, notify: [screen], alerts: [{ id: low, while: balance < 1 }] }]
`;

/** Its alert fires; afterwards another file is saved with a mistake. */
async function withBrokenFile(): Promise<PreparedState> {
  const prepared = prepareState(COINS, CONFIG.replace('[rules.yaml]', '[rules.yaml, other.yaml]'));
  prepared.folder.write('other.yaml', COINS.replace('coins', 'vault').replace('of: treasury', 'of: vault'));
  await prepared.polls('5', '0');
  prepared.folder.write('other.yaml', COINS.replace('coins', 'vault').replace('balance < 1', 'balnce < 1'));
  return prepared;
}

test('status and explain say what fires, and that a file is not in force', async () => {
  using prepared = await withBrokenFile();
  const status = await prepared.run('status', '--watches', '-c', prepared.config);
  expect(status.code).toBe(0);
  expect(status.out).toMatch(/^coins: .*low firing/m);
  expect(status.out).not.toMatch(/^vault: /m);
  expect(status.err).toContain('other.yaml:2:109 watches[0].alerts[0].while: balance has no field "balnce".');
  expect(status.err).toContain('1 problem. A running daemon keeps its former rules.');
  const explain = await prepared.run('explain', 'coins/low', '-c', prepared.config);
  expect([explain.code, explain.out]).toEqual([0, expect.stringContaining('coins/low')]);
});

test.each([
  ['history', ['history']],
  ['deliveries', ['deliveries', 'list']],
  ['the check of the state file', ['state', 'check']],
  ['a copy of the state file', ['state', 'backup']],
  ['a sample through a channel', ['notify', 'test', 'screen']],
])('%s needs no rule of that file', async (_name, argv) => {
  using prepared = await withBrokenFile();
  const { code, out } = await prepared.run(...argv, '-c', prepared.config);
  expect(code).toBe(0);
  expect(out).not.toBe('');
});

test('a mistake in the config itself is said, and nothing else', async () => {
  using prepared = await withBrokenFile();
  prepared.folder.write('config.yaml', 'explorers: 5\n');
  const { code, out, err } = await prepared.run('status', '-c', join(prepared.folder.path, 'config.yaml'));
  expect([code, out]).toEqual([78, '']);
  expect(err).toContain('nothing was loaded');
});
