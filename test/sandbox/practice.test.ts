// What real explorers do and the specification does not say: always, or now and then as the seed draws it.
import { describe, expect, test } from '@jest/globals';
import { ADDRESSES } from '../../src/sandbox/names.ts';
import { askDirectly, cursorOf, join, runSandbox, type Json, type Running } from './support.ts';

const { vault, collector, treasury } = ADDRESSES;
const BLOCK_MS = 2000;
const CALLS = `addresses/${vault}/internal-transactions`;

const itemsOf = (running: Running, path: string): Json[] => askDirectly(running, path)['items'] as Json[];
const newestOf = (running: Running, path: string): number => Number(itemsOf(running, path)[0]?.['block_number']);

describe('always', () => {
  interface Transfer {
    readonly token: Json;
    readonly total: Json;
  }
  const transfersOf = (row: Json): Transfer[] => row['token_transfers'] as Transfer[];

  test('a transaction shows ten of its transfers, and says that there are more', async () => {
    await using running = await runSandbox();
    const rows = (await running.pages(`addresses/${collector}/transactions?filter=from`, 2)).flat();
    const sizes = new Map(rows.map((row) => [row['token_transfers_overflow'], transfersOf(row).length]));
    expect(sizes).toEqual(
      new Map([
        [true, 10],
        [false, 1],
      ]),
    );
  });

  test('pieces have no decimals, tokens have', async () => {
    await using running = await runSandbox();
    const rows = (await running.pages('transactions?type=token_transfer', 4)).flat();
    const transfers = rows.flatMap(transfersOf);
    const types = new Set(transfers.map(({ token }) => token['type']));
    expect(types).toEqual(new Set(['ERC-20', 'ERC-721', 'ERC-1155']));
    for (const { token, total } of transfers) {
      expect(total['decimals']).toBe(token['decimals']);
      expect(total['decimals'] === null).toBe(token['type'] !== 'ERC-20');
    }
  });

  test('an empty block has no part of its fees that is burnt', async () => {
    await using running = await runSandbox({ quiet: true });
    expect((await running.items('blocks'))[0]?.['burnt_fees_percentage']).toBeNull();
  });

  test('some blocks name an uncle, which is listed apart from them', async () => {
    await using running = await runSandbox();
    const uncles = (await running.pages('blocks?type=uncle', 8)).flat();
    expect(uncles.length).toBeGreaterThan(50);
    for (const uncle of uncles.slice(0, 5)) {
      const height = Number(uncle['height']);
      const [nephew, sibling] = await running.items(`blocks?block_number=${height + 2}`);
      expect(nephew?.['uncles_hashes']).toEqual([uncle['hash']]);
      expect([uncle['type'], uncle['transactions_count']]).toEqual(['uncle', 0]);
      expect(uncle['parent_hash']).toBe(sibling?.['parent_hash']);
      expect(uncle['hash']).not.toBe(sibling?.['hash']);
    }
  });

  test('internal transactions come one to three blocks late, some of them below newer ones', async () => {
    await using running = await runSandbox();
    const late = new Set<number>();
    let seen = new Set(itemsOf(running, CALLS).map((row) => row['transaction_hash']));
    let below = 0;
    for (let block = 0; block < 40; block++) {
      await running.clock.advance(BLOCK_MS);
      const rows = itemsOf(running, CALLS);
      const fresh = rows.filter((row) => !seen.has(row['transaction_hash']));
      for (const row of fresh) late.add(running.sandbox.head() - Number(row['block_number']));
      const newestKnown = rows.findIndex((row) => seen.has(row['transaction_hash']));
      below += fresh.filter((row) => rows.indexOf(row) > newestKnown).length;
      seen = seen.union(new Set(rows.map((row) => row['transaction_hash'])));
    }
    expect(late).toEqual(new Set([1, 2, 3]));
    expect(below).toBeGreaterThan(0);
  });

  test('until then nobody knows whether a call inside failed', async () => {
    await using running = await runSandbox();
    const rows = itemsOf(running, 'transactions');
    const known = (row: Json): boolean => row['has_error_in_internal_transactions'] !== null;
    expect(rows.some(known)).toBe(true);
    expect(rows.filter((row) => row['block_number'] === running.sandbox.head()).some(known)).toBe(false);
    const failed = rows.find((row) => row['status'] === 'error' && !known(row));
    if (failed !== undefined) expect(failed['result']).toBe('awaiting_internal_transactions');
  });
});

