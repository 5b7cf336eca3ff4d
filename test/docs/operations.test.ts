import { readFileSync } from 'node:fs';
import { expect, test } from '@jest/globals';
import { SELF_CONDITIONS } from '../../src/engine/self/cause.ts';
import { runSandbox } from '../sandbox/support.ts';

test('docs/operations.md says when each alert of the daemon about itself fires', () => {
  const text = readFileSync('docs/operations.md', 'utf8');
  const rows = [...text.matchAll(/^\| `([a-z-]+)` +\|/gm)].map(([, name]) => name);
  expect(Object.keys(SELF_CONDITIONS).filter((name) => !rows.includes(name))).toEqual([]);
});

test('each verb of the control API does what its row in docs/operations.md sends', async () => {
  const byHand = await runSandbox({ blockTimeMs: 'manual', control: true });
  const byClock = await runSandbox({ control: true });
  const post = async (verb: string, body: string): Promise<{ status: number; text: string }> => {
    const headers = { 'content-type': 'application/json' };
    // What the clock does not move cannot stand still.
    const { url } = verb.endsWith('freeze') ? byClock : byHand;
    const response = await fetch(`${url}/control/${verb}`, { method: 'POST', headers, body });
    return { status: response.status, text: await response.text() };
  };
  const rows = [...readFileSync('docs/operations.md', 'utf8').matchAll(/^\| `([a-z-]+)` *\| `(\{.*?\})` *\|/gm)];
  const answers: unknown[] = [];
  for (const [, verb = '', body = ''] of rows) {
    const added = await post('add-transaction', '{ "to": "vault", "status": "pending", "minedAfter": null }');
    const [hash = ''] = /0x[0-9a-f]{64}/.exec(added.text) ?? [];
    answers.push([verb, (await post(verb, body.replace('HASH', hash))).status]);
  }
  const { text } = await post('unknown', '{}');
  await byHand.close();
  await byClock.close();
  const verbs = text.replace(/^.*there are |"\}$/g, '').split(', ');
  expect(answers).toEqual(verbs.map((verb) => [verb, 200]));
});
