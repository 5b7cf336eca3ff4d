// What people do on the pages of a running daemon, with scripts and without.
import { afterAll, beforeAll, describe, expect } from '@jest/globals';
import { enter } from '../support/browser/browsed-daemon.ts';
import { browserTest, startBrowser, type Browser } from '../support/browser/browser.ts';
import { ALICE, apiWith, OPERATORS, serveTestPages } from '../support/browser/pages.ts';
import { anOperatedDaemon, fallLow, storedBy } from '../support/web/operated-daemon.ts';

let browser: Browser;
beforeAll(async () => {
  browser = await startBrowser();
});
afterAll(async () => {
  await browser[Symbol.asyncDispose]();
});

describe.each([true, false])('scripts: %s', (scripts) => {
  browserTest('a balance falls, the page turns red, and who acknowledges it is known', async () => {
    await using daemon = await anOperatedDaemon();
    const window = await browser.open({ scripts });
    const { page, complaints } = window;
    await enter(window, daemon.running);
    expect(await page.locator('.banner.alarm').count()).toBe(0);

    await fallLow(daemon);
    // Its script may begin to listen only now.
    while ((await page.locator('.banner.alarm').count()) === 0) {
      await daemon.running.clock.advance(1000);
      if (!scripts) await page.reload();
    }
    expect(await page.title()).toMatch(/^\(\d\) /);

    const card = page.locator('.alert.alarm').first();
    const title = await card.locator('h3').innerText();
    await card.getByRole('button', { name: 'Acknowledge' }).click();
    await page.locator('.banner.alarm').waitFor({ state: 'detached' });
    expect(await page.locator('main').innerText()).toContain(title);
    expect(await page.locator('main').innerText()).toContain('alice,');
    expect((await storedBy(daemon)).acks).toMatchObject([{ actor: 'alice' }]);

    await page.goto(`${daemon.running.app.url}/history`);
    expect(await page.locator('main').innerText()).toContain('by alice');
    expect(complaints).toEqual([]);
    await window.context.close();
  });
});

browserTest('a daemon that is gone is seen to be gone', async () => {
  await using daemon = await anOperatedDaemon();
  const { page, context } = await browser.open();
  await page.clock.install();
  await page.goto(daemon.running.app.url);
  await daemon.running[Symbol.asyncDispose]();
  await page.clock.runFor(17_000);
  await page.getByText('No answer for').waitFor();
  expect(await page.title()).toMatch(/^\(\?\) No answer for/);
  // Neither the verdict, nor the clock, nor the icon says any more that all is well.
  expect(await page.locator('h1:visible').allInnerTexts()).toEqual([expect.stringMatching(/^No answer for/)]);
  expect(await page.locator('link[rel=icon]').getAttribute('href')).toContain('icon-blind');
  const clock = page.locator('header [data-clock]');
  const shown = await clock.innerText();
  await page.clock.runFor(5000);
  expect(await clock.innerText()).toBe(shown);
  const [lost, main] = [
    await page.locator('#lost h1').boundingBox(),
    await page.locator('main section').first().boundingBox(),
  ];
  expect(lost?.x).toBe(main?.x);
  await context.close();
});

browserTest('whose token was changed was still let in by the cookie of the former one', async () => {
  const former = await serveTestPages();
  const { page, context } = await browser.open();
  await page.goto(`${former.url}/enter`);
  await page.fill('input[name=token]', ALICE);
  await page.click('main button');
  await page.getByText('alice', { exact: true }).waitFor();
  await former.close();

  // A browser sends its cookie to whatever answers on the host.
  const operators = OPERATORS.map((one) => ({ ...one, token: `${one.token}-of-today` }));
  const present = await serveTestPages({ api: apiWith({ operators }) });
  const answer = await page.goto(`${present.url}/accounts`);
  expect(answer?.status()).toBe(401);
  await page.getByText('You have to enter').waitFor();
  await page.goto(`${present.url}/enter`);
  await page.fill('input[name=token]', `${ALICE}-of-today`);
  await page.click('main button');
  await page.getByText('alice', { exact: true }).waitFor();
  await context.close();
  await present.close();
});
