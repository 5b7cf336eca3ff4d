// `chainwarden plan`: what a changed config would change, said before it is loaded.
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { changesOf } from '../../src/plan/changes.ts';
import type { Outline } from '../../src/plan/outline.ts';
import { CONFIG, prepareState, type PreparedState } from '../support/store/prepared-state.ts';

const LOW = `{ id: low, while: balance < 1_000_000, until: balance > 1_050_000, for: 2m, notify: [screen, night] }`;
const RULES = `
defaults: { notify: [screen] }
watches:
  - id: coins
    kind: balance
    of: treasury
    every: 1m
    alerts:
      - ${LOW}
      - { id: falls, while: 'change("1h") < -0.05' }
      - { id: record, while: 'balance < min("2m")' }
      - { id: moved, on: changed, if: balance < 500 }
`;

const NOTHING = 'nothing changes: the same watches, alerts, reports, routes, recipients and credits';

let prepared: PreparedState;
beforeEach(() => {
  prepared = prepareState(RULES);
});
afterEach(() => {
  prepared[Symbol.dispose]();
});

/** The lines that are said of these rules. */
async function planned(rules: string, ...more: readonly string[]): Promise<string[]> {
  prepared.folder.write('rules.yaml', rules);
  const { code, out, err } = await prepared.run('plan', '-c', prepared.config, ...more);
  expect([code, err]).toEqual([0, '']);
  return out.trimEnd().split('\n');
}

/** As it runs, with `low` firing. */
const firing = () => prepared.polls('1020000', '940000', '940000', '940000');

test('what changes nothing says so, and writes nothing', async () => {
  await firing();
  const before = readFileSync(prepared.stateFile);
  expect(await planned(RULES)).toEqual([NOTHING]);
  expect(await planned(RULES.replace('balance < 500', 'balance < 600'))).toHaveLength(3);
  expect(readFileSync(prepared.stateFile).equals(before)).toBe(true);
});

test('a new threshold closes what fires, and says to whom', async () => {
  await firing();
  const lower = RULES.replace('< 1_000_000', '< 900_000').replace('> 1_050_000', '> 930_000');
  expect(await planned(lower)).toEqual([
    'changed coins/low',
    '  was warning: while balance < 1_000_000 until balance > 1_050_000 for 2m',
    '  now warning: while balance < 900_000 until balance > 930_000 for 2m',
    'would close coins/low: resolved is sent to night, screen',
  ]);
});

test('a new low that was said a moment ago stays one', async () => {
  await prepared.polls('1020000', '1010000', '1005000', '1000500');
  expect((await prepared.run('status', '--watches', '-c', prepared.config)).out).toContain('record firing');
  expect(await planned(RULES)).toHaveLength(1);
});

test('what it says would happen is what the daemon then does', async () => {
  await firing();
  const lower = RULES.replace('< 1_000_000', '< 900_000').replace('> 1_050_000', '> 930_000');
  expect(await planned(lower)).toContain('would close coins/low: resolved is sent to night, screen');
  expect((await prepared.run('status', '--watches', '-c', prepared.config)).out).toContain('low firing since');
  await prepared.polls('940000');
  const { out } = await prepared.run('explain', 'coins/low', '-c', prepared.config);
  expect(out.match(/message: resolved at .* to (screen|night), sent/g)).toHaveLength(2);
  expect(await planned(lower)).toEqual([NOTHING]);
});

test('one that holds between its thresholds does not close', async () => {
  await firing();
  const said = await planned(RULES.replace('< 1_000_000', '< 900_000'));
  expect(said.filter((line) => line.startsWith('would'))).toEqual([]);
});

test('a new alert that is true opens: at once, or when it has held', async () => {
  await firing();
  const soon = RULES.replace('- { id: falls', '- { id: small, while: balance < 1000000 }\n      - { id: falls');
  expect(await planned(soon)).toEqual([
    'added coins/small: warning: while balance < 1000000',
    'would open coins/small: firing is sent to screen',
  ]);
  expect(await planned(soon.replace('1000000 }', '1000000, for: 10m }'))).toContain(
    'would open coins/small: pending, fires when it has held for 10m',
  );
});

