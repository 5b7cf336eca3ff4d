// A whole daemon that watches one balance: people by mail, programs by webhook, one operator; only the clock is fake.
import { z } from 'zod';
import { runApp, serveBalances, type BalanceExplorer, type RunningApp } from '../../support/app.ts';
import { createFolder, type Folder } from '../../support/daemon.ts';
import { createStoryClock } from '../../support/fake-clock.ts';
import { createSmtpSink, createWebhookSink, refusal, status } from '../../support/sinks.ts';
import type { Answer, SmtpSink, WebhookSink } from '../../support/sinks.ts';
import { callApi, OPERATOR_TOKEN, readApi } from '../../support/web/api-calls.ts';

export const MINUTE = 60_000;

/** The part of the config that a story is about. */
export interface Written {
  /** A YAML list. */
  readonly routes: string;
  /** Channels that mail to an address of their own name. */
  readonly mails?: readonly string[];
  /** Channels that call a webhook of their own name. */
  readonly webhooks?: readonly string[];
  readonly self?: string;
  readonly timeZone?: string;
}

interface Files {
  readonly config?: Written;
  readonly alerts?: string;
}

export interface Scene extends AsyncDisposable {
  readonly running: RunningApp;
  /** Recipients whose mails the server does not take. */
  readonly refused: Set<string>;
  /** Webhooks that answer 400. */
  readonly failing: Set<string>;
  /** So many polls, a minute apart, at which the treasury has so many coins. */
  poll(coins: number, count?: number): Promise<void>;
  /** Another config or other rules are saved and loaded. */
  reload(files: Files): Promise<void>;
  /** The daemon stops, and starts on what is saved meanwhile. */
  restart(files: Files): Promise<void>;
  /** All mails: `ops [WARNING] treasury ...`, without what they say behind the title. */
  mails(): readonly string[];
  /** The text of the last mail to a channel. */
  textTo(channel: string): string;
  /** All calls of webhooks: `hook alert.firing reserve/low`. */
  calls(): readonly string[];
  /** The bodies of so many calls of webhooks, at last. */
  bodies(count: number): Promise<readonly z.infer<typeof Body>[]>;
  /** Acknowledges the only open alert for so long. */
  ack(ms: number): Promise<void>;
  /** Takes the acknowledgement of the only open alert back. */
  unack(): Promise<void>;
  silence(ms: number): Promise<void>;
  /** So many mails, at last. */
  mailed(count: number): Promise<readonly string[]>;
}

const Open = z.object({
  items: z.array(z.object({ key: z.string(), episode: z.number(), seq: z.number() })),
});

const Body = z.object({ type: z.string(), data: z.record(z.string(), z.unknown()) });

const Called = z.object({ type: z.string(), data: z.object({ watch: z.string(), alert: z.string() }) });

/** The watch `reserve` of the treasury's balance, with these alerts. */
export async function aScene(config: Written, alerts: string): Promise<Scene> {
  await using opened = new AsyncDisposableStack();
  const explorer = opened.use(await serveBalances());
  const refused = new Set<string>();
  const failing = new Set<string>();
  const smtp = opened.use(await createSmtpSink({ rcpt: (to) => (refused.has(to) ? refusal(450, 'later') : null) }));
  const answer: Answer = (response, call) => {
    status(failing.has(call.path.slice(1)) ? 400 : 204)(response, call);
  };
  const hooks = opened.use(await createWebhookSink(answer));
  const places = { explorer: explorer.url, smtp: smtp.url, hooks: hooks.origin };
  const folder = opened.use(createFolder({ 'config.yaml': configOf(config, places), 'rules.yaml': rulesOf(alerts) }));
  const clock = createStoryClock();
  const start = (): Promise<RunningApp> => runApp(folder, { clock, env: { ALICE: OPERATOR_TOKEN } });
  let running = await start();
  await running.polls.reached(1);
  opened.defer(() => running[Symbol.asyncDispose]());
  const all = opened.move();
  const steps = stepsOf({ explorer, folder, running: () => running, places });
  return {
    ...steps,
    ...seenIn(smtp, hooks),
    get running() {
      return running;
    },
    async restart(files) {
      await running[Symbol.asyncDispose]();
      steps.save(files);
      running = await start();
    },
    refused,
    failing,
    [Symbol.asyncDispose]: () => all.disposeAsync(),
  };
}

interface Places {
  readonly explorer: string;
  readonly smtp: string;
  readonly hooks: string;
}

