import { describe, expect, test } from '@jest/globals';
import { failuresOf, ruleOf, run, testOf, type Files } from './support/trials.ts';

const BALANCE = 'kind: balance, of: treasury, token: USDC, every: 1m';
const CALLS = 'kind: internal-transactions, of: vault, every: 1m';
const TXS = 'kind: transactions, of: vault, every: 1m';
const HOLDINGS = 'kind: holdings, of: treasury, every: 1m';
const BLOCKS = 'kind: blocks, every: 1m';
const ANNE = "'0x1111111111111111111111111111111111111111'";
const BERT = "'0x2222222222222222222222222222222222222222'";
const LOW = '{ id: low, while: balance < 1_000_000, until: balance > 1_050_000, for: 2m }';

interface Story {
  readonly rule: string;
  readonly saw: readonly string[];
  readonly expect: readonly string[];
  readonly more?: string;
}

const STORIES: readonly (readonly [string, Story])[] = [
  [
    'a dip shorter than two minutes is not said',
    {
      rule: ruleOf(BALANCE, LOW),
      saw: ['{ at: 0m, balance: 2000000 }', '{ at: 1m, balance: 900000 }', '{ at: 2m, balance: 1900000 }'],
      expect: [],
    },
  ],
  [
    'an answer that never came resolves nothing',
    {
      rule: ruleOf(BALANCE, LOW),
      saw: ['{ at: 0m, balance: 900000 }', '{ at: 3m, balance: 900000 }', '{ at: 4m, missed: error }'],
      expect: ['{ at: 3m, alert: low, state: firing, severity: warning }'],
    },
  ],
  [
    'a stale head makes the balance unknown, and nothing resolves',
    {
      rule: ruleOf(BALANCE, '{ id: low, while: balance < 5 }'),
      saw: ['{ at: 0m, balance: 1 }', '{ at: 1m, balance: 9, head: { height: 7, age: 5m } }', '{ at: 2m, balance: 9 }'],
      expect: ['{ at: 0m, alert: low, state: firing }', '{ at: 2m, alert: low, state: resolved }'],
    },
  ],
  [
    'an explorer that has not read as far as the one before resolves nothing',
    {
      rule: ruleOf(BALANCE, '{ id: low, while: balance < 5 }'),
      saw: [
        '{ at: 0m, balance: 1, head: { height: 100 } }',
        '{ at: 1m, balance: 9, head: { height: 99 } }',
        '{ at: 2m, balance: 9, head: { height: 100 } }',
      ],
      expect: ['{ at: 0m, alert: low, state: firing }', '{ at: 2m, alert: low, state: resolved }'],
    },
  ],
  [
    'the volume, the price and the holders of a token, and the name of an address, say nothing new of a transfer',
    {
      rule: ruleOf(TXS, '{ id: large, on: new, if: "token_transfers.exists(t, t.total.value > 10)" }'),
      saw: [0, 1, 2, 3].map((minute) => {
        const token = `{ symbol: ACME, volume_24h: ${minute}, exchange_rate: 1.${minute}, holders_count: 7${minute} }`;
        const moved = `token_transfers: [{ from: { name: Old${minute} }, token: ${token}, total: { value: 11, decimals: 0 } }]`;
        const rows = [...(minute === 0 ? [] : [`{ id: fresh, ${moved} }`]), `{ id: old, ${moved} }`];
        return `{ at: ${minute}m, items: [${rows.join(', ')}] }`;
      }),
      expect: ['{ at: 1m, alert: large, state: event }'],
    },
  ],
  [
    'another amount of a transfer that was told is corrected',
    {
      rule: ruleOf(TXS, '{ id: large, on: new, if: "token_transfers.exists(t, t.total.value > 10)" }'),
      saw: [
        '{ at: 0m, items: [] }',
        '{ at: 1m, items: [{ id: a, token_transfers: [{ total: { value: 11, decimals: 0 } }] }] }',
        '{ at: 2m, items: [{ id: a, token_transfers: [{ total: { value: 12, decimals: 0 } }] }] }',
      ],
      expect: ['{ at: 1m, alert: large, state: event }', '{ at: 2m, alert: large, state: corrected }'],
    },
  ],
  [
    'what is told is retracted after three readings without it, by an explorer that has read its block',
    {
      rule: ruleOf(TXS, '{ id: any, on: new }'),
      saw: [
        '{ at: 0m, items: [{ id: a, status: ok, block_number: 100 }] }',
        '{ at: 1m, items: [{ id: b, status: ok, block_number: 102 }, { id: a, status: ok, block_number: 100 }] }',
        '{ at: 2m, items: [{ id: a, status: ok, block_number: 100 }], head: { height: 101 } }',
        '{ at: 3m, items: [{ id: a, status: ok, block_number: 100 }] }',
        '{ at: 4m, items: [{ id: a, status: ok, block_number: 100 }] }',
        '{ at: 5m, items: [{ id: a, status: ok, block_number: 100 }] }',
      ],
      expect: ['{ at: 1m, alert: any, state: event }', '{ at: 5m, alert: any, state: retracted }'],
    },
  ],
  [
    'a condition that reads the hour goes by the time of the poll, in its zone',
    {
      rule: ruleOf(BALANCE, '{ id: low, while: \'balance < 5 && hour("Europe/Berlin") >= 8\' }'),
      more: "\n    start: '2026-01-05T06:59:00Z'",
      saw: ['{ at: 0m, balance: 1 }', '{ at: 1m, balance: 1 }', '{ at: 2m, balance: 9 }'],
      expect: ['{ at: 1m, alert: low, state: firing }', '{ at: 2m, alert: low, state: resolved }'],
    },
  ],
  [
    'an item goes by its own time: one that was sent on Sunday and is read on Monday is of Sunday',
    {
      rule: ruleOf(TXS, '{ id: sunday, on: new, if: \'weekday("UTC") == "sun"\' }'),
      more: "\n    start: '2026-01-04T23:58:00Z'",
      saw: [
        '{ at: 0m, items: [] }',
        '{ at: 3m, items: [{ id: b, timestamp: -1s }, { id: a, timestamp: -2m }] }',
        '{ at: 4m, items: [{ id: b, timestamp: -61s }, { id: a, timestamp: -3m }] }',
      ],
      expect: ['{ at: 3m, alert: sunday, state: event }'],
    },
  ],
  [
    'an item that is judged later goes by when it was first read, where it has no time of its own',
    {
      rule: ruleOf(HOLDINGS, '{ id: scam, on: added, if: \'token.reputation == "scam" && hour("UTC") == 5\' }'),
      more: "\n    start: '2026-01-04T05:58:00Z'",
      saw: [
        '{ at: 0m, holdings: [] }',
        '{ at: 1m, holdings: [{ token: { symbol: X, reputation: null } }] }',
        '{ at: 3m, holdings: [{ token: { symbol: X, reputation: scam } }] }',
        '{ at: 4m, holdings: [{ token: { symbol: X, reputation: scam } }, { token: { symbol: Y, reputation: scam } }] }',
      ],
      expect: ['{ at: 3m, alert: scam, state: event }'],
    },
  ],
  [
    'a change without any field in its condition is one of the fields that the kind compares',
    {
      rule: ruleOf(BALANCE, '{ id: night, on: changed, if: \'hour("UTC") < 6\' }'),
      more: "\n    start: '2026-01-04T05:58:00Z'",
      saw: ['{ at: 0m, balance: 1 }', '{ at: 1m, balance: 2 }', '{ at: 3m, balance: 3 }'],
      expect: ['{ at: 1m, alert: night, state: event }'],
    },
  ],
  [
    'transfers that are each too small to be told add up to one alert, exactly, and it resolves when they are too old',
    {
      rule: ruleOf(
        TXS,
        '{ id: outflow, on: new, if: status == "ok", at_least: { sum: value, than: 0.300000000000000003, within: 10m } }',
      ),
      saw: [
        '{ at: 0m, items: [{ id: old, status: ok, value: 5, timestamp: 0s }] }',
        '{ at: 1m, items: [{ id: a, status: ok, value: 0.1, timestamp: 0s }] }',
        '{ at: 2m, items: [{ id: b, status: ok, value: 0.2, timestamp: 0s }] }',
        '{ at: 3m, items: [{ id: c, status: error, value: 9, timestamp: 0s }] }',
        '{ at: 4m, items: [{ id: d, status: ok, value: 0.000000000000000002, timestamp: 0s }] }',
        '{ at: 5m, items: [{ id: e, status: ok, value: 0.000000000000000001, timestamp: 0s }] }',
        '{ at: 11m, items: [{ id: f, status: ok, value: 0, timestamp: 0s }] }',
      ],
      expect: [
        '{ at: 5m, alert: outflow, state: firing, fields: { sum: "0.300000000000000003", count: 4 } }',
        '{ at: 11m, alert: outflow, state: resolved }',
      ],
    },
  ],
  [
    'an amount that comes later is added then, by the time of its item',
    {
      rule: ruleOf(TXS, '{ id: outflow, on: new, at_least: { sum: value, than: 3, within: 10m } }'),
      saw: [
        '{ at: 0m, items: [] }',
        '{ at: 1m, items: [{ id: a, value: 2, timestamp: 0s }, { id: b, value: null, timestamp: 0s }] }',
        '{ at: 2m, items: [{ id: a, value: 2, timestamp: -1m }, { id: b, value: 1, timestamp: -1m }] }',
        '{ at: 3m, items: [{ id: a, value: 2, timestamp: -2m }, { id: b, value: 1, timestamp: -2m }] }',
        '{ at: 12m, items: [] }',
      ],
      expect: ['{ at: 2m, alert: outflow, state: firing }', '{ at: 12m, alert: outflow, state: resolved }'],
    },
  ],
  [
    'a sum for each receiver on its own',
    {
      rule: ruleOf(TXS, '{ id: outflow, on: new, at_least: { sum: value, than: 3, within: 10m }, per: to.hash }'),
      saw: [
        '{ at: 0m, items: [] }',
        `{ at: 1m, items: [{ id: a, value: 2, to: ${ANNE} }, { id: b, value: 2, to: ${BERT} }] }`,
        `{ at: 2m, items: [{ id: c, value: 1, to: ${BERT} }] }`,
      ],
      expect: [`{ at: 2m, alert: outflow, state: firing, fields: { to: { hash: ${BERT} }, sum: "3" } }`],
    },
  ],
  [
    'a part of the calls fails: told only when there are enough of them, and not told of other calls',
    {
      rule: ruleOf(
        TXS,
        `{ id: failing, on: new, if: status == "error", at_least: { ratio: 50%, of: 'method == "swap"', within: 10m, min: 4 } }`,
      ),
      saw: [
        '{ at: 0m, items: [] }',
        '{ at: 1m, items: [{ id: a, method: swap, status: error }, { id: b, method: swap, status: error }] }',
        '{ at: 2m, items: [{ id: c, method: exit, status: error }, { id: d, method: exit, status: error }] }',
        '{ at: 3m, items: [{ id: e, method: swap, status: ok }] }',
        '{ at: 4m, items: [{ id: f, method: swap, status: ok }] }',
        '{ at: 5m, items: [{ id: g, method: swap, status: ok }] }',
      ],
      expect: [
        '{ at: 4m, alert: failing, state: firing, fields: { count: 4, matching: "2" } }',
        '{ at: 5m, alert: failing, state: resolved }',
      ],
    },
  ],
  [
    'what is not known to have failed is neither a failure nor a success yet',
    {
      rule: ruleOf(
        TXS,
        '{ id: failing, on: new, if: status == "error", at_least: { ratio: 60%, within: 10m, min: 2 } }',
      ),
      saw: [
        '{ at: 0m, items: [] }',
        '{ at: 1m, items: [{ id: a, status: error }, { id: b, status: null }] }',
        '{ at: 2m, items: [{ id: a, status: error }, { id: b, status: error }] }',
        '{ at: 3m, items: [{ id: a, status: error }, { id: b, status: error }] }',
      ],
      expect: ['{ at: 2m, alert: failing, state: firing }'],
    },
  ],
  [
    'tokens that turn into scams are counted, also where nothing else compares their reputation',
    {
      rule: ruleOf(
        HOLDINGS,
        '{ id: scams, on: changed, if: token.reputation == "scam", at_least: { count: 2, within: 10m } }',
      ),
      saw: [
        '{ at: 0m, holdings: [{ token: { symbol: X, reputation: ok } }, { token: { symbol: Y, reputation: ok } }] }',
        '{ at: 1m, holdings: [{ token: { symbol: X, reputation: scam } }, { token: { symbol: Y, reputation: scam } }] }',
      ],
      expect: ['{ at: 1m, alert: scams, state: firing }'],
    },
  ],
  [
    'a report tells its values at its times, once, and at the first answer after them',
    {
      rule: ruleOf(
        BALANCE,
        "{ id: morning, on: schedule, cron: '0 8 * * *', values: [balance, symbol, 'change_1h | percent'] }",
      ),
      more: "\n    start: '2026-01-05T06:58:00Z'",
      saw: [
        '{ at: 0m, balance: 100, symbol: USDC }',
        '{ at: 1h, balance: 90, symbol: USDC }',
        '{ at: 62m, missed: error }',
        '{ at: 63m, balance: 110, symbol: USDC }',
        '{ at: 64m, balance: 110, symbol: USDC }',
        '{ at: 73h, balance: 5, symbol: USDC }',
        '{ at: 74h, balance: 5, symbol: USDC }',
      ],
      expect: [
        '{ at: 63m, alert: morning, state: event, severity: info, fields: { balance: 110, change_1h: "0.1" } }',
        '{ at: 73h, alert: morning, state: event }',
        '{ at: 74h, alert: morning, state: event }',
      ],
    },
  ],
  [
    'a report with a condition is told only where it holds, and one whose value is unknown waits for half its period',
    {
      rule: ruleOf(
        BALANCE,
        '{ id: low, on: schedule, cron: "0 * * * *", values: balance, if: balance < 100 }, { id: all, on: schedule, cron: "0 * * * *", values: balance }',
      ),
      saw: [
        '{ at: 1m, balance: 100 }',
        '{ at: 1h, balance: 100 }',
        '{ at: 2h, balance: 99 }',
        '{ at: 3h, balance: null }',
        '{ at: 209m, balance: null }',
        '{ at: 210m, balance: null }',
        '{ at: 211m, balance: 99 }',
        '{ at: 4h, balance: null }',
        '{ at: 241m, balance: 100 }',
      ],
      expect: [
        '{ at: 1h, alert: all, state: event }',
        '{ at: 2h, alert: low, state: event }',
        '{ at: 2h, alert: all, state: event }',
        '{ at: 210m, alert: low, state: event }',
        '{ at: 210m, alert: all, state: event }',
        '{ at: 241m, alert: all, state: event }',
      ],
    },
  ],
  [
    'a report of the last day of the month, by the clocks of a zone, is told on that day alone',
    {
      rule: ruleOf(BALANCE, "{ id: end, on: schedule, cron: '0 8 L * *', zone: America/New_York, values: [balance] }"),
      more: "\n    start: '2026-01-30T00:00:00Z'",
      saw: [
        '{ at: 0h, balance: 100 }',
        '{ at: 24h, balance: 100 }',
        '{ at: 36h, balance: 100 }',
        '{ at: 37h, balance: 110 }',
        '{ at: 48h, balance: 110 }',
        '{ at: 72h, balance: 110 }',
      ],
      expect: ['{ at: 37h, alert: end, state: event }'],
    },
  ],
  [
    'a report waits for a poll that is complete, and is told with what is known when the explorer is silent for half a day',
    {
      rule: ruleOf(BALANCE, "{ id: morning, on: schedule, cron: '0 8 * * *', values: [balance] }"),
      more: "\n    start: '2026-01-05T07:50:00Z'",
      saw: [
        '{ at: 0m, balance: 100 }',
        '{ at: 11m, balance: 100, partial: "page 2 did not come" }',
        '{ at: 20m, balance: 110 }',
        '{ at: 21m, balance: 110 }',
        '{ at: 24h, balance: 120 }',
        '{ at: 1451m, missed: error }',
        '{ at: 2169m, missed: error }',
        '{ at: 2170m, missed: error }',
        '{ at: 2171m, missed: error }',
        '{ at: 2200m, balance: 90 }',
      ],
      expect: [
        '{ at: 20m, alert: morning, state: event, fields: { balance: 110 } }',
        '{ at: 2170m, alert: morning, state: event, title: "report: treasury USDC" }',
      ],
    },
  ],
  [
    'numbers are exact, also unquoted ones beyond 2^53',
    {
      rule: ruleOf(
        BALANCE,
        '{ id: much, while: raw > 115792089237316195423570985008687907853269984665640564039457584007913129639934 }',
      ),
      saw: [
        '{ at: 0m, raw: 115792089237316195423570985008687907853269984665640564039457584007913129639934 }',
        '{ at: 1m, raw: 115792089237316195423570985008687907853269984665640564039457584007913129639935 }',
      ],
      expect: ['{ at: 1m, alert: much, state: firing }'],
    },
  ],
  [
    'a balance of few decimals has the raw amount that belongs to it',
    {
      rule: ruleOf(BALANCE, '{ id: raw, while: raw == 1500000 && balance == 1.5 && symbol == "USDC" }'),
      saw: ['{ at: 0m, balance: 1.5, token: { decimals: 6, symbol: USDC } }', '{ at: 1m, raw: 1600000, decimals: 6 }'],
      expect: [
        '{ at: 0m, alert: raw, state: firing }',
        '{ at: 1m, alert: raw, state: resolved, fields: { balance: 1.6 } }',
      ],
    },
  ],
  [
    'items without an id are items of their own; one with an id comes back as itself',
    {
      rule: ruleOf(CALLS, '{ id: failed, on: new, if: success == false }'),
      saw: [
        '{ at: 0m, items: [] }',
        '{ at: 1m, items: [{ id: a, success: false }, { success: false }] }',
        '{ at: 2m, items: [{ success: false }, { id: a, success: false }] }',
      ],
      expect: [
        '{ at: 1m, alert: failed, state: event }',
        '{ at: 1m, alert: failed, state: event }',
        '{ at: 2m, alert: failed, state: event }',
      ],
    },
  ],
  [
    'the first row is the baseline, and what lies below it is never new',
    {
      rule: ruleOf(CALLS, '{ id: failed, on: new, if: success == false }'),
      saw: [
        '{ at: 0m, items: [{ success: false, block_number: 100 }] }',
        '{ at: 1m, items: [{ success: false, block_number: 99 }] }',
      ],
      expect: [],
    },
  ],
  [
    'without a baseline the first row is news',
    {
      rule: ruleOf(CALLS, '{ id: failed, on: new, if: success == false }'),
      saw: ['{ at: 0m, success: false, to: vault, timestamp: -30s }'],
      expect: ['{ at: 0m, alert: failed, state: event, fields: { success: false, to: { hash: vault } } }'],
      more: '\n    baseline: none',
    },
  ],
  [
    'what happened long before it was seen has its own time',
    {
      rule: ruleOf(
        TXS,
        "{ id: old, on: new, if: 'timestamp < timestamp(\"2026-02-01T00:00:00Z\")', text: '{{ timestamp }}' }",
      ),
      saw: [
        '{ at: 0m, items: [] }',
        '{ at: 1m, items: [{ status: ok, timestamp: -1d }, { status: ok, timestamp: 2026-01-31T23:59:00Z }] }',
      ],
      expect: [
        "{ at: 1m, alert: old, state: event, text: '2026-01-31 23:59:00 UTC' }",
        "{ at: 1m, alert: old, state: event, text: '2026-01-31 00:01:00 UTC' }",
      ],
      more: '\n    start: 2026-02-01T00:00:00Z',
    },
  ],
  [
    'nested fields, lists and free-form parts are written as the rule reads them',
    {
      rule: ruleOf(
        TXS,
        '{ id: moved, on: new, if: \'token_transfers.exists(t, t.to == payee && t.total.value > 10) && decoded_input.parameters[0].name == "to"\' }',
      ),
      saw: [
        '{ at: 0m, items: [] }',
        '{ at: 1m, items: [{ status: ok, token_transfers: [{ to: payee, total: { value: 10.5 } }], decoded_input: { parameters: [{ name: to }] } }] }',
        '{ at: 2m, items: [{ status: ok, token_transfers: [{ to: vault, total: { value: 10.5 } }], decoded_input: { parameters: [{ name: to }] } }] }',
      ],
      expect: ['{ at: 1m, alert: moved, state: event }'],
    },
  ],
  [
    'an empty list of holdings is believed at the third poll',
    {
      rule: ruleOf(HOLDINGS, '{ id: gone, on: removed }'),
      saw: [
        '{ at: 0m, holdings: [{ token: USDC }] }',
        '{ at: 1m, holdings: [] }',
        '{ at: 2m, holdings: [] }',
        '{ at: 3m, holdings: [] }',
      ],
      expect: ['{ at: 3m, alert: gone, state: event, fields: { token: { address_hash: USDC } } }'],
    },
  ],
  [
    'with a cooldown of 58 minutes, what comes and goes every 35 minutes is told about once an hour',
    {
      rule: ruleOf(
        'kind: balance, of: treasury, token: USDC, every: 5m',
        '{ id: low, while: balance < 100, cooldown: 58m }',
      ),
      saw: [0, 5, 15, 40, 50, 75, 85, 110, 120, 145, 155].map(
        (minute, n) => `{ at: ${minute}m, balance: ${n % 2 === 1 ? 50 : 200} }`,
      ),
      expect: [
        '{ at: 5m, alert: low, state: firing }',
        '{ at: 15m, alert: low, state: resolved }',
        '{ at: 75m, alert: low, state: firing }',
        '{ at: 85m, alert: low, state: resolved }',
        '{ at: 145m, alert: low, state: firing }',
        '{ at: 155m, alert: low, state: resolved }',
      ],
    },
  ],
  [
    'a token that leaves is told, whatever is asked of it as it last was',
    {
      rule: ruleOf(
        HOLDINGS,
        `{ id: fungible, on: removed, if: 'token.type == "ERC-20"' }, { id: fine, on: removed, if: 'token.reputation == "ok"' }, { id: rich, on: removed, if: balance > 5 }, { id: held, on: removed, if: balance < 5, title: 'left {{ token.type }} of {{ balance }}' }`,
      ),
      saw: [
        '{ at: 0m, holdings: [{ id: a, balance: 9, token: { type: ERC-20, reputation: ok } }, { id: b, balance: 1, token: { type: ERC-20, reputation: ok } }] }',
        '{ at: 1m, holdings: [{ id: a, balance: 2, token: { type: ERC-20, reputation: ok } }, { id: b, balance: 1, token: { type: ERC-20, reputation: ok } }] }',
        '{ at: 2m, holdings: [{ id: b, balance: 1, token: { type: ERC-20, reputation: ok } }] }',
        '{ at: 3m, holdings: [{ id: b, balance: 1, token: { type: ERC-20, reputation: ok } }] }',
      ],
      expect: [
        '{ at: 2m, alert: fungible, state: event }',
        '{ at: 2m, alert: fine, state: event }',
        '{ at: 2m, alert: held, state: event, title: "left ERC-20 of 2" }',
      ],
    },
  ],
  [
    'a block of the same height is the same, unless it has another name',
    {
      rule: ruleOf(BLOCKS, '{ id: reorg, on: reorg }'),
      saw: [
        '{ at: 0m, items: [{ height: 7 }] }',
        '{ at: 1m, items: [{ height: 8 }, { height: 7 }] }',
        '{ at: 2m, items: [{ height: 8, id: other }, { height: 7 }] }',
        '{ at: 3m, items: [{ id: third }, { id: other }] }',
      ],
      expect: ['{ at: 2m, alert: reorg, state: event, fields: { depth: 1, height: 8 } }'],
    },
  ],
  [
    'a head that stands still is known from the blocks themselves',
    {
      rule: ruleOf(
        BLOCKS,
        '{ id: stalled, while: \'age > duration("2m")\' }, { id: full, while: gas_used_percentage > 90 }',
      ),
      saw: [
        '{ at: 0m, height: 7, timestamp: -1s, gas_used_percentage: 50 }',
        '{ at: 10m, height: 7, timestamp: -10m, gas_used_percentage: 95 }',
      ],
      expect: ['{ at: 10m, alert: stalled, state: firing }'],
    },
  ],
];

