import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { expect, test } from '@jest/globals';
import { RUNTIME_ENV, RUNTIME_FLAGS } from '../../src/cli/runtime-flags.ts';

const SETTINGS = readFileSync('deploy/chainwarden.service', 'utf8')
  .split('\n')
  .filter((line) => line !== '' && !/^[#[]/.test(line));

test('the unit runs the daemon without privileges and gives it one place to write to', () => {
  expect(SETTINGS).toEqual(
    expect.arrayContaining([
      'User=chainwarden',
      'StateDirectory=chainwarden',
      'ProtectSystem=strict',
      'ProtectHome=yes',
      'NoNewPrivileges=yes',
      'CapabilityBoundingSet=',
      'LimitCORE=0',
      'UMask=0077',
    ]),
  );
});

test('a reload is a SIGHUP, and what does not heal by itself is not tried again', () => {
  expect(SETTINGS).toEqual(
    expect.arrayContaining([
      'ExecReload=/bin/kill -HUP $MAINPID',
      'Restart=on-failure',
      'RestartPreventExitStatus=64 75 78',
    ]),
  );
});

test('it gives the ten seconds of an orderly stop, and some more', () => {
  const timeout = SETTINGS.find((line) => line.startsWith('TimeoutStopSec='));
  expect(Number(timeout?.split('=')[1])).toBeGreaterThan(10);
});

test('no secret stands on the command line, and the program need not replace itself to have its flags', () => {
  const command = SETTINGS.find((line) => line.startsWith('ExecStart='));
  expect(command).toMatch(/\/dist\/main\.js run --config \S+$/);
  expect(command).toContain(` ${RUNTIME_FLAGS.join(' ')} `);
  const environment = SETTINGS.find((line) => line.startsWith('Environment='));
  for (const [name, value] of Object.entries(RUNTIME_ENV)) expect(environment).toContain(` ${name}=${value}`);
});

test('V8 may compile: the one protection that would stop it is not asked for', () => {
  expect(SETTINGS.join('\n')).not.toContain('MemoryDenyWriteExecute=yes');
});

test('the command for operators works where, and with what, the daemon works', () => {
  const wrapper = readFileSync('deploy/chainwarden.sh', 'utf8');
  expect(spawnSync('sh', ['-n', 'deploy/chainwarden.sh'], { encoding: 'utf8' })).toMatchObject({
    status: 0,
    stderr: '',
  });
  const [, node = '', , script = ''] = /^ExecStart=(\S+) (.*) (\S+\.js) /m.exec(SETTINGS.join('\n')) ?? [];
  expect(wrapper).toContain(`set -- ${node} --env-file-if-exists=environment ${script} "$@"`);
  expect(SETTINGS).toContain('WorkingDirectory=/etc/chainwarden');
  expect(SETTINGS).toContain('EnvironmentFile=-/etc/chainwarden/environment');
  expect(wrapper).toContain('cd /etc/chainwarden\n');
});
