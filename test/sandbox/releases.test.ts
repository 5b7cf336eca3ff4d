// The sandbox as releases that are found in practice: what they call things, leave out, refuse and report.
import { describe, expect, test } from '@jest/globals';
import { ADDRESSES, CONTRACTS, TOKENS } from '../../src/sandbox/names.ts';
import { RELEASES, type Release } from '../../src/sandbox/releases/release.ts';
import { cursorOf, FORMS, join, runSandbox, SHOW_SCAM, type Json, type Running } from './support.ts';

const { vault, treasury, collector } = ADDRESSES;

/** Every ninety-seventh block names an uncle. */
const WITH_UNCLE = 97 * 100_000;

/** The first row of a list, or the one object. */
async function rowOf({ get }: Running, path: string): Promise<Json> {
  const { body } = await get(path, { headers: SHOW_SCAM });
  return (body['items'] as Json[] | undefined)?.[0] ?? body;
}

const RECORDS = {
  token: `tokens/${TOKENS.USDC}`,
  holding: `addresses/${treasury}/tokens`,
  call: `addresses/${vault}/internal-transactions`,
  transfer: `addresses/${treasury}/token-transfers`,
  transaction: 'transactions',
  block: 'blocks',
  address: `addresses/${CONTRACTS.router}`,
} as const;

/** What a field is called, first to last; the releases that know a name. */
const NAMES: readonly [keyof typeof RECORDS, Readonly<Record<string, readonly Release[]>>][] = [
  ['token', { address: ['6', '8'], address_hash: ['8', '9', '11', '12'] }],
  ['token', { holders: ['6', '8'], holders_count: ['8', '9', '11', '12'] }],
  ['token', { volume_24h: RELEASES, circulating_supply: ['11', '12'], reputation: ['11', '12'] }],
  ['holding', { reputation: ['11', '12'] }],
  ['call', { block: ['6'], block_number: ['8', '9', '11', '12'] }],
  ['call', { transaction_index: ['8', '9', '11', '12'], block_index: ['6', '8', '9'] }],
  ['transfer', { tx_hash: ['6'], transaction_hash: ['8', '9', '11', '12'] }],
  ['transfer', { block_number: ['8', '9', '11', '12'], token_type: ['11', '12'] }],
  ['transaction', { block: ['6'], block_number: ['8', '9', '11', '12'] }],
  ['transaction', { tx_types: ['6'], transaction_types: ['8', '9', '11', '12'] }],
  ['transaction', { tx_tag: ['6'], transaction_tag: ['8', '9', '11', '12'] }],
  ['transaction', { tx_burnt_fee: ['6'], transaction_burnt_fee: ['8', '9', '11', '12'] }],
  ['transaction', { has_error_in_internal_txs: ['6'], has_error_in_internal_transactions: ['8', '9', '11', '12'] }],
  ['transaction', { authorization_list: ['8', '9', '11', '12'], historic_exchange_rate: ['8', '9', '11', '12'] }],
  ['transaction', { is_pending_update: ['11', '12'], fhe_operations_count: ['11', '12'], actions: ['6', '8', '9'] }],
  ['block', { tx_count: ['6'], transaction_count: ['8'], transactions_count: ['8', '9', '11', '12'] }],
  ['block', { tx_fees: ['6'], transaction_fees: ['8', '9', '11', '12'] }],
  ['block', { internal_transactions_count: ['9', '11', '12'], is_pending_update: ['11', '12'] }],
  ['block', { extra_data: [], state_root: [] }],
  [
    'address',
    { implementation_name: ['6'], implementations: ['8', '9', '11', '12'], proxy_type: ['8', '9', '11', '12'] },
  ],
  ['address', { is_scam: ['8', '9'], reputation: ['11', '12'] }],
  ['address', { creation_tx_hash: ['6'], creation_transaction_hash: ['8', '9', '11', '12'] }],
];

