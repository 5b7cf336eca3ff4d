// A daemon with secrets of every kind, whose receiver repeats them: no page, no answer of the API and no metric shows one.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from '@jest/globals';
import { apiRoutes } from '../../src/web/api/routes.ts';
import { pageRoutes } from '../../src/web/pages/routes.ts';
import { OPERATOR_TOKEN, readApi } from '../support/web/api-calls.ts';
import { runApp, serveBalances } from '../support/app.ts';
import { browse, cookieOf } from '../support/browser/browse.ts';
import { createFolder } from '../support/daemon.ts';
import { createWebhookSink, status } from '../support/sinks.ts';
import { failingActions, someQueries } from '../support/web/web.ts';

const SECRETS = {
  KEY: 'canary-explorer-key-4711',
  HEADER: 'canary-header-4712',
  HOOK_PATH: 'canary-in-the-path-4713',
  SIGNING: `whsec_${Buffer.from('canary of thirty-two bytes, 4714').toString('base64')}`,
  ALICE: OPERATOR_TOKEN,
  PROXY: 'canary-of-the-proxy-4716-canary-of-the-proxy',
};

const RULES = `
watches:
  - id: coins
    kind: balance
    of: treasury
    every: 1m
    alerts: [{ id: low, while: balance < 1, severity: critical, notify: [ops] }]
`;

/** Of all that is read: nothing here says which of them show what. */
function readPaths(): { readonly pages: readonly string[]; readonly calls: readonly string[] } {
  const queries = someQueries({});
  const perform = failingActions(new Error());
  const calls = apiRoutes({ queries, perform }).filter(({ method }) => method === 'get');
  return { pages: pageRoutes(queries).map(({ path }) => path), calls: calls.map(({ path }) => path) };
}

test('shows no secret of the config anywhere, though a receiver repeats it', async () => {
  await using sink = await createWebhookSink(status(500, {}, `no: ${Object.values(SECRETS).join(' ')}`));
  await using explorer = await serveBalances();
  using folder = createFolder({
    'config.yaml': `
explorers:
  chain:
    form: instance
    instance_url: '${explorer.url}'
    api_key: { env: KEY }
    headers: { x-team: { env: HEADER } }
addresses: { treasury: '0x${'11'.repeat(20)}' }
channels:
  ops:
    type: webhook
    url: { env: HOOK }
    secret: { env: SIGNING }
    allow: [127.0.0.0/8]
self: none
http:
  listen: 127.0.0.1:0
  operators: { alice: { token: { env: ALICE } } }
  proxy: { header: x-user, from: [10.0.0.1], secret: { env: PROXY } }
state: { file: state.db }
rules: [rules.yaml]
`,
    'rules.yaml': RULES,
  });
  const { HOOK_PATH, ...env } = SECRETS;
  await using running = await runApp(folder, { env: { ...env, HOOK: `${sink.origin}/${HOOK_PATH}` } });
  await running.polls.reached(1);
  explorer.balance = '0';
  await running.clock.advance(60_000);
  await sink.calls.reached(1);
  await running.says('delivery:again');
  // The rules on the disk are not in force, and say why.
  const localToken = readFileSync(join(folder.path, 'state.db.token'), 'utf8').trim();
  folder.write('rules.yaml', RULES.replace('every: 1m', `every: 1m # ${localToken}`).replace('balance <', 'balnce <'));
  await running.reload();

  const [alert] = (await readApi(running, '/alerts')).body['items'] as { key: string; episode: number }[];
  const [delivery] = (await readApi(running, '/deliveries')).body['items'] as { id: string }[];
  const given: Readonly<Record<string, string>> = {
    ':name': 'coins',
    ':key': String(alert?.key),
    ':episode': String(alert?.episode),
    ':id': String(delivery?.id),
  };
  const addressOf = (path: string): string => path.replaceAll(/:\w+/g, (name) => given[name] ?? name);
  const entered = { cookie: cookieOf(await browse(running.app, '/enter', { form: { token: OPERATOR_TOKEN } })) };
  const { pages, calls } = readPaths();
  const own = ['/rules/source?file=rules.yaml', '/silences?watch=coins', '/metrics', '/readyz'];
  const asked = [
    ...[...pages, ...own].map((path) => [addressOf(path), entered] as const),
    ...calls.map((path) => [`/api/v1${addressOf(path)}`, { authorization: `Bearer ${OPERATOR_TOKEN}` }] as const),
  ];
  const texts: string[] = [];
  for (const [path, headers] of asked) {
    const { status: answered, body } = await browse(running.app, path, { headers });
    expect([path, answered]).toEqual([path, path === '/rules/source' ? 404 : expect.any(Number)]);
    texts.push(body);
    for (const [name, secret] of Object.entries({ ...SECRETS, localToken }))
      expect([path, name, body.includes(secret)]).toEqual([path, name, false]);
  }
  expect(asked.length).toBeGreaterThan(30);
  // What the receiver said is shown, without them.
  expect(texts.filter((text) => text.includes('500')).length).toBeGreaterThan(3);
});
