import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { Amount } from '../../../src/core/values/amount.ts';
import type { AnyView } from '../../../src/core/values/fields.ts';
import type { WindowHistory, Window } from '../../../src/core/model/watch/condition.ts';
import type { Truth } from '../../../src/core/model/ids.ts';
import { untrusted } from '../../../src/lib/untrusted.ts';
import { createLanguage } from '../../../src/rules/language/language.ts';
import type { Meaning } from '../../../src/rules/language/model.ts';
import { kinds } from '../../../src/watches/index.ts';
import { effort, NO_HANG } from '../../support/effort.ts';
import { addressOf, Item, items, viewOf } from '../support/kinds.ts';

const VAULT = '0xBA12222222228d8Ba445958a75a0704d566BF2C8';
const HOT = ['0x1111111111111111111111111111111111111111', '0x2222222222222222222222222222222222222222'] as const;
const UINT256_MAX = 2n ** 256n - 1n;

const language = createLanguage(
  items,
  'ethereum',
  new Map<string, Meaning>([
    ['vault', addressOf(VAULT)],
    ['hot_wallets', HOT.map(addressOf)],
    ['USDC', addressOf('0xA0b86991c6218b36c1d19D4a2e9Eb0cE3606eB48')],
    ['DAI', 'absent'],
  ]),
);

/** Evaluates a condition that has to compile. */
function truth(text: string, row: Record<string, unknown>, before?: Record<string, unknown>): Truth {
  const { value, mistakes } = language.condition(text, { before: true, windows: false });
  expect(mistakes).toEqual([]);
  return (
    value?.evaluate({
      view: viewOf(row),
      before: before === undefined ? null : viewOf(before),
      history: null,
      at: 0,
    }) ?? 'unknown'
  );
}

function complaints(text: string, use = { before: true, windows: false }): string[] {
  const { mistakes } = language.condition(text, use);
  return mistakes.map(
    ({ message, hint, start, end }) => `${text.slice(start, end)} | ${message}${hint === undefined ? '' : `. ${hint}`}`,
  );
}

describe('Numbers', () => {
  test.each([
    [
      'raw == 115792089237316195423570985008687907853269984665640564039457584007913129639935',
      { raw: String(UINT256_MAX) },
      true,
    ],
    [
      'raw > 115792089237316195423570985008687907853269984665640564039457584007913129639934',
      { raw: String(UINT256_MAX) },
      true,
    ],
    ['raw + 1 > raw', { raw: String(UINT256_MAX) }, true],
    ['raw * raw > 0', { raw: String(UINT256_MAX) }, true],
    ['value > 0.1', { value: '0.10000000000000000001' }, true],
    ['value == 0.1', { value: '0.10000000000000000001' }, false],
    ['value > 1.000000000000000001', { value: '1.000000000000000001' }, false],
    ['value >= amount("1.000000000000000001")', { value: '1.000000000000000001' }, true],
    ['value < 1_000_000', { value: '999999.999999999999999999' }, true],
    ['1_000_000 <= value', { value: '1000000' }, true],
    ['value / 3 * 3 <= 1', { value: '1' }, true],
    ['-value < -0.5', { value: '1' }, true],
    ['value - 0.1 == 0.2', { value: '0.3' }, true],
    ['height % 1000 == 0', { height: 21_000 }, true],
    ['height % 1000 == 0', { height: 21_001 }, false],
    ['height in [1, 2, 3]', { height: 2 }, true],
    ['share > 12.5', { share: 12.500001 }, true],
    ['size(method) == 4', { method: 'swap' }, true],
    ['method.size() in [3, 4]', { method: 'swap' }, true],
    ['value > 1e3', { value: '1000.1' }, true],
    ['value == 0x10', { value: '16' }, true],
    ['value < 200 * percent("5")', { value: '9.999999999999999999' }, true],
    ['value < 200 * percent("5")', { value: '10' }, false],
    ['share >= percent("12.5 %")', { share: 0.125 }, true],
    ['value - 5 < percent("-100")', { value: '3.9' }, true],
  ])('%s is exact', (text, row, expected) => {
    expect(truth(text, row)).toBe(expected);
  });

  test('every comparison agrees with exact arithmetic, on both sides and with every sort of literal', () => {
    const decimal = fc
      .tuple(fc.bigInt({ min: -(2n ** 256n), max: 2n ** 256n }), fc.integer({ min: 0, max: 40 }))
      .map(([digits, scale]) => new Amount(digits, scale));
    fc.assert(
      fc.property(decimal, decimal, fc.constantFrom('<', '<=', '>', '>=', '==', '!='), (a, b, sign) => {
        const order = a.compare(b);
        const expected = {
          '<': order < 0,
          '<=': order <= 0,
          '>': order > 0,
          '>=': order >= 0,
          '==': order === 0,
          '!=': order !== 0,
        }[sign];
        expect(truth(`value ${sign} ${b.toString()}`, { value: a.toString() })).toBe(expected);
        expect(truth(`${a.toString()} ${sign} value`, { value: b.toString() })).toBe(expected);
        expect(truth(`value ${sign} amount("${b.toString()}")`, { value: a.toString() })).toBe(expected);
      }),
      { numRuns: 100 },
    );
  });

  test('a division by zero is unknown', () => {
    expect(truth('1 / value > 0', { value: '0' })).toBe('unknown');
    expect(truth('height % value == 0', { height: 1, value: '0' })).toBe('unknown');
  });
});

