// Every page, as a browser shows it: nothing that it refuses to load, nothing that is hard to read, no sideways scrolling.
import { afterAll, beforeAll, expect } from '@jest/globals';
import { systemClock } from '../../src/lib/clock.ts';
import type { Web } from '../../src/web/server.ts';
import {
  browserTest,
  hardToUse,
  overflowOf,
  startBrowser,
  type Browser,
  type Window,
} from '../support/browser/browser.ts';
import { NOW } from '../support/daemon-in-trouble.ts';
import { ALICE, serveTestPages } from '../support/browser/pages.ts';

const PAGES = [
  '/',
  '/watches',
  '/accounts',
  '/explorers',
  '/rules',
  '/about',
  '/watches/treasury-usdc',
  '/alerts/k1/8',
  '/history',
  '/deliveries',
  '/silences?watch=vault&comment=why',
  '/enter',
  '/nothing',
];

let web: Web;
let browser: Browser;
beforeAll(async () => {
  // Streams are kept open in real time.
  web = await serveTestPages({ clock: { ...systemClock, now: () => NOW } });
  browser = await startBrowser();
});
afterAll(async () => {
  await browser[Symbol.asyncDispose]();
  await web.close();
});

async function enter({ page }: Window): Promise<void> {
  await page.goto(`${web.url}/enter`);
  await page.fill('input[name=token]', ALICE);
  await page.click('main button');
  await page.waitForURL(`${web.url}/`);
}

browserTest.each([
  [1280, 'light'],
  [1280, 'dark'],
  [390, 'light'],
  [390, 'dark'],
  [320, 'light'],
] as const)('every page is whole and readable at %i pixels, %s', async (width, scheme) => {
  const window = await browser.open({ width, scheme });
  const { page, complaints } = window;
  await enter(window);
  for (const path of PAGES) {
    await page.goto(web.url + path);
    expect([path, await hardToUse(page)]).toEqual([path, []]);
    expect([path, await overflowOf(page)]).toEqual([path, 0]);
  }
  expect(complaints.filter((line) => !line.includes('404'))).toEqual([]);
  await window.context.close();
});

browserTest('what is hard to read would be found', async () => {
  const window = await browser.open();
  await window.page.setContent('<html><body><img src="x"><p style="color: #ccc">faint</p></body></html>');
  expect((await hardToUse(window.page)).map((line) => line.split(':')[0])).toEqual(
    expect.arrayContaining(['color-contrast', 'image-alt']),
  );
  await window.context.close();
});
