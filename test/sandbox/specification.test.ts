// Walks the specification section by section, in both forms.
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import type * as z from 'zod';
import { CONTRACTS } from '../../src/sandbox/names.ts';
import { createFakeClock } from '../support/fake-clock.ts';
import { FORMS, runSandbox, SHOW_SCAM, type Json, type Running } from './support.ts';
import { Address, Block, deviations, InternalTransaction, Token, TokenBalance, Transaction } from './schemas.ts';

const NOBODY = '0x0000000000000000000000000000000000000001';

let running: Running;
let vault: string;
let treasury: string;
let collector: string;
let usdc: string;

beforeAll(async () => {
  running = await runSandbox();
  ({ vault, treasury, collector } = running.sandbox.addresses);
  usdc = running.sandbox.tokens.USDC;
});
afterAll(() => running.close());

function allFit(rows: readonly unknown[], schema: z.ZodType): void {
  expect(rows.flatMap((row) => deviations(schema, row))).toEqual([]);
}

/** What nobody can say of a transaction that waits. */
const ONLY_IN_BLOCKS = [
  'timestamp',
  'block_number',
  'status',
  'confirmation_duration',
  'type',
  'position',
  'gas_used',
  'base_fee_per_gas',
  'priority_fee',
  'transaction_burnt_fee',
];

const valuesOf = (rows: readonly Json[], field: string): Set<unknown> => new Set(rows.map((row) => row[field]));

describe('1 what the service does', () => {
  test.each(FORMS)('lists are objects of items and next_page_params (%s)', async (form) => {
    for (const path of ['blocks', 'transactions', `addresses/${vault}/tokens`]) {
      const { status, headers, body } = await running.get(path, { form });
      expect(status).toBe(200);
      expect(headers.get('content-type')).toMatch(/^application\/json/);
      expect(Object.keys(body)).toEqual(['items', 'next_page_params']);
    }
  });

  test('both forms say the same', async () => {
    const [one, other] = await Promise.all(FORMS.map((form) => running.get('blocks', { form })));
    expect(one?.text).toBe(other?.text);
  });

  test.each(['POST', 'PUT', 'DELETE', 'PATCH'])('every operation is a read: %s is refused', async (method) => {
    const { status } = await fetch(`${running.url}/api/v2/blocks`, { method });
    expect(status).toBe(405);
  });
});

describe('2.1 common formats, 2.2 token', () => {
  test.each(FORMS)('has exactly the listed properties in the listed formats (%s)', async (form) => {
    const held = await running.items(`addresses/${treasury}/tokens`);
    const tokens = held.map((row) => (row['token'] as Json)['address_hash'] as string);
    for (const token of [...tokens, ...Object.values(running.sandbox.tokens)]) {
      const { status, body } = await running.get(`tokens/${token}`, { form });
      expect(status).toBe(200);
      allFit([body], Token);
    }
  });

  test('tokens of every type are held somewhere, and one of them is bridged', async () => {
    const held = [
      ...(await running.pages(`addresses/${collector}/tokens`)).flat(),
      ...(await running.items(`addresses/${treasury}/tokens`)),
    ];
    const tokens = held.map((row) => row['token'] as Json);
    expect(valuesOf(tokens, 'type')).toEqual(new Set(['ERC-20', 'ERC-721', 'ERC-1155', 'ERC-404', 'ERC-7984']));
    expect(tokens.some((token) => token['bridge_type'] === 'omni')).toBe(true);
    expect((await running.get(`tokens/${usdc}`)).body).toMatchObject({ decimals: '6', symbol: 'USDC' });
  });
});

describe('2.3 address reference', () => {
  test('stands wherever an address is referred to', async () => {
    const transactions = (await running.pages('transactions', 5)).flat();
    const refs = transactions.flatMap((row) => [row['from'], row['to'], row['created_contract']]);
    allFit([...refs.filter((ref) => ref !== null), (await running.items('blocks'))[0]?.['miner']], Address);
  });

  test('carries tags, watch list names and metadata where there are some', async () => {
    const { body } = await running.get(`addresses/${treasury}`);
    const [held] = await running.items(`addresses/${treasury}/tokens?type=ERC-721`);
    allFit([(held?.['token_instance'] as Json)['owner']], Address);
    expect(body['metadata']).toMatchObject({ slug: 'acme', ordinal: 10 });
    for (const field of ['private_tags', 'public_tags', 'watchlist_names']) expect(body[field]).toHaveLength(1);
  });
});