describe('Unknown', () => {
  test.each<[string, Record<string, unknown>, Truth]>([
    ['value > 1', {}, 'unknown'],
    ['value > 1', { value: null }, 'unknown'],
    ['!success', {}, 'unknown'],
    ['success == false', { success: null }, 'unknown'],
    ['success == false', { success: false }, true],
    ['value > 1 || success', { success: true }, true],
    ['success || value > 1', { success: true }, true],
    ['value > 1 && success', { success: false }, false],
    ['success && value > 1', { success: false }, false],
    ['value > 1 && success', { success: true }, 'unknown'],
    ['value > 1 || success', { success: false }, 'unknown'],
    ['status == "error" || value > 1', { value: '2' }, true],
    ['status == "ok" && value > 1', { value: '0' }, false],
    ['status == "ok" ? true : false', {}, 'unknown'],
    ['to.hash == vault', { to: null }, 'unknown'],
    ['to == vault', {}, 'unknown'],
    ['to == vault', { to: { name: 'nameless' } }, 'unknown'],
    ['token.reputation == "scam"', { token: { reputation: null } }, 'unknown'],
    ['transfers.exists(t, t.amount > 5)', {}, 'unknown'],
    ['transfers.exists(t, t.amount > 5)', { transfers: [] }, false],
    ['transfers.exists(t, t.amount > 5)', { transfers: [{ amount: null }, { amount: '6' }] }, true],
    ['transfers.exists(t, t.amount > 5)', { transfers: [{ amount: null }, { amount: '1' }] }, 'unknown'],
    ['transfers.all(t, t.amount > 5)', { transfers: [{ amount: null }, { amount: '1' }] }, false],
    ['before.value > 1', { value: '2' }, 'unknown'],
  ])('%s of %j is %s', (text, row, expected) => {
    expect(truth(text, row)).toBe(expected);
  });

  test.each<[string, Record<string, unknown>, Truth]>([
    ['has(success)', {}, false],
    ['has(success)', { success: false }, true],
    ['has(item.success)', { success: false }, true],
    ['has(to)', { to: null }, false],
    ['has(to.name)', { to: null }, false],
    ['has(to.name)', { to: { name: 'x' } }, true],
    ['!has(to) || to == vault', {}, true],
    ['has(before.value)', { value: '1' }, false],
    ['transfers.exists(t, !has(t.amount))', { transfers: [{ amount: null }] }, true],
  ])('%s of %j asks whether it is known: %s', (text, row, expected) => {
    expect(truth(text, row)).toBe(expected);
  });

  test('nothing that a view can hold makes an evaluation throw', () => {
    const texts = [
      'value > 1',
      'to == vault',
      'method.contains("x")',
      'meta.a.b == "c"',
      'transfers[0].amount > 1',
      'tags[5] == "x"',
    ];
    const broken = ['value', 'to', 'method', 'meta', 'transfers', 'tags'];
    fc.assert(
      fc.property(fc.constantFrom(...texts), fc.constantFrom(...broken), fc.jsonValue(), (text, field, raw) => {
        expect([true, false, 'unknown']).toContain(truth(text, { [field]: raw }));
      }),
      { numRuns: 300 },
    );
  });
});

describe('Addresses and hashes', () => {
  test.each<[string, Record<string, unknown>, Truth]>([
    ['owner == vault', { owner: VAULT.toLowerCase() }, true],
    ['vault == owner', { owner: VAULT }, true],
    ['owner != vault', { owner: HOT[0] }, true],
    ['to == vault', { to: { hash: VAULT } }, true],
    ['vault == to', { to: { hash: VAULT } }, true],
    ['to.hash == vault', { to: { hash: VAULT } }, true],
    ['to != from', { to: { hash: VAULT }, from: { hash: VAULT.toLowerCase() } }, false],
    ['from.hash in hot_wallets', { from: { hash: HOT[1] } }, true],
    ['from in hot_wallets', { from: { hash: VAULT } }, false],
    [`owner == "${VAULT.toLowerCase()}"`, { owner: VAULT }, true],
    [`"${VAULT}" == owner`, { owner: VAULT.toLowerCase() }, true],
    [`owner == ${VAULT}`, { owner: VAULT.toLowerCase() }, true],
    [`to == "${VAULT}"`, { to: { hash: VAULT.toLowerCase() } }, true],
    [`owner in ["${HOT[0]}", "${VAULT.toUpperCase().replace('0X', '0x')}"]`, { owner: VAULT }, true],
    ['owner in [vault]', { owner: VAULT }, true],
    ['token == USDC', { token: { address_hash: '0xa0b86991c6218b36c1d19d4a2e9eb0ce3606eb48' } }, true],
    [
      'transfers.exists(t, t.token == USDC && t.from in hot_wallets)',
      {
        transfers: [{ token: { address_hash: '0xa0b86991c6218b36c1d19d4a2e9eb0ce3606eb48' }, from: { hash: HOT[0] } }],
      },
      true,
    ],
    [`hash == "0x${'AB'.repeat(32)}"`, { hash: `0x${'ab'.repeat(32)}` }, true],
    [`hash in ["0x${'01'.repeat(32)}", "0x${'AB'.repeat(32)}"]`, { hash: `0x${'ab'.repeat(32)}` }, true],
    ['re(hash, "^0xab")', { hash: '0xABCD' }, true],
  ])('%s of %j is %s', (text, row, expected) => {
    expect(truth(text, row)).toBe(expected);
  });
});

