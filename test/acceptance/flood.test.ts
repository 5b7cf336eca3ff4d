// A stranger floods a watched contract with transactions that take long to judge. The daemon goes on with everything else,
// and says what it could not judge.
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, test } from '@jest/globals';
import { runApp } from '../support/app.ts';
import { createFolder } from '../support/daemon.ts';
import { createInbox } from '../support/sinks.ts';

const VAULT = `0x${'ca'.repeat(20)}`;
const TRANSFERS = Array.from({ length: 100 }, () => {
  const token = { address_hash: VAULT, symbol: 'X', decimals: '18', type: 'ERC-20' };
  return { from: { hash: VAULT }, to: { hash: VAULT }, token, total: { value: '1', decimals: '18' } };
});

function rowOf(number: number) {
  const hash = `0x${number.toString(16).padStart(64, '0')}`;
  const [from, to] = [{ hash: VAULT }, { hash: VAULT }];
  const time = new Date(number * 1000).toISOString();
  const rest = { status: 'ok', result: 'success', value: '1', method: 'm', token_transfers: TRANSFERS };
  return { hash, block_number: 1000 + number, timestamp: time, from, to, ...rest };
}

async function serveTransactions() {
  const explorer = { rows: [rowOf(1)], url: '' };
  const server = createServer((request, response) => {
    const isList = request.url?.includes('/transactions') === true;
    const body = isList ? { items: explorer.rows, next_page_params: null } : { hash: VAULT, coin_balance: '1' };
    response.setHeader('content-type', 'application/json').end(JSON.stringify(body));
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  explorer.url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return Object.assign(explorer, {
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  });
}

const nested = (more: number): string =>
  `token_transfers.exists(a, token_transfers.exists(b, a.to == b.from && a.total.value > b.total.value + ${more}))`;

const RULES = `
watches:
  - id: calls
    kind: transactions
    of: vault
    every: 1m
    alerts:
      - { id: odd, on: new, severity: warning, if: '${nested(1)}' }
      - { id: drained, on: new, severity: critical, if: '${nested(2)}' }
      - { id: any, on: new, severity: info, if: value == 0 }
  - { id: coins, kind: balance, of: vault, every: 1m, alerts: [{ id: low, severity: critical, while: balance > 1 }] }
`;

test('more transactions than a poll can judge stop no other watch, and what was not judged is told', async () => {
  await using explorer = await serveTransactions();
  using folder = createFolder({
    'config.yaml': `
explorers:
  chain: { form: instance, instance_url: '${explorer.url}', api_key: some-key }
addresses: { vault: '${VAULT}' }
http: { listen: 127.0.0.1:0 }
channels: { screen: { type: log } }
self: [screen]
rules: [rules.yaml]
`,
    'rules.yaml': RULES.replaceAll('severity:', 'notify: [screen], severity:'),
  });
  const printed = createInbox<string>();
  const print = (line: string): Promise<void> => {
    printed.push(line.slice(line.indexOf(' ') + 1));
    return Promise.resolve();
  };
  await using running = await runApp(folder, { print });
  await running.polls.reached(2);
  const minute = async (): Promise<void> => {
    const { length } = running.polls.all;
    await running.clock.advance(60_000);
    await running.polls.reached(length + 2);
  };

  explorer.rows = Array.from({ length: 12 }, (_, i) => rowOf(100 + i));
  const judging = minute();
  const probe = running.page('/healthz').then(({ status }) => status);
  expect(await Promise.race([probe, judging])).toBe(200);
  await judging;
  expect(running.polls.all.slice(-2).toSorted()).toEqual(['calls seen', 'coins seen']);
  expect(await running.metrics()).toContain('chainwarden_watch_not_judged_total{watch="calls"} 0');

  // The flood is over: what was left of it is judged.
  await minute();
  await minute();
  expect(printed.all).toEqual([]);

  explorer.rows = Array.from({ length: 12 }, (_, i) => rowOf(200 + i));
  await minute();
  explorer.rows = [rowOf(300)];
  await minute();
  expect(await running.says('alert:not-judged')).toMatchObject({ watch: 'calls', alert: 'odd' });
  await minute();
  await printed.reached(1);
  expect(printed.all).toEqual([
    expect.stringMatching(
      /^CRITICAL chainwarden\/not-judged FIRING not-judged: items of calls on chain were not judged - Since 00:0\d UTC: \d+ items were not judged: .* calls\. Look at them there\./,
    ),
  ]);
  expect(await running.metrics()).toMatch(/chainwarden_watch_not_judged_total\{watch="calls"\} [1-9]/);
  expect((await running.page('/')).body).toMatch(/items not judged in an hour/);
});
