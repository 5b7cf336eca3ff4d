// A quiet sandbox chain, the real client, rules as a person writes them, and the poller: polled by hand.
import { setImmediate as afterIo } from 'node:timers/promises';
import { loadConfig } from '../../src/config/config.ts';
import type { Config } from '../../src/config/model.ts';
import { formatProblems } from '../../src/config/problem.ts';
import type { Delivery, Message } from '../../src/core/model/delivery.ts';
import type { Decision } from '../../src/core/model/decision.ts';
import type { Watch } from '../../src/core/model/watch/watch.ts';
import { NOBODY_TOLD } from '../../src/engine/sending/unrecorded.ts';
import { createPoller, type Poller } from '../../src/engine/polling/poller.ts';
import { createScheduler, type Scheduler } from '../../src/engine/scheduling/scheduler.ts';
import type { AnswerCache } from '../../src/explorer/http/answer-cache.ts';
import { createExplorer, type Explorer, type ExplorerOptions } from '../../src/explorer/explorer.ts';
import { createAccount } from '../../src/explorer/spending/account.ts';
import { createBudget, type Budget } from '../../src/explorer/spending/budget.ts';
import { createHttpTransport, HTTP_LIMITS, type Auth } from '../../src/explorer/http/http-transport.ts';
import { notifiers } from '../../src/notifiers/index.ts';
import type { Clock } from '../../src/lib/clock.ts';
import { openRecorder, type Recorder } from '../../src/recording/recorder.ts';
import type { AbiFiles } from '../../src/rules/abi/abi-files.ts';
import { loadRules } from '../../src/rules/load.ts';
import { ADDRESSES, API_KEY, CHAIN_ID, TOKENS } from '../../src/sandbox/names.ts';
import type { Release } from '../../src/sandbox/releases/release.ts';
import { createSandbox, type Sandbox } from '../../src/sandbox/sandbox.ts';
import { serveSandbox } from '../../src/sandbox/server.ts';
import type { Store } from '../../src/store/contract/store.ts';
import { kinds } from '../../src/watches/index.ts';
import { adopt, retireGone } from './engine/adopt.ts';
import { createFakeClock, type FakeClock } from './fake-clock.ts';
import { createMemoryStore } from './store/memory-store.ts';
import { createRecordingLog, type RecordingLog } from './recording-log.ts';
import { createReplicas, type Replicas } from './engine/replicas.ts';
import { wordsOf } from './engine/run-polls.ts';
import { claim, dispatch } from './store/store-calls.ts';
import { ownershipOf } from './store/fences.ts';
import { aBudget } from './spending.ts';

export const CONFIG = `
explorers: { chain: { form: sandbox } }
addresses:
  treasury: ${ADDRESSES.treasury}
  vault: ${ADDRESSES.vault}
  hot_wallet: ${ADDRESSES.hot_wallet}
  ours: [treasury, vault]
tokens: { USDC: ${TOKENS.USDC}, ACME: ${TOKENS.ACME}, ITEMS: ${TOKENS.ITEMS} }
channels: { screen: { type: log } }
rules: [rules.yaml]
`;

export interface World extends AsyncDisposable {
  readonly sandbox: Sandbox;
  /** What the explorer was asked: path and query. */
  readonly asked: string[];
  /** What was posted to its JSON-RPC. */
  readonly posted: string[];
  /** Which of the explorer's replicas answers. */
  readonly replicas: Replicas;
  readonly clock: FakeClock;
  readonly log: RecordingLog;
  readonly store: Store;
  /** Replaces the rules, as a reload does. */
  load(rules: string, abis?: AbiFiles): Promise<void>;
  /**
   * One poll of every watch; what it said, as `alert event`, `alert firing` or `alert resolved`. A summary of events
   * counts as its events.
   */
  poll(): Promise<string[]>;
  /** Time passes, and every watch is polled when it is due; what was said meanwhile. */
  run(ms: number): Promise<string[]>;
  /** Whether the config has `rpc: true`; it counts from the next `load` on. */
  rpc: boolean;
  /** What the last poll said, whole. */
  readonly messages: readonly Message[];
  readonly decisions: readonly Decision[];
  /** Whether the explorer's replicas are known to be on different forks. */
  areForked: boolean;
  /** Whether the explorer was found to show another chain than before. */
  isOtherChain: boolean;
  /** The highest block of the explorer, as its client has it. */
  head(): bigint | null;
  /** Replaces the explorer's client, as a reload does that changes its address. */
  reconnect(): void;
  /** Forgets everything but the store, as a new process would. */
  restart(): Promise<void>;
}