describe('Texts, times and the rest', () => {
  test.each<[string, Record<string, unknown>, Truth]>([
    ['method in ["withdraw", "redeem"]', { method: 'redeem' }, true],
    ['method.contains("1_000")', { method: 'pay 1_000' }, true],
    ['method.startsWith("with") && method.endsWith("draw")', { method: 'withdraw' }, true],
    ['re(method, "^with.*w$")', { method: 'withdraw' }, true],
    ['re(method, "^draw")', { method: 'withdraw' }, false],
    ['glob(method, "with*")', { method: 'withdraw' }, true],
    ['glob(method, "draw")', { method: 'withdraw' }, false],
    ['glob(method, "a.b?")', { method: 'axbc' }, false],
    ['glob(method, "a.b?")', { method: 'a.b\n' }, true],
    ['item.type == 2', { type: 2 }, true],
    ['item.value > 1 && value < 3', { value: '2' }, true],
    ['age > duration("2m")', { age: 120_001 }, true],
    ['age > duration("2m")', { age: 120_000 }, false],
    ['age >= duration("1h30m")', { age: 5_400_000 }, true],
    ['timestamp > timestamp("2026-01-01T00:00:00Z")', { timestamp: '2026-01-01T00:00:01.000000Z' }, true],
    ['timestamp - before.timestamp < duration("1m")', { timestamp: '2026-01-01T00:00:30Z' }, 'unknown'],
    ['timestamp.getHours() >= 9', { timestamp: '2026-01-01T09:30:00Z' }, true],
    ['"dex" in tags', { tags: ['nft', 'dex'] }, true],
    ['tags.exists(x, x == "dex")', { tags: ['nft'] }, false],
    ['tags.all(x, x == "dex")', { tags: ['dex', null] }, 'unknown'],
    ['size(tags) == 1', { tags: ['dex', 'not/a/word'] }, 'unknown'],
    ['!("nft" in tags)', { tags: ['dex', {}] }, 'unknown'],
    ['meta.tier == "gold"', { meta: { tier: 'gold' } }, true],
    ['meta.level > 5', { meta: { level: 5.5 } }, true],
    ['meta.level > 5', { meta: { level: 'high' } }, 'unknown'],
    ['meta.missing == "x"', { meta: {} }, 'unknown'],
    ['meta.flag', { meta: { flag: true } }, true],
    ['meta.flag', { meta: { flag: 'yes' } }, 'unknown'],
  ])('%s of %j is %s', (text, row, expected) => {
    expect(truth(text, row)).toBe(expected);
  });

  test('before is the same record, as it last was', () => {
    expect(truth('value < before.value * 0.9', { value: '80' }, { value: '100' })).toBe(true);
    expect(truth('value < before.value * 0.9', { value: '95' }, { value: '100' })).toBe(false);
    expect(
      truth(
        'token.reputation != before.token.reputation',
        { token: { reputation: 'scam' } },
        { token: { reputation: 'ok' } },
      ),
    ).toBe(true);
  });

  test("a stranger's text is compared, never run", () => {
    const view = Item.make({ method: untrusted('") || true || ("') }) as unknown as AnyView;
    const { value } = language.condition('method == "x"', { before: false, windows: false });
    expect(value?.evaluate({ view, before: null, history: null, at: 0 })).toBe(false);
  });

  test('a pattern that would make a backtracking engine run for ever takes no time', () => {
    const spent = effort(() => {
      expect(truth('re(method, "(a+)+$")', { method: `${'a'.repeat(4000)}!` })).toBe(false);
    });
    expect(spent).toBeLessThan(NO_HANG);
  });
});

describe('A stranger who writes much takes no time, and hides nothing', () => {
  const many = Array.from({ length: 201 }, (_, i) => String(i));
  const nested = { points: Array.from({ length: 200 }, () => 1) };

  /** What a condition comes to, and the limit that it met. */
  function judged(text: string, row: Record<string, unknown>): readonly [Truth | undefined, string | null | undefined] {
    const { value, mistakes } = language.condition(text, { before: false, windows: false });
    expect(mistakes).toEqual([]);
    const context = { view: viewOf(row), before: null, history: null, at: 0 };
    return [value?.evaluate(context), value?.limitOf(context)];
  }

  test.each([
    ['re(method, "b")', { method: 'a'.repeat(4097) }, 'a text is longer than 4096 characters'],
    ['glob(method, "b*")', { method: 'a'.repeat(1_000_000) }, 'a text is longer than 4096 characters'],
    ['tags.exists(t, t == "x")', { tags: many }, 'a list has more than 200 items'],
    ['meta.points.exists(p, p == 2)', { meta: { points: many } }, 'a list has more than 200 items'],
    [
      'notes.exists(n, re(n, "(a?b?c?d?){20}!"))',
      { notes: Array.from({ length: 200 }, () => 'abcd'.repeat(1000)) },
      'it takes more than 300000 steps',
    ],
  ])('%s', (text, row, limit) => {
    const spent = effort(() => {
      expect(judged(text, row)).toEqual(['unknown', limit]);
    });
    expect(spent).toBeLessThan(NO_HANG);
  });

  // Its time is that of so many steps, about half a second: it is the steps that are bounded, not the machine.
  test('lists in lists end at the limit of steps', () => {
    const sums = [3, 4, 5, 6, 7].map((n) => `p + q == ${n}`).join(' || ');
    expect(judged(`meta.points.exists(p, meta.points.exists(q, ${sums}))`, { meta: nested })).toEqual([
      'unknown',
      'it takes more than 300000 steps',
    ]);
  });

  test('what is within the limits is judged, and so is what does not depend on the part beyond them', () => {
    expect(judged('re(method, "a$")', { method: 'a'.repeat(4096) })).toEqual([true, null]);
    expect(judged('meta.points.exists(p, p == 1)', { meta: nested })).toEqual([true, null]);
    expect(judged('raw > 1 || re(method, "b")', { raw: '2', method: 'a'.repeat(5000) })).toEqual([true, null]);
  });

  test('what is only missing meets no limit', () => {
    expect(judged('re(method, "b")', {})).toEqual(['unknown', null]);
  });

  test('a pattern of thousands of instructions is refused when it is loaded', () => {
    expect(complaints('re(method, "(abcdefghij){100}")')).toEqual([
      '"(abcdefghij){100}" | the pattern is too large. Repeat less often, as in {1,20} instead of {1,500}.',
    ]);
  });
});

