import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import type { AnyView } from '../../../src/core/values/fields.ts';
import { analyse, type Analysis } from '../../../src/rules/language/analysis/analyse.ts';
import { createLanguage } from '../../../src/rules/language/language.ts';
import type { Meaning } from '../../../src/rules/language/model.ts';
import { createPaths } from '../../../src/rules/language/reading/paths.ts';
import { Preparation } from '../../../src/rules/language/reading/prepare.ts';
import { nodeOf } from '../../../src/rules/language/syntax.ts';
import { kinds } from '../../../src/watches/index.ts';
import { effort, NO_HANG } from '../../support/effort.ts';
import { addressOf, items, viewOf } from '../support/kinds.ts';
import { load } from '../support/load.ts';

const VAULT = '0xBA12222222228d8Ba445958a75a0704d566BF2C8';
const HOT = ['0x1111111111111111111111111111111111111111', '0x2222222222222222222222222222222222222222'];

const names = new Map<string, Meaning>([
  ['vault', addressOf(VAULT)],
  ['hot_wallets', HOT.map(addressOf)],
]);
const testLanguage = createLanguage(items, 'ethereum', names);

function languageOf(kind: string) {
  const found = kinds.find(({ name }) => name === kind);
  return found === undefined ? testLanguage : createLanguage(found, 'ethereum', names);
}

function complaints(kind: string, text: string): string[] {
  return languageOf(kind)
    .condition(text, { before: true, windows: true })
    .mistakes.map(({ message, hint, start, end }) =>
      [text.slice(start, end), hint === undefined ? message : `${message}. ${hint}`].join(' | '),
    );
}

describe('A condition that is the same for everything is refused, with the place', () => {
  test.each([
    ['true', 'true | "true" is always the same: there is no field in it. Name a field, or leave it out.'],
    ['value > 1 || true', 'true | "true" is always the same'],
    ['1 < 2 && value > 5', '1 < 2 | "1 < 2" is always the same'],
    ['value > 5 && amount("1") == 1', 'amount("1") == 1 | "amount("1") == 1" is always the same'],
    ['!(2 > 1)', '!(2 > 1) | "!(2 > 1)" is always the same'],
    ['vault == vault', 'vault == vault | '],
    ['vault in hot_wallets', 'vault in hot_wallets | '],
    ['"a".contains("b") || success', '"a".contains("b") | '],
    ['re("a", "b") || success', 're("a", "b") | '],
    ['[1, 2].exists(x, x > 1)', '[1, 2].exists(x, x > 1) | '],
    ['duration("1m") > duration("1h")', 'duration("1m") > duration("1h") | '],
    ['value == value', 'value == value | "value" is compared with itself. Compare it with something else.'],
    ['value < item.value', 'value < item.value | "value" is compared with itself'],
    ['before.value != before.value', 'before.value != before.value | "before.value" is compared with itself'],
    ['to == to.hash', 'to == to.hash | "to" is compared with itself'],
    ['transfers.exists(t, t.amount > t.amount)', 't.amount > t.amount | "t.amount" is compared with itself'],
    ['transfers.exists(t, true)', 'true | "true" is always the same'],
    ['value < 10 || value > 5', 'value < 10 || value > 5 | '],
    ['status != "ok" || status != "error"', 'status != "ok" || status != "error" | '],
    ['success || !success', 'success || !success | '],
    ['!(value > 5 && value < 3)', 'value < 3 | "value < 3" can never be true together with "value > 5"'],
  ])('%s', (text, expected) => {
    const said = complaints('items', text);
    expect(said).toHaveLength(1);
    expect(said[0]).toContain(expected);
  });
});