describe('2.4 token balance', () => {
  test('has every field, with a token instance for pieces', async () => {
    const rows = (await running.pages(`addresses/${collector}/tokens`)).flat();
    allFit(rows, TokenBalance);
    expect(rows.some((row) => row['token_instance'] !== null)).toBe(true);
    expect(rows.some((row) => row['token_instance'] === null)).toBe(true);
  });
});

describe('2.5 internal transaction', () => {
  test('has every field; success is the absence of an error', async () => {
    const rows = (await running.pages(`addresses/${vault}/internal-transactions`, 5)).flat();
    allFit(rows, InternalTransaction);
    for (const row of rows) expect(row['success']).toBe(row['error'] === null);
    expect(valuesOf(rows, 'error').size).toBeGreaterThan(4);
  });

  test('is of many types, creations among them', async () => {
    const addresses = [vault, CONTRACTS.router, CONTRACTS.factory];
    const rows = (
      await Promise.all(addresses.map((each) => running.items(`addresses/${each}/internal-transactions`)))
    ).flat();
    const types = valuesOf(rows, 'type');
    for (const type of ['call', 'delegatecall', 'staticcall', 'callcode', 'create2', 'selfdestruct'])
      expect(types).toContain(type);
    for (const row of rows.filter((each) => each['type'] === 'create2')) expect(row['created_contract']).not.toBeNull();
  });

  test('says success inside a transaction that was undone as a whole', async () => {
    const rows = await running.items(`addresses/${vault}/internal-transactions`);
    const undone = rows.filter((row) => row['error'] === 'execution reverted: vault is paused');
    const hashes = valuesOf(undone, 'transaction_hash');
    expect(rows.some((row) => hashes.has(row['transaction_hash']) && row['success'] === true)).toBe(true);
  });
});

describe('2.6 transaction', () => {
  test('has every field, in blocks and while it waits', async () => {
    const mined = (await running.pages('transactions', 6)).flat();
    allFit(mined, Transaction);
    for (const field of ONLY_IN_BLOCKS) expect(valuesOf(mined, field)).not.toContain(null);
    const waiting = await running.items('transactions?filter=pending');
    expect(waiting.length).toBeGreaterThan(0);
    allFit(waiting, Transaction);
    for (const field of ONLY_IN_BLOCKS) expect(valuesOf(waiting, field)).toEqual(new Set([null]));
  });

  test('is of every status, type and envelope', async () => {
    const rows = (await running.pages('transactions', 6)).flat();
    expect(valuesOf(rows, 'status')).toEqual(new Set(['ok', 'error']));
    expect(valuesOf(rows, 'type')).toEqual(new Set([0, 1, 2, 3, 4]));
    expect(new Set(rows.flatMap((row) => row['transaction_types'] as string[])).size).toBe(5);
    for (const field of ['decoded_input', 'revert_reason', 'transaction_tag', 'created_contract', 'method'])
      expect(rows.some((row) => row[field] !== null)).toBe(true);
    expect(rows.some((row) => (row['actions'] as Json[]).length > 0)).toBe(true);
    expect(rows.some((row) => (row['transaction_types'] as Json[]).length === 0)).toBe(true);
  });

  test('fees add up', async () => {
    for (const row of await running.items('transactions')) {
      const [fee, tip, burnt] = [(row['fee'] as Json)['value'], row['priority_fee'], row['transaction_burnt_fee']];
      expect(BigInt(tip as string) + BigInt(burnt as string)).toBe(BigInt(fee as string));
    }
  });
});

