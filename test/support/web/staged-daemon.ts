// A daemon on three explorers whose states a test brings about, and all that people and programs see of it at one moment.
import { join } from 'node:path';
import { runSandbox } from '../../sandbox/support.ts';
import { Overview } from '../../../src/query/shapes/overview.ts';
import type { Sandbox } from '../../../src/sandbox/sandbox.ts';
import { runApp, type RunningApp } from '../app.ts';
import { run } from '../cli.ts';
import { createFolder, type Folder } from '../daemon.ts';
import { createFakeClock } from '../fake-clock.ts';
import { createWebhookSink, status } from '../sinks.ts';
import { lockable } from '../store/broken-writes.ts';
import { callApi, OPERATOR_TOKEN, readApi } from './api-calls.ts';

const NAMES = ['one', 'two', 'three'] as const;
export type ChainName = (typeof NAMES)[number];

export interface StagedDaemon extends AsyncDisposable {
  readonly chains: Readonly<Record<ChainName, Sandbox>>;
  readonly folder: Folder;
  readonly running: RunningApp;
  /** Chains whose head stands still. */
  readonly frozen: Set<ChainName>;
  readonly disk: { isLocked: boolean };
  /** The status that the webhook answers with. */
  readonly hook: { status: number };
  /** So many seconds pass, each with a block on every chain that moves. */
  readonly pass: (seconds: number) => Promise<void>;
  /** So many rounds of polls, ten seconds apart, of which each sees something. */
  readonly poll: (rounds: number) => Promise<void>;
  /** Seconds pass until the API says so. */
  readonly until: (isSo: (overview: Overview) => boolean) => Promise<void>;
  /** An operator's call of the API. */
  readonly operate: (path: string, body: object) => Promise<void>;
  /** As people and programs see it now. */
  readonly look: () => Promise<Seen>;
  /** Also when it has stopped. */
  readonly status: () => Promise<Pick<Seen, 'status' | 'statusApi'>>;
}

export interface Seen {
  readonly api: Overview;
  /** The text of the first page. */
  readonly page: string;
  readonly status: string;
  readonly statusApi: Overview;
  readonly metrics: string;
  readonly readyz: string;
}

const WATCHES = 7;
/** Two watches use more than that in a day. */
const PLAN_CREDITS = 320_000;

const rules = `
watches:
  - id: coins
    kind: balance
    of: treasury
    explorer: [one, two, three]
    every: 10s
    alerts:
      - { id: low, while: balance < 1, severity: critical, notify: [hook] }
      - { id: rich, while: balance > 100, severity: info, notify: [hook] }
  - { id: head, kind: blocks, explorer: [one, two, three], every: 10s, alerts: [{ id: used, on: new, if: gas_used > 0, severity: info, notify: [screen] }] }
  - id: calls
    kind: internal-transactions
    of: vault
    explorer: one
    every: 10s
    alerts: [{ id: failed, on: new, if: success == false, severity: critical, notify: [hook] }]
`;