export interface WorldOptions {
  /** False: the config has `rpc: false`. */
  readonly rpc?: boolean;
  readonly form?: 'instance' | 'multichain';
  readonly isLively?: boolean;
  /** The release of the explorer; left out: the specification. */
  readonly as?: Release;
  /** Rows of a full page, where the explorer has no other limit. */
  readonly pageSize?: number;
  /** A recording of every poll. */
  readonly recordTo?: string;
  /** The interval in force, where a plan stretches it. */
  readonly paceMs?: number;
  /** The credits of the plan; left out: no plan. */
  readonly creditsPerDay?: number;
  /** How the last answers are remembered, when not as the daemon does it. */
  readonly answers?: (clock: Clock) => AnswerCache;
}

export async function createWorld(rules: string, options: WorldOptions = {}): Promise<World> {
  // Rules that do not load are said before anything is opened.
  loadWatches(rules, new Map(), options.rpc);
  const clock = createFakeClock();
  const log = createRecordingLog();
  const sandbox = createSandbox({
    seed: 7,
    blockTimeMs: 'manual',
    clock,
    quiet: options.isLively !== true,
    as: options.as ?? null,
    startBlock: 100,
    ...(options.pageSize === undefined ? {} : { pageSize: options.pageSize }),
  });
  const asked: string[] = [];
  const posted: string[] = [];
  const served = await serveSandbox({
    ...sandbox,
    ask(request) {
      const { path, params } = request.route;
      asked.push(`${path}?${String(new URLSearchParams([...params]))}`);
      if (request.body !== undefined && request.body !== '') posted.push(request.body);
      return sandbox.ask(request);
    },
  });
  const stop = new AbortController();
  const replicas = createReplicas(() => sandbox.head());
  const newExplorer = (): Explorer =>
    openExplorer(options.form ?? 'instance', served.url, {
      clock,
      log,
      signal: stop.signal,
      replicas,
      budget: budgetOf(clock, options.creditsPerDay ?? null),
      ...(options.answers === undefined ? {} : { answers: options.answers(clock) }),
      ...(options.recordTo === undefined
        ? {}
        : { onAnswer: (answer: object, body: Buffer) => recorder?.onAnswer(answer, body) }),
    });
  let explorer = newExplorer();
  const store = createMemoryStore();
  const decisions: Decision[] = [];
  let messages: Message[] = [];
  let watches: readonly Watch[] = [];
  let recorder = openRecording();
  let poller = newPoller();
  let polls = Promise.resolve();
  let scheduler = newScheduler();

  function openRecording(): Recorder | null {
    if (options.recordTo === undefined) return null;
    return openRecorder({ file: options.recordTo, keepMs: 1e12, maxBytes: 1e12, clock, log });
  }

  function newScheduler(): Scheduler {
    return createScheduler({
      clock,
      onTick(due) {
        polls = Promise.all([polls, poller.poll(due, stop.signal)]).then(() => undefined);
      },
      onLag: () => undefined,
    });
  }

  function newPoller(): Poller {
    const { paceMs } = options;
    return createPoller({
      ...(paceMs !== undefined && { paceOf: () => paceMs }),
      store,
      ownership: ownershipOf(store),
      hook: recorder,
      readerOf: () => explorer,
      clock,
      log,
      onPolled({ id }, _observation, decision) {
        decisions.push(decision);
        if (decision.askAgainMs !== null) scheduler.pollAgain(id, decision.askAgainMs);
      },
      onRecalled: () => undefined,
      onForks: (_explorer, areForked) => (world.areForked = areForked),
      onDamaged: () => undefined,
      onIdentity: (_explorer, isOther) => (world.isOtherChain = isOther),
      onSkipped: () => undefined,
      onTransitions: () => undefined,
    });
  }

  async function takeMessages(): Promise<string[]> {
    messages = (await takeAll(store, clock)).map(({ members: [{ message }] }) => message);
    return messages.flatMap(wordsOfMembers);
  }

  const world: World = {
    sandbox,
    asked,
    posted,
    rpc: options.rpc ?? true,
    replicas,
    clock,
    log,
    store,
    decisions,
    areForked: false,
    isOtherChain: false,
    get messages() {
      return messages;
    },
    head: () => explorer.head()?.height ?? null,
    reconnect() {
      explorer = newExplorer();
    },
    async load(text, abis) {
      watches = loadWatches(text, abis, world.rpc);
      await adopt(poller, watches);
      // A new one: nothing is overdue that was polled by hand.
      scheduler = newScheduler();
      scheduler.set(watches, []);
      const isAdopted = (id: string): boolean => poller.watches().some((watch) => watch.id === id);
      const of = {
        unkept: poller.unkept,
        unrecorded: NOBODY_TOLD,
        isAdopted,
        isOpen: () => true,
        onTransitions: () => undefined,
      };
      await retireGone({ store, ownership: ownershipOf(store), clock, log, ...of });
    },
    async poll() {
      await clock.advance(60_000);
      decisions.length = 0;
      await ended(poller.poll(watches, stop.signal), clock);
      await poller.idle();
      return takeMessages();
    },
    async run(ms) {
      decisions.length = 0;
      const over = new AbortController();
      const running = scheduler.run(over.signal);
      for (const end = clock.now() + ms; clock.now() < end;) {
        await clock.advance(1000);
        await polls;
      }
      over.abort();
      await running;
      return takeMessages();
    },
    async restart() {
      await poller.flush();
      await recorder?.[Symbol.asyncDispose]();
      recorder = openRecording();
      await explorer[Symbol.asyncDispose]();
      explorer = newExplorer();
      poller = newPoller();
      await adopt(poller, watches);
      scheduler = newScheduler();
      scheduler.set(watches, []);
    },
    async [Symbol.asyncDispose]() {
      stop.abort();
      await recorder?.[Symbol.asyncDispose]();
      await explorer[Symbol.asyncDispose]();
      await served.close();
    },
  };
  await world.load(rules);
  return world;
}