describe('2.7 block', () => {
  test('has every field', async () => {
    allFit((await running.pages('blocks', 5)).flat(), Block);
  });

  test('percentages go below zero, rewards are of every sort, some have uncles', async () => {
    const rows = (await running.pages('blocks', 5)).flat();
    expect(rows.some((row) => (row['gas_target_percentage'] as number) < 0)).toBe(true);
    const rewards = new Set(rows.flatMap((row) => (row['rewards'] as Json[]).map((reward) => reward['type'])));
    expect(rewards.size).toBe(4);
    expect(rows.some((row) => (row['uncles_hashes'] as string[]).length > 0)).toBe(true);
  });

  test('counts the transactions that the list shows', async () => {
    const [blocks, transactions] = [await running.items('blocks'), (await running.pages('transactions', 2)).flat()];
    const [head] = blocks;
    const inHead = transactions.filter((row) => row['block_number'] === head?.['height']);
    expect(head?.['transactions_count']).toBe(inHead.length);
  });
});

describe('2.8 pagination object', () => {
  test.each([
    ['addresses/COLLECTOR/tokens', ['items_count', 'token_name', 'token_type', 'value']],
    ['addresses/VAULT/internal-transactions', ['block_number', 'index', 'items_count', 'transaction_index']],
    ['transactions', ['block_number', 'index', 'items_count']],
    ['blocks', ['block_number', 'items_count']],
    ['addresses/VAULT/transactions', ['block_number', 'fee', 'hash', 'index', 'inserted_at', 'items_count', 'value']],
  ])('%s: has the keys of the operation', async (path, keys) => {
    const { body } = await running.get(path.replace('VAULT', vault).replace('COLLECTOR', collector));
    const cursor = body['next_page_params'] as Json;
    expect(Object.keys(cursor).sort()).toEqual(keys);
  });

  test('is null at the end', async () => {
    const { body } = await running.get('blocks?block_number=3');
    expect(body['next_page_params']).toBeNull();
    expect((body['items'] as Json[]).map((row) => row['height'])).toEqual([2, 1, 0]);
  });
});

describe('3 states', () => {
  test('reputation turns scam and back', async () => {
    await using other = await runSandbox();
    const seen = new Set<unknown>();
    for (let step = 0; step < 5; step++) {
      seen.add((await other.get(`tokens/${other.sandbox.tokens.SPAM}`)).body['reputation']);
      await other.clock.advance(20_000);
    }
    expect(seen).toEqual(new Set(['ok', 'scam']));
  });

  test('the fee is maximum while pending and actual afterwards', async () => {
    const feeTypes = (rows: Json[]): Set<unknown> =>
      valuesOf(
        rows.map((row) => row['fee'] as Json),
        'type',
      );
    expect(feeTypes(await running.items('transactions?filter=pending'))).toEqual(new Set(['maximum']));
    expect(feeTypes(await running.items('transactions?filter=validated'))).toEqual(new Set(['actual']));
  });
});

describe.each(FORMS)('4 endpoints (%s)', (form) => {
  test('4.1 token details: 404 for a token that is not known', async () => {
    const { status, body } = await running.get(`tokens/${NOBODY}`, { form });
    expect([status, body]).toEqual([404, { message: 'Not found' }]);
  });

  test('4.2 token balances: filtered by a list of types', async () => {
    const rows = await running.items(`addresses/${collector}/tokens?type=ERC-721,ERC-404`, { form });
    expect(
      valuesOf(
        rows.map((row) => row['token'] as Json),
        'type',
      ),
    ).toEqual(new Set(['ERC-721', 'ERC-404']));
  });

  test('4.3 internal transactions: in one direction, newest first', async () => {
    const to = await running.items(`addresses/${vault}/internal-transactions?filter=to`, { form });
    const from = await running.items(`addresses/${vault}/internal-transactions?filter=from`, { form });
    expect(
      valuesOf(
        to.map((row) => row['to'] as Json),
        'hash',
      ),
    ).toEqual(new Set([vault]));
    expect(
      valuesOf(
        from.map((row) => row['from'] as Json),
        'hash',
      ),
    ).toEqual(new Set([vault]));
    const heights = to.map((row) => Number(row['block_number']));
    expect(heights).toEqual(heights.toSorted((a, b) => b - a));
    for (const [place, row] of to.slice(1).entries())
      if (row['transaction_hash'] === to[place]?.['transaction_hash'])
        expect(Number(row['index'])).toBeLessThan(Number(to[place]?.['index']));
  });

  test('4.4 transactions: by status, type and method', async () => {
    const creations = await running.items('transactions?type=token_creation,contract_creation', { form });
    for (const row of creations) expect(row['created_contract']).not.toBeNull();
    const calls = await running.items('transactions?method=approve,0x40c10f19', { form });
    expect(valuesOf(calls, 'method')).toEqual(new Set(['approve', 'mint']));
    expect(await running.items('transactions?method=nobody_calls_this', { form })).toEqual([]);
  });

  test('4.5 blocks: newest first', async () => {
    const heights = (await running.items('blocks', { form })).map((row) => row['height']);
    expect(heights).toEqual(heights.map((_, place) => running.sandbox.head() - place));
  });

  test('4.6 an unknown address has empty lists, not a 404', async () => {
    for (const list of ['tokens', 'internal-transactions', 'transactions']) {
      const { status, body } = await running.get(`addresses/${NOBODY}/${list}`, { form });
      expect([status, body]).toEqual([200, { items: [], next_page_params: null }]);
    }
    const { status, body } = await running.get(`addresses/${NOBODY}`, { form });
    expect([status, body['hash'], body['coin_balance']]).toEqual([200, NOBODY, null]);
  });
});

