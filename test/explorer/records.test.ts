// What the records make of answers of different releases.
import { describe, expect, test } from '@jest/globals';
import { addressDetails, transactions } from '../../src/explorer/operations.ts';
import { rawText } from '../../src/lib/untrusted.ts';
import { Address } from '../../src/core/values/address.ts';
import { valueAt, type AnyRecord, type AnyView, type FieldType, type RawRow } from '../../src/core/values/fields.ts';
import { AddressDetails, AddressRef } from '../../src/explorer/reading/resources/address.ts';
import { Block } from '../../src/explorer/reading/resources/block.ts';
import { InternalTransaction } from '../../src/explorer/reading/resources/internal-transaction.ts';
import { TokenTransfer } from '../../src/explorer/reading/resources/token-transfer.ts';
import { Token, TokenBalance } from '../../src/explorer/reading/resources/token.ts';
import { Transaction } from '../../src/explorer/reading/resources/transaction.ts';
import { createFakeClock } from '../support/fake-clock.ts';
import { failuresOf, ruleOf, testOf } from '../rule-tests/support/trials.ts';
import { openExplorer, someTokens, VAULT } from './support/open.ts';
import { sendJson, startServer } from './support/server.ts';

const UNITS = { coin: 18 };

describe('the reputation of an address', () => {
  test.each([
    ['since 9.1', { reputation: 'scam' }, 'scam'],
    ['from 6.9 to 9.0, as a flag', { is_scam: true }, 'scam'],
    ['from 6.9 to 9.0, not flagged', { is_scam: false }, 'ok'],
    ['by both names', { reputation: 'ok', is_scam: true }, 'ok'],
    ['before 6.9', {}, undefined],
    ['not known yet', { reputation: null }, undefined],
  ])('%s', (_release, row, reputation) => {
    expect(AddressRef.read(row, UNITS)?.reputation).toBe(reputation);
  });
});

test('a transaction says what it pays for on the chain below, whom it authorises, and that it may still change', () => {
  const authorization = { address_hash: VAULT.text, authority: VAULT.text, chain_id: 1, nonce: '7', status: 'ok' };
  const row = Transaction.read(
    {
      l1_fee: '1500000000000',
      is_pending_update: true,
      authorization_list: [{ ...authorization, r: '1', s: '2', v: 0 }],
    },
    UNITS,
  );
  expect(row?.l1_fee?.toString()).toBe('0.0000015');
  expect(row?.is_pending_update).toBe(true);
  const [first] = row?.authorization_list ?? [];
  expect(first).toMatchObject({ chain_id: 1n, nonce: 7n, status: 'ok' });
  expect(first?.authority).toBeInstanceOf(Address);
});

test('pieces of a collection whose numbers come as numbers are told apart, to the last digit', async () => {
  const token = { address_hash: VAULT.text, symbol: 'ART', decimals: null, type: 'ERC-721' };
  const page = (...ids: readonly string[]): string => {
    const items = ids.map((id) => JSON.stringify({ token, value: '1', token_id: 0 }).replace('0}', `${id}}`));
    return `{ path: 'addresses/${VAULT.text}/tokens', body: '{"items":[${items.join(',')}],"next_page_params":null}' }`;
  };
  const [long, next] = ['12345678901234567890', '12345678901234567891'];
  const rule = ruleOf(
    `kind: holdings, of: '${VAULT.text}'`,
    "{ id: in, on: added, text: '{{ token_id }}' }, { id: out, on: removed }",
  );
  const saw = [
    `{ at: 0m, answers: [${page('1', long)}] }`,
    `{ at: 1m, answers: [${page('1', '2', long, next)}] }`,
    `{ at: 2m, answers: [${page('"1"', '2', next)}] }`,
    `{ at: 3m, answers: [${page('"1"', '2', next)}] }`,
  ];
  const expected = [
    "{ at: 1m, alert: in, state: event, text: '2' }",
    `{ at: 1m, alert: in, state: event, text: '${next}' }`,
    '{ at: 3m, alert: out, state: event }',
  ];
  expect(await failuresOf(testOf(saw, expected), { 'rules.yaml': rule })).toBe('');
});

