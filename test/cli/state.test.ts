// `chainwarden state check`, `backup` and `restore` as an operator uses them.
import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { expect, test } from '@jest/globals';
import { openSqliteStore } from '../../src/store/sqlite/open.ts';
import { createFolder, start } from '../support/daemon.ts';
import { prepareState } from '../support/store/prepared-state.ts';

const RULES = `
watches: [{ id: coins, kind: balance, of: treasury, notify: screen, every: 1m, alerts: [{ id: low, while: balance < 1 }] }]
`;

test('an alert that fires is there again after the state was lost and restored, and is not told as new', async () => {
  using prepared = prepareState(RULES);
  const { config, stateFile, folder } = prepared;
  await prepared.polls('0');
  const made = await prepared.run('state', 'backup', '-c', config);
  expect([made.code, made.out]).toEqual([
    0,
    `${join(folder.path, 'backups/state-20260101T000100Z.db')}: a complete copy of ${stateFile}, checked\n`,
  ]);
  await prepared.polls('5');
  expect((await prepared.run('status', '--watches', '-c', config)).out).not.toContain('low firing');
  const restored = await prepared.run('state', 'restore', made.out.split(': ')[0] ?? '', '-c', config);
  expect([restored.code, restored.out]).toEqual([
    0,
    expect.stringContaining(`the former state file is kept as ${stateFile}.before-restore\n`),
  ]);
  expect(restored.out).toContain('may be sent again, under the same ids');
  expect((await prepared.run('status', '--watches', '-c', config)).out).toContain('low firing since');
  expect((await prepared.run('state', 'check', `${stateFile}.before-restore`, '-c', config)).out).toContain('sound');
});

test('check says what is in the state, what is damaged and what to do, and exits with 1', async () => {
  using prepared = prepareState(RULES);
  const { config, stateFile, folder } = prepared;
  await prepared.polls('0');
  const sound = await prepared.run('state', 'check', '-c', config);
  expect([sound.code, sound.out]).toEqual([
    0,
    expect.stringMatching(/ {2}memory: 1 row\n[^]*sound: nothing is damaged/),
  ]);
  expect(sound.out).toContain(`no backups in ${join(folder.path, 'backups')}`);
  {
    using db = new DatabaseSync(stateFile);
    db.exec(`UPDATE memory SET alerts = 'x'`);
  }
  const damaged = await prepared.run('state', 'check', '-c', config);
  expect([damaged.code, damaged.out]).toEqual([
    1,
    expect.stringMatching(/damaged: the stored memory of watch .* Take it out with: chainwarden state forget 'coins/),
  ]);
});

test('without a state all three say so with 74, and make no file', async () => {
  using prepared = prepareState(RULES);
  const { config, stateFile, folder } = prepared;
  for (const args of [['check'], ['backup'], ['restore', join(folder.path, 'none.db')]]) {
    const { code, err } = await prepared.run('state', ...args, '-c', config);
    expect([code, err]).toEqual([74, expect.stringMatching(/there is no (state file|backup) at/)]);
  }
  expect(existsSync(stateFile)).toBe(false);
});

test('beside a daemon a backup is made and the state is sound; restoring is refused with 75', async () => {
  const config = `
explorers: { chain: { form: sandbox, block_time: 1s } }
channels: { screen: { type: log } }
http: { listen: '127.0.0.1:0' }
rules: [rules.yaml]
`;
  const rules = `watches: [{ id: head, kind: blocks, every: 1s, alerts: [{ id: block, on: new }] }]\n`;
  using folder = createFolder({ 'config.yaml': config, 'rules.yaml': rules });
  await using daemon = start(['run'], folder.path);
  await daemon.says('daemon:started');
  const copy = join(folder.path, 'copy.db');
  const ended = async (...args: readonly string[]) => {
    await using command = start(args, folder.path);
    const { code } = await command.ended;
    return { code, out: command.out(), err: command.err() };
  };
  expect(await ended('state', 'backup', copy)).toMatchObject({ code: 0, err: '' });
  expect(await ended('state', 'backup', copy)).toMatchObject({
    code: 74,
    err: expect.stringContaining('exists already'),
  });
  expect(await ended('state', 'check')).toMatchObject({ code: 0, out: expect.stringContaining('sound') });
  const refused = await ended('state', 'restore', copy);
  expect([refused.code, refused.err]).toEqual([75, expect.stringContaining(`another daemon (pid ${daemon.pid})`)]);
  daemon.kill('SIGTERM');
  expect(await daemon.ended).toMatchObject({ code: 0 });
  expect(await ended('state', 'restore', copy)).toMatchObject({ code: 0 });
  expect(readdirSync(join(folder.path, 'data'))).toContain('state.db.before-restore');
  await using store = await openSqliteStore({ file: join(folder.path, 'data/state.db') });
  expect((await store.recall()).size).toBe(1);
});
