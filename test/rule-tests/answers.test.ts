// Answers as an explorer gave them, in the place of fields.
import { expect, test } from '@jest/globals';
import { failuresOf, ruleOf, run, testOf } from './support/trials.ts';

const OF = '0x47ac0fb4f2d84898e4d9e7b4dab3c24507a6d503';
const TOKEN = '0xa0b86991c6218b36c1d19d4a2e9eb0ce3606eb48';
const HASH = `0x${'ab'.repeat(32)}`;
const page = (items: readonly object[], next: object | null = null): string =>
  JSON.stringify({ items, next_page_params: next });
const answer = (path: string, body: string, more = ''): string => `{ path: '${path}', body: '${body}'${more} }`;
const poll = (at: string, ...answers: readonly string[]): string => `{ at: ${at}, answers: [${answers.join(', ')}] }`;

const token = { address_hash: TOKEN, symbol: 'USDC', decimals: '6', type: 'ERC-20', reputation: 'ok' };
const call = {
  type: 'call',
  transaction_hash: HASH,
  index: 0,
  block_number: 9,
  success: false,
  to: { hash: OF },
  value: '1',
};
const tx = { hash: HASH, block_number: 9, status: 'error', from: { hash: TOKEN }, to: { hash: OF }, value: '5' };
const PAUSED = '0x62e78cea01bee320cd4e420270b5ea74000d11b0c9f74754ebdbfc544b05a258';
const paused = {
  address: OF,
  topics: [PAUSED, null, null, null],
  data: `0x${TOKEN.slice(2).padStart(64, '0')}`,
  blockNumber: '0x9',
  logIndex: '0x',
  timeStamp: '0x6955b91e',
  transactionHash: HASH,
};
const block = { height: 9, hash: HASH, timestamp: '2026-01-01T00:00:30Z' };

/** What a poll saw, as recorded and as written: the rule has to see the same. */
const BOTH: readonly (readonly [string, { rule: string; before: string; recorded: string; written: string }])[] = [
  [
    'balance',
    {
      rule: ruleOf(`kind: balance, of: '${OF}', token: '${TOKEN}'`, '{ id: a, on: changed }'),
      before: '{ at: 0m, balance: 1, token: { decimals: 6, symbol: USDC } }',
      recorded: poll('1m', answer(`addresses/${OF}/tokens`, page([{ token, value: '2500000', token_id: null }]))),
      written: '{ at: 1m, balance: 2.5, token: { decimals: 6, symbol: USDC, type: ERC-20, reputation: ok } }',
    },
  ],
  [
    'logs',
    {
      rule: ruleOf(`kind: logs, of: '${OF}', events: [Paused, Unpaused]`, '{ id: a, on: new, if: event == "Paused" }'),
      before: '{ at: 0m, items: [] }',
      recorded: poll(
        '1m',
        answer(
          `https://explorer.example.com/v2/api?chain_id=1&module=logs&action=getLogs&address=${OF}&fromBlock=0&toBlock=latest`,
          JSON.stringify({ status: '1', message: 'OK', result: [paused] }),
        ),
      ),
      written: `{ at: 1m, items: [{ topics: ['${PAUSED}'], data: '${paused.data}', transaction_hash: '${HASH}', block_number: 9, log_index: 0, timestamp: '2026-01-01T00:00:30Z' }] }`,
    },
  ],
  [
    'balance of the coin',
    {
      rule: ruleOf(`kind: balance, of: '${OF}'`, '{ id: a, on: changed }'),
      before: '{ at: 0m, balance: 1 }',
      recorded: poll(
        '1m',
        answer(`addresses/${OF}`, JSON.stringify({ hash: OF, coin_balance: '2500000000000000000' })),
      ),
      written: '{ at: 1m, balance: 2.5 }',
    },
  ],
  [
    'holdings',
    {
      rule: ruleOf(`kind: holdings, of: '${OF}'`, '{ id: a, on: added }'),
      before: '{ at: 0m, holdings: [] }',
      recorded: poll('1m', answer(`addresses/${OF}/tokens`, page([{ token, value: '2500000', token_id: null }]))),
      written: `{ at: 1m, holdings: [{ balance: 2.5, token: { address_hash: '${TOKEN}', decimals: 6, symbol: USDC, reputation: ok } }] }`,
    },
  ],
  [
    'token',
    {
      rule: ruleOf(`kind: token, token: '${TOKEN}'`, '{ id: a, on: changed }'),
      before: '{ at: 0m, total_supply: 7, reputation: ok, symbol: USDC, decimals: 6 }',
      recorded: poll('1m', answer(`tokens/${TOKEN}`, JSON.stringify({ ...token, total_supply: '8000000' }))),
      written: '{ at: 1m, total_supply: 8, reputation: ok, symbol: USDC, decimals: 6 }',
    },
  ],
  [
    'internal-transactions',
    {
      rule: ruleOf(`kind: internal-transactions, of: '${OF}', direction: to`, '{ id: a, on: new }'),
      before: '{ at: 0m, items: [] }',
      recorded: poll(
        '1m',
        answer(`addresses/${OF}/internal-transactions`, page([call, { ...call, index: 1, to: { hash: TOKEN } }])),
      ),
      written: `{ at: 1m, items: [{ transaction_hash: '${HASH}', block_number: 9, success: false, value: 0.000000000000000001 }, { to: '${TOKEN}' }] }`,
    },
  ],
  [
    'transactions',
    {
      rule: ruleOf(`kind: transactions, of: '${OF}'`, '{ id: a, on: new }'),
      before: '{ at: 0m, items: [] }',
      recorded: poll('1m', answer(`addresses/${OF}/transactions`, page([tx]))),
      written: `{ at: 1m, items: [{ hash: '${HASH}', block_number: 9, status: error, from: '${TOKEN}', to: '${OF}', value: 0.000000000000000005 }] }`,
    },
  ],
  [
    'blocks',
    {
      rule: ruleOf('kind: blocks', '{ id: a, on: new }'),
      before: '{ at: 0m, items: [] }',
      recorded: poll('1m', answer('blocks', page([block]))),
      written: `{ at: 1m, items: [{ height: 9, hash: '${HASH}', timestamp: -30s }] }`,
    },
  ],
];