function configOf(
  { routes, mails = [], webhooks = [], self = 'none', timeZone = 'UTC' }: Written,
  places: Places,
): string {
  const mail = `type: email, from: chainwarden@example.com, smtp: '${places.smtp}', allow: [127.0.0.0/8]`;
  const hook = (name: string): string => `type: webhook, url: '${places.hooks}/${name}', allow: [127.0.0.0/8]`;
  return `
explorers:
  chain: { form: instance, instance_url: '${places.explorer}' }
addresses: { treasury: '0x${'11'.repeat(20)}' }
channels:
${mails.map((name) => `  ${name}: { ${mail}, to: [${name}@example.com] }\n`).join('')}
${webhooks.map((name) => `  ${name}: { ${hook(name)} }\n`).join('')}
routes: ${routes}
http: { listen: 127.0.0.1:0, operators: { alice: { token: { env: ALICE } } } }
self: ${self}
time_zone: ${timeZone}
rules: [rules.yaml]
`;
}

function rulesOf(alerts: string): string {
  return `watches:\n  - { id: reserve, kind: balance, of: treasury, every: 1m, alerts: [${alerts}] }\n`;
}

interface Daemon {
  readonly explorer: BalanceExplorer;
  readonly folder: Folder;
  readonly running: () => RunningApp;
  readonly places: Places;
}

interface Steps extends Pick<Scene, 'poll' | 'reload' | 'ack' | 'unack' | 'silence'> {
  save(files: Files): void;
}

function stepsOf({ explorer, folder, running, places }: Daemon): Steps {
  let requests = 0;
  const post = async (path: string, body: object): Promise<void> => {
    requests += 1;
    const { status: code } = await callApi(running(), { path, body, key: `request-${requests}` });
    if (code >= 300) throw new Error(`${path} was answered with ${code}`);
  };
  const after = (ms: number): string => new Date(running().clock.now() + ms).toISOString();
  const save = ({ config, alerts }: Files): void => {
    if (config !== undefined) folder.write('config.yaml', configOf(config, places));
    if (alerts !== undefined) folder.write('rules.yaml', rulesOf(alerts));
  };
  return {
    save,
    async poll(coins, count = 1) {
      explorer.balance = String(BigInt(Math.round(coins * 10)) * 10n ** 17n);
      for (let i = 0; i < count; i += 1) {
        const { polls, clock } = running();
        const { length } = polls.all;
        await clock.advance(MINUTE);
        await polls.reached(length + 1);
      }
    },
    async reload(files) {
      save(files);
      await running().reload();
    },
    async ack(ms) {
      const { key, episode, seq } = await openAlert(running());
      await post(`/alerts/${key}/${episode}/acks`, { seq, until: after(ms) });
    },
    async unack() {
      const { key, episode } = await openAlert(running());
      await post(`/alerts/${key}/${episode}/acks/end`, {});
    },
    silence: (ms) =>
      post('/silences', { matchers: { watch: 'reserve' }, until: after(ms), comment: 'work', confirm: true }),
  };
}

async function openAlert(running: RunningApp): Promise<z.infer<typeof Open>['items'][number]> {
  const [alert, ...others] = Open.parse((await readApi(running, '/alerts')).body).items;
  if (alert === undefined || others.length > 0) throw new Error('not one alert is open');
  return alert;
}

function seenIn(smtp: SmtpSink, hooks: WebhookSink): Pick<Scene, 'mails' | 'mailed' | 'textTo' | 'calls' | 'bodies'> {
  const nameOf = (to: readonly string[]): string => to.join().replaceAll('@example.com', '');
  const mails = (): string[] => smtp.mails.all.map(({ to, parsed }) => `${nameOf(to)} ${parsed.subject ?? ''}`);
  return {
    mails,
    async mailed(count) {
      await smtp.mails.reached(count);
      return mails();
    },
    async bodies(count) {
      await hooks.calls.reached(count);
      return hooks.calls.all.map(({ body }) => Body.parse(JSON.parse(body)));
    },
    textTo: (channel) => smtp.mails.all.findLast(({ to }) => nameOf(to) === channel)?.parsed.text ?? '',
    calls: () =>
      hooks.calls.all.map(({ path, body }) => {
        const { type, data } = Called.parse(JSON.parse(body));
        return `${path.slice(1)} ${type} ${data.watch}/${data.alert}`;
      }),
  };
}