describe('Clocks on walls', () => {
  const SUNDAY_EVENING = Date.UTC(2026, 0, 4, 22, 30);
  const judgedAt = (text: string, at: number): Truth | undefined => {
    const { value, mistakes } = language.condition(text, { before: false, windows: false });
    expect(mistakes).toEqual([]);
    return value?.evaluate({ view: viewOf({ value: '3' }), before: null, history: null, at });
  };

  test.each([
    ['hour("UTC") == 22', true],
    ['hour("Europe/Berlin") == 23', true],
    ['hour("Asia/Tokyo") == 7 && weekday("Asia/Tokyo") == "mon"', true],
    ['hour("Asia/Kolkata") >= 4', true],
    ['weekday("UTC") in ["sat", "sun"]', true],
    ['hour("America/New_York") >= 8 && hour("America/New_York") < 18', true],
    ['hour("UTC") < 8 || hour("UTC") >= 18 || weekday("UTC") in ["sat", "sun"]', true],
    ['value > 2 && hour("UTC") < 8', false],
    ['value > hour("UTC")', false],
  ])('%s is %s at 22:30 on a Sunday in London', (text, expected) => {
    expect(judgedAt(text, SUNDAY_EVENING)).toBe(expected);
  });

  test('an hour that clocks leave out in spring, and one that they show twice in autumn', () => {
    const hours = (from: number): (Truth | undefined)[] =>
      [0, 1, 2].map((n) => judgedAt('hour("Europe/Berlin") == 2', from + n * 3_600_000));
    expect(hours(Date.UTC(2026, 2, 29, 0))).toEqual([false, false, false]);
    expect(hours(Date.UTC(2026, 9, 25, 0))).toEqual([true, true, false]);
  });

  test('times before 1970', () => {
    expect(judgedAt('hour("UTC") == 23 && weekday("UTC") == "wed"', -1)).toBe(true);
  });

  test.each([
    ['hour("Berlin") > 8', '"Berlin" | no time zone "Berlin". Write "Europe/Berlin".'],
    ['weekday("Mars/Olympus") == "mon"', '"Mars/Olympus" | no time zone "Mars/Olympus".'],
    ['hour() > 8', 'hour() | hour() takes a time zone in quotes. Write hour("Europe/Berlin").'],
    ['hour(method) > 8', 'hour(method) | hour() takes a time zone in quotes. Write hour("Europe/Berlin").'],
    ['hour("UTC", "UTC") > 8', 'hour("UTC", "UTC") | hour() takes a time zone in quotes. Write hour("Europe/Berlin").'],
    ['hour("UTC") == 24', '"hour("UTC") == 24" is never true. It is a whole number from 0 to 23.'],
    ['hour("UTC") < 8 && hour("UTC") > 18', 'can never be true together with'],
    ['weekday("UTC") == "saturday"', '"saturday" | "saturday" is no value of it'],
    ['weekday("UTC") in ["sat", "Sun"]', '"Sun" | "Sun" is no value of it. Did you mean sun?'],
    ['weekday("UTC") == 6', 'weekday("UTC") == 6 |'],
  ])('%s is refused', (text, complaint) => {
    expect(complaints(text).join('\n')).toContain(complaint);
  });
});

describe('Windows', () => {
  const asked: Window[] = [];
  const history: WindowHistory = (window) => {
    asked.push(window);
    return window.measure === 'max' ? undefined : Amount.parse(window.measure === 'change' ? '-0.25' : '7');
  };
  const use = { before: true, windows: true };
  const judged = (text: string): Truth => {
    const { value, mistakes } = language.condition(text, use);
    expect(mistakes).toEqual([]);
    return value?.evaluate({ view: viewOf({ value: '3' }), before: null, history, at: 0 }) ?? 'unknown';
  };

  test.each([
    ['change("1h") < -0.1', true],
    ['change("1h") < -0.1 && delta("2d") == 7', true],
    ['value < avg("30m") * 0.5', true],
    ['max("1h") > 1', 'unknown'],
    ['max("1h") > 1 || value == 3', true],
  ])('%s: %s', (text, truth) => {
    expect(judged(text)).toBe(truth);
  });

  test('ask for the path and the time that the rule names', () => {
    asked.length = 0;
    judged('delta(value, "1h30m") > 0');
    expect(asked).toEqual([{ measure: 'delta', path: 'value', ms: 5_400_000 }]);
  });

  test('without a history nothing is known', () => {
    const { value } = language.condition('delta("1h") > 0', use);
    expect(value?.evaluate({ view: viewOf({ value: '3' }), before: null, history: null, at: 0 })).toBe('unknown');
  });
});

