import { expect, test } from '@jest/globals';
import { fileProblem } from '../../src/config/problem.ts';
import { toJUnit } from '../../src/rule-tests/reporting/junit.ts';
import { headline } from '../../src/rule-tests/reporting/report.ts';
import { failuresOf, ruleOf, run, testOf } from './support/trials.ts';

const BALANCE = 'kind: balance, of: treasury, token: USDC, every: 1m';
const RULES = {
  'rules.yaml': ruleOf(
    BALANCE,
    "{ id: low, while: balance < 100, for: 2m, title: Too low, text: 'only {{ balance }}' }, { id: moved, on: changed, severity: info }",
  ),
};

test('a test that fails shows its story: what was said, what was not, and why not', async () => {
  const text = testOf(
    [
      '{ at: 0m, balance: 500 }',
      '{ at: 1m, balance: 90 }',
      '{ at: 2m, balance: 90 }',
      '{ at: 3m, balance: 90 }',
      '{ at: 4m, missed: error }',
      '{ at: 5m, balance: 500 }',
    ],
    [
      '{ at: 1m, alert: low, state: firing }',
      '{ at: 1m, alert: moved, state: event, severity: critical, text: { contains: gone }, fields: { balance: 9, symbol: x }, to: [ops] }',
      '{ at: 2m, alert: moved, state: event }',
      '{ at: 4m, alert: low, state: resolved }',
      "{ at: 5m, alert: low, state: resolved, title: 'no longer: Too low: 90, below 100; now 500', text: only 500 }",
    ],
  );
  expect(await failuresOf(text, RULES)).toMatchInlineSnapshot(`
   "watch w, rules/rules.yaml:1
     0m  saw balance: 500
     1m  saw balance: 90
   -     missing: low firing, expected in line 13
   -         silent: pending: \`while\` became true, and has to hold for \`for\`
   !     says moved event, info, to somebody: treasury USDC 90, was 500
   !         severity: expected critical, is info
   !         text: expected to contain "gone"
   !         is "Fell 410 since the last poll."
   !         fields.balance: expected 9, is 90
   !         fields.symbol: expected x, is not in the message, which has balance, address
   !         to: expected ops, is somebody
     2m  saw balance: 90
   -     missing: moved event, expected in line 15
   -         silent: nothing new was noticed that the alert is about
     3m  saw balance: 90
   +     unexpected: low firing, warning, to somebody: Too low
   +         only 90
     4m  saw missed (error)
   -     missing: low resolved, expected in line 16
   -         silent: the poll was missed (network)
     5m  saw balance: 500
         says low resolved, warning, to somebody: no longer: Too low: 90, below 100; now 500
   +     unexpected: moved event, info, to somebody: treasury USDC 500, was 90
   +         Rose 410 since the last poll."
  `);
});

test('silence has its reasons', async () => {
  const why = async (rule: string, saw: readonly string[], alert: string, state = 'event'): Promise<string[]> => {
    const at = `${saw.length - 1}m`;
    const failed = await failuresOf(testOf(saw, [`{ at: ${at}, alert: ${alert}, state: ${state} }`]), {
      'rules.yaml': rule,
    });
    return [...failed.matchAll(/silent: (.*)/g)].map(([, reason = '']) => reason);
  };
  const calls = ruleOf('kind: internal-transactions, of: vault, every: 1m', '{ id: a, on: new, if: success == false }');
  const low = ruleOf(BALANCE, '{ id: a, while: balance < 100, until: balance > 200 }');
  const failed = '{ at: 0m, items: [{ success: false }] }';
  expect(await why(calls, [failed], 'a')).toEqual(['this is the baseline: 1 there, 1 would have matched']);
  expect(await why(calls, ['{ at: 0m, items: [] }', '{ at: 1m, items: [{ success: true }] }'], 'a')).toEqual([
    'no-match: `if` is false',
  ]);
  expect(await why(calls, ['{ at: 0m, items: [] }', '{ at: 1m, items: [{ value: 1 }] }'], 'a')).toEqual([
    'open: `if` is unknown, and is asked again whenever the item is read',
  ]);
  expect(
    await why(calls, ['{ at: 0m, items: [] }', '{ at: 1m, items: [], partial: page 2 did not come }'], 'a'),
  ).toEqual(['the reading was partial: page 2 did not come']);
  expect(await why(low, ['{ at: 0m, balance: 1 }', '{ at: 1m, balance: 150 }'], 'a', 'resolved')).toEqual([
    'still-firing: it fires already',
  ]);
  expect(await why(low, ['{ at: 0m, balance: 500 }'], 'a', 'firing')).toEqual(['clear: it is not true']);
  const held = ruleOf(BALANCE, '{ id: a, while: balance < 100, for: 2h }');
  expect(await why(held, ['{ at: 0m, balance: 1 }', '{ at: 1m, balance: 1 }'], 'a', 'firing')).toEqual([
    'still-pending: it is true, and has not held for long enough yet; from poll to poll at most three intervals of 1m count',
  ]);
  expect(await why(low, ['{ at: 0m, partial: page 2 did not come }'], 'a', 'firing')).toEqual([
    'unknown: it is unknown, so its state does not change: not known balance',
    'the reading was partial: page 2 did not come',
  ]);
  expect(await why(low, ['{ at: 0m, balance: null }'], 'a', 'firing')).toEqual([
    'unknown: it is unknown, so its state does not change: not known balance',
  ]);
  expect(
    await why(low, ['{ at: 0m, balance: 1 }', '{ at: 1m, balance: 500, head: { age: 1h } }'], 'a', 'resolved'),
  ).toEqual([
    'unknown: it is unknown, so its state does not change: the head of the chain stands still, so the values may be old',
  ]);
});

