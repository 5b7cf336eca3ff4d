// The page of one address, of a daemon that watches a contract of the sandbox.
import { expect, test } from '@jest/globals';
import { aBrowsedDaemon, type BrowsedDaemon } from '../support/browser/browsed-daemon.ts';
import { readApi } from '../support/web/api-calls.ts';
import { openStore } from '../../src/store/open.ts';
import type { Store } from '../../src/store/contract/store.ts';
import type { WatchedAddress } from '../../src/query/shapes/account.ts';

const CODE = `
  - id: vault-code
    kind: contract
    of: vault
    every: 10s
    alerts: [{ id: upgraded, on: changed, if: implementations != before.implementations, severity: critical }]
`;
const ADMIN = `
  - id: vault-admin
    kind: logs
    of: vault
    every: 10s
    events: [Paused, OwnershipTransferred, RoleGranted]
    alerts: [{ id: control, on: new, severity: critical }]
`;
const COINS = `
  - { id: coins, kind: balance, of: treasury, every: 10s, alerts: [{ id: low, while: balance < 1 }] }
`;
const OWNER = 'OwnershipTransferred(address indexed previousOwner, address indexed newOwner)';
const STRANGER = `0x${'3c'.repeat(20)}`;
const NEW_CODE = `0x${'2'.repeat(40)}`;

function watching(...rules: readonly string[]): string {
  return `watches:${rules.join('')}`.replaceAll('\n\n', '\n');
}

async function accountOf({ running }: BrowsedDaemon, address: string): Promise<WatchedAddress> {
  const { status, body } = await readApi(running, `/accounts/${address}`);
  expect(status).toBe(200);
  return body as unknown as WatchedAddress;
}

/** Polls twice: what happens now is read, decided and routed. */
async function seen(daemon: BrowsedDaemon): Promise<void> {
  await daemon.pass(25);
}

test('a contract shows its code, and each change of owner and code that was told, the newest first', async () => {
  await using daemon = await aBrowsedDaemon({ rules: watching(CODE, ADMIN, COINS) });
  const { chain } = daemon;
  const { vault, treasury } = chain.addresses;
  await seen(daemon);
  const quiet = await accountOf(daemon, vault.toLowerCase());
  expect(quiet.of).toMatchObject([{ name: 'vault', address: vault, explorer: 'chain' }]);
  expect(quiet.watches.map(({ name }) => name)).toEqual(['vault-code', 'vault-admin']);
  expect([quiet.changes, quiet.alerts, quiet.control.map(({ watch, told }) => [watch, told])]).toEqual([
    [],
    [],
    [
      ['vault-code', 0],
      ['vault-admin', 0],
    ],
  ]);
  expect(quiet.control.every(({ since, until }) => since !== null && until !== null && since < until)).toBe(true);
  const [before] = quiet.code;
  expect(before).toMatchObject({ watch: 'vault-code', is_verified: true, is_stale: false });
  expect(before?.implementations).toHaveLength(1);

  chain.upgrade({ implementation: NEW_CODE });
  await seen(daemon);
  chain.emit({ event: OWNER, args: ['treasury', STRANGER] });
  chain.emit({ event: 'Paused(address account)', args: ['treasury'] });
  await seen(daemon);
  const told = await accountOf(daemon, vault);
  expect(told.changes.map(({ title }) => title)).toEqual([
    'owner of vault is now 0x3C3C…3c3C, was treasury',
    expect.stringContaining('vault implementation is now 0x2222…2222, was 0x'),
  ]);
  expect(told.alerts).toHaveLength(3);
  expect(told.code[0]?.implementations?.map(({ address }) => address)).toEqual([NEW_CODE]);
  expect(told.control.map(({ told: count, since }, n) => [count, since === quiet.control[n]?.since])).toEqual([
    [1, true],
    [1, true],
  ]);

  const wallet = await accountOf(daemon, treasury);
  expect([wallet.code, wallet.changes, wallet.control]).toEqual([[], [], []]);
  expect(wallet.watches.map(({ name }) => name)).toEqual(['coins']);
  expect((await readApi(daemon.running, `/accounts/${STRANGER}`)).status).toBe(404);
});