describe('Real transactions', () => {
  const transactions = kinds.find(({ name }) => name === 'transactions');
  if (transactions === undefined) throw new Error('no transactions');
  const real = createLanguage(transactions, 'ethereum', new Map<string, Meaning>([['vault', addressOf(VAULT)]]));
  const row = {
    hash: '0xab',
    status: 'ok',
    method: 'swapExactTokens',
    value: '1500000000000000000',
    type: 2,
    from: { hash: HOT[0], is_contract: false },
    to: { hash: VAULT, is_contract: true, reputation: 'ok' },
    fee: { type: 'actual', value: '21000000000000' },
    decoded_input: {
      method_call: 'swap(address to, uint256 amount)',
      method_id: '0xdeadbeef',
      parameters: [
        { name: 'to', type: 'address', value: VAULT },
        {
          name: 'amount',
          type: 'uint256',
          value: '115792089237316195423570985008687907853269984665640564039457584007913129639935',
        },
      ],
    },
    token_transfers: [
      transfer('USDC', 6, '2500000', 'ok'),
      transfer('SCAM', 18, '115792089237316195423570985008687907853269984665640564039457584007913129639935', 'scam'),
      { token: null, total: null },
    ],
    transaction_types: ['contract_call', 'token_transfer'],
  };

  function transfer(symbol: string, decimals: number, value: string, reputation: string): object {
    return {
      from: { hash: VAULT },
      to: { hash: HOT[1] },
      type: 'token_transfer',
      token: { address_hash: HOT[0], symbol, decimals: String(decimals), reputation, type: 'ERC-20' },
      total: { decimals: String(decimals), value },
    };
  }

  test.each<[string, Truth]>([
    ['to.is_contract && to.reputation != "scam"', true],
    ['tx.type == 2 && fee.value < percent("1") * value', true],
    ['decoded_input.method_id == "0xdeadbeef"', true],
    ['decoded_input.parameters.exists(p, p.name == "to" && p.value == "' + VAULT + '")', true],
    ['decoded_input.parameters.exists(p, p.type == "uint256" && size(p.value) == 78)', true],
    ['decoded_input.parameters.all(p, has(p.value))', true],
    ['decoded_input.parameters[0].value.startsWith("0xBA12")', true],
    ['decoded_input.parameters[5].name == "x"', 'unknown'],
    ['size(decoded_input.parameters) == 2', true],
    ['token_transfers.exists(t, t.token.symbol == "USDC" && t.total.value == 2.5)', true],
    ['token_transfers.exists(t, t.token.reputation == "scam")', true],
    [
      'token_transfers.exists(t, t.total.value > amount("115792089237316195423570985008687907853269984665640564039457"))',
      true,
    ],
    [
      'token_transfers.exists(t, t.total.value > amount("115792089237316195423570985008687907853269984665640564039458"))',
      'unknown',
    ],
    ['token_transfers.filter(t, t.from == vault).size() > 1', 'unknown'],
    ['token_transfers.filter(t, has(t.from) && t.from == vault).size() == 2', true],
    ['token_transfers.map(t, has(t.token)).size() == 3', true],
    ['token_transfers.all(t, t.from == vault)', 'unknown'],
    ['token_transfers.all(t, has(t.token))', false],
    ['token_transfers.exists(t, transaction_types.exists(x, x == t.type))', true],
    ['"contract_call" in transaction_types', true],
    ['re(method, "^swap[A-Z]") && glob(method, "*Tokens")', true],
    ['value == amount("1.5")', true],
    ['revert_reason.contains("paused")', 'unknown'],
  ])('%s is %s', (text, expected) => {
    const { value, mistakes } = real.condition(text, { before: false, windows: false });
    expect(mistakes).toEqual([]);
    const view = transactions.fields.read(row, { coin: 18 });
    expect(view === undefined ? null : value?.evaluate({ view, before: null, history: null, at: 0 })).toBe(expected);
  });

  test('an amount in wei is loaded, with a warning: no balance is ever above it', () => {
    const said = (text: string): string[] =>
      real
        .condition(text, { before: false, windows: false })
        .doubts.map(({ message, hint, start, end }) => `${text.slice(start, end)} | ${message}. ${hint ?? ''}`);
    expect(said('value > 1000000000000000000')).toEqual([
      '1000000000000000000 | amounts are in whole coins, not in wei. Is 1 meant?',
    ]);
    expect(said('50_000_000_000_000_000 >= value')).toEqual([
      expect.stringContaining('amounts are in whole coins, not in wei. Is 0.05 meant?'),
    ]);
    expect(said('token_transfers.exists(t, t.total.value > 2e18)')).toEqual([
      '2e18 | amounts are in whole tokens, not in their smallest unit. With 6 decimals this is 2000000000000, with 18 2.',
    ]);
    expect(said('method == "Pause()" || method in ["unpause", "setOwner(address)"]')).toEqual([
      '"Pause()" | a method is shown by its name alone, in the spelling of the contract. Write "pause".',
      expect.stringContaining('Write "setOwner".'),
    ]);
    expect(said('value > 1_000_000_000 && gas_price < 1000000000000000000')).toEqual([]);
  });

  test.each([
    [
      'balance',
      'before.balance - balance > 1_000_000_000_000_000_000',
      'With 6 decimals this is 1000000000000, with 18 1.',
    ],
    ['balance', 'delta("1h") < -1_000_000_000_000_000_000', 'With 6 decimals this is -1000000000000, with 18 -1.'],
    ['balance', 'max(balance, "1d") - balance >= 1e18', 'With 6 decimals this is 1000000000000, with 18 1.'],
    ['balance', 'balance + 5 < 1e18', 'With 6 decimals this is 1000000000000, with 18 1.'],
    ['transactions', '-2_000_000_000_000_000_000 > 5 - value', 'Is -2 meant?'],
    ['transactions', 'value - 5 > 1e18', 'Is 1 meant?'],
    ['balance', 'before.balance - balance > 1_000_000', undefined],
    ['balance', 'delta("1h") < -1_000_000', undefined],
    ['balance', 'delta(raw, "1h") < -1_000_000_000_000_000_000', undefined],
    ['balance', 'raw - before.raw > 1_000_000_000_000_000_000', undefined],
    ['token', 'delta(total_supply, "1h") > 1_000_000_000_000', undefined],
    ['token', 'total_supply - before.total_supply > 1_000_000_000_000', undefined],
  ])('a limit in the smallest unit is noticed beside differences and windows: %s, %s', (name, text, hint) => {
    const kind = kinds.find((one) => one.name === name);
    if (kind === undefined) throw new Error('no kind');
    const { mistakes, doubts } = createLanguage(kind, 'ethereum', new Map<string, Meaning>()).condition(text, {
      before: true,
      windows: true,
    });
    expect([mistakes, doubts.map((one) => one.hint)]).toEqual([[], hint === undefined ? [] : [hint]]);
  });

  test('a change of 100 % or more that is written as a whole number is loaded, with a warning', () => {
    const token = kinds.find(({ name }) => name === 'token');
    if (token === undefined) throw new Error('no token');
    const ofToken = createLanguage(token, 'ethereum', new Map<string, Meaning>());
    const said = (text: string): string[] =>
      ofToken
        .condition(text, { before: false, windows: true })
        .doubts.map(({ message, hint, start, end }) => `${text.slice(start, end)} | ${message}. ${hint ?? ''}`);
    const five = '5 | change is a fraction: 5 is 500 %. Is percent("5") meant?';
    expect(said('change(total_supply, "24h") > 5')).toEqual([five]);
    expect(said('5 <= change(total_supply, "24h") && holders_count > 5')).toEqual([five]);
    expect(said('change(exchange_rate, "24h") < -2')).toEqual([
      '-2 | change is a fraction: -2 is -200 %. Is percent("-2") meant?',
    ]);
    expect(said('change(total_supply, "24h") >= 1')).toEqual([
      '1 | change is a fraction: 1 is 100 %. Is percent("1") meant?',
    ]);
    for (const fine of ['> 0.05', '< -0.99', '> percent("5")', '> percent("500")', '> 5 * percent("100")', '* 100 > 5'])
      expect(said(`change(total_supply, "24h") ${fine}`)).toEqual([]);
  });

  test('a supply of 10^12 whole tokens is normal, a holding is not, and 10^21 of either are smallest units', () => {
    const token = kinds.find(({ name }) => name === 'token');
    if (token === undefined) throw new Error('no token');
    const ofToken = createLanguage(token, 'ethereum', new Map<string, Meaning>());
    const isDoubted = (text: string): boolean =>
      ofToken.condition(text, { before: true, windows: false }).doubts.some(({ message }) => /whole/.test(message));
    const supply = ['total_supply', 'circulating_supply', 'circulating_market_cap', 'before.total_supply'];
    for (const field of supply)
      for (const text of [`${field} > 1_000_000_000_000`, `420_690_000_000_000_000 >= ${field}`])
        expect([text, isDoubted(text)]).toEqual([text, false]);
    for (const text of ['total_supply > 1e21', '1_000_000_000_000_000_000_000 <= total_supply'])
      expect([text, isDoubted(text)]).toEqual([text, true]);

    const doubts = (text: string): number =>
      real.condition(text, { before: false, windows: false }).doubts.filter(({ message }) => /whole/.test(message))
        .length;
    expect(doubts('token_transfers.exists(t, t.token.total_supply > 1_000_000_000_000)')).toBe(0);
    expect(doubts('token_transfers.exists(t, t.total.value > 1_000_000_000_000)')).toBe(1);
  });

  test('a list of a stranger takes no time, however long it is: beyond 200 items it is unknown', () => {
    const truthOf = (count: number): Truth => {
      const many = Array.from({ length: count }, () => transfer('X', 18, '1', 'ok'));
      const view = transactions.fields.read({ ...row, token_transfers: many }, { coin: 18 });
      const nested = 'token_transfers.exists(t, token_transfers.exists(u, re(u.token.symbol, "(X+)+Y")))';
      const compiled = real.condition(nested, { before: false, windows: false }).value;
      if (view === undefined || compiled === null) throw new Error('no condition');
      return compiled.evaluate({ view, before: null, history: null, at: 0 });
    };
    const spent = effort(() => {
      expect([truthOf(200), truthOf(201), truthOf(20_000)]).toEqual([false, 'unknown', 'unknown']);
    });
    expect(spent).toBeLessThan(NO_HANG);
  });
});