describe('faults drawn by the seed', () => {
  const PATHS = ['blocks', 'blocks?type=reorg', 'transactions', CALLS, `addresses/${treasury}/tokens`];

  async function hourOf(seed: number): Promise<string[]> {
    await using running = await runSandbox({ seed, faults: true });
    const texts: string[] = [];
    for (let step = 0; step < 12; step++) {
      for (const path of PATHS) texts.push((await running.get(path)).text);
      await running.clock.advance(7 * BLOCK_MS);
    }
    return texts;
  }

  test('are the same in another process with the same seed, and others with another seed', async () => {
    const [one, other, third] = [await hourOf(7), await hourOf(7), await hourOf(8)];
    expect(one).toEqual(other);
    expect(third).not.toEqual(one);
  });

  /** Height -> hash, for the newest blocks. */
  function hashesOf(running: Running): Map<number, unknown> {
    return new Map(itemsOf(running, 'blocks').map((row) => [Number(row['height']), row['hash']]));
  }

  test('replace blocks, one to three at a time; the lost ones are listed, and parents always fit', async () => {
    await using running = await runSandbox({ faults: true });
    const lost: unknown[] = [];
    const depths = new Set<number>();
    for (let block = 0; block < 300; block++) {
      const before = hashesOf(running);
      await running.clock.advance(BLOCK_MS);
      const after = hashesOf(running);
      const replaced = [...before].filter(([height, hash]) => after.has(height) && after.get(height) !== hash);
      if (replaced.length > 0) depths.add(replaced.length);
      lost.push(...replaced.map(([, hash]) => hash));
      const rows = itemsOf(running, 'blocks');
      for (const [place, row] of rows.slice(0, 5).entries()) expect(row['parent_hash']).toBe(rows[place + 1]?.['hash']);
    }
    expect(depths).toEqual(new Set([1, 2, 3]));
    const listed = (await running.pages('blocks?type=reorg', 6)).flat();
    expect(listed.map((row) => row['hash'])).toEqual(expect.arrayContaining(lost));
    expect(listed[0]).toMatchObject({ type: 'reorg', transactions_count: 0 });
  });

  test('let lists stay up to three blocks behind the newest one, and never go back', async () => {
    await using running = await runSandbox({ faults: true });
    const lags = new Set<number>();
    let shown = 0;
    for (let block = 0; block < 300; block++) {
      await running.clock.advance(BLOCK_MS);
      const [newest] = itemsOf(running, 'transactions?type=contract_call');
      const transactions = Number(newest?.['confirmations']) + Number(newest?.['block_number']) - 1;
      lags.add(running.sandbox.head() - transactions);
      expect(transactions).toBeGreaterThanOrEqual(shown);
      expect(Number(itemsOf(running, 'blocks')[0]?.['height'])).toBe(running.sandbox.head());
      shown = transactions;
    }
    expect(lags).toEqual(new Set([0, 1, 2, 3]));
  });

  test('deliver rows twice, or out of order, and none too few', async () => {
    await using running = await runSandbox({ faults: true });
    const seen = { twice: 0, unordered: 0 };
    for (let block = 0; block < 120; block++) {
      await running.clock.advance(BLOCK_MS);
      const heights = (await running.items('blocks')).map((row) => Number(row['height']));
      const right = itemsOf(running, 'blocks').map((row) => Number(row['height']));
      expect(new Set(heights)).toEqual(new Set(right));
      if (heights.length > right.length) seen.twice++;
      else if (heights.join() !== right.join()) seen.unordered++;
    }
    expect(seen.twice).toBeGreaterThan(0);
    expect(seen.unordered).toBeGreaterThan(0);
  });

  test('are not drawn unless they are asked for', async () => {
    await using running = await runSandbox();
    for (let block = 0; block < 100; block++) {
      await running.clock.advance(BLOCK_MS);
      expect(newestOf(running, 'transactions')).toBeGreaterThan(running.sandbox.head() - 3);
    }
    expect(itemsOf(running, 'blocks?type=reorg')).toEqual([]);
  });
});

describe('on demand', () => {
  test('one list stays behind the others, until it catches up', async () => {
    await using running = await runSandbox({ blockTimeMs: 'manual', quiet: true });
    running.sandbox.lag({ operation: 'transactions', blocks: 2 });
    running.sandbox.mine();
    const { hash } = running.sandbox.addTransaction({ to: 'vault' });
    const hashes = async (path: string): Promise<unknown[]> => (await running.items(path)).map((row) => row['hash']);
    expect(await hashes(`addresses/${vault}/transactions`)).toContain(hash);
    for (const isShown of [false, false, true]) {
      expect((await hashes('transactions')).includes(hash)).toBe(isShown);
      running.sandbox.mine();
    }
    running.sandbox.lag({ operation: 'transactions', blocks: 0 });
    const next = running.sandbox.addTransaction({ to: 'vault' });
    expect((await hashes('transactions'))[0]).toBe(next.hash);
  });

  test('a late list has its own idea of confirmations, and its pages go on from there', async () => {
    await using running = await runSandbox({ blockTimeMs: 'manual', startBlock: 400 });
    running.sandbox.lag({ operation: 'blocks', blocks: 5 });
    const first = await running.get('blocks');
    expect((first.body['items'] as Json[])[0]?.['height']).toBe(395);
    const [next] = await running.items(join('blocks', cursorOf(first) ?? ''));
    expect(next?.['height']).toBe(345);
  });
});
