// Debian's Chromium, driven as a reader would. Where it is not installed, what only it can prove is skipped, and said so.
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import process from 'node:process';
import { test } from '@jest/globals';
import { chromium, type BrowserContext, type Page } from 'playwright-core';

const PROGRAM = '/usr/bin/chromium';
const AXE = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

const FLAGS = [
  '--headless',
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
];

const isInstalled = existsSync(PROGRAM);
if (!isInstalled)
  process.stderr.write(
    '\n!!! chromium IS NOT INSTALLED: what only a browser can prove is NOT TESTED in this run. ' +
      'On Debian: apt-get install chromium\n\n',
  );

export const browserTest = isInstalled ? test : test.skip;

export interface Look {
  readonly width: number;
  readonly scheme: 'light' | 'dark';
  readonly scripts: boolean;
}

export interface Browser extends AsyncDisposable {
  /** A window of its own, with no cookies. */
  open(look?: Partial<Look>): Promise<Window>;
}

export interface Window {
  readonly context: BrowserContext;
  readonly page: Page;
  /** What the browser refused to load or to run, and scripts that failed. */
  readonly complaints: readonly string[];
}

/** Where it is not installed, it opens nothing: its tests are skipped. */
export async function startBrowser(): Promise<Browser> {
  if (!isInstalled)
    return {
      open: () => Promise.reject(new Error(`${PROGRAM} is not there`)),
      [Symbol.asyncDispose]: async () => undefined,
    };
  const profile = mkdtempSync(join(tmpdir(), 'chainwarden-browser-'));
  const browser = await chromium.launch({ executablePath: PROGRAM, args: FLAGS, env: { HOME: profile } });
  return {
    async open({ width = 1280, scheme = 'light', scripts = true } = {}) {
      const context = await browser.newContext({
        viewport: { width, height: 900 },
        colorScheme: scheme,
        javaScriptEnabled: scripts,
      });
      const page = await context.newPage();
      const complaints: string[] = [];
      page.on('console', (line) => {
        if (line.type() === 'error') complaints.push(line.text());
      });
      page.on('pageerror', (error) => complaints.push(error.message));
      return { context, page, complaints };
    },
    async [Symbol.asyncDispose]() {
      await browser.close();
      rmSync(profile, { recursive: true, force: true });
    },
  };
}

/** What is hard to read or to use, of the rules of WCAG 2.2 AA: the rule and the elements. */
export async function hardToUse(page: Page): Promise<readonly string[]> {
  // In a world of its own: the page's policy lets no other script run, and is left as it is.
  const session = await page.context().newCDPSession(page);
  const { frameTree } = await session.send('Page.getFrameTree');
  const { executionContextId: contextId } = await session.send('Page.createIsolatedWorld', {
    frameId: frameTree.frame.id,
  });
  await session.send('Runtime.evaluate', { contextId, expression: AXE });
  const { result } = await session.send('Runtime.evaluate', {
    contextId,
    awaitPromise: true,
    returnByValue: true,
    expression: `axe.run(document, { runOnly: ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice'] })
      .then(({ violations }) => violations.map(({ id, nodes }) => id + ': ' + nodes.map(({ html }) => html).join(' | ')))`,
  });
  await session.detach();
  return result.value as readonly string[];
}

/** How much wider than the window the page is. */
export function overflowOf(page: Page): Promise<number> {
  return page.evaluate('document.documentElement.scrollWidth - document.documentElement.clientWidth');
}
