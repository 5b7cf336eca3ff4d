// What happens on a chain, and to messages about it, as the pages of a running daemon show it: with scripts and without.
import { afterAll, beforeAll, describe, expect } from '@jest/globals';
import { aBrowsedDaemon, enter, untilShown } from '../support/browser/browsed-daemon.ts';
import { browserTest, startBrowser, type Browser } from '../support/browser/browser.ts';
import { createWebhookSink, status } from '../support/sinks.ts';

let browser: Browser;
beforeAll(async () => {
  browser = await startBrowser();
});
afterAll(async () => {
  await browser[Symbol.asyncDispose]();
});

const BALANCE = `
watches:
  - { id: coins, kind: balance, of: treasury, every: 10s, alerts: [{ id: low, while: balance < 1, severity: critical }] }
`;
const CALLS = `
watches:
  - { id: calls, kind: internal-transactions, of: vault, every: 10s, alerts: [{ id: failed, on: new, if: success == false, severity: critical }] }
`;
const HEAD = `
watches:
  - { id: coins, kind: balance, of: treasury, every: 10s, alerts: [{ id: low, while: balance < 1 }] }
  - { id: head, kind: blocks, every: 10s, alerts: [{ id: stalled, while: 'age > duration("2m")' }] }
`;

const RICH = 5n * 10n ** 18n;

describe.each([true, false])('scripts: %s', (scripts) => {
  browserTest(
    'a balance that rises again ends its alert, and the page of the alert tells the whole story',
    async () => {
      await using daemon = await aBrowsedDaemon({ rules: BALANCE });
      const { chain } = daemon;
      const window = await browser.open({ scripts });
      const { page, complaints } = window;
      await enter(window, daemon.running);
      chain.setBalance({ address: 'treasury', value: 0n });
      await untilShown(window, daemon, { text: 'Critical, firing', scripts });
      await page.locator('.alert h3 a').first().click();
      await page.getByRole('heading', { name: 'What happened' }).waitFor();
      const alert = page.url();

      chain.setBalance({ address: 'treasury', value: RICH });
      await untilShown(window, daemon, { text: 'Ended', scripts });
      const story = await page.locator('.line-of-time').innerText();
      expect(story.indexOf('Fires')).toBeLessThan(story.indexOf('Resolved'));
      expect(story).toContain('Fires');
      expect(await page.getByRole('button', { name: 'Acknowledge' }).count()).toBe(0);

      await page.goto(`${daemon.running.app.url}/`);
      expect(await page.locator('.banner.alarm, .alert').count()).toBe(0);
      await page.goto(`${daemon.running.app.url}/history`);
      expect(await page.locator('main').innerText()).toMatch(/resolved[^]*fires/);
      expect(page.url()).not.toBe(alert);
      expect(complaints).toEqual([]);
      await window.context.close();
    },
  );

  browserTest('a call whose block was replaced is taken back, and nobody is kept awake by it', async () => {
    await using daemon = await aBrowsedDaemon({ rules: CALLS });
    const { chain } = daemon;
    const window = await browser.open({ scripts });
    const { page, complaints } = window;
    await enter(window, daemon.running);
    // In a block that was not there when the vault was first looked at.
    chain.mine();
    chain.failCall({ to: 'vault' });
    await untilShown(window, daemon, { text: 'Critical, event', scripts });
    await page.locator('.alert h3 a').first().click();
    await page.getByRole('heading', { name: 'What happened' }).waitFor();

    chain.reorganise({ blocks: 60, transactions: 'dropped' });
    await untilShown(window, daemon, { text: /^Retracted/, scripts });
    expect(await page.locator('.line-of-time').innerText()).toContain('etracted');
    await page.goto(`${daemon.running.app.url}/`);
    expect(await page.locator('.banner.alarm, .alert').count()).toBe(0);
    expect(complaints).toEqual([]);
    await window.context.close();
  });

  browserTest('a chain that stands still is seen to be still: what is shown of it may be old', async () => {
    await using daemon = await aBrowsedDaemon({ rules: HEAD });
    const window = await browser.open({ scripts });
    const { page, complaints } = window;
    await enter(window, daemon.running);
    daemon.isMining = false;
    await untilShown(window, daemon, { text: /no new block for \d+ min/, scripts });
    await untilShown(window, daemon, { text: /of 2 are blind/, scripts });
    expect(await page.locator('main').innerText()).toContain('chain: the chain head is stalled');
    daemon.isMining = true;
    await untilShown(window, daemon, { text: 'fresh', scripts });
    expect(complaints).toEqual([]);
    await window.context.close();
  });

  browserTest('a message that its receiver refuses is owed, and arrives when somebody has it tried again', async () => {
    await using hook = await createWebhookSink(status(503));
    const channels = `  ops: { type: webhook, url: '${hook.origin}', allow: [127.0.0.0/8] }\n`;
    await using daemon = await aBrowsedDaemon({ rules: BALANCE, channels });
    const window = await browser.open({ scripts });
    const { page, complaints } = window;
    await enter(window, daemon.running);
    daemon.chain.setBalance({ address: 'treasury', value: 0n });
    await untilShown(window, daemon, { text: /ops not accepted, \d/, scripts });
    await page.goto(`${daemon.running.app.url}/deliveries`);
    expect(await page.locator('main').innerText()).toContain('ops has not accepted its last message.');
    hook.answerNext(status(204));
    await page.getByText('Try ops now…').click();
    await page.getByRole('button', { name: 'Try it now' }).click();
    await untilShown(window, daemon, { text: /, accepted \d/, scripts });
    expect(complaints).toEqual([]);
    await window.context.close();
  });
});
