// The link of a mail, as who was woken opens it on a telephone: with scripts and without, and with no token at hand.
import { afterAll, beforeAll, describe, expect } from '@jest/globals';
import type { Page } from 'playwright-core';
import { aBrowsedDaemon, type BrowsedDaemon } from '../support/browser/browsed-daemon.ts';
import { browserTest, hardToUse, overflowOf, startBrowser, type Browser } from '../support/browser/browser.ts';
import { createSmtpSink, type SmtpSink } from '../support/sinks.ts';
import { readApi } from '../support/web/api-calls.ts';

let browser: Browser;
beforeAll(async () => {
  browser = await startBrowser();
});
afterAll(async () => {
  await browser[Symbol.asyncDispose]();
});

const RULES = `
watches:
  - { id: coins, kind: balance, of: treasury, every: 10s, alerts: [{ id: low, while: balance < 1, severity: critical }] }
`;
const MINUTE_MS = 60_000;
const PUBLIC = 'https://chainwarden.example.com';

function aMailingDaemon({ url }: SmtpSink): Promise<BrowsedDaemon> {
  const post = `{ type: email, from: chainwarden@example.com, to: [ops@example.com], smtp: '${url}', allow: [127.0.0.0/8] }`;
  return aBrowsedDaemon({ rules: RULES, channels: `  post: ${post}\n`, http: `public_url: '${PUBLIC}', links: true` });
}

/** Where the link of the first mail that says this leads, on the daemon. */
async function linkIn({ mails }: SmtpSink, daemon: BrowsedDaemon, said = ''): Promise<string> {
  const textOfMail = (): string | undefined =>
    mails.all.map(({ parsed }) => `${parsed.subject}\n${parsed.text}`).find((text) => text.includes(said));
  while (textOfMail() === undefined) await daemon.pass(5);
  const [, path = ''] = /https:\/\/chainwarden\.example\.com(\/a\/[\w-]+)/.exec(textOfMail() ?? '') ?? [];
  return `${daemon.running.app.url}${path}`;
}

async function acksOf({ running }: BrowsedDaemon): Promise<readonly unknown[]> {
  const open = (await readApi(running, '/alerts')).body['items'] as readonly { readonly ack: unknown }[];
  return open.map(({ ack }) => ack);
}

/** Looked for by scripts, which the page need not run itself. */
async function troubleOn(page: Page): Promise<readonly [number, readonly string[]]> {
  return [await overflowOf(page), await hardToUse(page)];
}

describe.each([true, false])('scripts: %s', (scripts) => {
  browserTest('who is called at night acknowledges from the mail, and only by pressing a button', async () => {
    await using smtp = await createSmtpSink();
    await using daemon = await aMailingDaemon(smtp);
    const { page, context, complaints } = await browser.open({ scripts, width: 390, scheme: 'dark' });
    daemon.chain.setBalance({ address: 'treasury', value: 0n });
    const link = await linkIn(smtp, daemon);

    for (let visit = 0; visit < 2; visit += 1) await page.goto(link);
    await page.getByText('You opened the link in a message to ops@example.com. Nothing has changed yet').waitFor();
    expect(await page.locator('main').innerText()).toMatch(/0 coin: 1 below the limit of 1[^]*coins\/low/);
    if (scripts) expect(await troubleOn(page)).toEqual([0, []]);
    expect(await acksOf(daemon)).toEqual([null]);

    await page.getByRole('button', { name: 'Acknowledge' }).click();
    await page.getByText('Done: it is acknowledged.').waitFor();
    expect(await page.locator('main').innerText()).toMatch(/Acknowledged by link:ops@example.com at .*, until .* UTC/);
    expect(await page.getByRole('button').count()).toBe(0);
    if (scripts) expect(await troubleOn(page)).toEqual([0, []]);
    expect(await acksOf(daemon)).toMatchObject([{ actor: 'link:ops@example.com' }]);
    await page.goto(link);
    await page.getByText(/Acknowledged by link:ops@example.com/).waitFor();
    expect(complaints).toEqual([]);
    await context.close();
  });

  browserTest('what was said anew since it was looked at is not acknowledged unseen', async () => {
    await using smtp = await createSmtpSink();
    await using daemon = await aMailingDaemon(smtp);
    const { page, context, complaints } = await browser.open({ scripts, width: 390 });
    for (const value of [0n, 5n, 0n, 5n, 0n]) {
      daemon.chain.setBalance({ address: 'treasury', value: value * 10n ** 18n });
      await daemon.pass(20);
    }
    await page.goto(await linkIn(smtp, daemon, 'Flapping:'));
    // For half an hour it has been steady, and people were told that.
    await daemon.running.clock.advance(31 * MINUTE_MS);
    await linkIn(smtp, daemon, 'Steady for 30 minutes.');
    await page.getByRole('button', { name: 'Acknowledge' }).click();
    await page.getByText('The alert has changed since you looked at it.').waitFor();
    expect(await acksOf(daemon)).toEqual([null]);

    await page.getByRole('button', { name: 'Acknowledge' }).click();
    await page.getByText('Done: it is acknowledged.').waitFor();
    expect(await acksOf(daemon)).toMatchObject([{ actor: 'link:ops@example.com' }]);
    // The browser itself notes the refusal.
    expect(complaints.filter((one) => !one.includes('409'))).toEqual([]);
    await context.close();
  });
});