test.each(STORIES)('%s', async (_name, { rule, saw, expect: expected, more }) => {
  expect(await failuresOf(testOf(saw, expected, more), { 'rules.yaml': rule })).toBe('');
});

const CONFIG = `
explorers:
  one: { form: multichain, base_url: https://x.example.com, chain_id: 1, api_key: { env: NOT_SET } }
  two: { form: instance, instance_url: https://y.example.com, coin: { symbol: xDAI } }
addresses: { treasury: 0x47ac0Fb4F2D84898e4D9E7b4DaB3C24507a6D503, vault: 0xBA12222222228d8Ba445958a75a0704d566BF2C8 }
tokens: { USDC: { one: 0xA0b86991c6218b36c1d19D4a2e9Eb0cE3606eB48, two: 0xDDAfbb505ad214D7b80b1f830fcCc89B60fb7A83 } }
channels:
  ops: { type: webhook, url: { env: NOT_SET } }
  oncall: { type: email, from: a@example.com, to: [a@example.com, b@example.com], smtp: { env: NOT_SET } }
`;

describe('with a config', () => {
  const files = (rule: string): Files => ({ 'rules.yaml': rule, 'config.yaml': CONFIG });
  const withConfig = (text: string): string => `config: ../config.yaml\n${text}`;

  test('names mean what it says, no secret is needed, and a message is one, however many are told', async () => {
    const rule = ruleOf(
      'kind: balance, explorer: two, of: vault, token: USDC, every: 1m, notify: [ops, oncall]',
      "{ id: low, while: balance < 5, text: '{{ address }} {{ USDC }}' }",
    );
    const text = testOf(
      ['{ at: 0m, balance: 1 }'],
      [
        "{ at: 0m, alert: low, state: firing, to: [oncall, ops], text: '0xBA12222222228d8Ba445958a75a0704d566BF2C8 0xDDAfbb505ad214D7b80b1f830fcCc89B60fb7A83' }",
      ],
    );
    expect(await failuresOf(withConfig(text), files(rule))).toBe('');
  });

  test('one instance of several is named by its label, and has its own names', async () => {
    const rule = ruleOf(
      'kind: balance, explorer: [one, two], of: vault, every: 1m, notify: ops',
      '{ id: low, while: balance < 5 }',
    );
    const text = testOf(
      ['{ at: 0m, balance: 1 }'],
      ['{ at: 0m, alert: low, state: firing, fields: { symbol: xDAI } }'],
    );
    expect(await failuresOf(withConfig(text.replace('watch: w', 'watch: w[two]')), files(rule))).toBe('');
    await expect(run(withConfig(text), files(rule))).rejects.toThrow('"w" has 2 instances');
  });
});

