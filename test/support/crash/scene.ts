// A daemon that is killed again and again, while the chain and its operators go on. What happens is noted down, so that in
// the end it can be compared with what each recipient was told.
import { join } from 'node:path';
import { RUNTIME_FLAGS } from '../../../src/cli/runtime-flags.ts';
import { systemClock } from '../../../src/lib/clock.ts';
import type { Failpoint } from '../../../src/lib/failpoint.ts';
import { createSandbox, type Sandbox } from '../../../src/sandbox/sandbox.ts';
import { serveSandbox } from '../../../src/sandbox/server.ts';
import { openReader } from '../../../src/store/open.ts';
import { callApi, OPERATOR_TOKEN, type ApiAnswer, type Call } from '../web/api-calls.ts';
import { createFolder, start, type Process } from '../daemon.ts';
import { createInbox, type Arrivals } from '../sinks.ts';
import { createReceivers, RECIPIENTS, type Receivers } from './receivers.ts';
import { aheadIn, setAhead } from './moved-clock.ts';
import { createTally, type Owed } from './tally.ts';

export interface Kill {
  readonly at: Failpoint;
  /** How often it is passed by then. */
  readonly hit?: 1 | 2;
  /** What lies in the state file when that daemon starts. */
  readonly before?: (scene: Scene) => Promise<void> | void;
  /** It dies before anything can happen. */
  readonly isAtStart?: boolean;
}

/** What happens in each round, beside blocks and balances. */
export type Act = 'silences' | 'reload' | 'time passes' | 'clock is set' | 'details';

export interface Scene extends AsyncDisposable {
  readonly receivers: Receivers;
  readonly stateFile: string;
  readonly sandbox: Sandbox;
  /** A daemon runs until all is told, is stopped, and ends by itself. */
  runs(): Promise<void>;
  /** A daemon runs until it is killed; rejects when it never is. */
  dies(kill: Kill): Promise<void>;
  /** A daemon runs, and is killed so many milliseconds after it was started, or after it said that it was. */
  diesAfter(ms: number, from: 'spawn' | 'started'): Promise<void>;
  /** A daemon runs, and is killed once so many messages of it have come: it does not hear that the last one did. */
  diesAtMessage(nth: number): Promise<void>;
  owe(what: string, recipients?: readonly string[]): Owed;
  mine(): Owed;
  /** What was lost, and what came again without saying so. */
  faults(): string[];
  copies(): number;
  /** How many blocks a webhook was not told of yet. */
  lag(): number;
}

const MINUTE_MS = 60_000;
const ROUNDS_TO_DIE = 3;
/** Nothing takes so long. Without it a lost message would only be seen as a test that does not end. */
const STALLED_MS = 600_000;

/** What fires for the third time within an hour is told as unsteady: each of them falls at most twice. */
const PURSES = Array.from({ length: 16 }, (_, n) => `0x${n.toString(16).repeat(40)}`);
const ALERTS_OF_BLOCKS = 10;
const blockAlert = (n: number): string =>
  `      - { id: block-${n}, on: new, if: height % ${ALERTS_OF_BLOCKS} == ${n}, title: 'block {{ height }}.' }`;

const CALLS = `
  - id: calls
    kind: transactions
    of: vault
    every: 1s
    notify: [hook, chat, post, mirror]
    alerts: [{ id: call, on: new, severity: critical, enrich: [transaction, balances], title: 'call {{ nonce }}.' }]
`;

// Of one alert at most 50 events of a poll are told one by one.
const rulesOf = (spare: number, more = ''): string => `
watches:${more}
  - id: head
    kind: blocks
    every: 1s
    notify: [hook, chat, post, mirror]
    alerts:
${Array.from({ length: ALERTS_OF_BLOCKS }, (_, n) => blockAlert(n)).join('\n')}
  - id: coins
    kind: balance
    of: purses
    every: 1s
    notify: [hook, chat, post, mirror]
    alerts: [{ id: low, while: balance < 1, severity: critical }]
  - { id: spare-${spare}, kind: balance, of: vault, every: 1s, notify: [hook], alerts: [{ id: rich, while: balance > 1000000000 }] }
`;

