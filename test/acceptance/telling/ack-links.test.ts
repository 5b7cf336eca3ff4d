// The link of a mail: who has it acknowledges without a token, on the whole daemon with a real mail server; only the clock
// is fake.
import { expect, test } from '@jest/globals';
import { openReader } from '../../../src/store/open.ts';
import { ackToken } from '../../../src/web/guard/ack-links.ts';
import { runApp, serveBalances, type RunningApp } from '../../support/app.ts';
import { createFolder, type Folder } from '../../support/daemon.ts';
import { createStoryClock } from '../../support/fake-clock.ts';
import { createSmtpSink, createWebhookSink, type ReceivedMail } from '../../support/sinks.ts';
import { stateOf } from '../../support/store/story-state.ts';

const MINUTE = 60_000;
const HOUR = 3_600_000;
const DAY = 86_400_000;
const PUBLIC = 'https://chainwarden.example.com';
const RULES = `
defaults: { notify: [post, hook, screen] }
watches:
  - id: coins
    kind: balance
    of: treasury
    every: 1m
    alerts: [{ id: low, while: balance < 3 }, { id: empty, while: balance < 1 }]
`;

/** One whose treasury has fallen below the first limit, and that has mailed it. */
async function aDaemon() {
  await using opened = new AsyncDisposableStack();
  const explorer = opened.use(await serveBalances());
  const smtp = opened.use(await createSmtpSink());
  const hook = opened.use(await createWebhookSink());
  const config = (http: string): string => `
explorers: { chain: { form: instance, instance_url: '${explorer.url}', page_url: 'https://pages.example' } }
addresses: { treasury: '0x${'11'.repeat(20)}' }
channels:
  post: { type: email, from: chainwarden@example.com, to: [ops@example.com], smtp: '${smtp.url}', allow: [127.0.0.0/8] }
  hook: { type: webhook, url: '${hook.origin}/hook', allow: [127.0.0.0/8] }
  screen: { type: log }
http: { listen: 127.0.0.1:0, ${http} }
state: { file: state.db }
self: none
rules: [rules.yaml]
`;
  const on = `public_url: '${PUBLIC}', links: true`;
  const folder = opened.use(createFolder({ 'config.yaml': config(on), 'rules.yaml': RULES }));
  const clock = createStoryClock();
  const printed: string[] = [];
  const print = async (line: string): Promise<void> => void printed.push(line);
  const start = (): Promise<RunningApp> => runApp(folder, { clock, print });
  let running = await start();
  opened.defer(() => running[Symbol.asyncDispose]());
  await running.polls.reached(1);
  const all = opened.move();

  const daemon = {
    folder,
    smtp,
    hook,
    printed,
    clock,
    running: () => running,
    url: () => running.app.url,
    /** One poll at which the treasury has so many coins. */
    async poll(coins: number): Promise<void> {
      explorer.balance = `${coins}000000000000000000`;
      const { length } = running.polls.all;
      await clock.advance(MINUTE);
      await running.polls.reached(length + 1);
    },
    async restart(): Promise<void> {
      await running[Symbol.asyncDispose]();
      running = await start();
    },
    /** Anybody who reaches the daemon may read its pages. */
    withLinksOff(): void {
      folder.write('config.yaml', config(`read: open, public_url: '${PUBLIC}'`));
    },
    [Symbol.asyncDispose]: () => all.disposeAsync(),
  };
  await daemon.poll(2);
  const [mail] = await smtp.mails.reached(1);
  if (mail === undefined) throw new Error('no mail');
  return { ...daemon, mail, path: pathIn(mail) };
}

/** Where the link of a mail leads, on the daemon. */
function pathIn({ parsed }: ReceivedMail): string {
  const [, path = ''] = /https:\/\/chainwarden\.example\.com(\/a\/[\w-]+)/.exec(parsed.text ?? '') ?? [];
  return path;
}

interface Answer {
  readonly status: number;
  readonly body: string;
  readonly waitS: string | null;
}

async function get(url: string): Promise<Answer> {
  const answer = await fetch(url);
  return { status: answer.status, body: await answer.text(), waitS: answer.headers.get('retry-after') };
}

type Fields = readonly (readonly [string, string])[];

