// What the API answers of a daemon that runs. Each answer is held against the document of the API.
import { expect, test } from '@jest/globals';
import { Validator } from '@seriousme/openapi-schema-validator';
import { callApi, OPERATOR_TOKEN, readApi, type ApiAnswer } from '../support/web/api-calls.ts';
import { DOCUMENT } from '../support/web/openapi.ts';
import { anOperatedDaemon, fallLow, RULES, type OperatedDaemon } from '../support/web/operated-daemon.ts';

type Item = Readonly<Record<string, unknown>>;

const itemsOf = ({ body }: ApiAnswer): readonly Item[] => body['items'] as readonly Item[];

/** Four alerts fire, two balances have moved. */
const TOLD = 6;

async function delivered({ running }: OperatedDaemon, count = TOLD): Promise<void> {
  for (let n = 0; n < count; n += 1) await running.says('delivery:sent');
}

/** All pages of a list, of so many items each. */
async function pagesOf({ running }: OperatedDaemon, path: string, between = () => Promise.resolve()): Promise<Item[]> {
  const all: Item[] = [];
  let after = '';
  do {
    const page = await readApi(running, `${path}${after && `&after=${after}`}`);
    expect(page.status).toBe(200);
    all.push(...itemsOf(page));
    after = typeof page.body['next'] === 'string' ? page.body['next'] : '';
    await between();
  } while (after !== '');
  return all;
}

test('a client that is generated from the document gets what the document says', async () => {
  expect(await new Validator().validate(structuredClone(DOCUMENT))).toEqual({ valid: true });
  await using daemon = await anOperatedDaemon();
  const { status, body } = await readApi(daemon.running, '/openapi.json');
  expect([status, body['openapi']]).toEqual([200, '3.1.1']);
  expect(await new Validator().validate(structuredClone(body))).toEqual({ valid: true });
  const paths = Object.keys(body['paths'] as object);
  expect(paths).toEqual([...Object.keys(DOCUMENT['paths']), '/api/v1/openapi.json']);
});

test('nobody reads without a token, and with one there is an answer to everything', async () => {
  await using daemon = await anOperatedDaemon();
  const reads = Object.entries(DOCUMENT.paths).flatMap(([path, operations]) => ('get' in operations ? [path] : []));
  for (const path of reads) {
    const asked = path.replace('/api/v1', '').replaceAll(/\{\w+\}/g, 'nothing');
    // After many wrong ones the caller is slowed down.
    expect([401, 429]).toContain((await readApi(daemon.running, asked, { token: 'wrong' })).status);
    expect([200, 404]).toContain((await readApi(daemon.running, asked)).status);
  }
});

test('who polls the API costs nothing while nothing happens, and sees at once what an operator did', async () => {
  await using daemon = await anOperatedDaemon();
  const { running } = daemon;
  const first = await readApi(running, '/history');
  expect(first.etag).toMatch(/^"[\w.-]+-operator"$/);
  const etag = first.etag ?? '';
  expect(await readApi(running, '/history', { etag: `"other", W/${etag}` })).toMatchObject({ status: 304, etag });
  await callApi(running, {
    path: '/watches/coins/pauses',
    body: { until: new Date(running.clock.now() + 10_000).toISOString(), comment: 'the vault is moved' },
  });
  const second = await readApi(running, '/history?show=people', { etag });
  expect(itemsOf(second)).toMatchObject([{ what: 'paused', actor: 'alice', subject: 'coins' }]);
  await fallLow(daemon);
  expect((await readApi(running, '/history', { etag: second.etag ?? '' })).status).toBe(200);
});

test('the history tells what fired, why, and who was to be notified', async () => {
  await using daemon = await anOperatedDaemon();
  await fallLow(daemon);
  await delivered(daemon);
  const [newest] = itemsOf(await readApi(daemon.running, '/history?show=alerts&q=coins&limit=1'));
  expect(newest).toMatchObject({
    what: 'fires',
    watch: 'coins',
    alert: 'low',
    severity: 'critical',
    title: expect.stringContaining('below 1'),
    notified: ['screen'],
  });
  const all = await pagesOf(daemon, '/history?limit=500');
  const complete = await pagesOf(daemon, '/history?complete=true&limit=500');
  expect(all.length).toBeLessThan(complete.length);
  expect(complete.map((line) => line['number'])).toEqual(complete.map((_, n) => complete.length - n));
});

test('whoever reads page by page while alerts fire misses no line and sees none twice', async () => {
  await using daemon = await anOperatedDaemon();
  await fallLow(daemon);
  await delivered(daemon);
  const before = await pagesOf(daemon, '/history?complete=true&limit=500');
  let isRaised = false;
  const paged = await pagesOf(daemon, '/history?complete=true&limit=2', async () => {
    if (isRaised) return;
    isRaised = true;
    daemon.explorer.balance = '5000000000000000000';
    await daemon.running.clock.advance(60_000);
    await delivered(daemon);
  });
  expect(paged).toEqual(before.map((line) => expect.objectContaining({ number: line['number'] })));
  const deliveries = await pagesOf(daemon, '/deliveries?limit=1');
  expect(new Set(deliveries.map(({ id }) => id)).size).toBe(deliveries.length);
  expect(deliveries.length).toBeGreaterThan(4);
});

