import { expect, test } from '@jest/globals';
import { load } from './support/load.ts';

function loaded(condition: string, of: string) {
  const { problems, warnings, watches } = load({
    'rules/a.yaml': `watches:
  - id: w
    kind: items
    explorer: ethereum
    of: vault
    notify: ops
    alerts:
      - id: a
        on: new
        if: ${condition}
        at_least: { ratio: 20%, min: 20, of: '${of}', within: 10m }
`,
  });
  const ofRule = [...problems, ...warnings].filter(({ file }) => file === 'rules/a.yaml');
  const said = ofRule.map(({ path, message }) => `${path}: ${message}`);
  return { said, count: watches.length };
}

const OF = 'watches[0].alerts[0].at_least.of';

test.each([
  ['status == "error"', 'status == "ok"'],
  ['value > 100', 'value < 100'],
  ['success && value > 5', '!success'],
])('a ratio of %s among %s is always 0 %%: it is refused', (condition, of) => {
  const said = [`${OF}: if is never true of an item that of selects: the ratio is always 0 %`];
  expect(loaded(condition, of)).toEqual({ said, count: 0 });
});

test.each([
  ['status == "error"', 'status == "error" && value > 5'],
  ['value > 100', 'value > 200'],
])('a ratio of %s among %s is always 100 %%: it fires like a count, and is loaded with a warning', (condition, of) => {
  const said = [`${OF}: if is true of every item that of selects: the ratio is always 100 %`];
  expect(loaded(condition, of)).toEqual({ said, count: 1 });
});

test.each([
  ['status == "error"', 'method == "swap"'],
  ['status == "error" && value > 5', 'status == "error"'],
  ['value > 100', 'value > 50'],
])('a ratio of %s among %s is loaded without a word', (condition, of) => {
  expect(loaded(condition, of)).toEqual({ said: [], count: 1 });
});
