import { describe, expect, test } from '@jest/globals';
import { GENESIS } from '../../src/sandbox/chain/calendar.ts';
import { createFakeClock } from '../support/fake-clock.ts';
import { askDirectly, LATE, runSandbox, type Json, type Running } from './support.ts';

const PATHS = [
  'blocks',
  'transactions',
  'transactions?filter=pending',
  'transactions?block_number=4000000&index=0',
  'addresses/treasury/tokens',
  'addresses/collector/tokens',
  'addresses/vault/internal-transactions',
  'addresses/vault/transactions',
  'addresses/treasury',
  'tokens/SPAM',
];

function named({ sandbox }: Running, path: string): string {
  const names = new Map<string, string>([...Object.entries(sandbox.addresses), ...Object.entries(sandbox.tokens)]);
  return path
    .split('/')
    .map((part) => names.get(part) ?? part)
    .join('/');
}

async function bytesOf(seed: number): Promise<string[]> {
  await using running = await runSandbox({ seed });
  const answers = await Promise.all(PATHS.map((path) => running.get(named(running, path))));
  return answers.map(({ text }) => text);
}

describe('the chain follows from the seed', () => {
  test('the same seed gives the same bytes in another instance, and after a restart', async () => {
    expect(await bytesOf(7)).toEqual(await bytesOf(7));
  });

  test('another seed gives another chain with the same well-known names', async () => {
    const [seven, eight] = [await bytesOf(7), await bytesOf(8)];
    for (const [place, text] of seven.entries()) expect(eight[place]).not.toBe(text);
    await using running = await runSandbox({ seed: 8 });
    expect((await running.get(named(running, 'tokens/USDC'))).body['symbol']).toBe('USDC');
  });

  test('what was answered for an old block stays true when the chain has grown', async () => {
    await using running = await runSandbox();
    const { clock, get } = running;
    const path = 'blocks?block_number=9000000';
    const before = (await get(path)).text;
    await clock.advance(3_600_000);
    expect((await get(path)).text).toBe(before);
  });

  test('block n is made n block times after genesis', async () => {
    await using running = await runSandbox();
    const [head] = await running.items('blocks');
    expect(head?.['height']).toBe(10_000_007);
    expect(Date.parse(String(head?.['timestamp']))).toBe(GENESIS + 10_000_007 * 2000);
  });

  test('before genesis there is block 0 only', async () => {
    await using running = await runSandbox({ clock: createFakeClock(0) });
    expect((await running.items('blocks')).map((row) => row['height'])).toEqual([0]);
  });
});

