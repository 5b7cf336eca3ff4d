// Mails, as a browser shows their HTML part: on a telephone as on a desk, light and dark, whatever is written in them.
import { afterAll, beforeAll, expect } from '@jest/globals';
import type { Delivery } from '../../src/core/model/delivery.ts';
import { toContent } from '../../src/notifiers/rendering/group-content.ts';
import { toHtml } from '../../src/notifiers/rendering/mail-parts.ts';
import { inEveryValue, SHAPES } from '../hostile/messages.ts';
import { aDelivery, aResolvedMessage } from '../notifiers/samples.ts';
import { browserTest, hardToUse, overflowOf, startBrowser, type Browser } from '../support/browser/browser.ts';

const LONG = 'w'.repeat(300);
const DELIVERIES: Readonly<Record<string, Delivery>> = {
  'an alert that fires': aDelivery(),
  'an alert that is over': aDelivery({ message: aResolvedMessage() }),
  'words without a blank, in every value': aDelivery({ message: inEveryValue(LONG) }),
  ...Object.fromEntries(
    Object.entries(SHAPES).map(([name, shapeOf]) => [name, aDelivery(shapeOf(inEveryValue(LONG)))] as const),
  ),
};

/** Landmarks and headings are for pages; a mail program has its own. */
const OF_PAGES = /^(landmark-one-main|page-has-heading-one|region):/;

let browser: Browser;
beforeAll(async () => {
  browser = await startBrowser();
});
afterAll(async () => {
  await browser[Symbol.asyncDispose]();
});

browserTest.each([
  [380, 'light'],
  [380, 'dark'],
  [1280, 'light'],
  [1280, 'dark'],
] as const)('every mail is whole and readable at %i pixels, %s', async (width, scheme) => {
  const { page, context } = await browser.open({ width, scheme });
  for (const [name, delivery] of Object.entries(DELIVERIES)) {
    await page.setContent(toHtml(toContent(delivery)));
    expect(await page.innerText('body')).toMatch(/^\[[A-Z]+/);
    expect([name, await overflowOf(page)]).toEqual([name, 0]);
    const hard = (await hardToUse(page)).filter((line) => !OF_PAGES.test(line));
    expect([name, hard]).toEqual([name, []]);
  }
  await context.close();
});