describe.each(RELEASES)('release %s', (as) => {
  test('calls its fields by their names of the time', async () => {
    await using running = await runSandbox({ as });
    for (const [record, releasesByName] of NAMES) {
      const row = await rowOf(running, RECORDS[record]);
      for (const [name, releases] of Object.entries(releasesByName))
        expect([record, name, Object.hasOwn(row, name)]).toEqual([record, name, releases.includes(as)]);
    }
  });

  test('shapes values as real servers do, not as the specification has them', async () => {
    await using running = await runSandbox({ as });
    const [block] = await running.items(`blocks?block_number=${WITH_UNCLE + 1}`);
    expect(block?.['uncles_hashes']).toEqual([{ hash: expect.stringMatching(/^0x[0-9a-f]{64}$/) }]);
    expect(block?.['rewards']).toContainEqual({ reward: '62500000000000000', type: 'uncle' });
    const transactions = (await running.pages('transactions', 4)).flat();
    for (const row of transactions) {
      expect(row['gas_limit']).toMatch(/^\d+$/);
      expect([row['token_transfers'], row['token_transfers_overflow']]).toEqual([null, null]);
    }
    const reasons = transactions.map((row) => row['revert_reason']).filter((reason) => reason !== null);
    expect(reasons[0]).toMatchObject({ method_call: 'Error(string reason)' });
    const [waiting] = await running.items('transactions?filter=pending');
    expect(waiting?.['confirmation_duration']).toEqual([]);
    const { metadata } = await rowOf(running, `addresses/${treasury}`);
    expect(metadata).toEqual({ tags: [expect.objectContaining({ slug: 'acme' })] });
  });

  test('is the same chain as by the specification', async () => {
    await using running = await runSandbox({ as });
    await using specified = await runSandbox();
    const hashes = async (one: Running, path: string): Promise<unknown[]> =>
      (await one.pages(path, 3)).flat().map((row) => row['hash'] ?? row['transaction_hash']);
    // A reader that lets the last of two keys win goes round in circles behind the first page of the others.
    const lists = as === '9' ? ['transactions'] : ['transactions', 'blocks', RECORDS.call];
    for (const path of [...lists, `addresses/${vault}/transactions`])
      expect(await hashes(running, path)).toEqual(await hashes(specified, path));
    const held = async (one: Running): Promise<unknown[]> =>
      (await one.pages(`addresses/${collector}/tokens`)).flat().map((row) => row['token_id']);
    // Newest releases show no amount of confidential tokens; nobody is left out.
    expect(await held(running)).toEqual(await held(specified));
  });

  test('tells a wrong chain, a wrong path and an unknown token apart', async () => {
    await using running = await runSandbox({ as });
    const chain = await running.get('/1/api/v2/blocks?apikey=sandbox');
    expect([chain.status, chain.body]).toEqual([404, { error: 'Network not supported', source: 'internal' }]);
    expect((await running.get('nothing')).body).toEqual({ message: 'Unknown API v2 action' });
    expect((await running.get('nothing', { form: 'multichain' })).body).toEqual({
      error: 'Not found',
      source: 'internal',
    });
    expect((await running.get(`tokens/0x${'0'.repeat(40)}`)).body).toEqual({ message: 'Not found' });
  });

  test('shows credits as a decimal', async () => {
    await using running = await runSandbox({ as, limits: { requestsPerSecond: 9, credits: 100 } });
    const { headers } = await running.get('blocks', { form: 'multichain' });
    expect(headers.get('x-credits-remaining')).toBe('80.0');
  });
});