test('a change that a reorganisation takes back stays in the list, marked as retracted', async () => {
  await using daemon = await aBrowsedDaemon({ rules: watching(ADMIN) });
  const { chain } = daemon;
  await seen(daemon);
  chain.emit({ event: OWNER, args: ['treasury', STRANGER] });
  await seen(daemon);
  chain.reorganise({ blocks: 30, transactions: 'dropped' });
  await daemon.pass(200);
  const { changes, alerts } = await accountOf(daemon, chain.addresses.vault);
  expect(changes.map(({ is_retracted: isRetracted }) => isRetracted)).toEqual([true]);
  expect(alerts).toEqual([]);
});

test('while the explorer does not answer, the code is what it was', async () => {
  await using daemon = await aBrowsedDaemon({ rules: watching(CODE) });
  const { chain } = daemon;
  await seen(daemon);
  const known = await accountOf(daemon, chain.addresses.vault);
  chain.fail({ fault: 'server-error', times: 1000, operation: 'address' });
  await daemon.pass(700);
  const stale = await accountOf(daemon, chain.addresses.vault);
  const addressIn = ({ code }: WatchedAddress) => code[0]?.implementations?.[0]?.address.toLowerCase();
  expect([addressIn(stale), addressIn(known)]).toEqual([addressIn(known), expect.stringMatching(/^0x/)]);
  expect([known.code[0]?.is_stale, stale.code[0]?.is_stale]).toEqual([false, true]);
  expect(stale.watches[0]).toMatchObject({ state: 'blind' });
});

test('a reload that takes a watch out takes it from the page, and the others keep since when they look', async () => {
  await using daemon = await aBrowsedDaemon({ rules: watching(CODE, ADMIN) });
  await seen(daemon);
  const { vault } = daemon.chain.addresses;
  const before = await accountOf(daemon, vault);
  daemon.folder.write('rules.yaml', watching(ADMIN));
  expect(await daemon.running.reload()).toBe('config:reloaded');
  await seen(daemon);
  const after = await accountOf(daemon, vault);
  expect(after.code).toEqual([]);
  expect(after.control).toMatchObject([{ watch: 'vault-admin', since: before.control[1]?.since }]);
});

test('a watch tells changes since its own begin, however much else the journal has meanwhile', async () => {
  const stores: Store[] = [];
  await using daemon = await aBrowsedDaemon({
    rules: watching(ADMIN),
    openStore: async (...args) => {
      const store = await openStore(...args);
      stores.push(store);
      return store;
    },
  });
  await seen(daemon);
  const { vault } = daemon.chain.addresses;
  const [before] = (await accountOf(daemon, vault)).control;
  const at = daemon.running.clock.now();
  const line = { at, kind: 'decided', subject: 'another', actor: 'daemon', data: {} };
  for (let i = 0; i < 21; i += 1) await stores[0]?.record(Array.from({ length: 1000 }, () => line));
  expect((await accountOf(daemon, vault)).control).toMatchObject([{ since: before?.since }]);
});

test('an address without a watch leads to those that have one', async () => {
  await using daemon = await aBrowsedDaemon({ rules: watching(COINS) });
  for (const address of [STRANGER, 'treasury', `0x${'9'.repeat(500)}`, '%3Cscript%3E']) {
    const { status, body } = await daemon.running.page(`/accounts/${address}`);
    expect(status).toBe(404);
    expect(body).toContain('<a href="/accounts">Accounts</a> lists the addresses that are watched.');
    expect(body).not.toContain('<script>');
  }
  const upper = daemon.chain.addresses.treasury.toUpperCase();
  expect((await daemon.running.page(`/accounts/${upper}`)).status).toBe(200);
});