test.each([
  [0, '0'],
  [-1, '-1'],
  [9007199254740991, '9007199254740991'],
  [9007199254740992, undefined],
  [1.5, undefined],
  [true, undefined],
])('a text that comes as the number %p is read exactly or not at all', (raw, text) => {
  const { token_id } = TokenBalance.read({ token_id: raw }, UNITS) ?? {};
  expect(token_id === undefined ? undefined : rawText(token_id)).toBe(text);
});

describe('how much a token transfer moved', () => {
  const pieces = { type: 'ERC-1155', decimals: null };
  const coins = { type: 'ERC-20', decimals: '2' };
  test.each([
    ['pieces, which count whole', pieces, { value: '5', decimals: null, token_id: '7' }, '5', '7'],
    ['pieces of a collection with decimals', { ...pieces, decimals: '1' }, { value: '5', token_id: 7 }, '0.5', '7'],
    ['coins by the decimals beside the amount', coins, { value: '500', decimals: '3' }, '0.5', undefined],
    ['coins by the decimals of the token', coins, { value: '500', decimals: null }, '5', undefined],
    ['coins whose decimals nobody says', { type: 'ERC-20', decimals: null }, { value: '500' }, undefined, undefined],
    ['pieces of no token', null, { value: '5', decimals: null }, undefined, undefined],
    ['one piece, in a list', pieces, [{ value: '1', decimals: null, token_id: '7' }], '1', '7'],
    [
      'several, in a list',
      pieces,
      [
        { value: '5', token_id: '7' },
        { value: 2, token_id: '8' },
      ],
      '7',
      undefined,
    ],
    [
      'several of one number',
      pieces,
      [
        { value: '5', token_id: 7 },
        { value: '2', token_id: '7' },
      ],
      '7',
      '7',
    ],
    [
      'some that are not known',
      pieces,
      [
        { value: '5', token_id: '7' },
        { value: null, token_id: '7' },
      ],
      undefined,
      '7',
    ],
    [
      'amounts of different units',
      coins,
      [
        { value: '5', decimals: '1' },
        { value: '5', decimals: '2' },
      ],
      undefined,
      undefined,
    ],
    ['an empty list', pieces, [], undefined, undefined],
    ['what is no amount', pieces, ['5'], undefined, undefined],
  ])('%s', (_name, token, total, value, piece) => {
    const [transfer] = Transaction.read({ token_transfers: [{ token, total }] }, UNITS)?.token_transfers ?? [];
    expect(transfer?.total?.value?.toString()).toBe(value);
    const id = transfer?.total?.token_id;
    expect(id === undefined ? undefined : rawText(id)).toBe(piece);
  });
});

describe('unknown fields', () => {
  const ADDRESS = {
    hash: VAULT.text,
    coin_balance: '1',
    name: null,
    ens_domain_name: null,
    metadata: null,
    private_tags: [],
    public_tags: [],
    watchlist_names: [],
    is_contract: true,
    is_verified: true,
    proxy_type: null,
    implementations: [],
    reputation: 'ok',
    is_scam: false,
    creator_address_hash: null,
    creation_transaction_hash: null,
    creation_status: 'success',
    token: null,
    exchange_rate: null,
    block_number_balance_updated_at: 5,
    watchlist_address_id: null,
    has_logs: true,
    has_tokens: true,
    has_token_transfers: true,
    has_validated_blocks: false,
    has_beacon_chain_withdrawals: false,
  };

  test('are not those of an ordinary answer, so that the metric tells of an upgrade', async () => {
    let body: object = ADDRESS;
    await using server = await startServer((_request, response) => {
      sendJson(response, body);
    });
    await using opened = openExplorer(server.url);
    const ask = (): Promise<unknown> => opened.explorer.tickReader().one(addressDetails('ethereum', VAULT));
    await ask();
    expect(opened.unknown).toEqual([]);
    body = { ...ADDRESS, verdict: 'fine' };
    await ask();
    expect(opened.unknown).toEqual([{ explorer: 'ethereum', record: 'AddressDetails', count: 1 }]);
  });

  test('of a list are counted once an hour, not for each page that changed', async () => {
    const clock = createFakeClock();
    let rows = 1;
    await using server = await startServer((_request, response) => {
      const items = Array.from({ length: rows }, (_, n) => ({ hash: `0x${n}`, verdict: 'fine' }));
      sendJson(response, { items, next_page_params: null });
    });
    await using opened = openExplorer(server.url, { clock });
    const ask = async (): Promise<number[]> => {
      await opened.explorer.tickReader().page(transactions('ethereum'), null);
      rows += 1;
      return opened.unknown.map(({ count }) => count);
    };
    expect([await ask(), await ask()]).toEqual([[1], [1]]);
    await clock.setTo(clock.now() + 3_600_000);
    expect([await ask(), await ask()]).toEqual([
      [1, 3],
      [1, 3],
    ]);
  });

  test('are neither what only some chains send, nor what only some releases do', async () => {
    const transaction = {
      hash: '0x1',
      historic_exchange_rate: null,
      fhe_operations_count: 0,
      arbitrum: {},
      scroll: {},
    };
    const holding = { value: '1', token: null, token_id: null, token_instance: null, reputation: 'ok' };
    await using server = await startServer((request, response) => {
      const row = request.path.endsWith('/tokens') ? holding : transaction;
      sendJson(response, { items: [row], next_page_params: null });
    });
    await using opened = openExplorer(server.url);
    await opened.explorer.tickReader().page(transactions('ethereum'), null);
    await opened.explorer.tickReader().page(someTokens, null);
    expect(opened.unknown).toEqual([]);
  });
});