describe('parameters that an operation did not declare', () => {
  const STATUS_BY_RELEASE: Readonly<Record<Release, Readonly<Record<string, number>>>> = {
    6: { [RECORDS.holding]: 200, blocks: 200, transactions: 200 },
    8: { [RECORDS.holding]: 200, blocks: 200, transactions: 200 },
    9: { [RECORDS.holding]: 422, blocks: 200, transactions: 200 },
    11: { [RECORDS.holding]: 422, blocks: 422, transactions: 422 },
    12: { [RECORDS.holding]: 422, blocks: 422, transactions: 422 },
  };

  test.each(RELEASES)('release %s refuses them where it validates, and ignores them elsewhere', async (as) => {
    await using running = await runSandbox({ as });
    for (const [path, status] of Object.entries(STATUS_BY_RELEASE[as])) {
      expect((await running.get(join(path, 'page=2'))).status).toBe(status);
      expect((await running.get(join(path, 'items_count=0'))).status).toBe(status);
    }
  });

  test.each(['6', '8'] as const)(
    'release %s drops types that it does not know, and with the last one the filter',
    async (as) => {
      await using running = await runSandbox({ as });
      const count = async (type: string): Promise<number> =>
        (await running.items(`addresses/${treasury}/tokens?type=${type}`)).length;
      expect(await count('ERC-9')).toBe(await count('ERC-20,ERC-721'));
      expect(await count('ERC-9,ERC-721')).toBe(1);
    },
  );

  test('a malformed address is a sentence where nothing is validated, and a list of errors where it is', async () => {
    await using old = await runSandbox({ as: '8' });
    expect((await old.get('addresses/0x12/tokens')).body).toEqual({ message: 'Invalid parameter(s)' });
    await using strict = await runSandbox({ as: '9' });
    expect((await strict.get('addresses/0x12/tokens')).body).toHaveProperty('errors');
    expect((await strict.get('tokens/0x12')).body).toEqual({ message: 'Invalid parameter(s)' });
  });

  test.each(['11', '12'] as const)('release %s filters transactions by blobs alone', async (as) => {
    await using running = await runSandbox({ as });
    expect((await running.get('transactions?type=blob_transaction')).status).toBe(200);
    for (const query of ['type=contract_call', 'method=approve'])
      expect((await running.get(`transactions?${query}`)).status).toBe(422);
  });

  test.each(['6', '8', '9'] as const)('release %s filters them by kind and method', async (as) => {
    await using running = await runSandbox({ as });
    const rows = await running.items('transactions?method=approve');
    expect(new Set(rows.map((row) => row['method']))).toEqual(new Set(['approve']));
  });
});

describe('cursors', () => {
  async function cursors(as: Release, path: string, query = ''): Promise<Json[]> {
    await using running = await runSandbox({ as });
    const first = await running.get(join(path, query));
    const second = await running.get(join(path, cursorOf(first) ?? ''));
    return [first, second].map(({ body }) => body['next_page_params'] as Json);
  }

  test.each([
    ['6', [50, 100]],
    ['8', [50, 100]],
    ['9', [50, 50]],
    ['11', [50, 50]],
    ['12', [undefined, undefined]],
  ] as const)('release %s counts %j in items_count', async (as, counts) => {
    for (const path of ['transactions', `addresses/${collector}/tokens`])
      expect((await cursors(as, path)).map((cursor) => cursor['items_count'])).toEqual(counts);
  });

  test.each(RELEASES)('release %s goes on by place: worth of tokens, time of what waits', async (as) => {
    const [tokens] = await cursors(as, `addresses/${collector}/tokens`);
    expect(Object.keys(tokens ?? {})).toEqual(expect.arrayContaining(['fiat_value', 'value', 'id']));
    await using running = await runSandbox({ as, blockTimeMs: 'manual' });
    for (let count = 0; count < 60; count++)
      running.sandbox.addTransaction({ to: 'vault', status: 'pending', minedAfter: null });
    const { body } = await running.get('transactions?filter=pending');
    expect(Object.keys(body['next_page_params'] as Json)).toEqual(expect.arrayContaining(['inserted_at', 'hash']));
    const hashes = (await running.pages('transactions?filter=pending')).flat().map((row) => row['hash']);
    expect(new Set(hashes).size).toBe(hashes.length);
    expect(hashes.length).toBeGreaterThanOrEqual(60);
  });

  test.each([
    ['6', ['apikey', 'filter', 'key', 'locale']],
    ['8', ['apikey', 'filter', 'key', 'locale']],
    ['9', ['apikey', 'filter', 'key']],
    ['11', ['key']],
    ['12', []],
  ] as const)('release %s gives %j back in them, secrets or not', async (as, names) => {
    const query = `filter=validated&apikey=secret&key=secret${as === '6' || as === '8' ? '&locale=en' : ''}`;
    const [cursor] = await cursors(as, 'transactions', query);
    const echoed = ['apikey', 'filter', 'key', 'locale'].filter((name) => Object.hasOwn(cursor ?? {}, name));
    expect(echoed).toEqual(names);
  });

  test('release 9 writes every key twice, the value that was sent last', async () => {
    await using running = await runSandbox({ as: '9', blockTimeMs: 'manual' });
    const query = cursorOf(await running.get('blocks')) ?? '';
    const { text } = await running.get(join('blocks', query));
    expect(text).toContain(
      '"next_page_params":{"block_number":1,"items_count":50,"block_number":"51","items_count":"50"}',
    );
    expect((await running.get('transactions')).text.match(/"items_count"/g)).toHaveLength(1);
  });

  test('release 12 takes the size of a page, clamps it, and refuses none', async () => {
    await using running = await runSandbox({ as: '12' });
    for (const [asked, rows] of [
      ['7', 7],
      ['80', 80],
      ['5000', 100],
    ] as const)
      expect(await running.items(`blocks?items_count=${asked}`)).toHaveLength(rows);
    expect((await running.get('blocks?items_count=0')).status).toBe(422);
  });
});

