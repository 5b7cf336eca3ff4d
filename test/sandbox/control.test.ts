import { request } from 'node:http';
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { ControlProblem } from '../../src/sandbox/problem.ts';
import { runSandbox, SHOW_SCAM, type Got, type Json, type Running } from './support.ts';

let running: Running;
let treasury: string;
let vault: string;

beforeEach(async () => {
  running = await runSandbox({ blockTimeMs: 'manual', control: true });
  ({ treasury, vault } = running.sandbox.addresses);
});
afterEach(() => running.close());

const hashes = (rows: Json[]): unknown[] => rows.map((row) => row['hash']);

async function post(
  verb: string,
  body: unknown,
  { to = running, headers = {} }: { to?: Running; headers?: Record<string, string> } = {},
): Promise<{ status: number; body: Json }> {
  const response = await fetch(`${to.url}/control/${verb}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body: typeof body === 'string' ? body : JSON.stringify(body),
  });
  return { status: response.status, body: (await response.json()) as Json };
}

async function valueOf(address: string, token: string): Promise<unknown> {
  const rows = (await running.pages(`addresses/${address}/tokens`)).flat();
  return rows.find((row) => (row['token'] as Json)['address_hash'] === token)?.['value'];
}

async function coinOf(address: string): Promise<unknown> {
  return (await running.get(`addresses/${address}`)).body['coin_balance'];
}

describe('mine', () => {
  test('moves a manual head, and gives the new blocks the present time', async () => {
    await running.clock.advance(60_000);
    expect(running.sandbox.mine({ blocks: 3 })).toEqual({ head: 103 });
    const [head, ...older] = await running.items('blocks');
    expect([head?.['height'], older[3]?.['height']]).toEqual([103, 99]);
    expect(Date.parse(String(head?.['timestamp']))).toBe(running.clock.now());
    expect(Date.parse(String(older[2]?.['timestamp']))).toBe(running.clock.now() - 60_000);
  });

  test('is refused where the clock mines', async () => {
    await using other = await runSandbox();
    expect(() => other.sandbox.mine()).toThrow(ControlProblem);
  });
});

describe('balances', () => {
  test('of a token and of the coin are what was said, from now on', async () => {
    running.sandbox.setBalance({ address: 'treasury', token: 'USDC', value: '5' });
    running.sandbox.setBalance({ address: 'treasury', value: 7n });
    running.sandbox.mine({ blocks: 30 });
    expect([await valueOf(treasury, running.sandbox.tokens.USDC), await coinOf(treasury)]).toEqual(['5', '7']);
  });

  test('a token set to zero vanishes from the list; the coin is 0', async () => {
    running.sandbox.setBalance({ address: 'treasury', token: 'USDC', value: 0 });
    running.sandbox.setBalance({ address: 'treasury', value: 0 });
    expect([await valueOf(treasury, running.sandbox.tokens.USDC), await coinOf(treasury)]).toEqual([undefined, '0']);
  });

  test('move from one to the other, never below zero', async () => {
    const before = BigInt(String(await coinOf(vault)));
    running.sandbox.setBalance({ address: 'treasury', value: 10 });
    running.sandbox.moveBalance({ from: 'treasury', to: 'vault', value: 4 });
    expect([await coinOf(treasury), await coinOf(vault)]).toEqual(['6', String(before + 4n)]);
    expect(() => running.sandbox.moveBalance({ from: 'treasury', to: 'vault', value: 7 })).toThrow('holds less than 7');
  });

  test('a new token is held, and can be asked for', async () => {
    const { token } = running.sandbox.giveToken({ address: 'treasury', name: 'Free', reputation: 'scam', value: 3 });
    expect(await valueOf(treasury, token)).toBe('3');
    expect((await running.get(`tokens/${token}`)).body).toMatchObject({ name: 'Free', reputation: 'scam' });
  });

  test('a piece of a collection is held as a piece', async () => {
    running.sandbox.giveToken({ address: 'treasury', token: 'BADGE', tokenId: '900', value: 1 });
    const rows = await running.items(`addresses/${treasury}/tokens?type=ERC-721`);
    const piece = rows.find((row) => row['token_id'] === '900');
    expect(piece?.['token_instance']).toMatchObject({ id: '900', is_unique: true });
  });

  test('a token turns scam when it is flagged, and back', async () => {
    const path = `addresses/${treasury}/tokens`;
    const reputation = async (): Promise<unknown> =>
      (await running.get(`tokens/${running.sandbox.tokens.ACME}`)).body['reputation'];
    running.sandbox.flagToken({ token: 'ACME' });
    expect(await reputation()).toBe('scam');
    expect((await running.get(path)).text).not.toContain(running.sandbox.tokens.ACME);
    running.sandbox.flagToken({ token: 'ACME', reputation: 'ok' });
    expect(await reputation()).toBe('ok');
  });
});

describe('a transfer of tokens', () => {
  const PAYEE = '0x00000000000000000000000000000000000000aa';

  test('stands in the lists of both ends and of the token, and moves the balances', async () => {
    running.sandbox.setBalance({ address: 'treasury', token: 'USDC', value: 9 });
    const { hash } = running.sandbox.transferToken({ token: 'USDC', from: 'treasury', to: PAYEE, value: 4, times: 2 });
    const { treasury } = running.sandbox.addresses;
    const { USDC } = running.sandbox.tokens;
    for (const list of [`addresses/${treasury}/token-transfers?filter=from`, `tokens/${USDC}/transfers`]) {
      const rows = (await running.items(list)).filter((row) => row['transaction_hash'] === hash);
      expect(rows.map((row) => [row['type'], row['total']])).toEqual(
        Array(2).fill(['token_transfer', { decimals: '6', value: '4' }]),
      );
    }
    expect(await running.items(`addresses/${PAYEE}/token-transfers`)).toHaveLength(2);
    expect(await running.items(`addresses/${PAYEE}/token-transfers?filter=from`)).toEqual([]);
    const [held] = await running.items(`addresses/${PAYEE}/tokens`);
    expect(held?.['value']).toBe('8');
    expect(() => running.sandbox.transferToken({ token: 'USDC', from: 'treasury', to: PAYEE, value: 2 })).toThrow(
      'holds less than 2',
    );
  });

  test('that the contract only claims moves nothing; from nobody it is a mint, to nobody a burn', async () => {
    const of = async () => (await running.items(`tokens/${running.sandbox.tokens.ITEMS}/transfers`))[0];
    running.sandbox.transferToken({ token: 'ITEMS', from: PAYEE, to: 'vault', value: 7, tokenId: '5', moves: false });
    expect(await of()).toMatchObject({ type: 'token_transfer', total: { token_id: '5', value: '7' } });
    running.sandbox.transferToken({ token: 'ITEMS', to: PAYEE, value: 7, tokenId: '5' });
    expect(await of()).toMatchObject({ type: 'token_minting' });
    running.sandbox.transferToken({ token: 'ITEMS', from: PAYEE, value: 7, tokenId: '5' });
    expect(await of()).toMatchObject({ type: 'token_burning' });
    expect(await running.items(`addresses/${PAYEE}/tokens`)).toEqual([]);
  });
});

test('a coin and a token get another price, or none', async () => {
  const prices = async (): Promise<unknown[]> => {
    const of = ['treasury', 'ACME'] as const;
    const paths = [`addresses/${running.sandbox.addresses[of[0]]}`, `tokens/${running.sandbox.tokens[of[1]]}`];
    return Promise.all(paths.map(async (path) => (await running.get(path)).body['exchange_rate']));
  };
  expect(await prices()).toEqual(['2345.67', expect.stringMatching(/^\d/)]);
  running.sandbox.setPrice({ price: '2000.5' });
  running.sandbox.setPrice({ token: 'ACME', price: null });
  expect(await prices()).toEqual(['2000.5', null]);
});

describe('transactions', () => {
  test('a failed call stands in the head block, newest of all, with its reason', async () => {
    const { hash, index, block } = running.sandbox.failCall({ to: 'vault', reason: 'no more' });
    const [newest] = await running.items(`addresses/${vault}/internal-transactions?filter=to`);
    expect(newest).toMatchObject({
      transaction_hash: hash,
      index,
      block_number: block,
      success: false,
      error: 'no more',
    });
    const [transaction] = await running.items('transactions');
    expect(transaction).toMatchObject({ hash, status: 'ok', has_error_in_internal_transactions: true });
  });

  test('an added one is shown to its chain and to its parties', async () => {
    const { hash } = running.sandbox.addTransaction({
      to: 'vault',
      value: '5',
      method: 'withdraw',
      status: 'error',
      reason: 'paused',
    });
    const [newest] = await running.items('transactions');
    expect(newest).toMatchObject({ hash, value: '5', method: 'withdraw', status: 'error', revert_reason: 'paused' });
    expect(hashes(await running.items(`addresses/${vault}/transactions`))).toContain(hash);
  });

  test('an added one has the data of a call, whose bytes may be another call', async () => {
    const text = 'execute(address target, uint256 value, bytes data)';
    const args = ['vault', 0, { function: 'pause()' }];
    const { hash } = running.sandbox.addTransaction({ to: 'treasury', function: text, args });
    const [newest] = await running.items('transactions');
    const word = (digits: string): string => digits.padStart(64, '0');
    const target = word(vault.slice(2).toLowerCase());
    const data = `${word('0')}${word('60')}${word('4')}${'8456cb59'.padEnd(64, '0')}`;
    expect(newest).toMatchObject({ hash, raw_input: `0xb61d27f6${target}${data}` });
    expect(() =>
      running.sandbox.addTransaction({ function: text, args: ['vault', 0, { function: 'pause(' }] }),
    ).toThrow('function: ');
  });

  test('a pending one waits first, and is mined with the same hash', async () => {
    const { hash } = running.sandbox.addTransaction({ to: 'vault', status: 'pending', minedAfter: 2 });
    const find = async (): Promise<Json | undefined> =>
      (await running.items(`addresses/${vault}/transactions`)).find((row) => row['hash'] === hash);
    expect(await find()).toMatchObject({ status: null, block_number: null });
    running.sandbox.mine();
    expect(await find()).toMatchObject({ status: null });
    running.sandbox.mine();
    expect(await find()).toMatchObject({ status: 'ok', block_number: 102 });
  });

  test('one may wait for ever', async () => {
    const { hash, block } = running.sandbox.addTransaction({ status: 'pending', minedAfter: null });
    running.sandbox.mine({ blocks: 100 });
    expect(block).toBeNull();
    expect(hashes(await running.items('transactions?filter=pending'))).toContain(hash);
  });

  test('one that waits is dropped, and the next one still has a hash of its own', async () => {
    const { hash, block } = running.sandbox.addTransaction({ status: 'pending', minedAfter: 2, nonce: 5 });
    running.sandbox.dropTransaction({ hash });
    const next = running.sandbox.addTransaction({ status: 'pending', minedAfter: 2, nonce: 5 });
    const waiting = await running.items('transactions?filter=pending');
    expect(hashes(waiting)).not.toContain(hash);
    expect(waiting.find((row) => row['hash'] === next.hash)).toMatchObject({ nonce: 5 });
    running.sandbox.mine({ blocks: 2 });
    const mined = await running.items('transactions');
    expect(mined[0]).toMatchObject({ hash: next.hash, block_number: block, nonce: 5 });
    expect(hashes(mined)).not.toContain(hash);
    expect(() => running.sandbox.dropTransaction({ hash: next.hash })).toThrow('only a pending transaction');
  });

  test('one ends otherwise, itself or the calls inside it', async () => {
    const added = running.sandbox.addTransaction({ to: 'vault', status: 'error', reason: 'paused' });
    const call = running.sandbox.failCall({ to: 'vault', reason: 'no more' });
    running.sandbox.changeTransaction({ hash: added.hash, reason: null });
    running.sandbox.changeTransaction({ hash: call.hash, reason: null });
    const rows = await running.items('transactions');
    const find = (hash: string): Json | undefined => rows.find((row) => row['hash'] === hash);
    expect(find(added.hash)).toMatchObject({ status: 'ok', result: 'success', revert_reason: null });
    expect(find(call.hash)).toMatchObject({ status: 'ok', has_error_in_internal_transactions: false });
    const calls = `addresses/${vault}/internal-transactions`;
    expect((await running.items(calls))[0]).toMatchObject({ success: true, error: null });
    running.sandbox.changeTransaction({ hash: call.hash, reason: 'out of gas' });
    expect((await running.items(calls))[0]).toMatchObject({ success: false, error: 'out of gas' });
    const nobody = `0x${'0'.repeat(64)}`;
    expect(() => running.sandbox.changeTransaction({ hash: nobody, reason: null })).toThrow('was not added');
  });

  test('many waiting ones come in pages', async () => {
    for (let count = 0; count < 120; count++)
      running.sandbox.addTransaction({ to: 'vault', status: 'pending', minedAfter: null });
    for (const path of ['transactions?filter=pending', `addresses/${vault}/transactions`]) {
      const rows = (await running.pages(path, 4)).flat();
      const waiting = rows.filter((row) => row['status'] === null);
      expect(new Set(hashes(waiting)).size).toBe(waiting.length);
      expect(waiting.length).toBeGreaterThanOrEqual(120);
    }
  });
});

describe('reorganise', () => {
  test('replaces the last blocks: new hashes, parents that fit, older blocks as they were', async () => {
    const before = await running.items('blocks');
    expect(running.sandbox.reorganise({ blocks: 3 })).toEqual({ from: 98, to: 100 });
    running.sandbox.mine();
    const after = (await running.items('blocks')).slice(1);
    for (const place of [0, 1, 2]) expect(after[place]?.['hash']).not.toBe(before[place]?.['hash']);
    expect(after[3]).toEqual(before[3]);
    const all = await running.items('blocks');
    for (const [place, block] of all.slice(0, -1).entries())
      expect(block['parent_hash']).toBe(all[place + 1]?.['hash']);
    const lost = await running.items('blocks?type=reorg');
    expect(hashes(lost)).toEqual(hashes(before.slice(0, 3)));
  });

  test('its transactions are mined again, elsewhere', async () => {
    const { hash } = running.sandbox.addTransaction({ to: 'vault' });
    const before = await running.items('transactions');
    running.sandbox.reorganise({ blocks: 5 });
    const after = await running.items('transactions');
    expect(new Set(hashes(after))).toEqual(new Set(hashes(before)));
    expect(after.find((row) => row['hash'] === hash)?.['block_number']).toBe(96);
    expect(hashes(await running.items(`addresses/${vault}/transactions`))).toContain(hash);
  });

  test('or dropped', async () => {
    const { hash } = running.sandbox.addTransaction({ to: 'vault' });
    running.sandbox.reorganise({ blocks: 2, transactions: 'dropped' });
    expect(hashes(await running.items('transactions'))).not.toContain(hash);
    expect((await running.items('blocks'))[0]?.['transactions_count']).toBe(0);
    running.sandbox.mine();
    expect(running.sandbox.addTransaction({ to: 'vault' }).block).toBe(101);
  });

  test('twice in a row is a third hash', async () => {
    const seen = new Set<unknown>();
    for (let time = 0; time < 3; time++) {
      seen.add((await running.items('blocks'))[0]?.['hash']);
      running.sandbox.reorganise();
    }
    expect(seen.size).toBe(3);
    expect(await running.items('blocks?type=reorg')).toHaveLength(3);
  });

  test('never reaches genesis', () => {
    expect(() => running.sandbox.reorganise({ blocks: 101 })).toThrow('only 100 blocks can be replaced');
  });
});

describe('the head', () => {
  test('stands still while it is frozen, and catches up', async () => {
    await using other = await runSandbox();
    const { head } = other.sandbox.freeze();
    await other.clock.advance(10_000);
    expect((await other.items('blocks'))[0]?.['height']).toBe(head);
    expect(other.sandbox.unfreeze()).toEqual({ head: head + 5 });
    expect((await other.items('blocks'))[0]?.['height']).toBe(head + 5);
  });
});

describe('internal transactions', () => {
  const list = (): Promise<Json[]> => running.items(`addresses/${vault}/internal-transactions`);

  test('come late by so many blocks, and then stand below newer ones', async () => {
    running.sandbox.delayInternals({ blocks: 4 });
    running.sandbox.mine();
    const { hash } = running.sandbox.failCall({ to: 'vault' });
    running.sandbox.mine({ blocks: 3 });
    expect((await list()).every((row) => Number(row['block_number']) <= 100)).toBe(true);
    running.sandbox.releaseInternals();
    running.sandbox.mine({ blocks: 2 });
    const rows = await list();
    expect(rows.findIndex((row) => row['transaction_hash'] === hash)).toBeGreaterThan(0);
  });

  test('or when they are released; until then the transaction does not know either', async () => {
    running.sandbox.delayInternals();
    running.sandbox.mine();
    const { hash } = running.sandbox.failCall({ to: 'vault' });
    const find = async (): Promise<Json | undefined> =>
      (await running.items('transactions')).find((row) => row['hash'] === hash);
    running.sandbox.mine({ blocks: 8 });
    expect(await find()).toMatchObject({ has_error_in_internal_transactions: null });
    expect((await list()).map((row) => row['transaction_hash'])).not.toContain(hash);
    running.sandbox.releaseInternals();
    expect(await find()).toMatchObject({ has_error_in_internal_transactions: true });
  });

  test('of one block are hidden, and shown again', async () => {
    const { hash, block } = running.sandbox.failCall({ to: 'vault' });
    const shown = async (): Promise<boolean> => (await list()).some((row) => row['transaction_hash'] === hash);
    running.sandbox.hideTraces({ block: block ?? 0 });
    expect(await shown()).toBe(false);
    running.sandbox.hideTraces({ block: block ?? 0, hidden: false });
    expect(await shown()).toBe(true);
  });
});

describe('pages', () => {
  test('are as small as was asked for, and lead through the whole list', async () => {
    await using small = await runSandbox({ blockTimeMs: 'manual', quiet: true, startBlock: 20, pageSize: 8 });
    const pages = await small.pages('blocks');
    expect(pages.map((page) => page.length)).toEqual([8, 8, 5]);
    expect(new Set(hashes(pages.flat())).size).toBe(21);
  });

  test('of no rows, or of more than an explorer gives, are refused', async () => {
    await expect(runSandbox({ pageSize: 0 })).rejects.toThrow('pageSize must be a whole number from 1 to 50');
    await expect(runSandbox({ pageSize: 51 })).rejects.toThrow(RangeError);
  });
});

describe('over HTTP', () => {
  test.each([
    ['mine', { blocks: 2 }, { head: 102 }],
    ['set-balance', { address: 'treasury', value: '12' }, { value: '12' }],
    ['move-balance', { from: 'vault', to: 'treasury', value: '1' }, {}],
    ['fail-call', { to: 'vault' }, { block: 100 }],
    ['add-transaction', { method: 'withdraw' }, { block: 100 }],
    ['flag-token', { token: 'ACME' }, { reputation: 'scam' }],
    ['set-price', { token: 'ACME', price: null }, { price: null }],
    ['give-token', { address: 'vault' }, {}],
    ['upgrade', { implementation: 'router' }, { implementation: '0x3c54fbFfcC0dCB1dAA210F8c51Bb20751258b3AB' }],
    ['reorganise', { blocks: 2 }, { from: 99, to: 100 }],
    ['delay-internals', {}, { after: 100 }],
    ['release-internals', '', { released: 0 }],
    ['hide-traces', { block: 9 }, { block: 9 }],
    ['lag', { operation: 'transactions', blocks: 3 }, { behind: 3 }],
    ['fail', { fault: 'cut', times: 3 }, { pending: 3 }],
    ['clear-faults', {}, { pending: 0 }],
  ])('%s', async (verb, body, answer) => {
    const got = await post(verb, body);
    expect(got.status).toBe(200);
    expect(got.body).toMatchObject(answer);
  });

  test('freeze and unfreeze', async () => {
    await using other = await runSandbox({ control: true });
    for (const verb of ['freeze', 'unfreeze'])
      expect((await post(verb, {}, { to: other })).body).toEqual({ head: other.sandbox.head() });
  });

  test.each([
    ['an unknown verb', 'explode', {}, 404, /no control verb "explode": there are mine, /],
    ['a word that is no option', 'mine', { block: 2 }, 422, /Unrecognized key/],
    ['a bad address', 'fail-call', { to: '0x12' }, 422, /to: expected 0x and 40 digits, or treasury/],
    ['no proxy', 'upgrade', { address: 'hot_wallet', implementation: 'router' }, 422, /0x458A\w+ is no proxy/],
    ['a bad token', 'flag-token', { token: `0x${'9'.repeat(40)}` }, 422, /there is no token 0x9/],
    ['no JSON', 'mine', '{', 422, /the body is no JSON/],
    ['too much', 'mine', ' '.repeat(70_000), 422, /the body is over 65536 bytes/],
    ['an unknown fault', 'fail', { fault: 'fire' }, 422, /fault/],
  ])('%s is refused', async (_case, verb, body, status, message) => {
    const got = await post(verb, body);
    expect(got.status).toBe(status);
    expect(got.body['message']).toMatch(message);
  });

  test('what a page in a browser can send is refused', async () => {
    expect((await post('mine', {}, { headers: { 'content-type': 'text/plain' } })).status).toBe(415);
    expect((await running.get('/control/mine')).status).toBe(405);
    expect(running.sandbox.head()).toBe(100);
  });

  test('a page that reaches us under a host name of its own moves nothing', async () => {
    const statusFor = (host: string): Promise<number | undefined> =>
      new Promise((resolve, reject) => {
        const headers = { host, 'content-type': 'application/json' };
        request(`${running.url}/control/mine`, { method: 'POST', headers }, (response) => {
          response.resume();
          resolve(response.statusCode);
        })
          .on('error', reject)
          .end('{}');
      });
    expect(await statusFor('rebound.example.com')).toBe(421);
    expect(await statusFor('127.0.0.1.example.com:80')).toBe(421);
    expect(running.sandbox.head()).toBe(100);
    expect(await statusFor('localhost:1234')).toBe(200);
    expect(running.sandbox.head()).toBe(101);
  });

  test('is not there unless it was asked for', async () => {
    await using other = await runSandbox({ blockTimeMs: 'manual' });
    const got: Got = await other.get('/control/mine', { headers: SHOW_SCAM });
    expect([got.status, other.sandbox.head()]).toEqual([404, 100]);
  });
});
