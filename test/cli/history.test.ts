import { expect, test } from '@jest/globals';
import { openSqliteStore } from '../../src/store/sqlite/open.ts';
import { execute } from '../store/damage.ts';
import { prepareState, type PreparedState } from '../support/store/prepared-state.ts';
import { fenceOf } from '../support/store/fences.ts';

const RULES = `
watches:
  - id: coins
    kind: balance
    of: treasury
    notify: screen
    every: 1m
    alerts: [{ id: low, while: balance < 1 }, { id: high, while: balance > 9 }]
`;

/** Told low, resolved, high, and a poll that says nothing new. */
async function aHistory(): Promise<PreparedState> {
  const prepared = prepareState(RULES);
  await prepared.polls('0', '5', '5', '10');
  await using store = await openSqliteStore({ file: prepared.stateFile });
  await store.chainJournal(100, fenceOf(store, 'service:journal'));
  return prepared;
}

test('history says what was decided and told, oldest first, and nothing of silent polls', async () => {
  using prepared = await aHistory();
  const { code, out } = await prepared.run('history', '-c', prepared.config);
  expect(code).toBe(0);
  expect(
    out
      .trim()
      .split('\n')
      .map((line) => line.split(/ {2}/).slice(0, 2).join(' ')),
  ).toEqual([
    '2026-01-01T00:01:00Z decided',
    '2026-01-01T00:01:00Z routed',
    '2026-01-01T00:01:00Z told',
    '2026-01-01T00:02:00Z decided',
    '2026-01-01T00:02:00Z routed',
    '2026-01-01T00:02:00Z told',
    '2026-01-01T00:04:00Z decided',
    '2026-01-01T00:04:00Z routed',
    '2026-01-01T00:04:00Z told',
  ]);
  expect(out.trim().split('\n').slice(0, 3)).toEqual([
    '2026-01-01T00:01:00Z  decided  coins/low  fires',
    '2026-01-01T00:01:00Z  routed  coins/low  fires: treasury coin 0, below 1  chain, 00:01 UTC.  notifies screen',
    expect.stringMatching(
      /^2026-01-01T00:01:00Z {2}told {2}coins\/low {2}accepted: treasury coin 0, below 1 {2}to screen, try 1 {2}[a-z2-7]{26}$/,
    ),
  ]);
  expect(out).not.toContain('{');
});

test('a time of which nothing is known stands before the lines of its day', async () => {
  using prepared = prepareState(RULES);
  await prepared.polls('0', 'missed', 'missed', '5');
  const { out } = await prepared.run('history', '-c', prepared.config);
  expect(out.split('\n')[0]).toBe('2026-01-01T00:02:00Z  unknown  1 watch on chain until 2026-01-01T00:04:00Z: error');
  expect((await prepared.run('history', '--json', '-c', prepared.config)).out).not.toContain('unknown');
});

test('it is asked for by alert, by time and by number, and as JSON', async () => {
  using prepared = await aHistory();
  const lines = async (...args: readonly string[]) =>
    (await prepared.run('history', '-c', prepared.config, ...args)).out.trim().split('\n');
  expect(await lines('--alert', 'coins/high')).toEqual([
    expect.stringMatching(/00:04:00Z {2}decided/),
    expect.stringMatching(/00:04:00Z {2}routed {2}coins\/high {2}fires: .* {2}notifies screen$/),
    expect.stringMatching(/00:04:00Z {2}told/),
  ]);
  expect(await lines('--since', '2026-01-01T00:02:00Z')).toHaveLength(6);
  expect(await lines('--limit', '1')).toHaveLength(1);
  const [line = ''] = await lines('--limit', '1', '--json');
  expect(JSON.parse(line)).toMatchObject({
    position: 9,
    at: '2026-01-01T00:04:00Z',
    kind: 'told',
    actor: 'daemon',
    data: { attempt: 1, outcome: 'sent' },
    hash: expect.stringMatching(/^[0-9a-f]{64}$/),
  });
  const wrong = await prepared.run('history', '-c', prepared.config, '--alert', 'coin');
  expect([wrong.code, wrong.err]).toEqual([64, expect.stringContaining('Did you mean coins?')]);
});

test('verify finds a line that was changed, and an anchor finds a history that was written anew', async () => {
  using prepared = await aHistory();
  const verify = (...anchor: readonly string[]) =>
    prepared.run('history', '-c', prepared.config, '--verify', ...anchor);
  const whole = await verify();
  expect([whole.code, whole.out]).toEqual([0, expect.stringMatching(/^unbroken from position 1 to 9:[0-9a-f]{64}\n$/)]);
  const anchor = whole.out.trim().split(' ').at(-1) ?? '';
  expect((await verify(anchor.slice(0, 14))).code).toBe(0);
  expect(await verify('not-an-anchor')).toMatchObject({ code: 64 });
  execute(prepared.stateFile, `UPDATE journal SET actor = 'nobody' WHERE position = 4`);
  expect(await verify()).toMatchObject({ code: 1, out: expect.stringContaining('broken at position 4: ') });
  execute(prepared.stateFile, 'DELETE FROM journal WHERE position >= 4');
  expect((await verify()).code).toBe(0);
  expect(await verify(anchor)).toMatchObject({
    code: 1,
    out: 'broken at position 9: the journal ends at 3\n',
  });
});

test('verify goes by what the daemon kept beside its token: a history that was cut is found', async () => {
  using prepared = await aHistory();
  const verify = () => prepared.run('history', '-c', prepared.config, '--verify');
  const head = /to (\d+):([0-9a-f]{64})/.exec((await verify()).out);
  prepared.folder.write('state.db.anchor', `${head?.[1] ?? ''}:${head?.[2] ?? ''}\n`);
  expect((await verify()).code).toBe(0);
  execute(prepared.stateFile, 'DELETE FROM journal WHERE position > 2');
  expect(await verify()).toMatchObject({ code: 1, out: expect.stringContaining(': the journal ends at 2') });
  prepared.folder.write('state.db.anchor', '');
  expect((await verify()).code).toBe(0);
});

test('it is asked for by label', async () => {
  using prepared = prepareState(
    RULES.replace('{ id: high, while: balance > 9 }', '{ id: high, while: balance > 9, labels: { team: eu } }'),
  );
  await prepared.polls('0', '5', '5', '10');
  const ask = (...args: readonly string[]) => prepared.run('history', '-c', prepared.config, ...args);
  const { out } = await ask('--label', 'team=eu');
  expect(out.trim().split('\n')).toEqual([
    expect.stringMatching(/00:04:00Z {2}decided/),
    expect.stringMatching(/00:04:00Z {2}routed {2}coins\/high {2}fires: /),
    expect.stringMatching(/00:04:00Z {2}told/),
  ]);
  expect((await ask('--label', 'team=eu', '--limit', '1')).out).toMatch(/^\S+ {2}told {2}[^\n]*\n$/);
  expect((await ask('--label', 'team=eu', '--label', 'of=vault')).err).toBe('nothing in the journal matches\n');
  expect(await ask('--label', 'team')).toMatchObject({
    code: 64,
    err: expect.stringContaining('such as team=treasury'),
  });
  expect(await ask('--label', 'team=eu', '--alert', 'coins')).toMatchObject({ code: 64 });
});