describe('A condition that can never be true is refused, with the place', () => {
  test.each([
    ['items', 'value < 10 && value > 20', 'value > 20', '"value > 20" can never be true together with "value < 10"'],
    ['items', 'value < 10 && success && 20 < value', '20 < value', 'can never be true'],
    ['items', '(value < 10 || value > 30) && value == 20', 'value == 20', 'can never be true'],
    ['items', 'status == "ok" && status == "error"', 'status == "error"', 'together with "status == "ok""'],
    ['items', 'height == 1 && height != 1', 'height != 1', 'can never be true'],
    ['items', 'height > 1 && height < 2', 'height < 2', 'can never be true'],
    ['items', 'value >= 1 && value < 1', 'value < 1', 'can never be true'],
    ['items', 'height in [1, 2] && height in [3, 4]', 'height in [3, 4]', 'can never be true'],
    ['items', 'status in ["ok"] && !(status in ["ok", "error"])', '!(status in ["ok", "error"])', 'can never be true'],
    ['items', 'owner == vault && owner in hot_wallets', 'owner in hot_wallets', 'can never be true'],
    ['items', `to == vault && to.hash == ${HOT[0] ?? ''}`, `to.hash == ${HOT[0] ?? ''}`, 'can never be true'],
    ['items', 'value < before.value && before.value < value', 'before.value < value', 'can never be true'],
    ['items', 'value == before.value && value != before.value', 'value != before.value', 'can never be true'],
    ['items', 'age > duration("2m") && age < duration("90s")', 'age < duration("90s")', 'can never be true'],
    [
      'items',
      'timestamp > timestamp("2026-01-01T00:00:00Z") && timestamp < timestamp("2025-01-01T00:00:00Z")',
      'timestamp < timestamp("2025-01-01T00:00:00Z")',
      'can never be true',
    ],
    ['items', 'has(to) && !has(to)', '!has(to)', 'can never be true'],
    ['items', 'transfers.exists(t, t.amount > 5 && t.amount < 3)', 't.amount < 3', 'can never be true'],
    ['items', 'size(transfers.filter(t, t.amount > 5 && t.amount < 3)) > 1', 't.amount < 3', 'can never be true'],
    ['items', 'success ? value > 5 && value < 3 : false', 'value < 3', 'can never be true'],
    ['items', 'height == 1.5', 'height == 1.5', 'It is a whole number.'],
    ['items', 'height % 1000 == 1.5', 'height % 1000 == 1.5', 'It is a whole number from -999 to 999.'],
    ['items', 'value % 10 == 10.5', undefined, undefined],
    ['blocks', 'height % 10 == 10', 'height % 10 == 10', 'It is a whole number from 0 to 9.'],
    ['blocks', 'height % 10 == 9', undefined, undefined],
    ['balance', 'change("1h") < -10', 'change("1h") < -10', 'ten percent less is -0.1, or percent("-10")'],
    ['balance', 'change("1h") < percent("-100")', 'change("1h") < percent("-100")', 'is never true'],
    ['balance', 'change("1h") < percent("-99.9")', undefined, undefined],
    ['balance', 'change(token.exchange_rate, "1h") < -2', undefined, undefined],
    ['balance', 'delta("1h") < -10', undefined, undefined],
    ['balance', 'min("1h") < 0', 'min("1h") < 0', 'It is never below zero.'],
    ['balance', 'max(raw, "1h") == 0.5', 'max(raw, "1h") == 0.5', 'It is a whole number'],
    ['balance', 'avg(raw, "1h") == 0.5', undefined, undefined],
    ['transactions', 'status != "ok" && status != "error"', 'status != "error"', 'can never be true together with'],
    ['transactions', 'status != "ok"', undefined, undefined],
    [
      'transactions',
      '!(status in ["ok", "error"])',
      'status in ["ok", "error"]',
      'always true. It has no other value. Use has() to ask',
    ],
    ['holdings', 'token.type != "ERC-20" && token.type != "ERC-721"', undefined, undefined],
    ['items', 'size(tags) < 0', 'size(tags) < 0', 'It is a whole number, and never below zero.'],
    ['items', 'timestamp.getHours() > 23', 'timestamp.getHours() > 23', 'It is a whole number from 0 to 23.'],
    ['items', 'value in []', '[]', 'nothing is in an empty list'],
    ['items', 'height in [1, 2, 1]', '1', '"1" is there twice'],
    ['items', 'value / 0 > 1', 'value / 0', 'a division by zero is never known'],
    ['items', 'value > 1 && success && value > 1.0', 'value > 1.0', '"value > 1.0" is there twice'],
    ['balance', 'raw < 0', 'raw < 0', 'It is a whole number, and never below zero.'],
    ['balance', 'balance < 0', 'balance < 0', '"balance < 0" is never true. It is never below zero.'],
    ['balance', 'balance >= 0', 'balance >= 0', '"balance >= 0" is always true. It is never below zero.'],
    ['balance', 'balance < amount("-1") && symbol == "x"', 'balance < amount("-1")', 'is never true'],
    ['blocks', 'height >= 0', 'height >= 0', 'is always true'],
    ['blocks', 'block.type == "orphan"', '"orphan"', '"orphan" is no value of it. Possible: block, uncle, reorg.'],
    ['transactions', 'status == "eror"', '"eror"', '"eror" is no value of it. Did you mean error?'],
    ['transactions', 'status != "failed"', '"failed"', '"failed" is no value of it. Possible: ok, error.'],
    ['transactions', '"scamm" == to.reputation', '"scamm"', 'Did you mean scam?'],
    ['transactions', 'status in ["ok", "bad"]', '"bad"', '"bad" is no value of it'],
    ['transactions', 'glob(status, "fail*")', '"fail*"', 'the pattern matches no possible value. Possible: ok, error.'],
    ['transactions', 're(status, "^E")', '"^E"', 'the pattern matches no possible value'],
    ['transactions', 'status.startsWith("Ok")', '"Ok"', 'the pattern matches no possible value'],
    ['transactions', 'token_transfers.exists(t, t.token.reputation == "bad")', '"bad"', '"bad" is no value of it'],
    ['transactions', '"a/b" in transaction_types', '"a/b"', '"a/b" cannot be a value of this field'],
    ['transactions', 'to.proxy_type == ""', '""', '"" cannot be a value of this field'],
    ['transactions', 'to == 0x1234', '0x1234', 'an address has 40'],
    ['transactions', 'to == "treasury"', '"treasury"', 'is no address'],
  ])('%s: %s', (kind, text, place, message) => {
    const said = complaints(kind, text);
    expect(said).toHaveLength(place === undefined ? 0 : 1);
    if (place === undefined) return;
    expect(said[0]?.slice(0, place.length + 3)).toBe(`${place} | `);
    expect(said[0]).toContain(message);
  });

  test('a value that an open set may have tomorrow is a doubt', () => {
    const { mistakes, doubts } = languageOf('token').condition('token.type == "ERC-21"', {
      before: true,
      windows: false,
    });
    expect(mistakes).toEqual([]);
    expect(doubts).toEqual([expect.objectContaining({ hint: 'Did you mean ERC-20?' })]);
  });
});

