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
import { accountsWith, CALM, NOW, overviewWith, seriesWith } from '../support/daemon-in-trouble.ts';
import { ALICE, queriesWith, serveTestPages } from '../support/browser/pages.ts';

const PAGES = [
  '/',
  '/watches',
  '/accounts',
  '/accounts/0xa14C3E6DD27d6A8e02f9Ea24EcDE64e6B6f50db0',
  '/explorers',
  '/rules',
  '/about',
  '/watches/treasury-usdc',
  '/alerts/k1/8',
  '/history',
  '/deliveries',
  `/?label=team%3D${'x'.repeat(120)}&label=tier%3D1`,
  '/watches?label=team%3Dtreasury',
  '/history?label=team%3Dtreasury',
  '/silences?watch=vault&comment=why',
  '/silences?watch=vault&comment=why&until=25:99',
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

browserTest(
  'an amount of eighteen decimals made phones scroll sideways, and broke within its digits in tables',
  async () => {
    const amount = '1234567.405263685341924428';
    const queries = queriesWith(CALM);
    const [overview, accounts] = [overviewWith(CALM), accountsWith(CALM)];
    const cards = overview.cards.map((card) => ({
      ...card,
      title: `The wallet is low: ${amount} ETH`,
      measure: card.measure && { ...card.measure, value: amount },
    }));
    const items = accounts.items.map((row) => ({ ...row, measure: { ...row.measure, value: amount } }));
    const pages = await serveTestPages({
      isOpen: true,
      clock: { ...systemClock, now: () => NOW },
      queries: {
        ...queries,
        overview: async () => ({ ...overview, headline: cards[0]?.title ?? '', cards }),
        accounts: async () => ({ ...accounts, items }),
      },
    });
    for (const width of [1280, 390, 320]) {
      const { page, context } = await browser.open({ width });
      for (const path of ['/', '/accounts']) {
        await page.goto(pages.url + path);
        expect([path, width, await overflowOf(page)]).toEqual([path, width, 0]);
      }
      const lines = await page.evaluate<number[]>(
        "[...document.querySelectorAll('td.num .frac')].map((one) => one.getClientRects().length)",
      );
      if (width === 1280) expect(new Set(lines)).toEqual(new Set([1]));
      await context.close();
    }
    await pages.close();
  },
);

browserTest('on a telephone a row of a list has two lines, and a tap opens the rest of it', async () => {
  const window = await browser.open({ width: 390, scripts: false });
  const { page } = window;
  await enter(window);
  for (const path of [
    '/',
    '/watches',
    '/watches?label=team%3Dtreasury',
    '/accounts',
    '/history',
    '/deliveries',
    '/rules',
    '/explorers',
    '/silences?watch=vault&comment=why',
    '/watches/treasury-usdc',
  ]) {
    await page.goto(web.url + path);
    const rows = page.locator('tr:has(> td.fold)');
    expect([path, (await rows.count()) > 0]).toEqual([path, true]);
    for (const row of await rows.all()) {
      const { height } = (await row.boundingBox()) ?? { height: 0 };
      expect([path, height > 0 && height <= 72]).toEqual([path, true]);
    }
  }
  const row = page.locator('tr:has(> td.fold)').last();
  expect(await row.locator('td[data-name=Took]').isVisible()).toBe(false);
  await row.locator('summary').click();
  expect(await row.locator('td[data-name=Took]').isVisible()).toBe(true);
  expect(await overflowOf(page)).toBe(0);
  await window.context.close();
});

browserTest('cards of open alerts stood glued together, as if they were one', async () => {
  const window = await browser.open({ width: 390 });
  await enter(window);
  const boxes = await Promise.all((await window.page.locator('.alert').all()).map((card) => card.boundingBox()));
  const [first, second] = boxes;
  expect((second?.y ?? 0) - (first?.y ?? 0) - (first?.height ?? 0)).toBeGreaterThanOrEqual(8);
  await window.context.close();
});

browserTest('a page of a label is kept current with what that label has', async () => {
  const window = await browser.open({ width: 390 });
  await enter(window);
  const { page } = window;
  const ofLabel = `${web.url}/?label=team%3Da%26b`;
  const stream = page.waitForRequest((request) => page.url() === ofLabel && request.url().includes('/events?'));
  await page.goto(ofLabel);
  expect(new URL((await stream).url()).searchParams.getAll('label')).toEqual(['team=a&b']);
  await window.context.close();
});

browserTest.each([true, false])(
  'marks of a chart read the same, one beside the other (scripts: %s)',
  async (scripts) => {
    const from = new Date(NOW - 90_000).toISOString();
    const points = ['4870.01', '4870.02', '4870.05'].map((value, at): [string, string] => {
      return [new Date(NOW - 90_000 + at * 30_000).toISOString(), value];
    });
    const queries = {
      ...queriesWith(CALM),
      samples: async () => ({ ...seriesWith(), from, points, gaps: [], limits: [], episodes: [], notified: [] }),
    };
    const pages = await serveTestPages({ isOpen: true, clock: { ...systemClock, now: () => NOW }, queries });
    const { page, context } = await browser.open({ scripts });
    await page.addInitScript(
      'globalThis.drawn = {}; const fill = CanvasRenderingContext2D.prototype.fillText; CanvasRenderingContext2D.prototype.fillText = function (text, ...at) { drawn[at] = text; fill.call(this, text, ...at); };',
    );
    await page.goto(`${pages.url}/watches/treasury-usdc`);
    if (scripts) await page.locator('[data-live]').waitFor();
    const marks = scripts
      ? await page.evaluate<string[]>('Object.values(drawn)')
      : await page.locator('.only-wide .s-text[text-anchor=end]').allTextContents();
    expect(marks.length).toBeGreaterThan(3);
    expect(new Set(marks).size).toBe(marks.length);
    expect(marks).toEqual(expect.arrayContaining([expect.stringMatching(/^4\.870\d+K$/)]));
    await context.close();
    await pages.close();
  },
);

browserTest('the words of a limit stand inside the chart, at its edges too', async () => {
  const from = new Date(NOW - 90_000).toISOString();
  const points = ['4870', '4870', '4870'].map((value, at): [string, string] => {
    return [new Date(NOW - 90_000 + at * 30_000).toISOString(), value];
  });
  const limitOf = (alert: string, fires: 'below' | 'above', limit: string) => {
    return { alert, severity: 'warning' as const, fires, fire: limit, clear: limit };
  };
  const limits = [
    limitOf('low', 'below', '4860'),
    limitOf('high', 'above', '4880'),
    limitOf('higher', 'above', '4881'),
  ];
  const queries = {
    ...queriesWith(CALM),
    samples: async () => ({ ...seriesWith(), from, points, gaps: [], limits, episodes: [], notified: [] }),
  };
  const pages = await serveTestPages({ isOpen: true, clock: { ...systemClock, now: () => NOW }, queries });
  const { page, context } = await browser.open({ width: 390 });
  await page.addInitScript(
    'globalThis.drawn = []; const fill = CanvasRenderingContext2D.prototype.fillText; CanvasRenderingContext2D.prototype.fillText = function (text, x, y) { const { actualBoundingBoxAscent: up, actualBoundingBoxDescent: down, width } = this.measureText(text); drawn.push({ text, left: x, right: x + width, top: y - up, bottom: y + down, width: this.canvas.width, height: this.canvas.height }); fill.call(this, text, x, y); };',
  );
  await page.goto(`${pages.url}/watches/treasury-usdc`);
  await page.locator('[data-live]').waitFor();
  const drawn = await page.evaluate<Drawn[]>('drawn');
  const words = drawn.filter(({ text }) => text.includes(' fires '));
  expect(new Set(words.map(({ text }) => text))).toEqual(
    new Set(['low fires below 4,860', 'high fires above 4,880', 'higher fires above 4,881']),
  );
  const outside = words.filter(
    ({ left, right, top, bottom, width, height }) => left < 0 || right > width || top < 0 || bottom > height,
  );
  expect(outside).toEqual([]);
  await context.close();
  await pages.close();
});

interface Drawn {
  readonly text: string;
  readonly left: number;
  readonly right: number;
  readonly top: number;
  readonly bottom: number;
  readonly width: number;
  readonly height: number;
}

browserTest('an amount of eighteen decimals stands in one line on a telephone', async () => {
  const [overview, value] = [overviewWith(CALM), '1092.152577004116028547'];
  const cards = overview.cards.map((card) => ({ ...card, measure: card.measure && { ...card.measure, value } }));
  const queries = { ...queriesWith(CALM), overview: async () => ({ ...overview, cards }) };
  const pages = await serveTestPages({ isOpen: true, clock: { ...systemClock, now: () => NOW }, queries });
  const { page, context } = await browser.open({ width: 390 });
  await page.goto(pages.url);
  const lines = await page.evaluate<number>("document.querySelector('.alert .value .frac').getClientRects().length");
  expect(lines).toBe(1);
  await context.close();
  await pages.close();
});

browserTest('what is hard to read would be found', async () => {
  const window = await browser.open();
  await window.page.setContent('<html><body><img src="x"><p style="color: #ccc">faint</p></body></html>');
  expect((await hardToUse(window.page)).map((line) => line.split(':')[0])).toEqual(
    expect.arrayContaining(['color-contrast', 'image-alt']),
  );
  await window.context.close();
});
