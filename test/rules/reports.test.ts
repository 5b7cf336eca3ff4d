// Reports of rule files: their mistakes, and what they add to their watches.
import { expect, test } from '@jest/globals';
import { loadConfig } from '../../src/config/config.ts';
import { formatProblems } from '../../src/config/problem.ts';
import { notifiers } from '../../src/notifiers/index.ts';
import { describeReports, describeReportTargets } from '../../src/rules/describe-reports.ts';
import { loadRules, type LoadedRules } from '../../src/rules/load.ts';
import { kinds } from '../../src/watches/index.ts';

const CONFIG = `
explorers: { chain: { form: sandbox }, base: { form: sandbox } }
addresses: { treasury: 0x47ac0Fb4F2D84898e4D9E7b4DaB3C24507a6D503, cold: 0xa14C3E6DD27d6A8e02f9Ea24EcDE64e6B6f50db0 }
tokens: { USDC: 0x51BEEe539Ee496D28B2Bf8BED91D0b7F3A5599D8 }
channels: { screen: { type: log }, ops: { type: log } }
rules: [rules.yaml]
`;
const WATCHES = `defaults: { explorer: chain, notify: [screen], every: 5m }
watches:
  - { id: coins, kind: balance, of: [treasury, cold] }
  - { id: usdc, kind: balance, of: treasury, token: USDC }
  - { id: bridge, kind: balance, explorer: base, of: treasury }
  - { id: price, kind: token, token: USDC }
  - { id: calls, kind: internal-transactions, of: treasury }
`;

function loaded(reports: string, watches = WATCHES, more = ''): LoadedRules {
  const { config, problems } = loadConfig('config.yaml', { env: {}, readFile: () => `${CONFIG}${more}`, notifiers });
  if (config === null) throw new Error(formatProblems(problems));
  return loadRules(config, [{ file: 'rules.yaml', text: `${watches}reports:\n${reports}` }], { kinds });
}

const written = (changes: Readonly<Record<string, string>> = {}): string => {
  const keys = { id: 'weekly', cron: "'0 8 * * 1'", watches: '[coins]', values: '[balance, balance_usd]', ...changes };
  const entries = Object.entries(keys).filter(([, value]) => value !== '');
  return `  - { ${entries.map(([key, value]) => `${key}: ${value}`).join(', ')} }\n`;
};

const problemsOf = (rules: LoadedRules): string[] =>
  rules.problems.map(({ path, message, hint = '' }) => `${path}: ${message}. ${hint}`.trim());