const HOSTILE = 'a\u001b[31m\u202eb https://evil.example ]]> "<&\'';

test("a stranger's text is printed as mails print it, and the author's without what cannot be seen", async () => {
  const rule = ruleOf(
    'kind: token, token: ACME',
    "{ id: a, on: changed, if: name != before.name, text: '{{ name }}' }",
  );
  const text = testOf([`{ at: 0m, name: x }`, `{ at: 1m, name: ${JSON.stringify(HOSTILE)} }`]).replace(
    'a story',
    JSON.stringify(HOSTILE),
  );
  const { results } = await run(text, { 'rules.yaml': rule });
  const printed = results.flatMap((result) => [headline(result), ...result.details]).join('\n');
  expect(['\u001b', '\u202e'].filter((character) => printed.includes(character))).toEqual([]);
  expect(printed.match(/hxxps\[:\]\/\/evil\[\.\]example/g)).toHaveLength(2);
  const xml = toJUnit(results, [fileProblem('<file>', HOSTILE)]);
  expect(xml).not.toContain('\u001b');
  expect(xml).toContain(
    'name="a\u2039U+001B\u203a[31m\u2039U+202E\u203ab https://evil.example ]]&#62; &#34;&#60;&#38;&#39;"',
  );
  expect(xml.replace(/<\/?[a-z?][^<>]*>/g, '')).not.toMatch(/[<>]/);
});

test('JUnit counts what went well, what failed and what could not be read', async () => {
  const { results } = await run(testOf(['{ at: 0m, balance: 500 }']), RULES);
  const failing = await run(testOf(['{ at: 0m, balance: 500 }'], ['{ at: 0m, alert: low, state: firing }']), RULES);
  const xml = toJUnit([...results, ...failing.results], [fileProblem('rules/y.test.yaml', 'the file is empty')]);
  expect(xml).toMatchInlineSnapshot(`
   "<?xml version="1.0" encoding="UTF-8"?>
   <testsuites name="chainwarden test" tests="3" failures="1" errors="1">
     <testsuite name="rules/x.test.yaml" tests="2" failures="1" errors="0">
       <testcase name="a story" classname="w" file="rules/x.test.yaml" line="3"/>
       <testcase name="a story" classname="w" file="rules/x.test.yaml" line="3">
         <failure message="not as expected">watch w, rules/rules.yaml:1
     0m  saw balance: 500
   -     missing: low firing, expected in line 8
   -         silent: clear: it is not true</failure>
       </testcase>
     </testsuite>
     <testsuite name="rules/y.test.yaml" tests="1" failures="0" errors="1">
       <testcase name="the file loads" classname="rules/y.test.yaml" file="rules/y.test.yaml" line="1">
         <error message="a problem in the file">rules/y.test.yaml:1:1: the file is empty
   </error>
       </testcase>
     </testsuite>
   </testsuites>
   "
  `);
});

test('where the same is said twice, the longest common story is shown', async () => {
  const saw = ['{ at: 0m, balance: 1 }', '{ at: 1m, balance: 2 }', '{ at: 2m, balance: 3 }', '{ at: 3m, balance: 4 }'];
  const row = (at: string): string => `{ at: ${at}, alert: moved, state: event }`;
  const rule = { 'rules.yaml': ruleOf(BALANCE, '{ id: moved, on: changed }') };
  expect(await failuresOf(testOf(saw, [row('1m'), row('2m'), row('3m')]), rule)).toBe('');
  const marks = (story: string): string[] =>
    story.split('\n').flatMap((line) => /^[-+!] {5}(\w+)/.exec(line)?.[1] ?? []);
  expect(marks(await failuresOf(testOf(saw, [row('1m'), row('3m')]), rule))).toEqual(['unexpected']);
  expect(marks(await failuresOf(testOf(saw, [row('0m'), row('1m'), row('2m'), row('3m'), row('3m')]), rule))).toEqual([
    'missing',
    'missing',
  ]);
});

test('a number is shown as it was written, also with underscores: it is no host that a text could link to', async () => {
  const text = testOf(['{ at: 0m, balance: 2_000_000.000001 }'], ['{ at: 0m, alert: low, state: firing }']);
  expect(await failuresOf(text, RULES)).toContain('0m  saw balance: 2_000_000.000001\n');
});
