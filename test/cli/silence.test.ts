// `silence`, `ack` and what `status` and `explain` say of them, against a daemon that runs.
import { join } from 'node:path';
import { expect, test } from '@jest/globals';
import { OPERATOR_TOKEN } from '../support/web/api-calls.ts';
import { run, type Ran } from '../support/cli.ts';
import { serveBalances } from '../support/app.ts';
import { createFolder } from '../support/daemon.ts';
import {
  anOperatedDaemon,
  configOf,
  fallLow,
  RULES,
  storedBy,
  type OperatedDaemon,
} from '../support/web/operated-daemon.ts';

/** A command that calls the daemon. */
function chainwarden({ running, folder }: OperatedDaemon, ...argv: readonly string[]): Promise<Ran> {
  const options = ['--url', running.app.url, '-c', join(folder.path, 'config.yaml')];
  return run([...argv, ...options], { clock: running.clock, env: { CHAINWARDEN_TOKEN: OPERATOR_TOKEN } });
}

/** One that reads the state file. */
function reading({ running, folder }: OperatedDaemon, ...argv: readonly string[]): Promise<Ran> {
  const env = { ALICE: OPERATOR_TOKEN };
  return run([...argv, '-c', join(folder.path, 'config.yaml')], { clock: running.clock, env });
}

const linesOf = ({ out }: Ran): readonly string[] => out.trimEnd().split('\n');

test('a silence is about what its preview says before anything is done', async () => {
  await using daemon = await anOperatedDaemon();
  await fallLow(daemon);
  const preview = await chainwarden(daemon, 'silence', 'watch=all', 'of=vault', '--preview');
  expect([preview.code, linesOf(preview)]).toEqual([
    0,
    [
      'About 1 of 3 rules: 2 alerts, 2 open now.',
      'In the last 24 hours it would have held back 2 notifications to 1 recipient, none of them critical.',
      '  all/low, 1 open, 1 notification to screen',
      '  all/moved, 1 open, 1 notification to screen',
    ],
  ]);
  expect((await storedBy(daemon)).silences).toEqual([]);
  const made = await chainwarden(daemon, 'silence', 'watch=all', 'of=vault', '--for', '2h', '-m', 'moved');
  const { silences } = await storedBy(daemon);
  expect(silences).toMatchObject([{ matchers: { watch: 'all', of: 'vault' }, actor: 'alice', comment: 'moved' }]);
  expect(linesOf(made)).toEqual([
    ...linesOf(preview),
    '',
    'Silenced until 02:01 UTC, in 2h.',
    'No messages are sent about these alerts, except the end of alerts that were notified before.',
    `End it sooner with: chainwarden silence end ${silences[0]?.id ?? ''}`,
  ]);
});

test('with a zone in the config its clocks are meant and shown, by commands, explain and the history', async () => {
  await using explorer = await serveBalances();
  using folder = createFolder({ 'config.yaml': `${configOf(explorer)}time_zone: Asia/Tokyo\n`, 'rules.yaml': RULES });
  await using daemon = await anOperatedDaemon({ explorer, folder });
  const made = await chainwarden(daemon, 'silence', 'watch=coins', '--until', '10:30', '-m', 'moved', '--key', 's1');
  expect(made.out).toContain('Silenced until 10:30 UTC+9, in 1h30m.');
  expect((await storedBy(daemon)).silences).toMatchObject([{ until: Date.UTC(2026, 0, 1, 1, 30) }]);
  expect((await reading(daemon, 'explain', 'coins')).out).toContain(
    'silenced until 2026-01-01T10:30:00+09:00 by alice',
  );
  expect((await reading(daemon, 'history')).out).toMatch(
    /^2026-01-01T09:00:\d\d\+09:00 .*silenced: watch=coins .*until 2026-01-01T10:30:00\+09:00/m,
  );
});

test('a silence that nobody could read any more is listed, extended and ended', async () => {
  await using daemon = await anOperatedDaemon();
  const silence = (...argv: readonly string[]): Promise<Ran> => chainwarden(daemon, 'silence', ...argv);
  expect(await reading(daemon, 'silence', 'list')).toEqual({ code: 0, out: 'No silence is in force.\n', err: '' });
  await silence('watch=coins', '--until', '02:00', '-m', 'moved', '--key', 's1');
  await silence('watch=all', 'severity!=info', '--from', '03:00', '--until', '04:00', '-m', 'a b', '--key', 's2');
  expect(linesOf(await reading(daemon, 'silence', 'list'))).toEqual([
    's1  watch=coins  until 02:00 UTC, in 2h  by alice: moved',
    's2  watch=all severity!=info  from 03:00 UTC until 04:00 UTC, in 4h  by alice: a b',
  ]);
  expect((await silence('extend', 's1', '--for', '5h')).out).toBe('s1: silenced until 05:00 UTC, in 5h.\n');
  expect((await silence('end', 's2')).code).toBe(0);
  const [json, ...more] = linesOf(await reading(daemon, 'silence', 'list', '--json'));
  expect(more).toEqual([]);
  expect(JSON.parse(json ?? '')).toEqual({
    id: 's1',
    kind: 'silence',
    matchers: { watch: 'coins' },
    actor: 'alice',
    comment: 'moved',
    version: 2,
    from: '2026-01-01T00:00:00Z',
    until: '2026-01-01T05:00:00Z',
    until_resolved: false,
  });
  expect(await silence('end', 's2')).toMatchObject({ code: 1, err: expect.stringContaining('It has ended already.') });
});

