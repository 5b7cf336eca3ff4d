// What strangers, servers and operators write never becomes a part of a page: its elements stay the same.
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import type { Web } from '../../src/web/server.ts';
import { browse, cookieOf, shapeOf } from '../support/browser/browse.ts';
import { ALICE, API, queriesWith, serveTestPages } from '../support/browser/pages.ts';
import { corpus as whole } from './corpus.ts';

// Where nothing was written, nothing is shown.
const corpus = whole.filter(([, text]) => text !== '');

const PAGES = [
  '/',
  '/watches/treasury-usdc',
  '/accounts/0xa14C3E6DD27d6A8e02f9Ea24EcDE64e6B6f50db0',
  '/alerts/k1/8',
  '/history',
  '/deliveries',
  '/silences',
  '/explorers',
  '/rules',
  '/rules/source?file=rules/token.yaml&line=2',
];
const CALM_WORD = 'calm';
/** More than a comment may have, and than is kept of an answer. Text of a chain has no such bound: the page cuts it. */
const LONGEST_KEPT = 2000;

let web: Web;
let headers: { readonly cookie: string };
let queries = written(CALM_WORD);
let second = 0;

function written(text: string) {
  const kept = text.slice(0, LONGEST_KEPT);
  return queriesWith({ chain: text, answer: kept, comment: kept });
}

beforeAll(async () => {
  const now = new Proxy(queries, { get: (_first, name) => Reflect.get(queries, name) as unknown });
  // Each look is in a second of its own: nothing is shown twice.
  web = await serveTestPages({ queries: now, api: { ...API, monotonic: () => (second += 1000) } });
  headers = { cookie: cookieOf(await browse(web, '/enter', { form: { token: ALICE } })) };
});
afterAll(() => web.close());

describe.each(PAGES)('%s', (path) => {
  test('has the same elements, whatever is written', async () => {
    queries = written(CALM_WORD);
    const calm = await browse(web, path, { headers });
    expect(calm.body).toContain(CALM_WORD);
    const shape = shapeOf(calm.body);
    for (const [name, text] of corpus) {
      queries = written(text);
      const { status, body } = await browse(web, path, { headers });
      expect([name, status, shapeOf(body)]).toEqual([name, 200, shape]);
    }
  });
});

test('what is searched for is shown as text', async () => {
  queries = written(CALM_WORD);
  const calm = shapeOf((await browse(web, '/watches?q=calm', { headers })).body);
  for (const [name, text] of corpus) {
    const query = new URLSearchParams({ q: text.slice(0, 90).trim() || CALM_WORD }).toString();
    const { status, body } = await browse(web, `/watches?${query}`, { headers });
    expect([name, status, shapeOf(body)]).toEqual([name, 200, calm]);
  }
});

test.each(['/', '/watches', '/history'])('what is asked for by label at %s is shown as text', async (path) => {
  queries = written(CALM_WORD);
  const shapeWith = async (text: string): Promise<string> => {
    const query = new URLSearchParams({ label: `team=${text}` }).toString();
    const { status, body } = await browse(web, `${path}?${query}`, { headers });
    expect([text, status]).toEqual([text, 200]);
    return shapeOf(body);
  };
  const calm = await shapeWith(CALM_WORD);
  for (const [name, text] of corpus)
    expect([name, await shapeWith(text.trim().slice(0, 90) || CALM_WORD)]).toEqual([name, calm]);
});

test('what is written into the form of a silence is shown as text, with its preview', async () => {
  queries = written(CALM_WORD);
  const shapeWith = async (text: string): Promise<string> => {
    const fields = { watch: text, alert: text, explorer: text, until: '08:00', comment: text };
    const { status, body } = await browse(web, `/silences?${new URLSearchParams(fields).toString()}`, { headers });
    expect(status).toBe(200);
    return shapeOf(body);
  };
  const calm = await shapeWith(CALM_WORD);
  expect(calm).toContain('button');
  for (const [name, text] of corpus)
    expect([name, await shapeWith(text.trim().slice(0, 30) || CALM_WORD)]).toEqual([name, calm]);
});