describe('A test of rules sees the channels that the routes of its config lead to', () => {
  const config = `explorers: { chain: { form: sandbox } }
addresses: { treasury: '0x47ac0Fb4F2D84898e4D9E7b4DaB3C24507a6D503' }
tokens: { USDC: '0xA0b86991c6218b36c1d19D4a2e9Eb0cE3606eB48' }
channels: { ops: { type: log }, pager: { type: log } }
routes: [{ match: { severity: critical }, add: pager }, { notify: ops }, { match: { watch: elsewhere }, add: pager }]
`;
  const alerts = '{ id: low, while: balance < 100 }, { id: empty, while: balance < 50, severity: critical }';
  const files: Files = { 'rules.yaml': ruleOf(BALANCE, alerts), 'config.yaml': config };
  const story = (to: string): string =>
    testOf(
      ['{ at: 0m, balance: 200 }', '{ at: 1m, balance: 20 }'],
      [
        '{ at: 1m, alert: low, state: firing, to: ops }',
        `{ at: 1m, alert: empty, state: firing, severity: critical, to: ${to} }`,
      ],
    );

  test('and fails when an alert goes elsewhere', async () => {
    expect(await failuresOf(`config: config.yaml\n${story('[ops, pager]')}`, files)).toBe('');
    expect(await failuresOf(`config: config.yaml\n${story('ops')}`, files)).toContain(
      'to: expected ops, is ops, pager',
    );
  });

  test('and the labels by which their messages are grouped', async () => {
    const grouping = config.replace('notify: ops }', 'notify: ops, group_by: [severity, of] }');
    const grouped = story('[ops, pager]').replace('to: ops }', 'to: ops, group: { of: treasury, severity: warning } }');
    const text = `config: config.yaml\n${grouped}`;
    expect(await failuresOf(text, { ...files, 'config.yaml': grouping })).toBe('');
    expect(await failuresOf(text, files)).toContain(
      'group: expected { of: treasury, severity: warning }, is { explorer: chain, watch: w }',
    );
  });

  test('and none without a config', async () => {
    expect(await failuresOf(story('[ops, pager]'), files)).toContain('to: expected ops, pager, is somebody');
  });
});