describe('paging', () => {
  const identityOf: Record<string, (row: Json) => string> = {
    blocks: (row) => String(row['height']),
    transactions: (row) => String(row['hash']),
    'addresses/vault/internal-transactions': (row) => `${String(row['transaction_hash'])}/${String(row['index'])}`,
    'addresses/vault/internal-transactions?filter=to': (row) =>
      `${String(row['transaction_hash'])}/${String(row['index'])}`,
    'addresses/treasury/transactions': (row) => String(row['hash']),
    'addresses/collector/tokens': (row) =>
      `${String((row['token'] as Json)['address_hash'])}/${String(row['token_id'])}`,
  };

  test.each(Object.entries(identityOf))('%s: no row twice over five pages', async (path, identity) => {
    await using running = await runSandbox();
    const ids = (await running.pages(named(running, path), 5)).flat().map(identity);
    expect(new Set(ids).size).toBe(ids.length);
    expect(ids.length).toBeGreaterThan(100);
  });

  test('no gap: on a young chain the pages hold every block and transaction, and all of an address', async () => {
    await using running = await runSandbox({ blockTimeMs: 'manual', startBlock: 400 });
    const blocks = (await running.pages('blocks')).flat();
    expect(blocks.map((row) => row['height'])).toEqual(Array.from({ length: 401 }, (_, place) => 400 - place));
    const transactions = (await running.pages('transactions')).flat();
    const counted = blocks.reduce((sum, row) => sum + Number(row['transactions_count']), 0);
    expect(transactions).toHaveLength(counted);
    const { vault } = running.sandbox.addresses;
    const all = (await running.pages(`addresses/${vault}/transactions`))
      .flat()
      .filter((row) => row['block_number'] !== null);
    const expected = transactions.filter((row) =>
      [row['from'], row['to']].some((ref) => (ref as Json | null)?.['hash'] === vault),
    );
    const hashes = new Set(all.map((row) => row['hash']));
    for (const row of expected) expect(hashes).toContain(row['hash']);
  });

  test('the transactions of one of the crowd are all found', async () => {
    await using running = await runSandbox({ blockTimeMs: 'manual', startBlock: 600 });
    const { pages } = running;
    const transactions = (await pages('transactions')).flat();
    const someone = (transactions.at(-1)?.['from'] as Json)['hash'] as string;
    const isParty = (row: Json): boolean =>
      [row['from'], row['to']].some((ref) => (ref as Json | null)?.['hash'] === someone);
    const own = (await pages(`addresses/${someone}/transactions`)).flat();
    for (const row of transactions.filter(isParty)) expect(own.map((each) => each['hash'])).toContain(row['hash']);
  });

  test('a page from the depth of the chain begins below the place that was asked for', async () => {
    await using running = await runSandbox();
    const { items } = running;
    const [deep] = await items('blocks?block_number=17');
    expect(deep?.['height']).toBe(16);
    const rows = await items('transactions?block_number=5000000&index=0');
    expect(rows[0]?.['block_number']).toBeLessThan(5_000_000);
  });

  test('a filter that finds little pauses: a short page still says where to go on', async () => {
    await using running = await runSandbox();
    const { get } = running;
    const { body } = await get('transactions?method=approve&type=token_creation');
    expect(body['items']).toEqual([]);
    expect(body['next_page_params']).toMatchObject({ index: 0, items_count: 50 });
  });

  test('the calls of an address that never calls are an empty list, with an end', async () => {
    await using running = await runSandbox();
    const { get, sandbox } = running;
    const { body } = await get(`addresses/${sandbox.addresses.hot_wallet}/internal-transactions?filter=from`);
    expect(body).toEqual({ items: [], next_page_params: null });
  });
});

describe('the chain hangs together', () => {
  test('every block names the one before as its parent', async () => {
    await using running = await runSandbox();
    const blocks = (await running.pages('blocks', 4)).flat();
    for (const [place, block] of blocks.slice(0, -1).entries())
      expect(block['parent_hash']).toBe(blocks[place + 1]?.['hash']);
  });

  test('what waits is mined with the same hash a few blocks later', async () => {
    await using running = await runSandbox();
    const { clock, items } = running;
    const waiting = (await items('transactions?filter=pending')).map((row) => row['hash']);
    expect(waiting.length).toBeGreaterThan(0);
    await clock.advance(8000);
    const mined = (await items('transactions')).map((row) => row['hash']);
    for (const hash of waiting) expect(mined).toContain(hash);
  });

  test('a USDC transfer moves as much as the balance of the treasury changed', async () => {
    await using running = await runSandbox();
    for (let block = 0; block < 6; block++) {
      const before = usdcOf(running);
      await running.clock.advance(2000);
      const change = usdcOf(running) - before;
      expect(await usdcMoved(running)).toBe(change);
    }
  });

  test('a contract and a token that were created on the way can be asked for', async () => {
    await using running = await runSandbox();
    const { get, items } = running;
    const [creation] = await items('transactions?type=token_creation');
    const made = String((creation?.['created_contract'] as Json)['hash']);
    expect((await get(`tokens/${made}`)).status).toBe(200);
    expect((await get(`addresses/${made}`)).body).toMatchObject({ is_contract: true, coin_balance: '0' });
    const own = await items(`addresses/${made}/transactions`);
    expect(own.map((row) => row['hash'])).toEqual([creation?.['hash']]);
  });

  test('addresses are compared without case', async () => {
    await using running = await runSandbox();
    const { get, sandbox } = running;
    const { vault } = sandbox.addresses;
    const path = (address: string): string => `addresses/${address}/internal-transactions`;
    expect((await get(path(vault.toLowerCase()))).text).toBe((await get(path(vault))).text);
  });
});

interface Holding {
  readonly token: Json;
  readonly value: string;
}

function usdcOf(running: Running): bigint {
  const { addresses, tokens } = running.sandbox;
  const held = askDirectly(running, `addresses/${addresses.treasury}/tokens?type=ERC-20`)['items'] as Holding[];
  return BigInt(held.find(({ token }) => token['address_hash'] === tokens.USDC)?.value ?? 0);
}