describe('5 authentication', () => {
  test('the multichain form takes the key as a bearer token or as a parameter', async () => {
    expect((await running.get('blocks', { form: 'multichain' })).status).toBe(200);
    expect((await running.get('/31337/api/v2/blocks?apikey=sandbox')).status).toBe(200);
  });

  test.each([
    ['no key', '/31337/api/v2/blocks', {}, 402, { error: 'Proceed with API key or make a payment to continue' }],
    ['a bad bearer', '/31337/api/v2/blocks', { authorization: 'Bearer x' }, 401, { error: 'Unauthorized' }],
    ['a bad parameter', '/31337/api/v2/blocks?apikey=x', {}, 401, { error: 'Unauthorized' }],
    ['another chain', '/1/api/v2/blocks?apikey=sandbox', {}, 404, { message: 'Not found' }],
  ])('%s is refused', async (_case, path, headers, status, body) => {
    const got = await running.get(path, { headers: headers });
    expect([got.status, got.body]).toEqual([status, body]);
  });

  test('one of the two schemes is enough: a good key makes up for a bad one in the other place', async () => {
    const bad = { authorization: 'Bearer x' };
    expect((await running.get('/31337/api/v2/blocks?apikey=sandbox', { headers: bad })).status).toBe(200);
    expect((await running.get('blocks?apikey=x', { form: 'multichain' })).status).toBe(200);
  });

  test('the per-instance form wants none', async () => {
    expect((await running.get('blocks')).status).toBe(200);
  });

  test('no key is echoed in a cursor', async () => {
    expect((await running.get('/31337/api/v2/blocks?apikey=sandbox')).text).not.toContain('apikey');
  });
});

describe('6 events', () => {
  test('are not offered', async () => {
    expect((await running.get('webhooks')).status).toBe(404);
  });
});

describe.each(FORMS)('7 errors (%s)', (form) => {
  test.each([
    ['an undeclared parameter', 'blocks?page=2', '/page', 'Unexpected field: page'],
    ['a parameter of another operation', 'blocks?filter=to', '/filter', 'Unexpected field: filter'],
    ['a value that is not legal', 'transactions?filter=to%20%7C%20from', '/filter', 'Invalid value for enum'],
    ['an unknown token type', `addresses/${NOBODY}/tokens?type=ERC-9`, '/type', 'Invalid value for enum'],
    ['a filter without a value', `addresses/${NOBODY}/tokens?type=`, '/type', 'Invalid value: an empty list'],
    ['a number that is none', 'blocks?block_number=x', '/block_number', 'Invalid integer. Got: string'],
    ['a page size', 'blocks?items_count=51', '/items_count', 'Value must be between 1 and 50'],
    ['a malformed address', 'tokens/0x123', '/address_hash', 'Invalid format. Expected ~r/^0x([A-Fa-f0-9]{40})$/'],
    [
      'hex in an encoded address',
      'addresses/%30x12/tokens',
      '/address_hash',
      'Invalid format. Expected ~r/^0x([A-Fa-f0-9]{40})$/',
    ],
  ])('422 for %s, with title, source and detail', async (_case, path, pointer, detail) => {
    const { status, body } = await running.get(path, { form });
    expect(status).toBe(422);
    expect(body).toEqual({ errors: [{ title: 'Invalid value', source: { pointer }, detail }] });
  });

  test('every problem is named at once', async () => {
    const { body } = await running.get('transactions?a=1&filter=b', { form });
    expect(body['errors']).toHaveLength(2);
  });
});