describe('What may be true is let through', () => {
  test.each([
    ['items', 'value > 10 && value < 20'],
    ['items', 'value < 10 || value > 20'],
    ['items', 'value > 1 && value < 2'],
    ['items', 'value > 1 && value > 2'],
    ['items', 'status != "ok" && status != "error"'],
    ['items', 'has(success) ? success : false'],
    ['items', 'success == true || status == "ok"'],
    ['items', 'value < before.value && height > before.height'],
    ['items', 'transfers.exists(t, t.amount > 5) && transfers.exists(t, t.amount < 3)'],
    ['items', 'transfers.exists(value, value.amount > 5) && value < 3'],
    ['items', 'method == "A" || method == "a"'],
    ['items', 'value < -5'],
    ['items', 'meta.level > 5 && meta.level != "high"'],
    ['balance', 'balance <= 0'],
    ['balance', 'balance > 0'],
    ['balance', 'balance == 0'],
    ['transactions', 'to.reputation == "scam" && status != "ok"'],
    ['transactions', 'max_priority_fee_per_gas < 0'],
    ['blocks', 'height % 1000 == 0 && height % 7 == 3'],
    ['blocks', 'gas_target_percentage < 0'],
  ])('%s: %s', (kind, text) => {
    expect(complaints(kind, text)).toEqual([]);
  });
});

