// A daemon on a sandbox whose chain a test moves by hand, with an operator, alice, who looks at it in a browser.
import { OPERATOR_TOKEN } from '../web/api-calls.ts';
import { runApp, type AppChange, type RunningApp } from '../app.ts';
import type { Window } from './browser.ts';
import { createFolder, type Folder } from '../daemon.ts';
import { createFakeClock } from '../fake-clock.ts';
import { runSandbox, type Running } from '../../sandbox/support.ts';
import type { Sandbox } from '../../../src/sandbox/sandbox.ts';

export interface BrowsedDaemon extends AsyncDisposable {
  readonly chain: Sandbox;
  readonly folder: Folder;
  readonly running: RunningApp;
  /** So many seconds pass, one after the other, each with a block while `isMining`. */
  pass(seconds: number): Promise<void>;
  isMining: boolean;
}

interface BrowsedOptions extends Pick<AppChange, 'openStore' | 'print'> {
  /** Lines of YAML under `channels`. */
  readonly channels?: string;
  /** More keys of `http`. */
  readonly http?: string;
  readonly rules: string;
}

const LINE = '  screen: { type: log }\n';

/** One whose watches have been polled once each. */
export async function aBrowsedDaemon({
  channels = LINE,
  http = '',
  rules,
  ...more
}: BrowsedOptions): Promise<BrowsedDaemon> {
  await using opened = new AsyncDisposableStack();
  const clock = createFakeClock();
  const explorer: Running = opened.use(
    await runSandbox({ clock, blockTimeMs: 'manual', startBlock: 1000, quiet: true }),
  );
  const { sandbox } = explorer;
  const folder = opened.use(
    createFolder({
      'config.yaml': `
explorers: { chain: { form: instance, instance_url: '${explorer.url}' } }
addresses: { treasury: '${sandbox.addresses.treasury}', vault: '${sandbox.addresses.vault}' }
channels:
${channels}
self: none
http: { listen: 127.0.0.1:0, operators: { alice: { token: { env: ALICE } } }, ${http} }
rules: [rules.yaml]
`,
      'rules.yaml': rules,
    }),
  );
  sandbox.mine();
  const running = opened.use(await runApp(folder, { env: { ALICE: OPERATOR_TOKEN }, clock, ...more }));
  await running.polls.reached(rules.split('- { id:').length - 1);
  const all = opened.move();
  const daemon: BrowsedDaemon = {
    chain: sandbox,
    folder,
    running,
    isMining: true,
    async pass(seconds) {
      for (let second = 0; second < seconds; second += 1) {
        if (daemon.isMining) sandbox.mine();
        await clock.advance(1000);
      }
    },
    [Symbol.asyncDispose]: () => all.disposeAsync(),
  };
  return daemon;
}

/** Enters with the token of alice, and sees the first page. */
export async function enter({ page }: Window, { app }: Pick<RunningApp, 'app'>): Promise<void> {
  await page.goto(`${app.url}/enter`);
  await page.fill('input[name=token]', OPERATOR_TOKEN);
  await page.click('main button');
  await page.waitForURL(`${app.url}/`);
}

/** By the daemon's clock. */
const MOST_SECONDS = 900;
const STEP_SECONDS = 5;

/** Seconds pass until the page shows it. Without scripts it is loaded again, as its reader would. */
export async function untilShown(
  { page }: Pick<Window, 'page'>,
  { pass }: Pick<BrowsedDaemon, 'pass'>,
  { text, scripts }: { readonly text: string | RegExp; readonly scripts: boolean },
): Promise<void> {
  const place = page.locator('body').getByText(text).first();
  for (let second = 0; second < MOST_SECONDS; second += STEP_SECONDS) {
    if (await place.isVisible()) return;
    await pass(STEP_SECONDS);
    if (!scripts) await page.reload();
  }
  throw new Error(`not shown within ${MOST_SECONDS} s: ${String(text)}\n${await page.locator('body').innerText()}`);
}
