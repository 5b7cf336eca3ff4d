// A condition taken apart: every part is written as it was, and comes to what it comes to within the whole.
import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import type { Clause, EvaluationContext } from '../../../src/core/model/watch/condition.ts';
import type { Truth } from '../../../src/core/model/ids.ts';
import { createLanguage } from '../../../src/rules/language/language.ts';
import { items, viewOf } from '../support/kinds.ts';

const language = createLanguage(items, 'ethereum', new Map());

function clauseOf(text: string): Clause {
  const { value, mistakes } = language.condition(text, { before: true, windows: true });
  expect(mistakes).toEqual([]);
  if (value === null) throw new Error('does not compile');
  return value.clause();
}

function sceneOf(row: Record<string, unknown>): EvaluationContext {
  return { view: viewOf(row), before: null, history: null, at: 0 };
}

/** `all(a, any(b, c))` */
function shapeOf({ joins, parts, text }: Clause): string {
  return joins === null ? text : `${joins}(${parts.map(shapeOf).join(', ')})`;
}

test.each([
  ['value < 1_000_000', 'value < 1_000_000'],
  ['value < 1_000 && raw > 2_000', 'all(value < 1_000, raw > 2_000)'],
  ['value < 1 && raw > 2 && height == 3', 'all(value < 1, raw > 2, height == 3)'],
  ['value < 1 && raw > 2 || height == 3', 'any(all(value < 1, raw > 2), height == 3)'],
  ['((value < 1 || raw > 2_0) && (height == 3))', 'all(any(value < 1, raw > 2_0), height == 3)'],
  ['(value + 1) * 2 < 3 && 3 < (raw + 1)', 'all((value + 1) * 2 < 3, 3 < (raw + 1))'],
  ['!(success || value > 1) && !has(method)', 'all(not(any(success, value > 1)), not(has(method)))'],
  [`method == ")(" && (method != '((' || method == "a)")`, `all(method == ")(", any(method != '((', method == "a)"))`],
  ['transfers.exists(t, t.amount > 1 && t.amount < 5)', 'transfers.exists(t, t.amount > 1 && t.amount < 5)'],
  ['success ? value > 1 : raw > 1', 'success ? value > 1 : raw > 1'],
  ['change("1h") < -0.05\n  && value > 1', 'all(change("1h") < -0.05, value > 1)'],
])('%s', (text, shape) => {
  expect(shapeOf(clauseOf(text))).toBe(shape);
});

test('each part knows what it reads', () => {
  const [first, second] = clauseOf('value < before.value && delta(raw, "2d") > 5').parts;
  expect([first?.reads, first?.windows]).toEqual([['value'], []]);
  expect([second?.reads, second?.windows]).toEqual([['raw'], [{ measure: 'delta', path: 'raw', ms: 172_800_000 }]]);
});

test.each([
  ['value < 1_000.5', 'value', '<', '1000.5'],
  ['1000 >= raw', 'raw', '<=', '1000'],
  ['-5 < tx.value', 'value', '>', '-5'],
  ['before.value != amount("0.1")', 'before value', '!=', '0.1'],
  ['age > duration("1h30m")', 'age', '>', '5400000'],
  ['change("1h") <= -0.05', 'change value', '<=', '-0.05'],
  ['change("1h") < percent("-10")', 'change value', '<', '-0.1'],
  ['head.height == 5', 'head.height', '==', '5'],
])('%s compares with a constant', (text, name, operator, bound) => {
  const { compares } = clauseOf(text.replace('tx.', `${items.noun}.`));
  const subject = compares?.subject;
  const path = subject?.type === 'window' ? `${subject.window.measure} ${subject.window.path}` : subject?.path;
  const before = subject?.type === 'field' && subject.isBefore ? 'before ' : '';
  expect([before + (path ?? ''), compares?.operator, compares?.bound.toString()]).toEqual([name, operator, bound]);
});

test.each(['value < raw', 'value + 1 < 5', 'method == "a"', 'change("1h") - delta("1h") < 5', 'success'])(
  '%s is no comparison with a constant',
  (text) => {
    expect(clauseOf(text).compares).toBeNull();
  },
);

const leaf = fc.constantFrom('value > 1', 'raw > 1_0', 'height == 3', 'success', 'has(method)', 'method == "(a"');
const { tree } = fc.letrec<{ tree: string }>((tie) => ({
  tree: fc.oneof(
    { depthSize: 'small' },
    leaf,
    fc.tuple(tie('tree'), tie('tree')).map(([a, b]) => `(${a}) && ${b}`),
    fc.tuple(tie('tree'), tie('tree')).map(([a, b]) => `${a} || (${b})`),
    tie('tree').map((a) => `!(${a})`),
  ),
}));
const row = fc.record(
  {
    value: fc.constantFrom('0', '2'),
    raw: fc.constantFrom('0', '20'),
    height: fc.constantFrom(3, 4),
    success: fc.boolean(),
    method: fc.constantFrom('(a', 'b'),
  },
  { requiredKeys: [] },
);

test('the parts, joined by three-valued logic, make the whole', () => {
  fc.assert(
    fc.property(tree, row, (text, values) => {
      const context = sceneOf(values);
      // Loading refuses what can never be, and what is there twice.
      fc.pre(language.condition(text, { before: true, windows: true }).value !== null);
      const clause = clauseOf(text);
      expect(joined(clause, context)).toBe(clause.evaluate(context));
    }),
    { numRuns: 300 },
  );
});

function joined(clause: Clause, context: EvaluationContext): Truth {
  const { joins, parts } = clause;
  if (joins === null) return clause.evaluate(context);
  const truths = parts.map((part) => joined(part, context));
  const [first = 'unknown'] = truths;
  if (joins === 'not') return first === 'unknown' ? first : !first;
  const decisive = joins === 'any';
  return truths.includes(decisive) ? decisive : truths.includes('unknown') ? 'unknown' : !decisive;
}