describe('while and until', () => {
  const problemsOf = (held: string, until: string): string[] => {
    const rules = `watches:
  - id: w
    kind: items
    explorer: ethereum
    notify: ops
    alerts:
      - id: a
        while: ${held}
        until: ${until}
`;
    return load({ 'a.yaml': rules }).problems.map(({ line, column, message }) => `${line}:${column} ${message}`);
  };

  test('an end that holds whenever the alert begins is refused where it stands', () => {
    const said = '9:16 until holds whenever while does: it does not tell the end from the beginning';
    expect(problemsOf('value < 100', 'value < 200')).toEqual([said]);
    expect(problemsOf('value < 100 && success', 'value < 100')).toEqual([said]);
    expect(problemsOf('status == "ok"', 'status != "error"')).toEqual([said]);
  });

  test('an end that cannot come once the condition is over is refused: the alert would fire for ever', () => {
    const said = '9:16 until is never true once while is false: the alert would never end';
    expect(problemsOf('value < 100', 'value < 50')).toEqual([said]);
    expect(problemsOf('success || value > 5', 'value > 7')).toEqual([said]);
  });

  test.each([
    ['value < 100', 'value > 50', 'while "value < 100" and until "value > 50" can both be true at once'],
    ['value <= 100', 'value >= 100', 'while "value <= 100" and until "value >= 100" can both be true at once'],
    [
      'value > 5 && value < 100',
      'success || value > 50',
      'while "value > 5 && value < 100" and until "value > 50" can both be true at once',
    ],
    ["'!(value >= 100)'", '50 < value', 'while "!(value >= 100)" and until "50 < value" can both be true at once'],
  ])('while %s until %s is refused: both would be true of one value', (held, until, said) => {
    expect(problemsOf(held, until)).toEqual([`9:16 ${said}`]);
  });

  test.each([
    ['value < 100', 'value > 200'],
    ['value < 100', 'value >= 100'],
    ['value < 100 && value > 5', 'value >= 100 || value <= 5'],
    ['value < 100 || success', 'value > 200'],
    ['value < 100', 'value < 200 && success'],
    ['value < 100 && success', 'value < 50'],
    ['success', 'value > 5'],
  ])('while %s until %s is fine', (held, until) => {
    expect(problemsOf(held, until)).toEqual([]);
  });
});

interface Looked extends Analysis {
  readonly truthOf: (view: AnyView, before: AnyView) => unknown;
}

/** A condition that is looked at, and run whatever is thought of it. */
function look(text: string): Looked {
  const { cel } = testLanguage;
  const program = cel.env.parse(text);
  const preparation = new Preparation(text, createPaths(testLanguage, { before: true, windows: false }));
  preparation.visit(nodeOf(program.ast), { locals: new Set(), nesting: 0 });
  expect(preparation.mistakes).toEqual([]);
  expect(program.check().valid).toBe(true);
  const truthOf = (view: AnyView, before: AnyView): unknown => {
    try {
      return program(cel.bind({ view, before, history: null, at: 0 }));
    } catch {
      return 'unknown';
    }
  };
  return { ...analyse(testLanguage, nodeOf(program.ast), text), truthOf };
}