/** Into the treasury by the head block, less what left it. */
async function usdcMoved({ items, sandbox }: Running): Promise<bigint> {
  const inHead = (await items('transactions?type=token_transfer')).filter(
    (row) => row['block_number'] === sandbox.head(),
  );
  const transfers = inHead.flatMap((row) => row['token_transfers'] as Record<string, Json>[]);
  const usdc = transfers.filter(({ token }) => token?.['address_hash'] === sandbox.tokens.USDC);
  return usdc.reduce((sum, { from, to, total }) => {
    const value = BigInt(String(total?.['value']));
    if (to?.['hash'] === sandbox.addresses.treasury) return sum + value;
    return from?.['hash'] === sandbox.addresses.treasury ? sum - value : sum;
  }, 0n);
}

describe('with the defaults there is something to see', () => {
  const EVERYTHING = { scam: true, failed: true, blocks: true, usdc: true, coin: true };

  test.each([7, 8])('in every half minute of polling (seed %d)', async (seed) => {
    const clock = createFakeClock(LATE + 1234);
    await using running = await runSandbox({ seed, clock });
    for (let window = 0; window < 10; window++) expect(await watchHalfMinute(running)).toEqual(EVERYTHING);
  });

  test('the treasury falls below a million once in 138 blocks, for fifteen of them', async () => {
    await using running = await runSandbox();
    const isLow: boolean[] = [];
    for (let block = 0; block < 2 * 138; block++) {
      isLow.push(usdcOf(running) < 1_000_000_000_000n);
      await running.clock.advance(2000);
    }
    expect(isLow.filter(Boolean)).toHaveLength(2 * 15);
    expect(isLow.filter((low, place) => low && isLow[place - 1] === false)).toHaveLength(2);
    expect(isLow.slice(0, 138)).toEqual(isLow.slice(138));
  });

  interface Seen {
    readonly scam: Set<string>;
    readonly failed: Set<string>;
    readonly head: number;
    readonly usdc: bigint;
    readonly coin: string;
  }

  /** Polls every five seconds, as the example rules do at the slowest. */
  async function watchHalfMinute(running: Running): Promise<typeof EVERYTHING> {
    const seen: Seen[] = [look(running)];
    for (let poll = 0; poll < 6; poll++) {
      await running.clock.advance(5000);
      seen.push(look(running));
    }
    const steps = seen.slice(1).map((now, place) => [seen[place] ?? now, now] as const);
    return {
      scam: steps.some(([before, now]) => now.scam.difference(before.scam).size > 0),
      failed: steps.some(([before, now]) => now.failed.difference(before.failed).size > 0),
      blocks: steps.every(([before, now]) => now.head > before.head),
      usdc: steps.some(([before, now]) => now.usdc !== before.usdc),
      coin: steps.some(([before, now]) => now.coin !== before.coin),
    };
  }

  function look(running: Running): Seen {
    const { treasury, vault } = running.sandbox.addresses;
    const held = askDirectly(running, `addresses/${treasury}/tokens`)['items'] as Holding[];
    const calls = askDirectly(running, `addresses/${vault}/internal-transactions?filter=to`)['items'] as Json[];
    const scam = held.filter(({ token }) => token['reputation'] === 'scam');
    const failed = calls.filter((row) => row['success'] === false);
    return {
      scam: new Set(scam.map(({ token }) => String(token['address_hash']))),
      failed: new Set(failed.map((row) => String(row['transaction_hash']))),
      head: running.sandbox.head(),
      usdc: usdcOf(running),
      coin: String(askDirectly(running, `addresses/${treasury}`)['coin_balance']),
    };
  }
});

describe('a quiet chain', () => {
  test('does nothing by itself', async () => {
    await using running = await runSandbox({ blockTimeMs: 'manual', quiet: true });
    const { items, get, sandbox } = running;
    const { treasury, vault } = sandbox.addresses;
    const look = async (): Promise<string[]> => [
      (await get(`addresses/${treasury}/tokens`)).text,
      String((await get(`addresses/${treasury}`)).body['coin_balance']),
      (await get(`addresses/${vault}/internal-transactions`)).text,
      (await get('transactions')).text,
    ];
    const before = await look();
    sandbox.mine({ blocks: 500 });
    expect(await look()).toEqual(before);
    expect((await items('blocks'))[0]?.['height']).toBe(600);
  });
});
