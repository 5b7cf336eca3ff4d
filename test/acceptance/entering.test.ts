// Who may use the page and the API, while operators come and go.
import { randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from '@jest/globals';
import { signPass } from '../../src/web/guard/signed.ts';
import { browse, cookieOf, proofIn } from '../support/browser/browse.ts';
import { openReader } from '../../src/store/open.ts';
import { stateOf } from '../support/store/story-state.ts';
import { OPERATOR_TOKEN } from '../support/web/api-calls.ts';
import { anOperatedDaemon, configOf, type OperatedDaemon } from '../support/web/operated-daemon.ts';

const WRONG = 'nobody-has-this-token-nobody-has-it';

async function enter({ running }: OperatedDaemon, form: Record<string, string>): Promise<{ readonly cookie: string }> {
  return { cookie: cookieOf(await browse(running.app, '/enter', { form })) };
}

async function whoIs({ running }: OperatedDaemon, headers: Record<string, string>): Promise<string | undefined> {
  return /<span class="who">([^<]*)</.exec((await browse(running.app, '/', { headers })).body)?.[1];
}

async function linesOf({ folder }: OperatedDaemon): Promise<readonly string[]> {
  await using reader = await openReader(stateOf(folder, 'state.db'));
  return (await reader.history({ limit: 100 }))
    .filter(({ kind }) => ['entered', 'left', 'wrong-tokens'].includes(kind))
    .map(({ kind, actor, data }) => `${kind} ${actor} ${JSON.stringify(data)}`)
    .toReversed();
}

test('a copy of the cookie of somebody who left opens nothing, and a code nothing twice, after a restart either', async () => {
  await using first = await anOperatedDaemon();
  const { explorer, folder } = first;
  const alice = await enter(first, { token: OPERATOR_TOKEN });
  const other = await enter(first, { token: OPERATOR_TOKEN });
  const token = readFileSync(join(folder.path, 'state.db.token'), 'utf8').trim();
  const until = first.running.clock.now() + 60_000;
  const code = signPass({ name: 'local', until, nonce: randomUUID() }, 'code', token);
  const local = await enter(first, { code });
  expect(await whoIs(first, local)).toBe('local');
  const proof = proofIn(await browse(first.running.app, '/', { headers: alice }), '/leave');
  await browse(first.running.app, '/leave', { headers: alice, form: { proof } });
  expect(await whoIs(first, alice)).toBeUndefined();
  await first.running[Symbol.asyncDispose]();

  await using second = await anOperatedDaemon({ explorer, folder, clock: first.running.clock });
  expect(await whoIs(second, alice)).toBeUndefined();
  expect(await enter(second, { code })).toEqual({ cookie: '' });
  expect(await whoIs(second, other)).toBe('alice');
  expect(await whoIs(second, local)).toBe('local');
});

test('an operator ends all sessions at once, for good, and whoever has a token enters again', async () => {
  await using first = await anOperatedDaemon();
  const { explorer, folder } = first;
  const { app, clock } = first.running;
  const [alice, copied] = [
    await enter(first, { token: OPERATOR_TOKEN }),
    await enter(first, { token: OPERATOR_TOKEN }),
  ];
  const about = await browse(app, '/about', { headers: alice });
  const form = { proof: proofIn(about, '/sessions/end') };
  expect((await browse(app, '/sessions/end', { headers: alice, form })).headers.location).toBe('/enter');
  expect([await whoIs(first, alice), await whoIs(first, copied)]).toEqual([undefined, undefined]);
  clock.stall(1000);
  const later = await enter(first, { token: OPERATOR_TOKEN });
  expect(await whoIs(first, later)).toBe('alice');
  await first.running[Symbol.asyncDispose]();

  await using second = await anOperatedDaemon({ explorer, folder, clock });
  expect([await whoIs(second, copied), await whoIs(second, later)]).toEqual([undefined, 'alice']);
  const token = readFileSync(join(folder.path, 'state.db.token'), 'utf8').trim();
  const headers = {
    authorization: `Bearer ${token}`,
    'x-chainwarden-request': '1',
    'content-type': 'application/json',
  };
  const answer = await fetch(`${second.running.app.url}/api/v1/sessions/end`, {
    method: 'POST',
    headers: { ...headers, 'idempotency-key': randomUUID() },
    body: '{}',
  });
  expect([answer.status, await answer.json()]).toEqual([200, { ended_at: expect.stringMatching(/Z$/) }]);
  expect(await whoIs(second, later)).toBeUndefined();
  await using reader = await openReader(stateOf(folder, 'state.db'));
  const lines = (await reader.history({ limit: 100 })).filter(({ kind }) => kind === 'sessions-ended');
  expect(lines.map(({ actor }) => actor)).toEqual(['local', 'alice']);
});

test('an operator who is taken out of the config has no access from the reload on, and a new one has', async () => {
  await using daemon = await anOperatedDaemon();
  const { running, folder, explorer } = daemon;
  const alice = await enter(daemon, { token: OPERATOR_TOKEN });
  const ask = async (token: string): Promise<number> =>
    (await fetch(`${running.app.url}/api/v1/watches`, { headers: { authorization: `Bearer ${token}` } })).status;
  expect([await whoIs(daemon, alice), await ask(OPERATOR_TOKEN), await ask(WRONG)]).toEqual(['alice', 200, 401]);
  folder.write(
    'config.yaml',
    configOf(explorer).replace('alice: { token: { env: ALICE } }', `bob: { token: { file: bob.token } }`),
  );
  folder.write('bob.token', WRONG);
  expect(await running.reload()).toBe('config:reloaded');
  expect([await whoIs(daemon, alice), await ask(OPERATOR_TOKEN), await ask(WRONG)]).toEqual([undefined, 401, 200]);
});

test('entering and leaving are in the journal, and wrong tokens with their number', async () => {
  await using daemon = await anOperatedDaemon();
  const { running } = daemon;
  const alice = await enter(daemon, { token: OPERATOR_TOKEN });
  const proof = proofIn(await browse(running.app, '/', { headers: alice }), '/leave');
  await browse(running.app, '/leave', { headers: alice, form: { proof } });
  for (let n = 0; n < 5; n += 1) await enter(daemon, { token: WRONG });
  await running.clock.advance(600_000);
  await running[Symbol.asyncDispose]();
  await expect(linesOf(daemon)).resolves.toEqual([
    'entered alice {"from":"127.0.0.1"}',
    'left alice {"from":"127.0.0.1"}',
    'wrong-tokens daemon {"tokens":1}',
    'wrong-tokens daemon {"tokens":4}',
  ]);
});

test('a reload that lets anybody read opens nothing before the restart, since what is listened on waits for it too', async () => {
  await using daemon = await anOperatedDaemon({
    config: (text) => text.replace('http: {', 'http: { read: operators,'),
  });
  const { running, folder, explorer } = daemon;
  expect((await browse(running.app, '/')).status).toBe(401);
  folder.write('config.yaml', configOf(explorer));
  await running.reload();
  expect((await browse(running.app, '/')).status).toBe(401);
});
