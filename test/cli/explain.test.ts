// `chainwarden explain`: why an alert fires or does not, from what the daemon left behind.
import { readdirSync, readFileSync } from 'node:fs';
import { afterEach, beforeEach, expect, test } from '@jest/globals';
import { UNKNOWN_HEALTH } from '../../src/core/model/quality/health-summary.ts';
import { takeLock } from '../../src/store/sqlite/files/lock.ts';
import { openSqliteStore } from '../../src/store/sqlite/open.ts';
import { prepareState, type PreparedState } from '../support/store/prepared-state.ts';

const RULES = `
defaults: { notify: [screen] }
watches:
  - id: coins
    kind: balance
    of: treasury
    every: 1m
    alerts:
      - id: low
        while: balance < 1_000_000
        until: balance > 1_050_000
        for: 2m
        severity: critical
        notify: [screen, night]
      - id: falls
        while: '(balance < 2_000_000 || raw > 9_000_000) && change("5m") < -0.05'
`;

let prepared: PreparedState;
beforeEach(() => {
  prepared = prepareState(RULES);
});
afterEach(() => {
  prepared[Symbol.dispose]();
});

async function explained(name: string): Promise<string[]> {
  const { code, out, err } = await prepared.run('explain', name, '-c', prepared.config);
  expect([code, err]).toEqual([0, '']);
  return out.trimEnd().split('\n');
}

const linesWith = (lines: readonly string[], ...words: readonly string[]) =>
  lines.map((line) => line.trim()).filter((line) => words.some((word) => line.startsWith(word)));

test('one that waits: its condition, its values, what is missing, and who will hear of it', async () => {
  await prepared.polls('1020000', '940000', '940000');
  await prepared.clock.advance(12_000);
  expect(await explained('coins/low')).toEqual([
    'coins  rules.yaml:4',
    '  balance coin of treasury on chain, every 1m',
    '  last usable answer 12s ago; data ok since 2026-01-01T00:01:00Z',
    '  values as of 2026-01-01T00:03:00Z',
    '  looked at next: 2026-01-01T00:03:54Z, in 42s',
    '',
    'coins/low  rules.yaml:9  critical',
    '  while  true     balance < 1_000_000',
    '      balance = 940,000',
    '  until  false    balance > 1_050_000',
    '      balance = 940,000',
    '  state: pending, held 1m of 2m: it is true, and has not held for long enough yet',
    '  held back: `for`, for another 1m',
    '  to end: balance would have to rise by 60,000, to 1,000,000',
    '  labels: watch: coins, explorer: chain, of: treasury, alert: low, kind: balance, severity: critical',
    '  would notify: screen, night',
    '  messages so far: none stored',
  ]);
});

test('one that is not true says how far it is away', async () => {
  await prepared.polls('1020000');
  expect(linesWith(await explained('coins/low'), 'to fire', 'while', 'state')).toEqual([
    'while  false    balance < 1_000_000',
    'state: inactive',
    'to fire: balance would have to fall by more than 20,000, below 1,000,000',
  ]);
});

test('every part has its own truth; a window nobody looked back to says since when anybody did', async () => {
  await prepared.polls('1000000', '990000', '980000');
  const early = await explained('coins/falls');
  expect(early.slice(7, 19)).toEqual([
    '  while  unknown  (balance < 2_000_000 || raw > 9_000_000) && change("5m") < -0.05',
    '      true     balance < 2_000_000 || raw > 9_000_000',
    '          true     balance < 2_000_000',
    '              balance = 980,000 (before 990,000)',
    '          true     raw > 9_000_000',
    '              raw = 980000000000000000000000 (before 990000000000000000000000)',
    '      unknown  change("5m") < -0.05',
    '          balance = 980,000 (before 990,000)',
    '          change("5m") = unknown: nobody looked that far back: oldest sample 2m ago',
    '  state: inactive',
    '  held back: it is unknown; not known: change("5m")',
    '  to fire: change("5m") would have to be known',
  ]);
  await prepared.polls('980000', '980000', '960000');
  expect(linesWith(await explained('coins/falls'), 'change("5m") =', 'to fire')).toEqual([
    'change("5m") = -4%',
    'to fire: change("5m") would have to fall by more than 1%, below -5%',
  ]);
  await prepared.polls('940000');
  expect(linesWith(await explained('coins/falls'), 'change("5m") =', 'state', 'message', 'to end')).toEqual([
    'change("5m") = -5.05%',
    'state: firing since 2026-01-01T00:07:00Z: it fires already',
    'to end: balance would have to rise by 1,060,000, to 2,000,000 and raw would have to fall by '.concat(
      '939,999,999,999,999,991,000,000, to 9,000,000; or change("5m") would have to rise by 0.05%, to -5%',
    ),
    'message: firing at 2026-01-01T00:07:00Z to screen, sent',
  ]);
});