test.each<[string, Readonly<Record<string, string>>, string]>([
  [
    'times that come faster than reports are told',
    { cron: "'*/5 * * * * *'" },
    'cron: its messages come every 5s, and a report is sent every 10s at most.',
  ],
  ['an unknown watch', { watches: '[coinz]' }, 'watches: no watch "coinz". Did you mean coins?'],
  [
    'a watch without present values',
    { watches: '[coins, calls]' },
    'watches[1]: "calls" has no present values, since it is of the kind internal-transactions. Kinds that have: balance, holdings, token, contract, read, blocks.',
  ],
  [
    'an unknown field',
    { values: '[balanse]' },
    'values: no field "balanse" in balance, the kind of coins[treasury]. Did you mean balance?',
  ],
  [
    'a field that one of its watches lacks',
    { watches: '[coins, price]', values: '[balance]' },
    'values: no field "balance" in token, the kind of price.',
  ],
  ['a text', { values: '[symbol]' }, 'values: symbol of balance is no number that is known of the watch as a whole.'],
  [
    'a filter of a field',
    { values: '[balance | percent]' },
    'values: a field of a report has no filter. Write balance.',
  ],
  [
    'a filter of a change',
    { values: '[change_7d | short]' },
    'values: "short" is no filter of a change. Write change_7d | percent.',
  ],
  ['another window', { values: '[min_7d]' }, 'values: a report has no min. Write change_7d | percent.'],
  [
    'a window without a poll',
    { values: '[change_1m | percent]' },
    'values: a window of 1m holds no poll of a watch that polls every 5m. Look back further, or poll more often.',
  ],
  [
    'a sentence',
    { values: "['balance > 5']" },
    'values: "balance > 5" is more than a field. Write a field such as balance, or change_7d | percent.',
  ],
  ['a value twice', { values: '[balance, balance]' }, 'values[1]: "balance" is there already.'],
  [
    'a total that is no value',
    { total: 'balance_us' },
    'total: "balance_us" is none of the values. Did you mean balance_usd?',
  ],
  [
    'a total of prices',
    { values: '[exchange_rate, balance]', total: 'exchange_rate' },
    'total: exchange_rate is no amount of coins, tokens or dollars, so it has no sum. Possible: balance.',
  ],
  [
    'a total of two assets',
    { watches: '[coins, usdc]', total: 'balance' },
    'total: coin and USDC cannot be added up. Add up dollars, as total: balance_usd, or write a report for each asset.',
  ],
  ['a wrong cron', { cron: "'0 25 * * 1'" }, 'cron: "0 25 * * 1" is no cron expression: 25 is no hour: 0 to 23.'],
  [
    'a cron faster than its watches',
    { cron: "'* * * * *'" },
    'cron: its messages come every 1m, and coins[treasury] polls every 5m. Send less often, or poll more often.',
  ],
  ['an unknown zone', { zone: 'Europe/Berlinn' }, 'zone: no time zone "Europe/Berlinn": Write "Europe/Berlin".'],
  ['an unknown channel', { notify: '[opps]' }, 'notify: no channel "opps". Did you mean ops?'],
  [
    'the id of a watch',
    { id: 'usdc' },
    'id: the id "usdc" is used already at rules.yaml:4. Ids are unique over all files.',
  ],
  ['no values', { values: '' }, 'values is missing.'],
  ['an unknown key', { vlaues: '[balance]' }, 'vlaues: unknown key "vlaues". Did you mean values?'],
])('says what is wrong with %s', (_name, changes, problem) => {
  expect(problemsOf(loaded(written(changes)))).toEqual([expect.stringContaining(problem)]);
});

test('two reports need two ids', () => {
  expect(problemsOf(loaded(written() + written()))).toEqual([
    'reports[1].id: the id "weekly" is used already at rules.yaml:9. Ids are unique over all files.',
  ]);
});

test('a report needs somebody who is told', () => {
  const text = WATCHES.replace(', notify: [screen]', '').replace(/ {2}- .*\n/g, (line) =>
    line.replace(' }', ', notify: [ops] }'),
  );
  expect(problemsOf(loaded(written(), text))).toEqual([
    'reports[0]: no notification channel is set. Write notify: one or more of screen, ops.',
  ]);
});

test('routes match a report by its labels', () => {
  const routes = 'routes: [{ match: { kind: report, watch: weekly }, add: [ops] }]\n';
  const rules = loaded(written({ labels: '{ team: payments }' }), WATCHES, routes);
  expect(problemsOf(rules)).toEqual([]);
  const [report] = rules.reports;
  expect(report?.notify).toEqual(['screen', 'ops']);
  expect(report?.labels).toEqual({
    team: 'payments',
    watch: 'weekly',
    alert: 'report',
    kind: 'report',
    severity: 'info',
    explorer: 'chain',
  });
});

test('its watches keep what it reads, and remain the same watches', () => {
  const { watches: before } = loaded('');
  const rules = loaded(
    written({ watches: '[usdc]', values: '[balance, balance_usd, change_7d]', total: 'balance_usd' }),
  );
  const usdc = rules.watches.find(({ rule }) => rule === 'usdc');
  expect(rules.reports[0]?.members).toEqual([usdc]);
  expect(usdc?.sampled).toContainEqual({ path: 'balance_usd', ms: 7 * 86_400_000 });
  expect(rules.watches.map(({ id, checksum }) => [id, checksum])).toEqual(
    before.map(({ id, checksum }) => [id, checksum]),
  );
});

test('check says that a report asks nothing, and who is told', () => {
  const { reports } = loaded(written({ zone: 'Europe/Berlin', watches: '[coins, bridge]' }));
  expect([...describeReports(reports), ...describeReportTargets(reports, [])]).toEqual([
    'weekly  report of 3 watches  cron 0 8 * * 1 Europe/Berlin  asks nothing  0 requests, 0 credits a day',
    'weekly/report  info  notifies screen',
  ]);
});