async function post(url: string, fields: Fields, site: string | null = 'same-origin'): Promise<Answer> {
  const headers = { 'content-type': 'application/x-www-form-urlencoded', ...(site && { 'sec-fetch-site': site }) };
  const body = new URLSearchParams(fields.map(([name, value]): [string, string] => [name, value])).toString();
  const answer = await fetch(url, { method: 'POST', headers, body });
  return { status: answer.status, body: await answer.text(), waitS: answer.headers.get('retry-after') };
}

function fieldsIn({ body }: Answer, what: string): Fields {
  const seen = [...body.matchAll(/name="seen" value="([^"]+)"/g)].map(([, value = '']) => ['seen', value] as const);
  const form = /name="form" value="(\d+)"/.exec(body)?.[1] ?? '';
  return [...seen, ['form', form], ['do', what]];
}

async function acksOf(folder: Folder, now: number) {
  await using reader = await openReader(stateOf(folder, 'state.db'));
  return (await reader.policy(now)).acks.map(({ actor, until }) => ({ actor, forMs: until - now }));
}

test('who is called at night acknowledges from the mail; a program that only opens its links changes nothing', async () => {
  await using daemon = await aDaemon();
  const { folder, clock, mail, path } = daemon;
  const url = `${daemon.url()}${path}`;
  expect(mail.parsed.html).toContain(`${PUBLIC}${path}`);

  for (const page of [await get(url), await get(url)]) {
    expect(page).toMatchObject({ status: 200, body: expect.stringContaining('treasury coin 2, below 3') });
    expect(page.body).toContain('You opened the link in a message to <b>ops@example.com</b>.');
  }
  expect((await fetch(url, { method: 'HEAD' })).status).toBe(200);
  expect(await acksOf(folder, clock.now())).toEqual([]);

  const fields = fieldsIn(await get(url), 'acknowledge');
  expect(await post(url, fields)).toMatchObject({
    status: 200,
    body: expect.stringContaining('Done: it is acknowledged.'),
  });
  expect(await acksOf(folder, clock.now())).toEqual([{ actor: 'link:ops@example.com', forMs: DAY }]);

  const again = await post(url, fieldsIn({ ...(await get(url)), body: '' }, 'snooze'));
  expect(again).toMatchObject({
    status: 200,
    body: expect.stringContaining('Acknowledged by link:ops@example.com at'),
  });
  expect(await acksOf(folder, clock.now())).toEqual([{ actor: 'link:ops@example.com', forMs: DAY }]);
});

test('the link holds over a restart, snoozes for an hour, and ends after a day or when links are switched off', async () => {
  await using daemon = await aDaemon();
  const { folder, clock, path } = daemon;
  await daemon.restart();
  const url = `${daemon.url()}${path}`;
  expect((await post(url, fieldsIn(await get(url), 'snooze'), 'none')).status).toBe(200);
  expect(await acksOf(folder, clock.now())).toEqual([{ actor: 'link:ops@example.com', forMs: HOUR }]);

  // An hour later nobody is up yet.
  clock.stall(HOUR);
  expect((await post(url, fieldsIn(await get(url), 'snooze'))).status).toBe(200);
  expect(await acksOf(folder, clock.now())).toEqual([{ actor: 'link:ops@example.com', forMs: HOUR }]);

  daemon.withLinksOff();
  await daemon.running().reload();
  expect((await get(url)).status).toBe(410);

  await using other = await aDaemon();
  other.clock.stall(DAY - MINUTE);
  expect((await get(`${other.url()}${other.path}`)).status).toBe(200);
  other.clock.stall(MINUTE);
  expect((await get(`${other.url()}${other.path}`)).status).toBe(410);
});

test('a link acknowledges only what its message said, as it was shown, and only from its own page', async () => {
  await using daemon = await aDaemon();
  const { folder, clock, path, smtp } = daemon;
  const url = `${daemon.url()}${path}`;
  const fields = fieldsIn(await get(url), 'acknowledge');
  for (const site of ['cross-site', 'same-site', '', null]) expect((await post(url, fields, site)).status).toBe(403);

  // Another alert of the same watch has fired since: it is in another mail.
  await daemon.poll(0);
  const [, second] = await smtp.mails.reached(2);
  const others = second === undefined ? [] : fieldsIn(await get(`${daemon.url()}${pathIn(second)}`), 'acknowledge');
  expect(others.map(([name]) => name)).toContain('seen');
  expect((await post(url, others)).status).toBe(409);
  const stale = fields.map(([name, value]) => [name, value.replace(/\.\d+$/, '.0')] as const);
  expect(await post(url, stale)).toMatchObject({ status: 409, body: expect.stringContaining('has changed since') });
  expect(await acksOf(folder, clock.now())).toEqual([]);
});