test('data that is not good is said, and what fires on it is unverified', async () => {
  await prepared.polls('940000', '940000', '940000', 'missed', 'missed');
  const since = '2026-01-01T00:04:00Z';
  expect(linesWith(await explained('coins/low'), 'last', 'state', 'held back')).toEqual([
    `last usable answer 2m ago; data error since ${since}`,
    `state: firing since 2026-01-01T00:01:00Z, unverified since ${since}: it fires already`,
    `held back: data error since ${since}, on which nothing is decided`,
  ]);
  const { out } = await prepared.run('status', '--watches', '-c', prepared.config);
  expect(out.replaceAll('\n  ', ' ')).toContain(
    `data error since ${since}; low firing since 2026-01-01T00:01:00Z, unverified since ${since}`,
  );
});

test('status says which watch is blind, and since when, until it has data again', async () => {
  await prepared.polls('940000', 'missed', 'missed');
  expect((await prepared.run('status', '-c', prepared.config)).out).not.toContain('no answer since');
  await prepared.polls('missed', 'missed', 'missed', 'missed');
  const { out } = await prepared.run('status', '--watches', '-c', prepared.config);
  expect(out).toContain('; data error since 2026-01-01T00:02:00Z; no answer since 2026-01-01T00:01:54Z; ');
  expect(out).toContain('\nno answer since 00:01:54 UTC: 1 watch on chain: error: coins\n');
  await prepared.polls('940000');
  expect((await prepared.run('status', '-c', prepared.config)).out).not.toContain('no answer since');
});

test('a daemon that starts again after an hour has missed nothing yet, for status and for explain', async () => {
  await prepared.polls('940000');
  await prepared.clock.advance(3_600_000);
  const now = prepared.clock.now();
  expect((await explained('coins'))[2]).toMatch(/; no answer since 2026-01-01T00:01:\d\dZ$/);
  const store = await openSqliteStore({ file: prepared.stateFile });
  const head = { height: null, at: null, state: 'unknown', since: null } as const;
  const explorers = [{ name: 'chain', polled: 1, head, credits: null, plan: null, paced: null }];
  await store.keepHealth({ ...UNKNOWN_HEALTH, at: now, startedAt: now - 30_000, isRunning: true, explorers });
  await store[Symbol.asyncDispose]();
  using _held = takeLock(prepared.stateFile);
  expect((await explained('coins'))[2]).toBe('  last usable answer 1h ago; data ok since 2026-01-01T00:01:00Z');
  const { out } = await prepared.run('status', '-c', prepared.config);
  expect(out).not.toContain('no answer since');
});

test('a field that the explorer no longer sends leaves the condition unknown, and both commands name it', async () => {
  await prepared.polls('940000', '940000', 'renamed', 'renamed', 'renamed');
  const { out } = await prepared.run('status', '--watches', '-c', prepared.config);
  expect(out).toContain('data blind-field since 2026-01-01T00:05:00Z; not sent: balance, raw');
  const lines = await explained('coins/low');
  expect(linesWith(lines, 'while', 'the explorer')).toEqual([
    expect.stringMatching(/^while +unknown +balance < 1_000_000/),
    'the explorer no longer sends balance',
    'the explorer no longer sends balance',
  ]);
});

test('behind a head that stands still nothing is known, and neither command claims otherwise', async () => {
  const rules = `${RULES}  - { id: head, kind: blocks, every: 1m, alerts: [{ id: any, on: new }] }\n`;
  prepared.folder.write('rules.yaml', rules);
  await prepared.polls('1020000');
  const at = prepared.clock.now();
  prepared.head = { height: 5n, timestamp: at - 600_000, readAt: at + 60_000, staleAfterMs: 180_000 };
  await prepared.polls('940000');
  const said = await explained('coins/low');
  expect(linesWith(said, 'while', 'the head', 'state', 'held back')).toEqual([
    'while  unknown  balance < 1_000_000',
    'the head of the chain stands still, so the values may be old',
    'the head of the chain stands still, so the values may be old',
    'state: inactive',
    'held back: it is unknown; the head of the chain stands still, so the values may be old',
  ]);
  expect((await prepared.run('plan', '-c', prepared.config)).out).toMatch(/^nothing changes/);
  prepared.folder.write('rules.yaml', rules.replace('balance < 1_000_000', 'balance < 900_000'));
  const { out } = await prepared.run('plan', '-c', prepared.config);
  expect(out).toMatch(/\nnot known from the stored state: coins\/low\n$/);
});

test('a cooldown is said; status and explain agree since when it fires, told or not', async () => {
  prepared.folder.write('rules.yaml', RULES.replace('for: 2m', 'cooldown: 30m'));
  await prepared.polls('940000', '1060000', '940000');
  expect(linesWith(await explained('coins/low'), 'held back', 'state')).toEqual([
    'state: firing since 2026-01-01T00:03:00Z: it fires already',
    'held back: cooldown until 2026-01-01T00:32:00Z: until then messages about a firing are not sent',
  ]);
  expect((await prepared.run('status', '-c', prepared.config)).out).toContain(
    '\ncoins: low firing since 2026-01-01T00:03:00Z\n',
  );
});