export async function createScene(acts: readonly Act[] = []): Promise<Scene> {
  await using opened = new AsyncDisposableStack();
  const folder = opened.use(createFolder());
  // Where the daemon's clock is ahead, so is the chain's: else all that is on it would look old.
  const clock = { ...systemClock, now: () => systemClock.now() + aheadIn(folder.path) };
  const sandbox = createSandbox({ seed: 1, blockTimeMs: 'manual', clock, quiet: true });
  const served = opened.use(await serveSandbox(sandbox));
  const receivers = opened.use(await createReceivers());
  const configOf = (spare: number): string => `
explorers: { chain: { form: instance, instance_url: '${served.url}' } }
addresses: { ${PURSES.map((purse, n) => `purse_${n}: '${purse}'`).join(', ')}, purses: [${PURSES.map((_, n) => `purse_${n}`).join(', ')}], vault: ${sandbox.addresses.vault} }
routes:
  - { match: { watch: coins }, add: [spare-${spare}] }
  - { group_interval: 0s, repeat: off, escalate: [{ after: 1m, notify: [ops] }] }
state: { file: state.db }
http: { listen: 127.0.0.1:0, operators: { alice: { token: { env: ALICE } } } }
rules: [rules.yaml]
${receivers.yaml(`spare-${spare}`)}`;
  const writeFiles = (spare: number): void => {
    folder.write('config.yaml', configOf(spare));
    folder.write('rules.yaml', rulesOf(spare, acts.includes('details') ? CALLS : ''));
  };
  writeFiles(0);
  for (const address of PURSES) sandbox.setBalance({ address, value: coins('5') });
  const stateFile = join(folder.path, 'state.db');
  const tally = createTally(receivers.told.all);
  /** What the mirror has to be shown. An alert that is over soon may be shown to it as over alone. */
  const lasting: Owed[] = [];
  const lives = createInbox<Process>();
  let round = 0;
  let isBegun = false;

  async function until(isSo: () => boolean, arrivals: Arrivals<unknown>): Promise<void> {
    while (!isSo()) {
      const stalled = new AbortController();
      const news = [arrivals, lives].map((one) => one.reached(one.all.length + 1));
      const isStalled = systemClock.sleep(STALLED_MS, stalled.signal).then(() => !stalled.signal.aborted);
      const isOver = await Promise.race([isStalled, ...news.map((one) => one.then(() => false))]);
      stalled.abort();
      if (isOver)
        throw new Error(`nothing more comes:\n${faults().join('\n')}\n${lives.all.at(-1)?.err().slice(-2000) ?? ''}`);
    }
  }

  const owe = (what: string, recipients: readonly string[] = RECIPIENTS): Owed => tally.owe(what, recipients);

  const untilTold = (...all: readonly Owed[]): Promise<void> =>
    until(() => all.every((one) => tally.isTold(one)), receivers.told);

  function lasts(one: Owed): Owed {
    lasting.push(one);
    return one;
  }

  function mine(): Owed {
    sandbox.mine();
    return lasts(owe(`block ${sandbox.head()}.`));
  }

  /** In a block of its own: one that was told already would be corrected. */
  function call(nonce: number): readonly Owed[] {
    const block = mine();
    sandbox.addTransaction({ to: 'vault', nonce });
    return [block, lasts(owe(`call ${nonce}.`))];
  }

  function balance(value: string, title: string): Owed {
    sandbox.setBalance({ address: PURSES[round % PURSES.length] ?? '', value: coins(value) });
    return owe(`${value}, ${title} 1\n`);
  }

  /** A call that is not answered is made again under the same key, as clients do. */
  async function silence(key: string): Promise<void> {
    const told = owe(`${key};`, ['ops']);
    const until = new Date(systemClock.now() + 3_600_000).toISOString();
    const body = { matchers: { watch: 'spare-*' }, until, comment: `${key};` };
    for (let life = 1; ; life += 1) {
      await lives.reached(life);
      life = lives.all.length;
      const answer = await callOf(lives.all.at(-1), { path: '/silences', body, key });
      if (answer === null) continue;
      if (answer.status !== 201) throw new Error(`a silence was answered ${JSON.stringify(answer)}`);
      break;
    }
    await untilTold(told);
  }

  /** Another config is in force, also when it is that of the next daemon. A channel of an open alert is gone. */
  async function reload(): Promise<void> {
    const { length } = lives.all;
    const reloads = (): number => lives.all[length - 1]?.err().split('config:reloaded').length ?? 0;
    const before = reloads();
    writeFiles(round);
    await until(() => reloads() > before || lives.all.length > length, receivers.beats);
  }

  function goAhead(ms: number, signal: 'SIGUSR2' | 'SIGWINCH'): void {
    setAhead(folder.path, aheadIn(folder.path) + ms);
    lives.all.at(-1)?.kill(signal);
  }

  async function tell(): Promise<void> {
    round += 1;
    const number = String(1001 + 10 * round);
    await untilTold(mine(), mine(), balance(`0.${number}`, 'below'));
    if (acts.includes('details')) for (const n of [1, 2]) await untilTold(...call(10 * round + n));
    if (acts.includes('silences')) for (const n of [1, 2]) await silence(`silence-${round}-${n}`);
    if (acts.includes('reload')) await reload();
    if (acts.includes('time passes')) goAhead(MINUTE_MS, 'SIGUSR2');
    if (acts.includes('clock is set')) goAhead(5 * MINUTE_MS, 'SIGWINCH');
    await untilTold(mine(), lasts(balance(`5.${number}`, 'at or above')));
  }

  let telling: Promise<void> | null = null;
  /** Goes on where the last daemon was killed, until `isOver`. */
  async function rounds(count: number, isOver: () => boolean): Promise<void> {
    for (let done = 0; done < count && !isOver(); done += 1) {
      telling ??= tell().finally(() => (telling = null));
      await telling;
    }
  }

  function live(kill = ''): Process {
    const daemon = start(['run'], folder.path, {
      ALICE: OPERATOR_TOKEN,
      KILL_AT: kill,
      // It would replace itself by a process with those that are missing.
      NODE_OPTIONS: [...RUNTIME_FLAGS, `--import=${join(import.meta.dirname, 'preload.ts')}`].join(' '),
    });
    lives.push(daemon);
    return daemon;
  }

  const faults = (): string[] => tally.faults();
  const all = opened.move();
  const scene: Scene = {
    receivers,
    stateFile,
    sandbox,
    async runs() {
      await using daemon = live();
      await daemon.says('daemon:started');
      // Only what happens after the first poll is told.
      const begins = ['head', ...(acts.includes('details') ? ['calls'] : [])];
      const hasBegun = (): boolean => begins.every((id) => new RegExp(`watch:baseline.*"${id}`).test(daemon.err()));
      if (!isBegun) await until(hasBegun, receivers.beats);
      isBegun = true;
      await rounds(1, () => false);
      await until(() => tally.isAllTold(), receivers.told);
      await until(
        () => lasting.every(({ what }) => receivers.shown.all.some((text) => text.includes(what))),
        receivers.shown,
      );
      daemon.kill('SIGTERM');
      const { code } = await daemon.ended;
      if (code !== 0) throw new Error(`ended with ${String(code)}:\n${daemon.err().slice(-2000)}`);
      await assertWhole(stateFile);
    },
    async dies({ at, hit = 1, before, isAtStart = false }) {
      await before?.(scene);
      await using daemon = live(`${at}:${hit}`);
      let isOver = false;
      const happening = isAtStart ? daemon.says('daemon:started').catch(() => '') : rounds(ROUNDS_TO_DIE, () => isOver);
      await Promise.race([daemon.ended, happening]);
      isOver = true;
      daemon.kill('SIGTERM');
      const { signal } = await daemon.ended;
      if (signal !== 'SIGKILL')
        throw new Error(`never got to ${at} ${hit} times:\n${faults().join('\n')}\n${daemon.err().slice(-2000)}`);
    },
    async diesAfter(ms, from) {
      await using daemon = live();
      if (from === 'started') await daemon.says('daemon:started');
      await systemClock.sleep(ms);
    },
    async diesAtMessage(nth) {
      const { length } = receivers.told.all;
      await using _daemon = live();
      await receivers.told.reached(length + nth);
    },
    owe,
    mine,
    faults,
    lag() {
      const told = receivers.told.all.findLast(
        ({ recipient, text }) => recipient === 'hook' && text.includes('block '),
      );
      return sandbox.head() - Number(/block (\d+)\./.exec(told?.text ?? '')?.[1]);
    },
    copies: () => tally.copies(),
    [Symbol.asyncDispose]: () => all.disposeAsync(),
  };
  return scene;
}

/** Null: the daemon is not there, or went away before it answered. */
async function callOf(daemon: Process | undefined, call: Call): Promise<ApiAnswer | null> {
  try {
    const line = (await daemon?.says('daemon:started')) ?? '';
    const { metrics } = JSON.parse(line) as { metrics: string };
    return await callApi({ app: { url: new URL(metrics).origin } }, call);
  } catch {
    await daemon?.ended;
    return null;
  }
}

function coins(value: string): string {
  const [whole = '', part = ''] = value.split('.');
  return `${whole}${part.padEnd(18, '0')}`;
}

const CHANNELS = ['hook', 'chat', 'post', 'ops'];

/** Nothing is owed any more, nothing was given up, and no line of the journal is missing. */
async function assertWhole(file: string): Promise<void> {
  await using reader = await openReader({ file });
  const [verdict, { outbox, dead }] = [await reader.verifyJournal(null), await reader.survey()];
  const owed = outbox.filter(({ channel, rows }) => CHANNELS.includes(channel) && rows > 0);
  if (verdict.type !== 'intact' || owed.length > 0 || dead > 0)
    throw new Error(`the state file holds ${JSON.stringify({ verdict, owed, dead })}`);
}