/** `before`: what is so when it starts; without it, one that has polled its watches once. */
export async function aStagedDaemon(before?: (chains: StagedDaemon['chains']) => void): Promise<StagedDaemon> {
  await using opened = new AsyncDisposableStack();
  const clock = createFakeClock();
  const limits = { requestsPerSecond: 1_000_000, credits: PLAN_CREDITS };
  const [one, two, three] = [
    opened.use(await runSandbox({ clock, blockTimeMs: 'manual', startBlock: 1000, quiet: true })),
    opened.use(await runSandbox({ clock, blockTimeMs: 'manual', startBlock: 1000, quiet: true })),
    opened.use(await runSandbox({ clock, blockTimeMs: 'manual', startBlock: 1000, quiet: true, limits })),
  ];
  const chains = { one: one.sandbox, two: two.sandbox, three: three.sandbox };
  const hook = { status: 204 };
  const sink = opened.use(
    await createWebhookSink((response, call) => {
      status(hook.status)(response, call);
    }),
  );
  const { addresses, chainId, apiKey } = one.sandbox;
  const folder = opened.use(
    createFolder({
      'config.yaml': `
explorers:
  one: { form: instance, instance_url: '${one.url}' }
  two: { form: instance, instance_url: '${two.url}' }
  three: { form: multichain, base_url: '${three.url}', chain_id: '${chainId}', api_key: { env: KEY }, plan: { credits: ${PLAN_CREDITS}, stretch: off } }
addresses: { treasury: '${addresses.treasury}', vault: '${addresses.vault}' }
channels: { screen: { type: log }, hook: { type: webhook, url: '${sink.origin}/hook', allow: [127.0.0.0/8] } }
self: none
http: { listen: 127.0.0.1:0, operators: { alice: { token: { env: ALICE } } } }
state: { file: state.db }
rules: [rules.yaml]
`,
      'rules.yaml': rules,
    }),
  );
  for (const chain of Object.values(chains)) chain.setBalance({ address: 'treasury', value: 5n * 10n ** 18n });
  for (const chain of Object.values(chains)) chain.mine();
  before?.(chains);
  const disk = { isLocked: false };
  const env = { ALICE: OPERATOR_TOKEN, KEY: apiKey };
  const running = opened.use(await runApp(folder, { env, clock, openStore: lockable(disk) }));
  // What fails at the start is tried again by the clock.
  if (before === undefined) await running.polls.reached(WATCHES);
  const all = opened.move();
  const frozen = new Set<ChainName>();
  let requests = 0;
  const overview = async (): Promise<Overview> => Overview.parse((await readApi(running, '/overview')).body);
  const daemon: StagedDaemon = {
    chains,
    folder,
    running,
    frozen,
    disk,
    hook,
    async pass(seconds) {
      for (let second = 0; second < seconds; second += 1) {
        for (const name of NAMES) if (!frozen.has(name)) chains[name].mine();
        await clock.advance(1000);
      }
    },
    async poll(rounds) {
      for (let round = 0; round < rounds; round += 1) {
        const { length } = running.polls.all;
        for (const name of NAMES) chains[name].mine();
        await clock.advance(10_000);
        await running.polls.reached(length + WATCHES);
      }
    },
    async until(isSo) {
      for (let second = 0; second < MOST_SECONDS; second += STEP_SECONDS) {
        if (isSo(await overview())) return;
        await daemon.pass(STEP_SECONDS);
      }
      throw new Error(`not reached within ${MOST_SECONDS} s: ${JSON.stringify(await overview(), null, 2)}`);
    },
    async operate(path, body) {
      requests += 1;
      const { status: code } = await callApi(running, { path, body, key: `request-${requests}` });
      if (code >= 300) throw new Error(`${path} was answered with ${code}`);
    },
    async status() {
      const config = join(folder.path, 'config.yaml');
      const { out } = await run(['status', '-c', config], { env, clock });
      const { out: json } = await run(['status', '--json', '-c', config], { env, clock });
      return { status: out, statusApi: Overview.parse(JSON.parse(json)) };
    },
    async look() {
      const headers = { authorization: `Bearer ${OPERATOR_TOKEN}` };
      const page = await (await fetch(`${running.app.url}/`, { headers })).text();
      return {
        api: await overview(),
        page: textOf(page),
        ...(await daemon.status()),
        metrics: await running.metrics(),
        readyz: (await running.readyz()).body,
      };
    },
    [Symbol.asyncDispose]: () => all.disposeAsync(),
  };
  return daemon;
}

const MOST_SECONDS = 900;
const STEP_SECONDS = 5;

/** Without its markup. */
function textOf(page: string): string {
  const main = page.slice(page.indexOf('<section class="banner'));
  return main
    .replace(/<[^>]*>/g, ' ')
    .replace(/&#39;/g, "'")
    .replace(/&quot;/g, '"')
    .replace(/&lt;/g, '<')
    .replace(/&gt;/g, '>')
    .replace(/&amp;/g, '&')
    .replace(/\s+/g, ' ');
}