describe('values that become neither text nor number', () => {
  const ODD = [
    '{"toString":1}',
    '{"valueOf":1,"toString":1}',
    '[{"toString":1}]',
    '{"__proto__":{"toString":1}}',
    '[[]]',
  ];
  const records = [AddressDetails, Block, InternalTransaction, Token, TokenBalance, TokenTransfer, Transaction];

  test.each(records.map((record) => [record.name, record] as const))('stop no poll: %s', (_name, record) => {
    let read = 0;
    for (const row of rowsWith(record, ODD)) {
      const view = record.read(row, UNITS);
      read += valuesIn(record, view as AnyView).length;
      expect(record.unknownKeys(row)).toEqual([]);
    }
    expect(read).toBeGreaterThan(50);
  });

  /** For each field, also of the records within, and by each of its names, one row that has the value there. */
  function rowsWith({ fields }: AnyRecord, odd: readonly string[]): RawRow[] {
    return Object.entries(fields).flatMap(([name, field]) =>
      [name, ...field.was].flatMap((key) => valuesFor(field.type, odd).map((value) => ({ [key]: value }))),
    );
  }

  function valuesFor(type: FieldType, odd: readonly string[]): unknown[] {
    const own = odd.map((json): unknown => JSON.parse(json));
    if (type.type === 'list') return [...own, ...valuesFor(type.of, odd).map((value) => [value, value])];
    return type.type === 'record' ? [...own, ...rowsWith(type.record, odd)] : own;
  }

  function valuesIn({ fields }: AnyRecord, view: AnyView): unknown[] {
    return Object.entries(fields).flatMap(([name, { type }]) => looked(type, valueAt(view, name)));
  }

  function looked(type: FieldType, value: unknown): unknown[] {
    if (value === undefined) return [value];
    if (type.type === 'list') return (value as unknown[]).flatMap((item) => looked(type.of, item));
    return type.type === 'record' ? valuesIn(type.record, value as AnyView) : [value];
  }
});

test.each([
  [{ value: '1500000', token: { decimals: '6', exchange_rate: '0.9996' } }, '1.4994'],
  [{ value: '1500000', token: { decimals: '6', exchange_rate: null } }, undefined],
  [{ value: '1500000', token: { decimals: '6', exchange_rate: '0' } }, undefined],
  [{ value: '1500000', token: { decimals: null, exchange_rate: '0.9996' } }, undefined],
  [{ value: null, token: { decimals: '6', exchange_rate: '0.9996' } }, undefined],
  [{ value: '3', token: { type: 'ERC-721', exchange_rate: '2' } }, '6'],
])('a held token is worth its amount at the price in its row: %j', (row, worth) => {
  expect(TokenBalance.read(row, UNITS)?.balance_usd?.toString()).toBe(worth);
});