test('what is removed ends for those who were told; schedules, people and credits are compared', async () => {
  await firing();
  expect(await planned(RULES.replace(`      - ${LOW}\n`, '').replace('every: 1m', 'every: 2m'))).toEqual([
    'changed coins: every 1m becomes every 2m',
    'removed coins/low: warning: while balance < 1_000_000 until balance > 1_050_000 for 2m',
    'no longer a recipient: night',
    'chain: 28,800 credits a day become 14,400',
    'would close coins/low: rule removed, resolved is sent to night, screen',
  ]);
});

test('another address under the same name starts anew, and one more is added', async () => {
  await firing();
  expect(await planned(RULES.replace('of: treasury', 'of: vault'))).toEqual([
    'changed coins: it reads other data, so it starts with a new baseline',
    'would close coins/low: rule removed, resolved is sent to night, screen',
    'not known from the stored state: alerts of a watch that was never polled',
  ]);
  expect(await planned(RULES.replace('of: treasury', 'of: both'))).toContain('added coins[vault]');
});

test('another kind of watch under the same id ends what fires', async () => {
  await firing();
  const tokens = `${CONFIG}tokens: { USDC: '0x${'33'.repeat(20)}' }\n`;
  prepared.folder.write('config.yaml', tokens);
  const said = await planned(RULES.replace('of: treasury', 'of: treasury\n    token: USDC'));
  expect(said).toContain('would close coins/low: rule removed, resolved is sent to night, screen');
});

test('what cannot be decided on the kept data is said, and no more', async () => {
  await firing();
  expect(await planned(RULES.replace('-0.05', '-0.06'))).toEqual([
    'changed coins/falls',
    '  was warning: while change("1h") < -0.05',
    '  now warning: while change("1h") < -0.06',
    'not known from the stored state: coins/falls',
  ]);
});

test('unknown data neither opens nor closes anything', async () => {
  await prepared.polls('1020000', '940000', '940000', '940000', 'missed', 'missed');
  expect(await planned(RULES)).toEqual([NOTHING]);
});

test('two config files are compared with --against', async () => {
  prepared.folder.write('old/config.yaml', CONFIG);
  prepared.folder.write('old/rules.yaml', RULES.replace('every: 1m', 'every: 2m'));
  const said = await planned(RULES, '--against', join(prepared.folder.path, 'old', 'config.yaml'));
  expect(said).toEqual([
    expect.stringContaining('There is no state at'),
    expect.stringContaining('The state is another one'),
    'changed coins: every 2m becomes every 1m',
    'chain: 14,400 credits a day become 28,800',
  ]);
  expect(existsSync(prepared.stateFile)).toBe(false);
});

test('without a state file everything is added, and that is said', async () => {
  expect(await planned(RULES)).toEqual([
    expect.stringContaining('There is no state at'),
    expect.stringContaining('The config that runs now is not known'),
    'added coins',
    'added self: screen',
    'new recipient: screen',
    'new recipient: night',
    'chain: 0 credits a day become 28,800',
    'not known from the stored state: alerts of a watch that was never polled',
  ]);
  expect(existsSync(prepared.stateFile)).toBe(false);
});

test('a config with problems shows them all, and ends with 1', async () => {
  await firing();
  prepared.folder.write('rules.yaml', RULES.replace('while: balance', 'while: balanse'));
  const { code, out, err } = await prepared.run('plan', '-c', prepared.config);
  expect([code, out]).toEqual([1, '']);
  expect(err).toContain('Did you mean balance?');
});

test('routes that send the addresses of one rule to other channels say so for each', async () => {
  const routed = (of: string, to: string): string =>
    `${CONFIG}routes: [{ match: { of: ${of} }, notify: ${to} }, { notify: screen }]\n`;
  const rules = `watches: [{ id: coins, kind: balance, of: both, alerts: [{ id: low, while: balance < 5 }] }]\n`;
  using routedState = prepareState(rules, routed('treasury', 'night'));
  await routedState.polls('9000000');
  const plan = async (config: string): Promise<string[]> => {
    routedState.folder.write('config.yaml', config);
    return (await routedState.run('plan', '-c', routedState.config)).out.trimEnd().split('\n');
  };
  expect(await plan(routed('vault', 'night'))).toEqual([
    'changed coins[treasury]/low: recipients were night, now screen',
    'changed coins[vault]/low: recipients were screen, now night',
  ]);
  expect(await plan(routed('treasury', 'screen'))).toEqual([
    'changed coins[treasury]/low: recipients were night, now screen',
    'no longer a recipient: night',
  ]);
  expect(await plan(routed('treasury', 'night'))).toEqual([NOTHING]);
});