test('a client finds what fires, why, and what happened since', async () => {
  await using daemon = await anOperatedDaemon();
  const { running } = daemon;
  await fallLow(daemon);
  await delivered(daemon);
  const [newest] = itemsOf(await readApi(running, '/alerts?state=firing&severity=critical'));
  expect(newest).toMatchObject({ watch: 'coins', alert: 'low', state: 'firing' });
  const path = `/alerts/${String(newest?.['key'])}/${String(newest?.['episode'])}`;
  const { status, body } = await readApi(running, path);
  expect([status, body['card']]).toEqual([200, expect.objectContaining({ watch: 'coins', alert: 'low' })]);
  const watch = `/watches/${encodeURIComponent('all[vault]')}`;
  expect(await readApi(running, watch)).toMatchObject({ status: 200, body: { name: 'all[vault]', state: 'firing' } });
  const explained = await readApi(running, `${watch}/explain`);
  expect(explained.body).toMatchObject({
    watch: { name: 'all[vault]' },
    alerts: [{ alert: 'low' }, { alert: 'moved' }],
  });
  expect(itemsOf(await readApi(running, '/watches?state=firing'))).toHaveLength(4);
});

test('of a watch that was taken out of the rules the client is told what is still known', async () => {
  await using daemon = await anOperatedDaemon();
  await fallLow(daemon);
  await delivered(daemon);
  daemon.folder.write('rules.yaml', RULES.replace(/ {2}- \{ id: other.*\n/, ''));
  await daemon.running.reload();
  const gone = await readApi(daemon.running, '/watches/other/explain');
  expect(gone).toMatchObject({ status: 410, body: { type: '/about#gone' } });
  expect(gone.body['history']).toContainEqual(expect.objectContaining({ kind: 'fires' }));
  expect(await readApi(daemon.running, '/watches/never')).toMatchObject({ status: 404 });
});

test('what was delivered is listed with what its receiver answered, and shown as a whole', async () => {
  await using daemon = await anOperatedDaemon();
  await fallLow(daemon);
  await delivered(daemon);
  const list = await readApi(daemon.running, '/deliveries?state=sent&channel=screen');
  const [row] = itemsOf(list);
  expect(row).toMatchObject({ state: 'sent', recipient: { state: 'accepted', tries: 1, channel: 'screen' } });
  expect(list.body['counts']).toMatchObject({ problems: 0, given_up: 0, owed: 0 });
  expect(itemsOf(await readApi(daemon.running, '/deliveries?state=problems'))).toEqual([]);
  expect(itemsOf(await readApi(daemon.running, '/deliveries?channel=other'))).toEqual([]);
  const one = await readApi(daemon.running, `/deliveries/${String(row?.['id'])}`);
  expect(one.body).toMatchObject({ ...row, outcome: 'sent', messages: [{ watch: row?.['watch'] }] });
  expect(await readApi(daemon.running, '/deliveries/nothing')).toMatchObject({ status: 404 });
});

test('the history of a period is read by its times', async () => {
  await using daemon = await anOperatedDaemon();
  await fallLow(daemon);
  await delivered(daemon);
  const all = await pagesOf(daemon, '/history?limit=500&complete=true');
  const at = all.map((line) => String(line['at']));
  const [newest = '', oldest = ''] = [at.at(0), at.at(-1)];
  expect(newest > oldest).toBe(true);
  const since = await pagesOf(daemon, `/history?limit=2&complete=true&since=${newest}`);
  const until = await pagesOf(daemon, `/history?limit=2&complete=true&until=${newest}`);
  expect([...since, ...until]).toEqual(all);
  expect(since).toEqual(all.filter((line) => line['at'] === newest));
  expect(await pagesOf(daemon, `/history?limit=2&since=${newest}&until=${newest}`)).toEqual([]);
});

test('what was made is shown where the answer says', async () => {
  await using daemon = await anOperatedDaemon();
  const { running } = daemon;
  await fallLow(daemon);
  const until = new Date(running.clock.now() + 60_000).toISOString();
  const body = { matchers: { watch: 'other' }, until, comment: 'the vault is moved' };
  const silenced = await callApi(running, { path: '/silences', body, key: 's' });
  expect(silenced).toMatchObject({ status: 201, location: '/api/v1/silences/s' });
  const shown = await readApi(running, '/silences/s');
  expect(shown).toMatchObject({ status: 200, body: { id: 's', kind: 'silence', state: 'active', actor: 'alice' } });
  const [alert] = itemsOf(await readApi(running, '/alerts?q=coins'));
  const path = `/alerts/${String(alert?.['key'])}/${String(alert?.['episode'])}`;
  const acked = await callApi(running, { path: `${path}/acks`, body: { seq: alert?.['seq'] }, key: 'a' });
  expect(acked).toMatchObject({ status: 201, location: `/api/v1${path}` });
  expect(await readApi(running, path)).toMatchObject({ status: 200, body: { ack: { id: 'a' } } });
  expect(await readApi(running, `${path}x`)).toMatchObject({ status: 404 });
});

test('balances come as a file for spreadsheets to whoever has a token', async () => {
  await using daemon = await anOperatedDaemon();
  const { body } = await readApi(daemon.running, '/accounts.csv?q=vault');
  expect(String(body['text']).split('\r\n')).toEqual([
    expect.stringMatching(/^\ufeff?account,address,/),
    expect.stringMatching(/^vault,0x/),
    expect.stringMatching(/^vault,0x/),
    '',
  ]);
  expect(await readApi(daemon.running, '/accounts.csv?limit=1')).toMatchObject({ status: 400 });
  expect((await readApi(daemon.running, '/accounts.csv', { token: 'wrong' })).status).toBe(401);
});

test('lists and metrics are compressed for whoever takes them so', async () => {
  await using daemon = await anOperatedDaemon();
  const { url } = daemon.running.app;
  for (const path of ['/api/v1/watches', '/metrics']) {
    const ask = (encoding: string): Promise<Response> =>
      fetch(`${url}${path}`, {
        headers: { authorization: `Bearer ${OPERATOR_TOKEN}`, 'accept-encoding': encoding },
      });
    const [zipped, plain] = [await ask('gzip'), await ask('identity')];
    expect([zipped.headers.get('content-encoding'), zipped.headers.get('vary')]).toEqual(['gzip', 'Accept-Encoding']);
    expect(plain.headers.get('content-encoding')).toBeNull();
    expect(zipped.headers.get('content-type')).toBe(plain.headers.get('content-type'));
    const [first] = (await plain.text()).split('\n');
    expect((await zipped.text()).split('\n')[0]).toBe(first);
  }
});

test.each([
  ['/history?after=x', '/after'],
  ['/history?after=WzEsMl0', '/after'],
  ['/deliveries?after=WyJhIl0', '/after'],
  ['/history?limit=501', '/limit'],
  ['/history?limit=0', '/limit'],
  ['/history?limit=many', '/limit'],
  ['/history?show=nothing', '/show'],
  [`/history?q=${'x'.repeat(101)}`, '/q'],
  ['/deliveries?state=lost', '/state'],
  ['/deliveries?watch=coins', '/watch'],
  ['/rules?state=firing', '/state'],
  ['/rules?explorer=chain', '/explorer'],
  ['/alerts?state=blind', '/state'],
  ['/alerts?sort=credits', '/sort'],
  ['/accounts?state=unhealthy', '/state'],
  ['/watches?state=below-limit', '/state'],
  ['/history?complete=1', '/complete'],
  ['/history?since=yesterday', '/since'],
])('%s is answered with the parameter that is wrong', async (path, pointer) => {
  await using daemon = await anOperatedDaemon();
  const answer = await readApi(daemon.running, path);
  expect(answer).toMatchObject({ status: 400, body: { problems: [{ pointer }] } });
  expect(String(answer.body['detail'])).toMatch(/^\w+ (?:is|does) (?!.*(?:expected|Invalid|Too))/);
});

test('a cursor is good for the list that it came from, in its order', async () => {
  await using daemon = await anOperatedDaemon();
  const { body } = await readApi(daemon.running, '/watches?limit=1');
  const after = String(body['next']);
  expect(await readApi(daemon.running, `/watches?after=${after}`)).toMatchObject({ status: 200 });
  for (const path of ['/watches?sort=closest&', '/accounts?', '/history?', '/deliveries?', '/rules?'])
    expect(await readApi(daemon.running, `${path}after=${after}`)).toMatchObject({ status: 400 });
});

test('lists are asked for by label, and a filter that there is not is refused by its name', async () => {
  await using daemon = await anOperatedDaemon();
  const { running } = daemon;
  await fallLow(daemon);
  await delivered(daemon);
  for (const path of ['/watches', '/accounts', '/alerts', '/history']) {
    const found = itemsOf(await readApi(running, `${path}?label=team=payments`));
    expect(found.length).toBeGreaterThan(0);
    for (const item of found) expect([path, JSON.stringify(item)]).toEqual([path, expect.stringContaining('all[')]);
    expect(itemsOf(await readApi(running, `${path}?label=team=payments&label=of=nobody`))).toEqual([]);
    const wrong = await readApi(running, `${path}?label=team&labels=team=payments&limit=1&limit=2`);
    expect([wrong.status, wrong.body['problems']]).toEqual([
      400,
      expect.arrayContaining([
        { pointer: '/label/0', detail: 'is not written as a label and its value, such as team=treasury' },
        { pointer: '/labels', detail: 'is not known' },
      ]),
    ]);
  }
  const repeated = await readApi(running, '/watches?state=ok&state=blind');
  expect(repeated.body['problems']).toEqual([{ pointer: '/state', detail: 'is given more than once' }]);
  const { body } = await readApi(running, '/overview?label=team=payments');
  expect([body['unhandled'], body['of_watches'], (body['cards'] as Item[]).length]).toEqual([4, 2, 2]);
});
