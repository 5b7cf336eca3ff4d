import { describe, expect, test } from '@jest/globals';
import { formatProblems, summarize } from '../../src/config/problem.ts';
import { load, ruleOf, testOf } from './support/trials.ts';

const RULES = ruleOf('kind: balance, of: treasury, every: 1m', '{ id: low, while: balance < 5 }');
const CALLS = ruleOf(
  'kind: internal-transactions, of: vault, every: 1m',
  '{ id: failed, on: new, if: success == false }',
);

function problemsOf(text: string, files: Readonly<Record<string, string>> = { 'rules.yaml': RULES }): string[] {
  return load(text, files).problems.map(summarize);
}

const GOOD = '{ at: 0m, balance: 1 }';

test.each<[string, string, string]>([
  [
    'a field that there is not',
    '{ at: 1m, balanse: 3 }',
    '6:19 tests[0].saw[0].balanse: Balance has no field "balanse". Did you mean balance?',
  ],
  [
    'a nested one',
    '{ at: 1m, token: { reputatoin: x } }',
    '6:28 tests[0].saw[0].token.reputatoin: Token has no field "reputatoin". Did you mean reputation?',
  ],
  [
    'a value that the explorer never says, with which silence would prove nothing',
    '{ at: 1m, token: { reputation: scma } }',
    '6:40 tests[0].saw[0].token.reputation: "scma" is no value of it. Did you mean scam?',
  ],
  ['no number', '{ at: 1m, balance: much }', '6:28 tests[0].saw[0].balance: "much" is not a number'],
  ['a number that was cut short', '{ at: 1m, balance: 1__0 }', '6:28 tests[0].saw[0].balance: "1__0" is not a number'],
  ['no time', '{ balance: 1 }', '6:9 tests[0].saw[0]: at is missing'],
  [
    'no duration',
    '{ at: 1 minute, balance: 1 }',
    '6:15 tests[0].saw[0].at: "1 minute" is not a duration from 0ms to 183d, such as 30s, 10m, 2h or 1d: write 1m',
  ],
  [
    'nothing seen',
    '{ at: 1m }',
    '6:9 tests[0].saw[0]: does not say what was seen. Write fields such as balance, missed or answers.',
  ],
  [
    'missed and seen',
    '{ at: 1m, missed: error, balance: 1 }',
    '6:34 tests[0].saw[0].balance: missed cannot be combined with "balance"',
  ],
  [
    'fields and answers',
    '{ at: 1m, answers: [{ path: blocks }], raw: 1 }',
    '6:48 tests[0].saw[0].raw: answers cannot be combined with "raw"',
  ],
  [
    'a list where one thing is seen',
    '{ at: 1m, items: [] }',
    '6:19 tests[0].saw[0].items: Balance has no field "items"',
  ],
  ['a text where a map is', 'balance', '6:9 tests[0].saw[0]: a poll is a map of keys and values'],
  [
    'a file that is not there',
    '{ at: 1m, answers: [{ path: blocks, file: x.json }] }',
    '6:51 tests[0].saw[0].answers[0].file: "x.json" cannot be read: no such file',
  ],
])('a row that says %s', (_name, row, expected) => {
  expect(problemsOf(testOf([row]))).toEqual([`rules/x.test.yaml:${expected}`]);
});

test.each<[string, string, string]>([
  [
    'a field that there is not',
    '{ at: 1m, items: [{ sucess: true }] }',
    '6:29 tests[0].saw[0].items[0].sucess: InternalTransaction has no field "sucess". Did you mean success?',
  ],
  [
    'another key for the list',
    '{ at: 1m, holdings: [] }',
    '6:19 tests[0].saw[0].holdings: InternalTransaction has no field "holdings"',
  ],
  [
    'a key beside the list',
    '{ at: 1m, items: [], success: true }',
    '6:30 tests[0].saw[0].success: unknown key "success". Possible: items, at, missed, partial, head, answers.',
  ],
  ['no list', '{ at: 1m, items: 5 }', '6:26 tests[0].saw[0].items: must be a list'],
  ['neither true nor false', '{ at: 1m, success: yes }', '6:28 tests[0].saw[0].success: "yes" is not true or false'],
  ['no address', '{ at: 1m, to: 0x12 }', '6:23 tests[0].saw[0].to: "0x12" is not an address, nor the name of one'],
  [
    'no time',
    '{ at: 1m, timestamp: yesterday }',
    '6:30 tests[0].saw[0].timestamp: "yesterday" is not a time, such as 2026-01-01T00:00:00Z, or -30s for thirty seconds before this poll',
  ],
  ['no list within', '{ at: 1m, from: { public_tags: x } }', '6:40 tests[0].saw[0].from.public_tags: must be a list'],
])('a list with %s', (_name, row, expected) => {
  expect(problemsOf(testOf([row]), { 'rules.yaml': CALLS })).toEqual([`rules/x.test.yaml:${expected}`]);
});

test.each<[string, string, string]>([
  [
    'of an alert that there is not',
    '{ at: 0m, alert: lwo, state: firing }',
    '8:26 tests[0].expect[0].alert: w has no alert "lwo". Did you mean low?',
  ],
  [
    'between two polls',
    '{ at: 1m, alert: low, state: firing }',
    '8:15 tests[0].expect[0].at: there is no poll at this time, and nothing is said between polls. Polls: 0m.',
  ],
  [
    'in no state',
    '{ at: 0m, alert: low, state: Firing! }',
    '8:38 tests[0].expect[0].state: "Firing!" is not one of event, firing, resolved, retracted, corrected, reinstated, summary. Did you mean firing?',
  ],
  [
    'with a key that there is not',
    '{ at: 0m, alert: low, state: firing, sevrity: info }',
    '8:46 tests[0].expect[0].sevrity: unknown key "sevrity". Did you mean severity?',
  ],
])('an expectation %s', (_name, row, expected) => {
  expect(problemsOf(testOf([GOOD], [row]))).toEqual([`rules/x.test.yaml:${expected}`]);
});