describe('a change that no watch shows', () => {
  const ROUTES = `routes:
  - { match: { severity: critical }, repeat: 4h, escalate: [{ after: 15m, notify: [night] }], failover: [night] }
  - { notify: [screen] }
`;
  const REPORTED = `
watches:
  - id: coins
    kind: balance
    of: treasury
    every: 1m
    alerts:
      - { id: low, while: balance < 5, severity: critical, title: 'Low: {{ balance }}', labels: { team: vault } }
      - { id: daily, on: schedule, cron: '0 8 * * *', values: [balance] }
  - { id: calls, kind: transactions, of: vault, every: 1m, calls: ['sweep(uint256 amount)'], units: { amount: 6 } }
reports:
  - { id: weekly, cron: '0 8 * * 1', watches: [coins], values: [balance], notify: [screen] }
`;

  /** The lines for the change of one text in config or rules. */
  async function changing(from: string, to: string): Promise<string[]> {
    const config = `${CONFIG}${ROUTES}`;
    using state = prepareState(REPORTED, config);
    await state.polls('9000000');
    expect(`${config}${REPORTED}`).toContain(from);
    state.folder.write('config.yaml', config.replace(from, to));
    state.folder.write('rules.yaml', REPORTED.replace(from, to));
    return (await state.run('plan', '-c', state.config)).out.trimEnd().split('\n');
  }

  test.each([
    ['nothing', 'cron', 'cron', [NOTHING]],
    [
      'the time of a report',
      '0 8 * * 1',
      '0 9 * * 1',
      ['changed report weekly', '  was info: cron 0 8 * * 1 of coins', '  now info: cron 0 9 * * 1 of coins'],
    ],
    [
      'the values of a report',
      'values: [balance], notify',
      'values: [balance, balance_usd], notify',
      ['changed report weekly: values: balance becomes balance, balance_usd'],
    ],
    [
      'the recipients of a report',
      'values: [balance], notify: [screen]',
      'values: [balance], notify: [night]',
      ['changed report weekly: recipients were screen, now night'],
    ],
    [
      'the values of an alert on a schedule',
      'values: [balance] }',
      'values: [balance, balance_usd] }',
      ['changed coins/daily: values: balance becomes balance, balance_usd'],
    ],
    ['a title', "title: 'Low: {{ balance }}', ", '', ['changed coins/low: title: Low: {{ balance }} becomes none']],
    ['a label', 'team: vault', 'team: desk', ['changed coins/low: labels: team=vault becomes team=desk']],
    [
      'the decimals of an argument',
      'amount: 6',
      'amount: 18',
      [
        'changed calls',
        '  was reads sweep(uint256) 0xaa60e733; units amount 6',
        '  now reads sweep(uint256) 0xaa60e733; units amount 18',
      ],
    ],
  ])('is named: %s', async (_what, from, to, lines) => {
    expect(await changing(from, to)).toEqual(lines);
  });

  test('is named: when a route repeats, who is called later, and whom nobody calls any more', async () => {
    const before = 'removed route severity=critical: repeat 4h; after 15m night; failover night';
    expect(await changing('repeat: 4h', 'repeat: 8h')).toEqual([
      before,
      'added route severity=critical: repeat 8h; after 15m night; failover night',
    ]);
    expect(await changing(', escalate: [{ after: 15m, notify: [night] }], failover: [night]', '')).toEqual([
      before,
      'added route severity=critical: repeat 4h',
      'no longer a recipient: night',
    ]);
  });
});

test('an alert that loses its only recipient says none', () => {
  const outline = (...channels: readonly string[]): Outline => ({
    rules: {
      coins: {
        schedule: '1m',
        reads: '',
        alerts: { low: { says: '', words: {}, tells: channels.map((channel) => ({ channel, recipient: channel })) } },
      },
    },
    watches: [],
    reports: {},
    names: {},
    routing: [],
    credits: {},
  });
  expect(changesOf(outline('night'), outline()).lines).toEqual([
    'changed coins/low: recipients were night, now none',
    'no longer a recipient: night',
  ]);
});