test('what conditions take is counted over all items of a poll, and asking for the limit counts nothing', () => {
  const use = { before: false, windows: false };
  const { value } = language.condition('notes.exists(n, re(n, "(a?b?c?d?){20}!"))', use);
  const notes = Array.from({ length: 200 }, () => 'abcd'.repeat(1000));
  const budget = { left: 1_000_000 };
  const contexts = [notes, notes, ['a']].map((all) => {
    return { view: viewOf({ notes: all }), before: null, history: null, at: 0 };
  });
  const left = contexts.map((context) => [value?.evaluate(context, budget), budget.left]);
  expect(left).toEqual([
    ['unknown', expect.any(Number)],
    ['unknown', expect.any(Number)],
    [false, expect.any(Number)],
  ]);
  const [first = 0, second = 0, third = 0] = left.map(([, rest]) => Number(rest));
  expect(first).toBeLessThanOrEqual(700_000);
  expect(second).toBeLessThanOrEqual(400_000);
  expect(second - third).toBeLessThan(1000);
  const spent = effort(() => {
    expect(contexts.map((context) => value?.limitOf(context))).toEqual([
      'it takes more than 300000 steps',
      'it takes more than 300000 steps',
      null,
    ]);
  });
  expect(spent).toBeLessThan(NO_HANG);
  expect(budget.left).toBe(third);
});

describe('What a condition reads', () => {
  test.each([
    ['token.reputation == "scam"', ['token.reputation']],
    ['item.token.reputation == "scam" && value > 1', ['token.reputation', 'value']],
    ['value < before.value', ['value']],
    ['before.token.reputation == "ok"', ['token.reputation']],
    ['to == vault', ['to.hash']],
    ['token == USDC', ['token.address_hash']],
    ['has(success)', ['success']],
    ['transfers.exists(t, t.token.symbol == "X" && value > 1)', ['transfers', 'value']],
    ['transfers[0].amount > 1', ['transfers']],
    ['meta.a.b == "x"', ['meta']],
    ['re(method, "x") && glob(token.symbol, "y*")', ['method', 'token.symbol']],
  ])('%s reads %j', (text, reads) => {
    expect(language.condition(text, { before: true, windows: false }).value?.reads).toEqual(reads);
  });

  test.each([
    ['age > duration("2m")', true],
    ['head.height > 5 && age > duration("2m")', true],
    ['age > duration("2m") && value > 1', false],
    ['value > 1', false],
  ])('%s rests on the head alone: %s', (text, expected) => {
    expect(language.condition(text, { before: true, windows: false }).value?.headOnly).toBe(expected);
  });

  test('a text is compiled once, however many watches use it', () => {
    const one = language.condition('value > 123', { before: false, windows: false }).value;
    expect(language.condition('value > 123', { before: false, windows: false }).value).toBe(one);
  });
});

