// The link that `open` prints, and the page that takes it.
import { join } from 'node:path';
import { afterEach, expect, test } from '@jest/globals';
import { systemClock } from '../../src/lib/clock.ts';
import type { Web } from '../../src/web/server.ts';
import { browse, cookieOf } from '../support/browser/browse.ts';
import { run } from '../support/cli.ts';
import { createFolder } from '../support/daemon.ts';
import { LOCAL, serveTestPages } from '../support/browser/pages.ts';

const closing: Web[] = [];
afterEach(async () => {
  for (const web of closing.splice(0)) await web.close();
});

test('a link enters as the owner of the token file, and is no token itself', async () => {
  const web = await serveTestPages({ clock: systemClock });
  closing.push(web);
  const config = [
    'explorers: { s: { form: sandbox } }',
    'channels: { o: { type: log } }',
    'rules: [r.yaml]',
    `http: { listen: '${new URL(web.url).host}' }`,
  ];
  using folder = createFolder({ 'config.yaml': config.join('\n'), 'data/state.db.token': `${LOCAL}\n` });
  const { code, out } = await run(['open', '--config', join(folder.path, 'config.yaml')]);
  expect([code, out]).toEqual([0, expect.stringMatching(/^http:\/\/127\.0\.0\.1:\d+\/enter\?code=\S+\n$/)]);
  expect(out).not.toContain(LOCAL);
  const pass = new URL(out.trim()).searchParams.get('code') ?? '';
  const entered = await browse(web, '/enter', { form: { code: pass } });
  const { body } = await browse(web, '/', { headers: { cookie: cookieOf(entered) } });
  expect(body).toContain('<span class="who">local</span>');
});