test('flapping is said; status and explain agree since when it fires', async () => {
  prepared.folder.write('rules.yaml', RULES.replace('for: 2m', 'cooldown: 1m'));
  await prepared.polls('940000', '1060000', '940000', '1060000', '940000');
  const said = await explained('coins/low');
  expect(linesWith(said, 'held back: flapping')).toHaveLength(1);
  const state = 'firing since 2026-01-01T00:05:00Z';
  expect(linesWith(said, 'state')).toEqual([`state: ${state}: it fires already`]);
  expect((await prepared.run('status', '--watches', '-c', prepared.config)).out).toContain(
    `; low ${state}, flapping\n`,
  );
});

test('a rule that is unwell is said here and in status', async () => {
  prepared.folder.write('rules.yaml', RULES.replace('every: 1m', 'every: 1d').replace('5m', '5d'));
  for (let day = 0; day < 22; day++) {
    await prepared.polls('2000000');
    await prepared.clock.advance(86_400_000 - 60_000);
  }
  expect(linesWith(await explained('coins/low'), 'health')).toEqual(['health: never-true since 2026-01-01T00:01:00Z']);
  const { out } = await prepared.run('status', '-c', prepared.config);
  expect(out).toContain('\n  coins/low: never-true since 2026-01-01T00:01:00Z\n');
});

test('nothing is written', async () => {
  await prepared.polls('940000');
  const before = readFileSync(prepared.stateFile);
  await explained('coins');
  expect(readFileSync(prepared.stateFile).equals(before)).toBe(true);
});

test('before the first poll, and before the first daemon, the rule is explained alone', async () => {
  const alone = await explained('coins/low');
  expect(alone[0]).toMatch(/^There is no state at .*state\.db yet: only the rule can be explained\.$/);
  expect(linesWith(alone, 'while', 'not asked', 'state', 'would', 'looked')).toEqual([
    'not asked yet: nothing is known but the rule',
    'looked at next: 2026-01-01T00:00:54Z, in 54s',
    'while  balance < 1_000_000',
    'state: not known',
    'would notify: screen, night',
  ]);
  expect(readdirSync(prepared.folder.path).toSorted()).toEqual(['config.yaml', 'rules.yaml']);
  await prepared.polls();
  expect(await explained('coins/low')).toEqual(alone.slice(2));
});

test('a rule that was edited and not loaded yet is explained as it stands in the file', async () => {
  await prepared.polls('940000');
  prepared.folder.write('rules.yaml', RULES.replace('of: treasury', 'of: vault'));
  expect(linesWith(await explained('coins/low'), 'not asked')).toHaveLength(1);
});

test('a rule over several addresses is explained for each, or for the one that is named', async () => {
  prepared.folder.write('rules.yaml', RULES.replace('of: treasury', 'of: both'));
  await prepared.polls('940000');
  expect(linesWith(await explained('coins/low'), 'coins[')).toEqual([
    'coins[treasury]  rules.yaml:4',
    'coins[treasury]/low  rules.yaml:9  critical',
    'coins[vault]  rules.yaml:4',
    'coins[vault]/low  rules.yaml:9  critical',
  ]);
  expect(linesWith(await explained('coins[vault]'), 'coins[')).toHaveLength(3);
});

test.each([
  ['coin', 'no watch "coin". Did you mean coins?'],
  ['coin/low', 'no watch "coin". Did you mean coins?'],
  ['coins/lo', 'no alert "lo". Possible: low, falls.'],
  ['coins[treasury]', 'no watch "coins[treasury]". Possible: coins.'],
])('%s is not there, and what was meant is said', async (name, complaint) => {
  const { code, out, err } = await prepared.run('explain', name, '-c', prepared.config);
  expect([code, out, err]).toEqual([64, '', `chainwarden: ${complaint}\n`]);
});

test('a report: when it is told, what it reads, and what it would say now', async () => {
  using other = prepareState(`${RULES}reports:
  - { id: weekly, cron: '0 8 * * 1', watches: [coins], values: [balance, change_5m | percent], total: balance, notify: [screen] }
`);
  await other.polls('1020000', '940000');
  const { code, out, err } = await other.run('explain', 'weekly', '-c', other.config);
  expect([code, err]).toEqual([0, '']);
  expect(out.trimEnd().split('\n')).toEqual([
    'weekly  rules.yaml:18  info',
    '  cron: 0 8 * * 1',
    '  next: 2026-01-05T08:00:00Z',
    '  reads: coins; asks nothing',
    '  total: balance',
    '  would notify: screen',
    '  now it would say: report weekly: 940,000 coin in 1 balance',
    '      coins: balance 940,000 coin, change 5 min not known.',
    '      total: balance 940,000 coin, change 5 min not known.',
    '      No value of 5 min ago is known, so the change is not.',
  ]);
  const { out: stands } = await other.run('status', '-c', other.config);
  expect(stands).toContain('report weekly: next 2026-01-05T08:00:00Z');
  const { out: checked } = await other.run('check', '-c', other.config);
  expect(checked).toMatch(
    /^weekly {2}report of 1 watch {2}cron 0 8 \* \* 1 {2}asks nothing {2}0 requests, 0 credits a day$/m,
  );
  expect(checked).toMatch(/^weekly\/report {2}info {2}notifies screen$/m);
});
