// What a person sees who starts the daemon on a terminal.
import { expect, test } from '@jest/globals';
import { createFolder } from '../support/daemon.ts';
import { run } from '../support/cli.ts';

const CONFIG = `explorers: { here: { form: sandbox, seed: 7, block_time: manual } }
addresses: { treasury: '0xa14C3E6DD27d6A8e02f9Ea24EcDE64e6B6f50db0' }
channels: { screen: { type: log } }
http: { listen: '127.0.0.1:0' }
state: { file: ./state.db }
rules: [rules.yaml]
`;
const RULES = `watches:
  - id: treasury
    kind: balance
    of: treasury
    every: 1h
    alerts: [{ id: low, while: balance > 1 }, { id: moved, on: changed }]
`;

/** The daemon, which is told to stop when it has printed the wanted words. */
async function started(argv: readonly string[], isInteractive: boolean, wanted: string, config = CONFIG) {
  using folder = createFolder({ 'config.yaml': config, 'rules.yaml': RULES });
  const stops: (() => void)[] = [];
  let seen = '';
  const ran = await run(['run', '-c', `${folder.path}/config.yaml`, ...argv], {
    isInteractive,
    onSignal(name, react) {
      if (name === 'SIGTERM') stops.push(react);
    },
    waitForNobody: () => undefined,
    err(text) {
      seen += text;
      if (seen.includes(wanted)) for (const stop of stops.splice(0)) stop();
    },
  });
  return { ...ran, seen: seen.replaceAll(folder.path, '') };
}

test('on a terminal: what is watched, where to look, what to edit; and no line of the log for what goes well', async () => {
  const { code, seen } = await started([], true, 'Alerts follow');
  expect(code).toBe(0);
  const lines = seen.replace(/127\.0\.0\.1:\d+/g, 'HOST').split('\n');
  expect(lines.slice(1, 14)).toEqual([
    '',
    '  treasury  balance of treasury on here  every 1h  2 alerts',
    '',
    '  page         http://HOST/',
    '  metrics      http://HOST/metrics',
    '  notifies     screen (log)',
    '  asks         here 24 times a day',
    '  acknowledge  npx chainwarden ack WATCH/ALERT -c /config.yaml',
    '               or on the page, through the link of npx chainwarden open -c /config.yaml',
    '  edit         rules.yaml and /config.yaml',
    '',
    'a change of rules.yaml takes effect when it is saved. Ctrl+C stops it. Alerts follow, one line each.',
    '',
  ]);
  expect(lines[0]).toMatch(/^chainwarden \d+\.\d+\.\d+: 1 watch$/);
  expect(seen).not.toContain('daemon:started');
});

test('a log for a program, or of a level that was asked for, is whole and has no opening', async () => {
  const json = await started([], false, 'daemon:started');
  expect(json.seen).toContain('"event":"watching"');
  expect(json.seen).toMatch(/"event":"daemon:started",.*"page":"http:\/\/127\.0\.0\.1:\d+\/"/);
  expect(json.seen).not.toContain('Alerts follow');
  const asked = await started(['--log-level', 'info'], true, 'daemon:started');
  expect(asked.seen).toMatch(/^\d\d:\d\d:\d\d info {2}watching/m);
  expect(asked.seen).not.toContain('Alerts follow');
});

test('pages that are not served are not named', async () => {
  const config = CONFIG.replace("'127.0.0.1:0' }", "'127.0.0.1:0', page: false }");
  const { seen } = await started([], true, 'Alerts follow', config);
  expect(seen).toContain('  metrics');
  expect(seen).toContain('  acknowledge');
  expect(seen).not.toContain('page');
  expect((await started([], false, 'daemon:started', config)).seen).not.toContain('"page"');
});