/** The config of all worlds. */
export function loadConfigOf(rpc = true): Config {
  const text = rpc ? CONFIG : CONFIG.replace('form: sandbox', 'form: sandbox, rpc: false');
  const tools = { env: {}, readFile: () => text, notifiers };
  const { config, problems } = loadConfig('config.yaml', tools);
  if (config === null) throw new Error(formatProblems(problems));
  return config;
}

export function loadWatches(rules: string, abis: AbiFiles = new Map(), rpc = true): readonly Watch[] {
  const config = loadConfigOf(rpc);
  const loaded = loadRules(config, [{ file: 'rules.yaml', text: rules }], { kinds, abis });
  if (loaded.problems.length > 0) throw new Error(formatProblems(loaded.problems));
  return loaded.watches;
}

/** Waits for the poll; where it waits for time itself, as before a second try, time moves on. */
async function ended(polling: Promise<void>, clock: FakeClock): Promise<void> {
  const over = new AbortController();
  void polling.finally(() => {
    over.abort();
  });
  while (!over.signal.aborted) {
    if (clock.sleepers > 0) await clock.advance(1000);
    else await afterIo();
  }
}

/** Takes what is due on a channel, as a sender that is never refused. */
export async function takeAll(store: Store, clock: FakeClock, channel = 'screen'): Promise<Delivery[]> {
  const taken: Delivery[] = [];
  await dispatch(store, clock.now());
  for (;;) {
    const claimed = await claim(store, channel, 100, clock.now());
    if (claimed.length === 0) return taken;
    for (const { delivery, attempt } of claimed) {
      taken.push(delivery);
      await store.settle(
        { id: delivery.id, attempt },
        { state: 'sent', outcome: { type: 'sent', answer: '' } },
        clock.now(),
      );
    }
  }
}

function openExplorer(
  form: 'instance' | 'multichain',
  url: string,
  {
    replicas,
    ...tools
  }: Pick<ExplorerOptions, 'clock' | 'log' | 'signal' | 'answers' | 'onAnswer' | 'budget'> & {
    replicas: Replicas;
  },
): Explorer {
  const auth: Auth = form === 'instance' ? { type: 'none' } : { type: 'bearer', key: () => API_KEY };
  const userAgent = 'chainwarden/test';
  const transport = createHttpTransport({ auth, headers: {}, userAgent, limits: HTTP_LIMITS, signal: tools.signal });
  return createExplorer({
    ...tools,
    name: 'chain',
    baseUrl: form === 'instance' ? url : `${url}/${CHAIN_ID}`,
    ...(form === 'instance' ? {} : { rpcUrl: `${url}/${CHAIN_ID}/json-rpc` }),
    auth,
    coin: { symbol: 'ETH', decimals: 18 },
    userAgent,
    transport: replicas.over(transport),
  });
}

function budgetOf(clock: Clock, credits: number | null): Budget {
  const limits = { clock, requestsPerSecond: null, concurrency: 4 };
  if (credits === null) return aBudget(limits);
  const account = createAccount({ clock, assumesPlan: false });
  account.setPlan({ credits, per: 'day', reservePercent: 0, enrichPercent: 2, resets: null });
  return createBudget({ ...limits, account });
}

function wordsOfMembers(message: Message): string[] {
  const { alert, summary } = message;
  return summary?.of === 'alert.event' ? summary.keys.map(() => `${alert} event`) : [wordsOf(message)];
}

/** What is said in so many polls, in order. */
export async function polls(world: World, count: number): Promise<string[]> {
  const said: string[] = [];
  for (let i = 0; i < count; i += 1) said.push(...(await world.poll()));
  return said;
}

/** The same, with a block before each poll. */
export async function pollsWithBlocks(world: World, count: number): Promise<string[]> {
  const said: string[] = [];
  for (let i = 0; i < count; i += 1) {
    world.sandbox.mine();
    said.push(...(await world.poll()));
  }
  return said;
}