describe('7 errors, of paths', () => {
  test('a path that no operation has', async () => {
    for (const form of FORMS) {
      const { status, body } = await running.get('nothing', { form });
      expect([status, body]).toEqual([404, { message: 'Not found' }]);
    }
    expect((await running.get('/elsewhere')).body).toEqual({ message: 'Not found' });
  });
});

describe('8 limits', () => {
  const limits = { requestsPerSecond: 3, credits: 100 };

  test('every multichain answer says what is left; internal transactions cost double', async () => {
    await using other = await runSandbox({ limits, clock: createFakeClock(1_795_000_000_400) });
    const first = await other.get('blocks', { form: 'multichain' });
    expect(Object.fromEntries(first.headers)).toMatchObject({
      'x-ratelimit-limit': '3',
      'x-ratelimit-remaining': '2',
      'x-ratelimit-reset': '600',
      'x-credits-remaining': '80',
    });
    const second = await other.get(`addresses/${vault}/internal-transactions`, { form: 'multichain' });
    expect(second.headers.get('x-credits-remaining')).toBe('40');
  });

  test('429 beyond the requests of a second, and again in the next one', async () => {
    await using other = await runSandbox({ limits });
    for (let request = 0; request < 3; request++) await other.get('blocks', { form: 'multichain' });
    const refused = await other.get('blocks', { form: 'multichain' });
    expect([refused.status, refused.headers.get('x-ratelimit-remaining')]).toEqual([429, '0']);
    expect(refused.headers.get('x-credits-remaining')).toBe('40');
    await other.clock.advance(1000);
    expect((await other.get('blocks', { form: 'multichain' })).status).toBe(200);
  });

  test('402 out of credits until midnight UTC; the per-instance form counts none', async () => {
    await using other = await runSandbox({ limits: { requestsPerSecond: 100, credits: 30 } });
    expect((await other.get('blocks', { form: 'multichain' })).status).toBe(200);
    const refused = await other.get('blocks', { form: 'multichain' });
    expect([refused.status, refused.body]).toEqual([402, { error: 'Out of credits' }]);
    expect(refused.headers.get('x-credits-remaining')).toBe('10');
    const instance = await other.get('blocks');
    expect(instance.status).toBe(200);
    expect([...instance.headers.keys()].filter((name) => name.startsWith('x-'))).toEqual([]);
    await other.clock.advance(86_400_000);
    expect((await other.get('blocks', { form: 'multichain' })).status).toBe(200);
  });

  test('pages hold fifty rows', async () => {
    expect(await running.items('blocks')).toHaveLength(50);
  });
});

describe('9 versioning', () => {
  test.each(['/api/v1/blocks', '/31337/api/v1/blocks', '/api/v2'])('only api/v2 is served: not %s', async (path) => {
    expect((await running.get(path)).status).toBe(404);
  });
});

describe('scam tokens', () => {
  test('are hidden from lists unless the header or the cookie asks for them; details always show', async () => {
    const path = `addresses/${treasury}/tokens`;
    const shown = await running.get(path, { headers: SHOW_SCAM });
    const byCookie = await running.get(path, { headers: { cookie: 'a=b; show_scam_tokens=true' } });
    const hidden = await running.get(path);
    expect(byCookie.text).toBe(shown.text);
    expect(shown.text).toContain('"reputation":"scam"');
    expect(hidden.text).not.toContain('"reputation":"scam"');
    const scam = (shown.body['items'] as { token: Json }[]).find(({ token }) => token['reputation'] === 'scam')?.token;
    expect((await running.get(`tokens/${String(scam?.['address_hash'])}`)).body).toEqual(scam);
  });
});
