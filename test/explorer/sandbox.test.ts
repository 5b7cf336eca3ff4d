import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import {
  addressDetails,
  addressInternalTransactions,
  addressTokens,
  addressTransactions,
  blocks,
  tokenDetails,
  transactions,
} from '../../src/explorer/operations.ts';
import type { Auth } from '../../src/explorer/http/http-transport.ts';
import { readAll } from '../../src/explorer/reading/paging.ts';
import type { FaultName } from '../../src/sandbox/faults/fault.ts';
import { createSandbox, type Sandbox } from '../../src/sandbox/sandbox.ts';
import { serveSandbox, type SandboxServer } from '../../src/sandbox/server.ts';
import { createFakeClock } from '../support/fake-clock.ts';
import { addressOf, impatient, missOf, openExplorer } from './support/open.ts';

const clock = createFakeClock();
let sandbox: Sandbox;
let served: SandboxServer;

beforeEach(async () => {
  sandbox = createSandbox({ seed: 7, blockTimeMs: 'manual', clock, limits: { requestsPerSecond: 1000 } });
  served = await serveSandbox(sandbox);
});

afterEach(() => served.close());

const key = (): string => 'sandbox';
const FORMS: [string, string, Auth, boolean][] = [
  ['multichain with a bearer token', '/31337', { type: 'bearer', key }, true],
  ['multichain with the key in the query', '/31337', { type: 'query', key }, true],
  ['per instance', '', { type: 'none' }, false],
];

describe.each(FORMS)('the sandbox explorer, %s', (_name, path, auth, countsCredits) => {
  test('answers every question', async () => {
    await using opened = openExplorer(served.url + path, { auth, clock });
    const read = opened.explorer.tickReader();
    const [vault, collector] = [addressOf(sandbox.addresses.vault), addressOf(sandbox.addresses.collector)];
    const [token, account, internals, own, all, chain] = await Promise.all([
      read.one(tokenDetails('sandbox', addressOf(sandbox.tokens.USDC))),
      read.one(addressDetails('sandbox', addressOf(sandbox.addresses.treasury))),
      read.page(addressInternalTransactions('sandbox', vault, 'to'), null),
      read.page(addressTransactions('sandbox', vault), null),
      read.page(transactions('sandbox'), null),
      read.page(blocks('sandbox'), null),
    ]);
    expect(token.decimals).toBe(6n);
    expect(account.raw).toBeGreaterThan(0n);
    for (const { rows } of [internals, own, all, chain]) expect(rows.length).toBeGreaterThan(0);
    expect(chain.rows[0]?.height).toBe(BigInt(sandbox.head()));
    expect(opened.explorer.head()).toMatchObject({ height: BigInt(sandbox.head()) });
    expect(new Set(opened.outcomes())).toEqual(new Set(['ok']));
    expect(opened.unknown.filter(({ record }) => record === 'Token')).toEqual([]);
    expect(opened.headers.every(({ credits }) => (credits !== null) === countsCredits)).toBe(true);

    const holdings = await readAll(read, addressTokens('sandbox', collector), {
      identityOf: (row) => `${row.token?.address_hash?.key} ${JSON.stringify(row.token_id)}`,
      maxPages: 20,
    });
    expect(holdings).toMatchObject({ reachedEnd: true, partial: null });
    expect(holdings.pages).toBeGreaterThan(1);
    expect(holdings.rows.length).toBeGreaterThan(100);
  });

  test('does not know every token', async () => {
    await using opened = openExplorer(served.url + path, { auth, clock });
    const nobody = addressOf('0x00000000000000000000000000000000000000ff');
    const missed = await missOf(opened.explorer.tickReader().one(tokenDetails('sandbox', nobody)));
    expect(missed.reason).toBe('not-found');
  });
});

test('a wrong key is refused once, then not sent again for half a minute', async () => {
  await using opened = openExplorer(`${served.url}/31337`, { auth: { type: 'bearer', key: () => 'wrong' }, clock });
  for (let i = 0; i < 3; i++)
    expect((await missOf(opened.explorer.tickReader().page(blocks('sandbox'), null))).reason).toBe('unauthorized');
  expect(opened.outcomes()).toEqual(['unauthorized']);
});

const FAULTS: [FaultName, string][] = [
  ['rate-limited', 'rate-limited'],
  ['server-error', 'server-error'],
  ['bad-gateway', 'server-error'],
  ['unavailable', 'server-error'],
  ['unauthorized', 'unauthorized'],
  ['blocked', 'blocked'],
  ['out-of-credits', 'out-of-credits'],
  ['not-found', 'not-found'],
  ['unprocessable', 'unprocessable'],
  ['html', 'not-json'],
  ['redirect', 'redirect'],
  ['truncated', 'truncated'],
  ['cut', 'network'],
  ['oversized', 'too-large'],
  ['gzip-bomb', 'too-large'],
  ['array', 'shape'],
  ['null', 'shape'],
  ['no-items', 'shape'],
];

test.each(FAULTS)('the fault %s is seen as %s, and is over when it is over', async (fault, reason) => {
  const impatience = impatient();
  await using opened = openExplorer(`${served.url}/31337`, { auth: { type: 'bearer', key }, clock: impatience });
  sandbox.fail({ fault, times: 3, resetMs: 60_000 });
  expect((await missOf(opened.explorer.tickReader().page(blocks('sandbox'), null))).reason).toBe(reason);
  sandbox.clearFaults();
  await impatience.sleep(600_060);
  expect((await opened.explorer.tickReader().page(blocks('sandbox'), null)).rows.length).toBeGreaterThan(0);
});

test.each<[FaultName, object]>([
  ['slow-headers', { headersMs: 50 }],
  ['slow-body', { totalMs: 100 }],
])('the fault %s is given up in time', async (fault, limits) => {
  await using opened = openExplorer(`${served.url}/31337`, { auth: { type: 'bearer', key }, clock, limits });
  sandbox.fail({ fault });
  expect((await missOf(opened.explorer.tickReader().page(blocks('sandbox'), null))).reason).toBe('timeout');
});
