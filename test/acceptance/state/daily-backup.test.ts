import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from '@jest/globals';
import { runApp, serveBalances } from '../../support/app.ts';
import { run } from '../../support/cli.ts';
import { createFolder } from '../../support/daemon.ts';
import { onFileAlone } from '../../support/store/on-file-alone.ts';

const fileTest = onFileAlone('the daemon backs up its state file');

const RULES = `
watches: [{ id: coins, kind: balance, of: treasury, every: 1m, alerts: [{ id: low, while: balance < 1 }] }]
`;

const configOf = (url: string, backup: string): string => `
explorers: { chain: { form: instance, instance_url: '${url}' } }
addresses: { treasury: '0x${'11'.repeat(20)}' }
channels: { screen: { type: log } }
state: { backup: ${backup} }
http: { listen: 127.0.0.1:0 }
rules: [rules.yaml]
`;

fileTest(
  'a state file that nobody backed up is there again from the backup that the daemon made by itself',
  async () => {
    await using explorer = await serveBalances();
    using folder = createFolder({ 'config.yaml': configOf(explorer.url, '{ keep: 2 }'), 'rules.yaml': RULES });
    explorer.balance = '5';
    const config = join(folder.path, 'config.yaml');
    const file = join(folder.path, 'data/backups/state-20260101T001000Z.db');
    {
      await using daemon = await runApp(folder);
      await daemon.polls.reached(1);
      expect(await daemon.metrics()).not.toMatch(/^chainwarden_backup_last_success_timestamp_seconds \d/m);
      const metrics = await daemon.metrics();
      expect(metrics).toMatch(/^chainwarden_state_bytes\{part="file"\} [1-9]/m);
      expect(metrics).toMatch(/^chainwarden_state_disk_free_bytes [1-9]/m);
      await daemon.clock.advance(600_000);
      expect(await daemon.says('storage:backed-up')).toMatchObject({ file });
      const at = Date.UTC(2026, 0, 1, 0, 10) / 1000;
      expect(await daemon.metrics()).toContain(`chainwarden_backup_last_success_timestamp_seconds ${at}\n`);
    }
    writeFileSync(join(folder.path, 'data/state.db'), 'overwritten by mistake\n'.repeat(1000));
    expect((await run(['state', 'restore', file, '-c', config])).code).toBe(0);
    expect((await run(['status', '--watches', '-c', config])).out).toMatch(/low firing\s+since/);
  },
);

fileTest('a reload decides where the next backup goes, and that one which fails is tried again', async () => {
  await using explorer = await serveBalances();
  using folder = createFolder({ 'config.yaml': configOf(explorer.url, '{ keep: 0 }'), 'rules.yaml': RULES, file: '' });
  await using daemon = await runApp(folder);
  await daemon.polls.reached(1);
  await daemon.clock.advance(600_000);
  folder.write('config.yaml', configOf(explorer.url, '{ directory: file }'));
  await daemon.reload();
  await daemon.clock.advance(600_000);
  expect(await daemon.says('storage:backup-failed')).toMatchObject({ effect: expect.stringContaining('tried again') });
  expect(await daemon.metrics()).toContain('chainwarden_backup_failures_total 1\n');
  rmSync(join(folder.path, 'file'));
  await daemon.clock.advance(600_000);
  expect(await daemon.says('storage:backed-up')).toMatchObject({
    file: expect.stringContaining(join(folder.path, 'file/state-')),
  });
});