test.each(BOTH)(
  '%s says the same of an answer and of what is written',
  async (_name, { rule, before, recorded, written }) => {
    const messages = async (row: string) => {
      const { runs } = await run(testOf([before, row]), { 'rules.yaml': rule });
      return runs[0]?.sent.map(({ message }) => message);
    };
    const said = await messages(recorded);
    expect(said).toHaveLength(1);
    expect(await messages(written)).toEqual(said);
  },
);

const CALLS = ruleOf('kind: internal-transactions, of: vault', '{ id: failed, on: new, if: success == false }');
const PATH = 'https://explorer.example.com/1/api/v2/addresses/vault/internal-transactions?filter=to';

test('pages of one list follow each other, and names stand for addresses', async () => {
  const old = { ...call, index: 7, success: true };
  const saw = [
    poll('0m', answer(PATH, page([old]))),
    poll(
      '1m',
      answer(PATH, page([{ ...call, block_number: 10, index: 9 }], { index: 9 })),
      answer(PATH, page([{ ...call, block_number: 10, index: 8 }, old])),
    ),
  ];
  const expected = [
    '{ at: 1m, alert: failed, state: event, fields: { index: 8 } }',
    '{ at: 1m, alert: failed, state: event, fields: { index: 9 } }',
  ];
  expect(await failuresOf(testOf(saw, expected), { 'rules.yaml': CALLS })).toBe('');
});

test('a body in YAML has the types of JSON, and numbers keep all their digits', async () => {
  const rule = ruleOf(
    `kind: token, token: '${TOKEN}'`,
    "{ id: a, on: changed, if: total_supply > 0, text: '{{ symbol }} {{ total_supply }}' }",
  );
  const body = (supply: string) => `{ symbol: "123", decimals: 0, total_supply: ${supply} }`;
  const saw = ['1', '12345678901234567890123'].map(
    (supply, i) => `{ at: ${i}m, answers: [{ path: tokens/${TOKEN}, body: ${body(supply)} }] }`,
  );
  const expected = ["{ at: 1m, alert: a, state: event, text: '123 12,345,678,901,234,567,890,123' }"];
  expect(await failuresOf(testOf(saw, expected), { 'rules.yaml': rule })).toBe('');
});

test('a body may lie in a file beside the test', async () => {
  const saw = [poll('0m', `{ path: '${PATH}', file: empty.json }`), poll('1m', `{ path: '${PATH}', file: page.json }`)];
  const files = { 'rules.yaml': CALLS, 'rules/empty.json': page([]), 'rules/page.json': page([call]) };
  expect(await failuresOf(testOf(saw, ['{ at: 1m, alert: failed, state: event }']), files)).toBe('');
});

test('an answer that is none is a poll that was missed, for the reason that the client would give', async () => {
  const saw = [
    poll('0m', answer(PATH, page([]))),
    poll('1m', answer(PATH, '{"message":"Not found"}', ', status: 404')),
    poll('2m', answer(PATH, '<html>')),
    poll('3m', answer(PATH, '{"items":{}}')),
    poll('4m', answer(PATH, '', ', status: 500')),
  ];
  const { runs, results } = await run(testOf(saw), { 'rules.yaml': CALLS });
  const reasons = runs[0]?.polls.map(({ observation }) =>
    observation.type === 'missed' ? observation.reason : 'seen',
  );
  expect(reasons).toEqual(['seen', 'not-found', 'not-json', 'shape', 'server-error']);
  expect(results[0]?.isOk).toBe(true);
});

test('a question without an answer is a failure that names it', async () => {
  const saw = [poll('0m', answer('addresses/vault/tokens', page([])))];
  expect(await failuresOf(testOf(saw), { 'rules.yaml': CALLS })).toMatch(
    /at 0m: no answer is given for addresses\/0x[0-9a-f]{40}\/internal-transactions; there is one for addresses\/0x[0-9a-f]{40}\/tokens$/,
  );
  const more = [poll('0m', answer(PATH, page([]))), poll('1m', answer(PATH, page([call], { index: 1 })))];
  // The second page fails the test, though the first one held news: nothing is guessed.
  expect(await failuresOf(testOf(more), { 'rules.yaml': CALLS })).toContain('internal-transactions, page 2;');
});