describe('On random conditions and random views', () => {
  const few = fc.constantFrom('0', '1', '1.5', '2', '-1', '3');
  const order = fc.constantFrom('<', '<=', '>', '>=', '==', '!=');
  const atom = fc.oneof(
    fc
      .tuple(fc.constantFrom('value', 'height', 'before.value', 'item.value'), order, few)
      .map((parts) => parts.join(' ')),
    fc.tuple(few, order, fc.constantFrom('value', 'height')).map((parts) => parts.join(' ')),
    fc
      .tuple(fc.constantFrom('value', 'before.value'), order, fc.constantFrom('height', 'value', 'before.value'))
      .map((parts) => parts.join(' ')),
    fc
      .tuple(fc.constantFrom('value', 'height'), fc.array(few, { maxLength: 3, minLength: 1 }))
      .map(([field, list]) => `${field} in [${list.join(', ')}]`),
    fc
      .tuple(
        fc.constantFrom('status', 'method'),
        fc.constantFrom('==', '!='),
        fc.constantFrom('"ok"', '"error"', '"OK"'),
      )
      .map((parts) => parts.join(' ')),
    fc.constantFrom(
      'success',
      'success == true',
      'success != true',
      'has(value)',
      'has(to)',
      'status in ["ok", "error"]',
    ),
    fc.constantFrom(
      'owner == vault',
      'owner in hot_wallets',
      `owner == "${VAULT.toLowerCase()}"`,
      'owner != vault',
      'to == owner',
      'to.hash == vault',
    ),
    fc.constantFrom(
      'tags.exists(t, t == "a")',
      'tags.all(t, t == "a" || t == "b")',
      'size(tags) > 0',
      'age > duration("1s")',
      'age <= duration("1500ms")',
    ),
  );
  const condition = fc.letrec<{ any: string }>((tie) => ({
    any: fc.oneof(
      { depthSize: 'small', withCrossShrink: true },
      atom,
      fc.tuple(tie('any'), fc.constantFrom('&&', '||'), tie('any')).map(([a, sign, b]) => `(${a} ${sign} ${b})`),
      tie('any').map((a) => `!(${a})`),
      fc.tuple(tie('any'), tie('any'), tie('any')).map(([a, b, c]) => `(${a} ? ${b} : ${c})`),
    ),
  })).any;
  const row = fc.record(
    {
      value: few,
      height: fc.integer({ min: -1, max: 3 }),
      status: fc.constantFrom('ok', 'error', 'OK', 'else'),
      method: fc.constantFrom('ok', 'error', 'OK', ''),
      success: fc.boolean(),
      owner: fc.constantFrom(VAULT, VAULT.toLowerCase(), ...HOT),
      to: fc.constantFrom({ hash: VAULT }, { hash: HOT[0] }, {}, null),
      tags: fc.array(fc.constantFrom('a', 'b', 'c'), { maxLength: 2 }),
      age: fc.constantFrom(0, 1000, 1500, 2000),
    },
    { requiredKeys: [] },
  );

  test('nothing that comes true is called impossible, and nothing that comes false is called certain', () => {
    const seen = { never: 0, always: 0, open: 0 };
    fc.assert(
      fc.property(condition, fc.array(fc.tuple(row, row), { minLength: 12, maxLength: 12 }), (text, rows) => {
        const { constraints, truthOf } = look(text);
        const isNever = 'clash' in constraints.whenTrue;
        const isAlways = 'clash' in constraints.whenFalse;
        seen[isNever ? 'never' : isAlways ? 'always' : 'open'] += 1;
        for (const [now, before] of rows) {
          const truth = truthOf(viewOf(now), viewOf(before));
          if (isNever) expect([text, now, truth]).not.toEqual([text, now, true]);
          if (isAlways) expect([text, now, truth]).not.toEqual([text, now, false]);
        }
      }),
      { numRuns: 1500 },
    );
    expect(Math.min(seen.never, seen.always, seen.open)).toBeGreaterThan(0);
  });

  test('the largest condition there may be is looked at without a hang', () => {
    const wide = Array.from({ length: 60 }, (_, i) => `(value < ${i} || height > ${i + 1})`).join(' && ');
    const long = Array.from({ length: 120 }, (_, i) => `value != ${i}`).join(' && ');
    const spent = effort(() => {
      for (const text of [wide, long]) expect(complaints('items', text)).toEqual([]);
    });
    expect(spent).toBeLessThan(NO_HANG);
  });
});
