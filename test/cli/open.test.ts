// The link that `open` prints, and the page that takes it.
import { once } from 'node:events';
import { createServer, type AddressInfo } from 'node:net';
import { join } from 'node:path';
import { afterEach, expect, test } from '@jest/globals';
import { systemClock } from '../../src/lib/clock.ts';
import { ownNameOf } from '../../src/web/guard/hosts.ts';
import type { Web } from '../../src/web/server.ts';
import { browse, cookieOf } from '../support/browser/browse.ts';
import { run } from '../support/cli.ts';
import { createFolder } from '../support/daemon.ts';
import { LOCAL, serveTestPages } from '../support/browser/pages.ts';

const closing: Web[] = [];
afterEach(async () => {
  for (const web of closing.splice(0)) await web.close();
});

/** What `open` says of a daemon. */
async function openFor(web: Web): Promise<Awaited<ReturnType<typeof run>>> {
  const config = [
    'explorers: { s: { form: sandbox } }',
    'channels: { o: { type: log } }',
    'rules: [r.yaml]',
    `http: { listen: '${new URL(web.url).host}' }`,
  ];
  using folder = createFolder({ 'config.yaml': config.join('\n'), 'data/state.db.token': `${LOCAL}\n` });
  return await run(['open', '--config', join(folder.path, 'config.yaml')]);
}

/** The links that it prints. */
async function linksFor(web: Web): Promise<{ readonly links: readonly URL[]; readonly said: string }> {
  const { code, out, err } = await openFor(web);
  expect(code).toBe(0);
  expect(out).not.toContain(LOCAL);
  const links = out.trim().split('\n');
  return { links: links.map((link) => new URL(link)), said: err };
}

/** Who a browser is to the page after the link. */
async function whoEnters(web: Web, { host, searchParams }: URL): Promise<string | undefined> {
  const own = { host, origin: `http://${host}` };
  const entered = await browse(web, '/enter', { headers: own, form: { code: searchParams.get('code') ?? '' } });
  const { body } = await browse(web, '/', { headers: { ...own, cookie: cookieOf(entered) } });
  return /<span class="who">([^<]*)</.exec(body)?.[1];
}

test('a link enters as the owner of the token file, under a name that no other port is called by', async () => {
  const web = await serveTestPages({ clock: systemClock });
  closing.push(web);
  const { links, said } = await linksFor(web);
  const { port } = new URL(web.url);
  expect(links.map(({ host }) => host)).toEqual([
    expect.stringMatching(new RegExp(`^[0-9a-f]{20}\\.localhost:${port}$`)),
    `127.0.0.1:${port}`,
  ]);
  expect(said).toContain('The first link is safer');
  const [own, plain] = links;
  if (own === undefined || plain === undefined) throw new Error('no links');
  // On the other loopback address the same daemon answers.
  const onOther = { ...web, url: `http://[::1]:${port}` };
  expect(await whoEnters(onOther, own)).toBe('local');
  // The code was used.
  expect(await whoEnters(web, plain)).toBeUndefined();
  expect((await browse(web, '/', { headers: { host: `other.localhost:${port}` } })).status).toBe(421);
});

test('where another program listens on the other loopback address, there is no such name', async () => {
  const other = createServer().listen(0, '::1');
  await once(other, 'listening');
  const { port } = other.address() as AddressInfo;
  const web = await serveTestPages({ clock: systemClock, port });
  closing.push(web);
  const { links, said } = await linksFor(web);
  expect([links.map(({ host }) => host), said]).toEqual([[`127.0.0.1:${port}`], '']);
  const headers = { host: `${ownNameOf(LOCAL)}:${port}` };
  expect((await browse(web, '/', { headers })).status).toBe(421);
  expect(await Promise.all(links.map((link) => whoEnters(web, link)))).toEqual(['local']);
  other.close();
  await once(other, 'close');
});

test('a daemon that does not run has one link', async () => {
  const web = await serveTestPages({ clock: systemClock });
  await web.close();
  const { links } = await linksFor(web);
  expect(links.map(({ hostname }) => hostname)).toEqual(['127.0.0.1']);
});

test('of a daemon without a page it prints no link', async () => {
  const web = await serveTestPages({ clock: systemClock, pages: null });
  closing.push(web);
  const { code, out, err } = await openFor(web);
  expect([code, out]).toEqual([1, '']);
  expect(err).toContain('The daemon serves no page: http.page of its config is false');
});