test('most rules are silenced only where that is confirmed', async () => {
  await using daemon = await anOperatedDaemon();
  const wide = ['silence', 'alert=low', '--for', '1h', '-m', 'moved'];
  const refused = await chainwarden(daemon, ...wide);
  expect([refused.code, linesOf(refused)[0]]).toEqual([1, 'About 3 of 3 rules: 4 alerts, none open now.']);
  expect(refused.err).toContain('Nothing was silenced: the silence matches more than half of the rules. Add --confirm');
  expect((await storedBy(daemon)).silences).toEqual([]);
  expect((await chainwarden(daemon, ...wide, '--confirm')).code).toBe(0);
});

test('an on-call acknowledges what is open by its name, and takes that back', async () => {
  await using daemon = await anOperatedDaemon();
  expect(await chainwarden(daemon, 'ack', 'coins/low')).toMatchObject({
    code: 1,
    err: 'chainwarden: No open alert is named coins/low.\n',
  });
  await fallLow(daemon);
  expect(await chainwarden(daemon, 'ack', 'coins/lo')).toMatchObject({
    code: 1,
    err: expect.stringContaining('Did you mean coins/low?'),
  });
  const one = await chainwarden(daemon, 'ack', 'coins/low', '--for', '1h', '-m', 'on it');
  expect(linesOf(one)).toEqual([
    expect.stringMatching(
      /^critical coins\/low, since 00:0\S+ UTC: acknowledged until 01:01 UTC, in 1h, or until it is over\.$/,
    ),
    "Take it back with: chainwarden unack 'coins/low'",
  ]);
  const again = await chainwarden(daemon, 'ack', 'coins/low', '--for', '2h');
  expect(again.code).toBe(1);
  expect(again.err).toMatch(
    /: alice has acknowledged it until 01:01 UTC\. .*`--replace`\) puts yours in its place\.$/m,
  );
  expect((await chainwarden(daemon, 'ack', 'coins/low', '--for', '1h', '-m', 'on it', '--replace')).code).toBe(0);
  const { length } = linesOf(await chainwarden(daemon, 'ack', 'all[vault]', '--key', 'mine'));
  // Its event is shown for a day, and waits for nobody.
  expect(length).toBe(2);
  // Both were made at one time.
  expect(new Set((await storedBy(daemon)).acks.map(({ comment }) => comment))).toEqual(new Set(['on it', null]));
  expect((await chainwarden(daemon, 'unack', 'all[vault]/low')).code).toBe(0);
  expect((await storedBy(daemon)).acks).toHaveLength(1);
  expect(await chainwarden(daemon, 'unack', 'all[vault]/low')).toMatchObject({
    code: 1,
    err: expect.stringContaining('Nobody has acknowledged anything that is open of that name.'),
  });
});

test('status and explain say who silenced or acknowledged an alert', async () => {
  await using daemon = await anOperatedDaemon();
  await fallLow(daemon);
  await chainwarden(daemon, 'silence', 'watch=coins', '--until', '02:00', '-m', 'moved', '--key', 's1');
  await chainwarden(daemon, 'ack', 'coins/low', '--until', '03:00', '-m', 'on it');
  const silenced = 'silenced until 2026-01-01T02:00:00Z by alice: moved (watch=coins)';
  const acked = 'acknowledged until 2026-01-01T03:00:00Z by alice: on it';
  const status = linesOf(await reading(daemon, 'status'));
  expect(status).toContain(`silence s1: ${silenced}`);
  expect(status).toContain(`critical coins/low: ${acked}`);
  const lines = linesOf(await reading(daemon, 'explain', 'coins')).map((line) => line.trim());
  expect(lines).toContain(silenced);
  expect(lines).toContain(acked);
  expect((await reading(daemon, 'explain', 'other')).out).not.toMatch(/silenced|acknowledged/);
  expect((await reading(daemon, 'history', '--alert', 'coins/low')).out).toMatch(
    / {2}ack {2}coins\/low {2}acknowledged: .* {2}until 2026-01-01T03:00:00(\.\d+)?Z, on it {2}by alice/,
  );
});

test.each([
  [
    ['silence', 'coins', '--for', '1h', '-m', 'x'],
    '"coins" is not a label and its value, such as watch=treasury or severity!=info. Write chainwarden silence watch=NAME',
  ],
  [
    ['silence', 'add', 'watch=coins', '--for', '1h', '-m', 'x'],
    'Leave add out, and write chainwarden silence watch=NAME',
  ],
  [['silence', 'watch=coins', '-m', 'x'], 'Write a duration: --for 2h, or an end: --until 18:00.'],
  [['silence', 'watch=coins', '--for', '1h'], "Say why, for the others: -m 'the vault is moved'."],
  [
    ['silence', 'watch=coins', '--for', '1h', '--from', 'noon', '-m', 'x'],
    '--from: "noon" is not a time such as 18:00 (UTC)',
  ],
  [['silence', 'extend', 's1'], 'Write a duration from now on: --for 2h, or an end: --until 18:00.'],
])('%j says what is wrong with it, and does nothing', async (argv, err) => {
  await using daemon = await anOperatedDaemon();
  const ran = await chainwarden(daemon, ...argv);
  expect([ran.code, ran.err]).toEqual([64, expect.stringContaining(err)]);
  expect((await storedBy(daemon)).version).toBe(0);
});
