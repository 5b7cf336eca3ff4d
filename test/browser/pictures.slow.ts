// Pictures of the first page in each state of the daemon, in `data/pictures`: `npm run pictures` makes them, for people to
// look at, and finds what is hard to use on any page in any state. Two of the states are made in every run of the tests.
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import process from 'node:process';
import { afterAll, beforeAll, expect } from '@jest/globals';
import { enter } from '../support/browser/browsed-daemon.ts';
import {
  browserTest,
  hardToUse,
  overflowOf,
  startBrowser,
  type Browser,
  type Look,
  type Window,
} from '../support/browser/browser.ts';
import { aStagedDaemon, type StagedDaemon } from '../support/web/staged-daemon.ts';
import { STATES, type LookedAtState } from '../support/web/states.ts';

const isWanted = process.env['PICTURES'] === '1';
const FOLDER = 'data/pictures';

const LOOKS = [1280, 390].flatMap((width) =>
  (['light', 'dark'] as const).map((scheme): Pick<Look, 'width' | 'scheme'> => ({ width, scheme })),
);

type Drawn = Pick<LookedAtState, 'name' | 'before' | 'reach'> & { readonly isStopped: boolean };

const STOPPED: Drawn = { name: 'stopped', reach: ({ pass }) => pass(20), isStopped: true };
const QUIET = STATES.filter(({ name }) => name === 'quiet');
const DRAWN = [...(isWanted ? STATES : QUIET).map((state): Drawn => ({ ...state, isStopped: false })), STOPPED];

let browser: Browser;
beforeAll(async () => {
  browser = await startBrowser();
  if (isWanted) mkdirSync(FOLDER, { recursive: true });
});
afterAll(async () => {
  await browser[Symbol.asyncDispose]();
});

/** After so long without an answer a page says so. */
const LOST_MS = 17_000;

browserTest.each(DRAWN.map((state) => [state.name, state] as const))('%s', async (name, state) => {
  await using daemon = await aStagedDaemon(state.before);
  await state.reach(daemon);
  const windows = await Promise.all(LOOKS.map((look) => browser.open(look)));
  for (const window of windows) {
    await window.page.clock.install();
    await enter(window, daemon.running);
  }
  if (state.isStopped) await stopped(daemon, windows);
  for (const [i, { page }] of windows.entries()) {
    const { width, scheme } = LOOKS[i] ?? { width: 0, scheme: 'light' };
    const path = join(FOLDER, `${name.replaceAll(' ', '-')}-${width}-${scheme}.png`);
    const picture = await page.screenshot({ fullPage: true, ...(isWanted && { path }) });
    expect(picture.length).toBeGreaterThan(10_000);
    expect(await hardToUse(page)).toEqual([]);
    expect(await overflowOf(page)).toBe(0);
  }
  if (!state.isStopped)
    for (const window of isWanted ? windows : windows.slice(0, 1)) await everyPageIsUsable(window, daemon);
  for (const { context } of windows) await context.close();
});

const PAGES = ['/accounts', '/watches', '/history', '/silences', '/deliveries', '/explorers', '/rules', '/about'];

/** Also those of the first watch and the first alert that are shown. */
async function everyPageIsUsable({ page }: Pick<Window, 'page'>, { running }: StagedDaemon): Promise<void> {
  const { url } = running.app;
  const firstOf = async (path: string): Promise<string[]> => {
    await page.goto(`${url}${path === '/watches/' ? '/watches' : '/history'}`);
    const href = await page.evaluate<string | null>(
      `document.querySelector('main a[href^="${path}"]')?.getAttribute('href') ?? null`,
    );
    return href === null ? [] : [href];
  };
  for (const path of [...PAGES, ...(await firstOf('/watches/')), ...(await firstOf('/alerts/'))]) {
    await page.goto(url + path);
    expect([path, await hardToUse(page)]).toEqual([path, []]);
    expect([path, await overflowOf(page)]).toEqual([path, 0]);
  }
}

async function stopped({ running }: StagedDaemon, windows: readonly Window[]): Promise<void> {
  await running[Symbol.asyncDispose]();
  for (const { page } of windows) {
    await page.clock.runFor(LOST_MS);
    await page.getByText('No answer for').waitFor();
    expect(await page.locator('h1').first().innerText()).toMatch(/^No answer for/);
  }
}
