// What the pages say when the daemon or its state is in trouble, and what a silence that was made on them holds back.
import { afterAll, beforeAll, describe, expect } from '@jest/globals';
import { openStore } from '../../src/store/open.ts';
import { StorageError } from '../../src/store/contract/store.ts';
import { readApi } from '../support/web/api-calls.ts';
import { aBrowsedDaemon, enter, untilShown } from '../support/browser/browsed-daemon.ts';
import { browserTest, startBrowser, type Browser } from '../support/browser/browser.ts';
import { createFolder, start } from '../support/daemon.ts';
import { freePort } from '../support/free-port.ts';
import { anOperatedDaemon, fallLow } from '../support/web/operated-daemon.ts';

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

browserTest('an open page says that the daemon was killed, and is right again by itself when it is back', async () => {
  const port = await freePort();
  using folder = createFolder({
    'config.yaml': `
explorers: { sandbox: { form: sandbox, block_time: 500ms } }
self: none
channels: { screen: { type: log } }
http: { listen: '127.0.0.1:${port}' }
rules: [rules.yaml]
`,
    'rules.yaml': 'watches: [{ id: head, kind: blocks, every: 1s, alerts: [{ id: block, on: new }] }]\n',
  });
  const { page, context } = await browser.open();
  await page.clock.install();
  {
    await using daemon = start(['run'], folder.path);
    await daemon.says('daemon:started');
    await page.goto(`http://127.0.0.1:${port}/`);
    await page.getByText('Can I trust this?').waitFor();
    daemon.kill('SIGKILL');
    await daemon.ended;
  }
  await page.clock.runFor(17_000);
  await page.getByText('No answer for').waitFor();
  await using again = start(['run'], folder.path);
  await again.says('daemon:started');
  await page.getByText('No answer for').waitFor({ state: 'hidden' });
  expect(await page.title()).not.toContain('(?)');
  await context.close();
});

describe.each([true, false])('scripts: %s', (scripts) => {
  browserTest('a state that does not answer is said, and what cannot be stored is not taken', async () => {
    const disk = { isBroken: false };
    await using daemon = await aBrowsedDaemon({ rules: BALANCE, openStore: breakable(disk) });
    const window = await browser.open({ scripts });
    const { page } = window;
    await enter(window, daemon.running);
    daemon.chain.setBalance({ address: 'treasury', value: 0n });
    await untilShown(window, daemon, { text: 'Critical, firing', scripts });

    disk.isBroken = true;
    await untilShown(window, daemon, { text: /the state does not answer now/, scripts });
    expect(await page.locator('.alert.alarm').count()).toBe(1);
    await page.getByRole('button', { name: 'Acknowledge' }).click();
    await page.getByRole('heading', { name: 'Nothing new can be stored' }).waitFor();

    disk.isBroken = false;
    await page.goto(`${daemon.running.app.url}/`);
    await page.getByRole('button', { name: 'Acknowledge' }).click();
    await untilShown(window, daemon, { text: /alice, \d/, scripts });
    await window.context.close();
  });

  browserTest('a silence held back what its preview had said, and nothing else', async () => {
    await using daemon = await anOperatedDaemon();
    const { running } = daemon;
    const window = await browser.open({ scripts });
    const { page, complaints } = window;
    await enter(window, running);
    await page.goto(`${running.app.url}/silences`);
    await page.getByLabel('Watch').fill('all');
    await page.getByLabel('Alert', { exact: true }).fill('low');
    await page.getByLabel('Why').fill('the vault is moved');
    await page.getByRole('button', { name: 'Preview' }).click();
    await page.getByRole('heading', { name: 'What it would silence' }).waitFor();
    const row = page.locator('main table tbody tr');
    expect(await row.locator('td.mono').allInnerTexts()).toEqual(['all/low']);
    expect(await row.locator('td[data-name=Watches]').allInnerTexts()).toEqual(['2']);
    await page.getByRole('button', { name: /^Silence / }).click();
    await page.getByText('the vault is moved').first().waitFor();

    await fallLow(daemon);
    while (!daemon.told.some((line) => line.includes('coins/low'))) await running.clock.advance(1000);
    const { body } = await readApi(running, '/alerts');
    const open = body['items'] as readonly {
      readonly watch: string;
      readonly alert: string;
      readonly silence: unknown;
    }[];
    const held = open.filter(({ silence }) => silence !== null).map(({ watch, alert }) => `${watch}/${alert}`);
    expect(held.toSorted()).toEqual(['all[treasury]/low', 'all[vault]/low']);
    expect(daemon.told.filter((line) => /all(\[\w+\])?\/low/.test(line))).toEqual([]);
    expect(daemon.told.filter((line) => line.includes('other/low'))).toHaveLength(1);
    await page.goto(`${running.app.url}/silences`);
    expect(await page.locator('main').innerText()).toContain('2 notifications held back so far');
    expect(complaints).toEqual([]);
    await window.context.close();
  });

  browserTest(
    '"Silence…" of one instance of a rule silenced nothing: it has all the labels of the instance',
    async () => {
      await using daemon = await anOperatedDaemon();
      const { running } = daemon;
      const window = await browser.open({ scripts });
      const { page, complaints } = window;
      await enter(window, running);
      await page.goto(`${running.app.url}/watches/${encodeURIComponent('all[vault]')}`);
      await page.getByRole('link', { name: 'Silence…' }).click();
      await page.getByRole('heading', { name: 'What it would silence' }).waitFor();
      expect(await page.getByLabel('Address').inputValue()).toBe('vault');
      await page.getByLabel('Other labels').fill('kind=balance');
      await page.getByLabel('Why').fill('the vault is moved');
      await page.getByRole('button', { name: 'Preview' }).click();
      const row = page.locator('main table tbody tr');
      await row.first().waitFor();
      expect(await row.locator('td[data-name=Watches]').allInnerTexts()).toEqual(['1', '1']);
      await page.getByRole('button', { name: /^Silence / }).click();
      await page.getByText('the vault is moved').first().waitFor();
      const [{ matchers } = {}] = (await readApi(running, '/silences')).body['active'] as { matchers: unknown }[];
      expect(matchers).toEqual({ watch: 'all', explorer: 'chain', of: 'vault', kind: 'balance' });
      expect(complaints).toEqual([]);
      await window.context.close();
    },
  );
});

/** A store whose every call fails while the disk is broken. */
function breakable(disk: { readonly isBroken: boolean }): typeof openStore {
  // `secure` looks for the file, which is still there.
  const plain: readonly (string | symbol)[] = ['setMaxBytes', 'secure'];
  return async (settings, options) => {
    const store = await openStore(settings, options);
    return new Proxy(store, {
      get(whole, name) {
        const value: unknown = Reflect.get(whole, name);
        if (typeof value !== 'function' || typeof name === 'symbol' || plain.includes(name)) return value;
        return (...given: readonly unknown[]): unknown =>
          disk.isBroken
            ? Promise.reject(new StorageError('the disk does not answer'))
            : Reflect.apply(value, whole, given);
      },
    });
  };
}