describe('a test', () => {
  test('names its polls and expectations in the order of time', () => {
    const text = testOf(
      ['{ at: 1m, balance: 1 }', '{ at: 1m, balance: 9 }', '{ at: 2m, balance: 1 }'],
      ['{ at: 2m, alert: low, state: firing }', '{ at: 1m, alert: low, state: firing }'],
    );
    expect(problemsOf(text)).toEqual([
      'rules/x.test.yaml:7:15 tests[0].saw[1].at: is not later than the poll before',
      'rules/x.test.yaml:11:15 tests[0].expect[1].at: is before the row above. Write them in order of time.',
    ]);
  });

  test('of a thing without a list has no empty baseline', () => {
    expect(problemsOf(testOf([GOOD], [], '\n    baseline: none'))[0]).toContain(
      'balance sees no list that could be empty',
    );
  });

  test('names a watch that there is', () => {
    expect(problemsOf(testOf([GOOD]).replace('watch: w', 'watch: v'))).toEqual([
      'rules/x.test.yaml:4:12 tests[0].watch: no watch "v". Possible: w.',
    ]);
  });

  test('of several instances names one', () => {
    const group = ruleOf('kind: balance, of: [treasury, vault]', '{ id: low, while: balance < 5 }');
    expect(problemsOf(testOf([GOOD]), { 'rules.yaml': group })).toEqual([
      'rules/x.test.yaml:4:12 tests[0].watch: "w" has 2 instances. Name one: w[treasury], w[vault].',
    ]);
  });
});

describe('a file', () => {
  test('shows all of its problems at once, with the place of each', () => {
    const text = `rules: rules.yaml
tests:
  - name: one
    watch: w
    saw: [{ at: 0m, balanse: 1 }]
    expect: [{ at: 0m, alert: hgih, state: firing }]
  - watch: w
    strat: 2026-01-01T00:00:00Z
    saw: [{ at: 0m, balance: 1, misssed: error }]
    expect: []
`;
    const { problems, tests } = load(text, { 'rules.yaml': RULES });
    expect(tests).toEqual([]);
    expect(problems.map(({ line, message }) => `${line} ${message}`)).toEqual([
      '5 Balance has no field "balanse"',
      '6 w has no alert "hgih"',
      '7 name is missing',
      '8 unknown key "strat"',
      '9 Balance has no field "misssed"',
    ]);
    expect(formatProblems(problems)).toContain(
      '> 5 |     saw: [{ at: 0m, balanse: 1 }]\n    |                     ^^^^^^^',
    );
  });

  test('shows the problems of the rules that it tests, as loading shows them', () => {
    const rules = RULES.replace('balance < 5', 'balanse < 5');
    expect(problemsOf(testOf([GOOD]), { 'rules.yaml': rules })).toEqual([
      expect.stringMatching(/^rules\/rules\.yaml:1:\d+ watches\[0\]\.alerts\[0\]\.while: .*Did you mean balance\?$/),
    ]);
  });

  test('whose rules or config are not there says so', () => {
    expect(problemsOf(testOf([GOOD]), {})[0]).toBe(
      'rules/x.test.yaml:1:8 rules: "rules.yaml" cannot be read: no such file',
    );
    expect(problemsOf(`config: c.yaml\n${testOf([GOOD])}`)[0]).toContain(
      'rules/c.yaml:1:1: cannot be read: no such file',
    );
  });

  test('with a config takes its addresses, and nothing else', () => {
    const config = `explorers: { a: { form: sandbox } }
addresses: { vault: 0xBA12222222228d8Ba445958a75a0704d566BF2C8, ours: [vault] }
channels: { a: { type: log } }
`;
    const saying = (to: string): string[] =>
      problemsOf(`config: c.yaml\n${testOf([`{ at: 0m, to: ${to} }`])}`, { 'rules.yaml': CALLS, 'c.yaml': config });
    expect(saying('vault')).toEqual([]);
    expect(saying('valt')).toEqual([
      'rules/x.test.yaml:7:23 tests[0].saw[0].to: "valt" is not an address, nor the name of one. Did you mean vault?',
    ]);
    expect(saying('ours')[0]).toContain('"ours" is not an address, nor the name of one. Possible: vault.');
  });

  test('without a config takes any name, but not for a slip of a field', () => {
    const named = ruleOf(
      'kind: transactions, of: vault, explorer: there, notify: [a, b]',
      '{ id: x, on: new, if: "to == payee && from.hash in ours && transaction_types.exists(t, t == method)" }',
    );
    expect(problemsOf(testOf(['{ at: 0m, items: [] }']), { 'rules.yaml': named })).toEqual([]);
    const slip = ruleOf('kind: transactions, of: vault', '{ id: x, on: new, if: to == vault && staus == "ok" }');
    expect(problemsOf(testOf(['{ at: 0m, items: [] }']), { 'rules.yaml': slip })[0]).toContain('Did you mean status?');
  });

  test.each([
    '',
    'rules',
    '- a',
    'rules: rules.yaml',
    'rules: rules.yaml\ntests: []',
    'rules: rules.yaml\ntests: [x]',
    'tests: {',
    'rules: [[]]\ntests: [{}]',
  ])('that is broken, such as %j, is a problem and never a crash', (text) => {
    expect(problemsOf(text)).not.toEqual([]);
  });
});