describe('limits of the per-instance form', () => {
  const limits = { requestsPerSecond: 1 };

  test.each(['6', '8'] as const)('release %s reports none', async (as) => {
    await using running = await runSandbox({ as, limits });
    const { headers } = await running.get('blocks');
    expect(headers.get('x-ratelimit-limit')).toBeNull();
    const refused = await running.get('blocks');
    expect([refused.status, refused.body]).toEqual([429, { message: '429 Too Many Requests' }]);
  });

  test.each(['9', '11', '12'] as const)('release %s reports them', async (as) => {
    await using running = await runSandbox({ as, limits });
    const { headers } = await running.get('blocks');
    expect([headers.get('x-ratelimit-limit'), headers.get('x-ratelimit-remaining')]).toEqual(['1', '0']);
    expect(headers.get('bypass-429-option')).toBe('no_bypass');
    expect((await running.get('blocks')).body['message']).toMatch(/^Too many requests\. Increase limits/);
  });
});

describe('release 12', () => {
  const list = `addresses/${vault}/internal-transactions`;
  const metaOf = async ({ get }: Running): Promise<unknown> => (await get(list)).body['meta'];

  test('says whether a page may still change: between its rows, and not above them', async () => {
    await using running = await runSandbox({ as: '12', blockTimeMs: 'manual', quiet: true });
    for (let block = 0; block < 3; block++) {
      running.sandbox.mine();
      running.sandbox.failCall({ to: 'vault' });
    }
    expect(await metaOf(running)).toEqual({ status: 1, message: null });
    running.sandbox.hideTraces({ block: 102 });
    expect(await metaOf(running)).toMatchObject({ status: 2 });
    running.sandbox.hideTraces({ block: 102, hidden: false });
    running.sandbox.hideTraces({ block: 103 });
    expect(await metaOf(running)).toMatchObject({ status: 1 });
  });

  test('leaves out calls without value on demand', async () => {
    await using running = await runSandbox({ as: '12' });
    const rows = await running.items(`${list}?include_zero_value=false`);
    expect(rows.map((row) => row['value'])).not.toContain('0');
    expect((await running.get(`${list}?include_zero_value=maybe`)).status).toBe(422);
  });
});

test.each(FORMS)('a release answers alike in both forms (%s)', async (form) => {
  await using running = await runSandbox({ as: '11' });
  expect((await running.get('blocks', { form })).text).toBe((await running.get('blocks')).text);
});
