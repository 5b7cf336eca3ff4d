// The client against explorers of every release that is found in practice: it reads the same from all of them.
import { beforeAll, describe, expect, test } from '@jest/globals';
import type { AnyView } from '../../src/core/values/fields.ts';
import type { ListQuestion } from '../../src/core/model/watch/question.ts';
import { encodedAt } from '../../src/core/values/encoded.ts';
import {
  addressDetails,
  addressInternalTransactions,
  addressTokens,
  addressTokenTransfers,
  addressTransactions,
  blocks,
  tokenDetails,
  transactions,
} from '../../src/explorer/operations.ts';
import { ADDRESSES, TOKENS } from '../../src/sandbox/names.ts';
import { RELEASES, type Release } from '../../src/sandbox/releases/release.ts';
import { createSandbox } from '../../src/sandbox/sandbox.ts';
import { serveSandbox, type SandboxServer } from '../../src/sandbox/server.ts';
import { createFakeClock } from '../support/fake-clock.ts';
import { addressOf, missOf, openExplorer, type Opened } from './support/open.ts';

const clock = createFakeClock();
const { vault, treasury, collector } = ADDRESSES;

/** Started with the same seed and at the same time, so that all of them show the same chain. */
function serve(as: Release | null): Promise<SandboxServer> {
  return serveSandbox(createSandbox({ seed: 7, blockTimeMs: 'manual', startBlock: 5000, clock, as }));
}

type Reading = Readonly<Record<string, readonly unknown[]>>;

/** What rules read, of the first pages. Fields that some release does not send are left to the tests of the sandbox. */
const FIELDS: Readonly<Record<string, readonly string[]>> = {
  token: ['address_hash', 'symbol', 'decimals', 'holders_count', 'total_supply', 'exchange_rate'],
  address: ['hash', 'coin_balance', 'is_contract', 'exchange_rate', 'block_number_balance_updated_at'],
  holdings: ['token_id', 'token.address_hash', 'token.holders_count'],
  calls: ['block_number', 'transaction_hash', 'index', 'success', 'error', 'value', 'type', 'from.hash', 'to.hash'],
  transfers: ['transaction_hash', 'log_index', 'type', 'raw', 'amount', 'token.address_hash', 'from.hash', 'to.hash'],
  transactions: [
    'hash',
    'block_number',
    'timestamp',
    'status',
    'method',
    'fee.value',
    'fee.type',
    'gas_limit',
    'value',
    'transaction_burnt_fee',
    'has_error_in_internal_transactions',
    'transaction_tag',
    'from.hash',
  ],
  blocks: ['height', 'hash', 'transactions_count', 'transaction_fees', 'uncles_hashes', 'gas_used', 'miner.hash'],
};

async function readEverything({ explorer }: Opened): Promise<Reading> {
  const read = explorer.tickReader();
  const page = async (question: ListQuestion): Promise<readonly AnyView[]> => (await read.page(question, null)).rows;
  const rows = {
    token: [await read.one(tokenDetails('sandbox', addressOf(TOKENS.USDC)))],
    address: [await read.one(addressDetails('sandbox', addressOf(treasury)))],
    holdings: await page(addressTokens('sandbox', addressOf(collector))),
    calls: await page(addressInternalTransactions('sandbox', addressOf(vault), 'to')),
    transfers: [
      ...(await page(addressTokenTransfers('sandbox', addressOf(treasury), 'to'))),
      ...(await page(addressTokenTransfers('sandbox', addressOf(collector), undefined))),
    ],
    transactions: [
      ...(await page(transactions('sandbox'))),
      ...(await page(addressTransactions('sandbox', addressOf(vault)))),
    ],
    blocks: await page(blocks('sandbox')),
  };
  return Object.fromEntries(
    Object.entries(rows).map(([name, views]) => [name, views.map((view) => picked(view, FIELDS[name] ?? []))]),
  );
}

function picked(view: AnyView, paths: readonly string[]): unknown {
  return Object.fromEntries(paths.map((path) => [path, encodedAt(view, path)]));
}

let specified: Reading;

beforeAll(async () => {
  await using served = await serve(null);
  await using opened = openExplorer(served.url, { clock });
  specified = await readEverything(opened);
});

describe.each(RELEASES)('release %s', (as) => {
  test.each([
    ['per instance', '', { type: 'none' }],
    ['per instance, with a key', '', { type: 'query', key: () => 'sandbox' }],
    ['multichain', '/31337', { type: 'bearer', key: () => 'sandbox' }],
  ] as const)('reads as the specification does, without an unknown field (%s)', async (_form, path, auth) => {
    await using served = await serve(as);
    await using opened = openExplorer(served.url + path, { auth, clock });
    expect(await readEverything(opened)).toEqual(specified);
    expect(opened.unknown).toEqual([]);
    expect(new Set(opened.outcomes())).toEqual(new Set(['ok']));
  });

  test('gives no cursor that holds the key', async () => {
    await using served = await serve(as);
    await using opened = openExplorer(served.url, { auth: { type: 'query', key: () => 'a-secret' }, clock });
    const { next } = await opened.explorer.tickReader().page(transactions('sandbox'), null);
    expect(next).not.toBeNull();
    expect(JSON.stringify(next)).not.toContain('a-secret');
  });

  test('tells a chain that is not served from an unknown token', async () => {
    await using served = await serve(as);
    const auth = { type: 'bearer', key: () => 'sandbox' } as const;
    const question = tokenDetails('sandbox', addressOf('0x00000000000000000000000000000000000000ff'));
    await using right = openExplorer(`${served.url}/31337`, { auth, clock });
    expect((await missOf(right.explorer.tickReader().one(question))).reason).toBe('not-found');
    await using wrong = openExplorer(`${served.url}/1`, { auth, clock });
    expect((await missOf(wrong.explorer.tickReader().one(question))).reason).toBe('wrong-path');
  });
});