describe('Mistakes are found at load, with the place and a way out', () => {
  test.each([
    ['valu > 1', 'valu | items has no field "valu". Did you mean value?'],
    ['token.reputatoin == "scam"', 'reputatoin | token has no field "reputatoin". Did you mean reputation?'],
    ['reputation == "scam"', 'reputation | items has no field "reputation". Did you mean token.reputation?'],
    ['tx.value > 1', 'tx | items has no field "tx". Here it is item.value.'],
    ['type == 2', 'type | bare type is a function of CEL. Write item.type.'],
    ['value > "5"', 'value > "5" | a number cannot be compared with a text. Numbers are written without quotes.'],
    [
      'success == "true"',
      'success == "true" | true or false cannot be compared with a text. true and false are written without quotes.',
    ],
    ['value = 5', '= | a single = compares nothing. Write ==.'],
    ['value => 5', '= | "=>" is no operator here. Write >=.'],
    ['success and value > 1', 'and | "and" is no operator here. Write &&.'],
    ['value >', '> | the condition ends too early'],
    ['timestamp.getHours("Berlin") > 5', '"Berlin" | no time zone "Berlin". Write "Europe/Berlin".'],
    [
      'timestamp.getDayOfWeek("Europe/Berln") == 0',
      '"Europe/Berln" | no time zone "Europe/Berln". Write "Europe/Berlin".',
    ],
    [
      'timestamp.getHours(method) > 5',
      'method | a time zone is a text in quotes. Write "UTC" or a name such as "Europe/Berlin".',
    ],
    ['value < 1,000,000', '1,000,000 | a number has no commas. Write 1_000_000.'],
    ['value < 1.000.000', '1.000.000 | a number has one point at most. Write 1_000_000.'],
    ['value < 1M', '1M | "1M" is no number: digits are written out. Write 1_000_000.'],
    ['value < 1.5M && success', '1.5M | "1.5M" is no number: digits are written out. Write 1_500_000.'],
    ['value < 20k', '20k | "20k" is no number: digits are written out. Write 20_000.'],
    ['value < -10%', '-10% | "-10%" is no number. Write percent("-10").'],
    ['value < 2.5% && success', '2.5% | "2.5%" is no number. Write percent("2.5").'],
    ['value < 0,05', '0,05 | a number has a point, not a comma. Write 0.05.'],
    ['value < 0,500', '0,500 | a number has a point, not a comma. Write 0.500.'],
    ['value < .05', '.05 | a number begins with a digit. Write 0.05.'],
    ['value in (3,4)', ', | a list stands in square brackets. Write in [3,4].'],
    ['value below 60', 'below | "below" and "under" are no operators here. Write <.'],
    ['success == False', 'False | items has no field "False". Write false.'],
    ['to == None', 'None | items has no field "None". Ask with has(x), or !has(x).'],
    ['age > 2m', '2m | "2m" is no number. Write duration("2m"), or 2_000_000.'],
    ['age > 90s && success', '90s | "90s" is no number. Write duration("90s").'],
    ['age > 2 days', '2 days | "2 days" is no number. Write duration("48h").'],
    ['value < min(24h)', '24h | "24h" is no number. Write "24h", in quotes.'],
    ['change(value, 7d) < 1', '7d | "7d" is no number. Write "7d", in quotes.'],
    ['value < 5 ETH', '5 ETH | "5 ETH" is no number: an amount has no unit. Write 5.'],
    ['value < 5 gwei', '5 gwei | "5 gwei" is no number: an amount has no unit. Amounts are in whole coins and tokens.'],
    ['value < $5', '$ | a number has no sign of a currency. Leave it out.'],
    ['value < −5', '− | this dash is no minus sign. Write -.'],
    ['value ≥ 5', '≥ | "≥" is no operator here. Write >=.'],
    ['method == “swap”', '“ | a text has straight quotes. Write "swap".'],
    ['method == "swap', '"swap | a text has no closing quote'],
    ['value between 3 and 5', 'between | "between" is no operator here. Write value >= 1 && value <= 5.'],
    ['not (value < 5)', 'not | no function "not". Write !(…).'],
    ['if value < 5', 'if | a condition begins without "if". Leave it out.'],
    ['value in (3, 4)', ', | a list stands in square brackets. Write in [3, 4].'],
    ['value drops 10', 'drops | an operator is missing before "drops"'],
    ['value < * 5', '* | a value is missing before "*"'],
    ['value < 5 @', '@ | "@" cannot stand here'],
    ['(value < 5', '5 | the condition ends too early. Write the missing ).'],
    ['value < 5)', ') | this ) closes nothing. Leave it out.'],
    ['value < 5;', '; | a condition has no ; in it. Leave it out.'],
    [
      '1 < value < 5',
      '1 < value < 5 | true or false cannot be compared with a number. Write one comparison after the other: 1 < x && x < 5.',
    ],
    ['value.min("1h") < 5', 'min | min() is a function, not a method. Write min("1h"), or min(field, "1h").'],
    ['value.has()', 'has | has() is a function, not a method. Write it first: has(…).'],
    ['{{ value }} < 5', '{{ | braces belong to title and text: a condition names fields without them. Write value.'],
    [
      'matches(method, "x")',
      'matches | matches() is not used here. Write re(method, "^swap"), which cannot be made to run for ever, or glob(method, "swap*").',
    ],
    [
      'method.matches("x")',
      'matches | matches() is not used here. Write re(method, "^swap"), which cannot be made to run for ever, or glob(method, "swap*").',
    ],
    [
      're(method, "(")',
      '"(" | no regular expression: missing closing ): `(`. Look-around and back references do not exist here.',
    ],
    [
      're(method, status)',
      're(method, status) | re() takes a text and a pattern in quotes. Write re(method, "^swap").',
    ],
    [
      'foo(1) > 2',
      'foo | no function "foo". Possible: has, size, amount, percent, duration, timestamp, re, glob, hour, weekday, unlimited, resembles, change, delta, min, max, avg.',
    ],
    ['method.startswith("a")', 'startswith | no method "startswith". Did you mean startsWith?'],
    ['age > duration("2d")', '"2d" | "2d" is no duration. Days are written in hours: duration("48h").'],
    ['age > 120', 'age > 120 | a duration cannot be compared with a number. A duration is written duration("90s").'],
    [
      'timestamp > timestamp("2026-02-30T00:00:00Z")',
      '"2026-02-30T00:00:00Z" | "2026-02-30T00:00:00Z" is no timestamp. Write timestamp("2026-01-31T00:00:00Z").',
    ],
    [
      'timestamp > timestamp("yesterday")',
      '"yesterday" | "yesterday" is no timestamp. Write timestamp("2026-01-31T00:00:00Z").',
    ],
    ['value > amount("many")', '"many" | "many" is no amount. Write amount("1.5").'],
    ['change("1h") < -0.1', 'change("1h") | there is no history here. Windows belong to while and until.'],
    ['change_1h > 1', 'change_1h | items has no field "change_1h". In a condition it is change("1h").'],
    ['value', 'value | a condition is true or false, this is a number'],
    ['to == null', 'to == null | a record (Ref) cannot be compared with null. Ask with has(x), or !has(x).'],
    ['to.hash == "0x12"', '"0x12" | "0x12" has 2 hexadecimal digits: an address has 40'],
    [
      'to in ["vault"]',
      '"vault" | "vault" is no address: an address is 0x and 40 hexadecimal digits. A name of the config stands without quotes: vault.',
    ],
    [
      'method > 5',
      'method > 5 | a text cannot be compared with a number. A text is compared with a text in quotes, or by glob(x, "a*") and re(x, "[0-9]+").',
    ],
    ["value > 1'000'000", "1'000'000 | a number has no apostrophes. Write 1_000_000."],
    ['transfers.exists(t, t.from.hash == "0x1")', '"0x1" | "0x1" has 1 hexadecimal digits: an address has 40'],
    ['hash == "latest"', '"latest" | "latest" is no hash: a hash is 0x and 64 hexadecimal digits'],
    ['hash == "0xabcd"', '"0xabcd" | "0xabcd" is no hash: a hash is 0x and 64 hexadecimal digits'],
    [`hash == 0x${'ab'.repeat(32)}`, `0x${'ab'.repeat(32)} | a hash is written in quotes`],
    [`hash == ${VAULT}`, `hash == ${VAULT} | a hash cannot be compared with an address`],
    [
      'token.symbol == vault',
      'vault | "symbol" is a text, and this is an address. Write "vault" in quotes, or compare an address.',
    ],
    [`${VAULT} == method`, `${VAULT} | "method" is a text, and this is an address. Compare an address.`],
    [
      'to == hot_wallets',
      'to == hot_wallets | a record (Ref) cannot be compared with a list (an address each). Write in, for one of a list.',
    ],
    [
      'method in "swap"',
      'method in "swap" | a text cannot be in a text. Behind in stands a list or a group, such as ["ok", "error"].',
    ],
    ['method == swapped', 'swapped | items has no field "swapped". A text is written in quotes: "swapped".'],
    ['has(vault)', 'vault | a name of the config is always known. Ask of a field.'],
    ['transfers[-1].amount > 1', '-1 | items are counted from 0. Write [0] for the first one.'],
    [
      'transfers[method.matches("(a+)+$") ? 0 : 1].amount > 1',
      'matches | matches() is not used here. Write re(method, "^swap"), which cannot be made to run for ever, or glob(method, "swap*").',
    ],
    ['token == DAI', 'DAI | "DAI" has no address on ethereum. Add one in the config: tokens: DAI: ethereum.'],
    ['vault.name == "x"', 'name | "vault" is an address: it has no "name"'],
    ['item == item', 'item | item is the whole record. Name one of its fields.'],
    ['has(5)', 'has(5) | has() takes one field. Write has(to.name).'],
    ['has(to.nam)', 'nam | to has no field "nam". Did you mean name?'],
    ['transfers.exists(t, t.amont > 1)', 'amont | Transfer has no field "amont". Did you mean amount?'],
    ['transfers.amount > 1', 'amount | transfers is a list. Write transfers.exists(x, ...).'],
    [
      'value > 1 ? true : 3',
      'value > 1 ? true : 3 | ternary branches must have the same type, got true or false and a number',
    ],
    [
      'success || 5',
      'success || 5 | && and || join what is true or false, not a number. Write each comparison out: x == 1 || x == 2, or x in [1, 2].',
    ],
    ['!value', '!value | ! does not take a number'],
    ['value + method > 1', 'value + method | a number + a text is not possible'],
    [
      'string(value) == "1"',
      'string | no function "string". Possible: has, size, amount, percent, duration, timestamp, re, glob, hour, weekday, unlimited, resembles, change, delta, min, max, avg.',
    ],
    ['cel.bind(x, 1, x > 0)', 'bind | no method "bind"'],
    ['{"a": 1} == {"a": 1}', ' | maps are not used here'],
    ['item.constructor == "x"', 'constructor | Item has no field "constructor"'],
    ['item.__proto__ == "x"', '__proto__ | Item has no field "__proto__"'],
    ['', ' | the condition is empty'],
  ])('%s', (text, complaint) => {
    expect(complaints(text)[0]).toBe(complaint);
  });

  test('several in one condition are all said', () => {
    expect(complaints('valu > 1 && stats == "ok"')).toEqual([
      'valu | items has no field "valu". Did you mean value?',
      'stats | items has no field "stats". Did you mean status?',
    ]);
  });

  test('before exists only where something was before', () => {
    expect(complaints('before.value > 1', { before: false, windows: false })).toEqual([
      'before | there is no before here. It exists for `on: changed`, and for `while` of kinds that notice changes.',
    ]);
  });

  test('a word that was never seen is a doubt, not a mistake: tomorrow it may exist', () => {
    const { mistakes, doubts } = language.condition('status == "okk" || token.reputation in ["scam", "spam"]', {
      before: false,
      windows: false,
    });
    expect(mistakes).toEqual([]);
    expect(doubts.map(({ message, hint }) => `${message}. ${hint ?? ''}`)).toEqual([
      '"okk" is a value that was never seen here. Did you mean ok?',
      '"spam" is a value that was never seen here. Did you mean scam?',
    ]);
  });

  test.each([
    ['a huge text', 'x'.repeat(9000)],
    ['400 comparisons', Array(400).fill('value > 1').join(' && ')],
    ['parentheses', `${'('.repeat(4000)}true${')'.repeat(4000)}`],
    ['negations', `${'!'.repeat(4000)}success`],
    ['a list of 1000', `height in [${'1,'.repeat(1000)}1]`],
    ['three comprehensions in each other', 'tags.exists(a, tags.exists(b, tags.exists(c, a == c)))'],
  ])('%s is refused quickly', (_name, text) => {
    const spent = effort(() => {
      expect(complaints(text)).toHaveLength(1);
    });
    expect(spent).toBeLessThan(NO_HANG);
  });

  test('no text makes the compiler throw', () => {
    const word = fc.constantFrom(
      ...[
        'value',
        'to',
        'before',
        'item',
        'has',
        're',
        '(',
        ')',
        '[',
        ']',
        '"',
        "'",
        '.',
        '==',
        '&&',
        '||',
        '!',
        '-',
        '?',
        ':',
      ],
      ...[
        '1',
        '1_0',
        '0x',
        '1e9',
        'null',
        'type',
        'exists',
        'x',
        ',',
        '\\',
        '\n',
        '{',
        '}',
        'vault',
        'transfers',
        '"a"',
        'in',
        '%',
      ],
    );
    const text = fc.oneof(
      fc.string(),
      fc.array(word, { maxLength: 30 }).map((words) => words.join(' ')),
      fc.array(word, { maxLength: 12 }).map((words) => words.join('')),
    );
    fc.assert(
      fc.property(text, (written) => {
        const { value, mistakes } = language.condition(written, { before: true, windows: false });
        expect(value === null).toBe(mistakes.length > 0);
        for (const { start, end } of mistakes) expect(start <= Math.max(1, written.length) && end >= start).toBe(true);
        expect([true, false, 'unknown']).toContain(
          value?.evaluate({ view: viewOf({ value: '1' }), before: null, history: null, at: 0 }) ?? 'unknown',
        );
      }),
      { numRuns: 1000 },
    );
  });
});