test('the page of a link said since when an event lasts, which happened and was over', async () => {
  await using daemon = await aDaemon();
  const { folder, path, smtp } = daemon;
  expect((await get(`${daemon.url()}${path}`)).body).toMatch(/ since 00:00:\d\d/);
  folder.write('rules.yaml', RULES.replace('id: empty, while: balance < 1', 'id: moved, on: changed'));
  await daemon.running().reload();
  await daemon.poll(4);
  const [, both] = await smtp.mails.reached(2);
  expect(both?.parsed.subject).toContain('(and 1 more)');
  const { body } = await get(`${daemon.url()}${both === undefined ? '' : pathIn(both)}`);
  expect(body).toMatch(/treasury coin 4, was 2<\/b>(?:(?!<li>)[^])*<\/span> at 00:01:/);
  expect(body).toContain('It is over.');
});

test('a link that nobody was sent opens nothing, and trying many is slow', async () => {
  await using daemon = await aDaemon();
  const { path, mail, clock } = daemon;
  const token = path.slice('/a/'.length);
  const flipped = `${token.startsWith('A') ? 'B' : 'A'}${token.slice(1)}`;
  const foreign = ackToken(mail.parsed.messageId ?? '', clock.now(), 'x'.repeat(43));
  for (const wrong of [flipped, token.slice(0, -2), `${token}AA`, `${token}=`, foreign, 'x'])
    expect([wrong, (await get(`${daemon.url()}/a/${wrong}`)).status]).toEqual([wrong, 410]);
  for (let n = 0; n < 4; n += 1) await get(`${daemon.url()}/a/${foreign}`);
  expect(await get(`${daemon.url()}/a/${foreign}`)).toMatchObject({
    status: 429,
    waitS: expect.stringMatching(/^\d+$/),
  });

  // Whoever has a link is not kept from it by those who guess.
  for (let n = 0; n < 10; n += 1) expect((await get(`${daemon.url()}${path}`)).status).toBe(200);
  expect((await get(`${daemon.url()}${path}`)).status).toBe(429);
  await clock.advance(MINUTE);
  expect((await get(`${daemon.url()}${path}`)).status).toBe(200);
});

test('programs, and messages about what is over, get no link', async () => {
  await using daemon = await aDaemon();
  const { hook, printed, smtp } = daemon;
  const [call] = await hook.calls.reached(1);
  expect(call?.body).toContain('"alert.firing"');
  expect(call?.body).not.toContain('/a/');
  expect(printed.join('\n')).toContain('treasury coin 2');
  expect(printed.join('\n')).not.toContain('/a/');
  await daemon.poll(9);
  const [, over] = await smtp.mails.reached(2);
  expect(over?.parsed.subject).toContain('RESOLVED');
  expect(over?.parsed.text).not.toContain('/a/');
});

test('every message leads to the page of its alert, its end too, without links to acknowledge as well', async () => {
  await using daemon = await aDaemon();
  const { hook, mail, smtp } = daemon;
  const [call] = await hook.calls.reached(1);
  const { data } = JSON.parse(call?.body ?? '') as { data: { key: string; page: string } };
  expect(data.page).toBe(`${PUBLIC}/alerts/${data.key}/1`);
  expect(mail.parsed.text).toContain(`Alert: ${data.page}\n`);
  daemon.withLinksOff();
  await daemon.restart();
  await daemon.poll(9);
  const [, over] = await smtp.mails.reached(2);
  expect(over?.parsed.text).toContain(`Alert: ${data.page}\n`);
  const page = await get(data.page.replace(PUBLIC, daemon.url()));
  expect(page).toMatchObject({ status: 200, body: expect.stringContaining('coins/low') });
});

test('a report asks nobody to acknowledge it', async () => {
  await using daemon = await aDaemon();
  const { folder, smtp } = daemon;
  folder.write('rules.yaml', RULES.replace('while: balance < 1', "on: schedule, cron: '* * * * *', values: [balance]"));
  await daemon.running().reload();
  await daemon.poll(2);
  await daemon.poll(2);
  const [, report] = await smtp.mails.reached(2);
  expect(report?.parsed.subject).toContain('report: treasury coin 2');
  expect(report?.parsed.text).toContain(`Alert: ${PUBLIC}/alerts/`);
  expect(report?.parsed.text).not.toContain('/a/');
});
