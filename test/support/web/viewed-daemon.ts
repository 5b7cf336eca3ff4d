// What queries see of a daemon: real rules, the real poller, dispatch and store, over an explorer that shows balances by
// address. Polled and sent by hand; only the clock is fake.
import { loadConfig } from '../../../src/config/config.ts';
import { formatProblems } from '../../../src/config/problem.ts';
import type { Outcome } from '../../../src/core/model/delivery.ts';
import { Missed, type Read } from '../../../src/core/model/watch/question.ts';
import type { Watch } from '../../../src/core/model/watch/watch.ts';
import { afterOutcome } from '../../../src/core/after-outcome.ts';
import { createPoller } from '../../../src/engine/polling/poller.ts';
import { createBlindWatches } from '../../../src/engine/reporting/blind-watches.ts';
import { createPollRing } from '../../../src/engine/reporting/recent-polls.ts';
import { AddressDetails } from '../../../src/explorer/reading/resources/address.ts';
import { notifiers } from '../../../src/notifiers/index.ts';
import { createQueries, type Queries } from '../../../src/query/queries.ts';
import type { ExplorerReading } from '../../../src/engine/reporting/daemon-health.ts';
import type { RuntimeView, QueryContext } from '../../../src/query/view.ts';
import { loadRules } from '../../../src/rules/load.ts';
import type { Store } from '../../../src/store/contract/store.ts';
import { kinds } from '../../../src/watches/index.ts';
import { adopt } from '../engine/adopt.ts';
import { createFakeClock, type FakeClock } from '../fake-clock.ts';
import { createMemoryStore } from '../store/memory-store.ts';
import { createRecordingLog } from '../recording-log.ts';
import { polledRuntime } from './runtime-view.ts';
import { claim, dispatch } from '../store/store-calls.ts';
import { ownershipOf } from '../store/fences.ts';

export const TREASURY = `0x${'11'.repeat(20)}`;
export const VAULT = `0x${'22'.repeat(20)}`;

export const CONFIG = `
explorers:
  chain: { form: instance, instance_url: 'https://explorer.invalid', page_url: 'https://explorer.invalid', coin: { symbol: ETH } }
addresses: { treasury: '${TREASURY}', vault: '${VAULT}' }
channels:
  screen: { type: log }
  ops: { type: webhook, url: 'https://ops.example.com/hook' }
  oncall: { type: webhook, url: 'https://oncall.example.com/hook' }
rules: [rules.yaml]
`;

/** A rule about a balance, looked at every minute. `alerts`: without who is told, which is `ops`. */
export function aBalance(id: string, of: string, ...alerts: readonly string[]): string {
  const own = alerts.map((alert) => `{ ${alert}, notify: [ops] }`).join(', ');
  return `  - { id: ${id}, kind: balance, of: ${of}, every: 1m, alerts: [${own}] }`;
}

export function rulesOf(...rules: readonly string[]): string {
  return ['watches:', ...rules, ''].join('\n');
}

export interface ViewedDaemon {
  readonly clock: FakeClock;
  readonly store: Store;
  readonly queries: Queries;
  view(): Promise<QueryContext>;
  /** Shown from now on, in coins (`5`, or with a price `5 at 2.25`), by the name of the address, or the address itself; null: no answer comes. */
  readonly shown: Record<string, string | null>;
  /** What only a running daemon knows. */
  readonly known: {
    storage: 'works' | 'fails' | 'full';
    explorers: ExplorerReading[];
    /** The interval of every watch is so long at least, as a plan makes it. */
    paceMs: number;
  };
  /** Replaces the rules, as a reload does. */
  load(rules: string): Promise<void>;
  /** A minute, or another time, passes, so often, and every watch is polled; what is due is put into messages. */
  poll(times?: number, everyMs?: number): Promise<void>;
  /** Sends what is due on the channel; how each try ends. */
  send(channel: string, outcome: Outcome): Promise<number>;
}

export async function aViewedDaemon(rules: string, config = CONFIG): Promise<ViewedDaemon> {
  const clock = createFakeClock();
  const store = createMemoryStore();
  const tools = { env: {}, readFile: () => config, notifiers };
  const loaded = loadConfig('config.yaml', tools);
  const inForce = loaded.config;
  if (inForce === null) throw new Error(formatProblems(loaded.problems));
  const shown: Record<string, string | null> = {};
  const known: ViewedDaemon['known'] = { storage: 'works', explorers: [], paceMs: 0 };
  let watches: readonly Watch[] = [];
  const ring = createPollRing();
  let text = '';
  const poller = createPoller({
    store,
    ownership: ownershipOf(store),
    clock,
    log: createRecordingLog(),
    readerOf: () => ({
      tickReader: () => readerOf(shown),
      head: () => null,
      blocks: () => null,
      blocksFrom: () => Promise.reject(new Error('not asked for')),
    }),
    paceOf: ({ schedule }) => Math.max(schedule.intervalMs, known.paceMs),
    onPolled(watch, observation, decision, tookMs) {
      ring.polled(watch, observation, decision, tookMs);
      blind.polled(watch, observation);
    },
    onForks: () => undefined,
    onIdentity: () => undefined,
    onRecalled: () => undefined,
    onDamaged: () => undefined,
    onSkipped: () => undefined,
    onTransitions: () => undefined,
  });
  const blind = createBlindWatches({
    clock,
    memoryOf: poller.readings.memoryOf,
    pausedUntil: () => null,
    storage: () => known.storage,
  });
  const runtime: RuntimeView = {
    ...polledRuntime({
      config: inForce,
      watches: () => watches,
      poller,
      blindWatches: blind,
      startedAt: clock.now(),
      clock,
      explorers: () => known.explorers,
      storage: () => known.storage,
    }),
    explorers: () => known.explorers.map(({ name }) => ({ name, answers: [], p99Ms: null, rate: null })),
    polls: (watch) => ring.of(watch),
    ruleFile: (file) => (file === 'rules.yaml' ? text : null),
  };
  const view = async (): Promise<QueryContext> => ({ store: await store.reader(), runtime, now: clock.now() });
  const daemon: ViewedDaemon = {
    clock,
    store,
    shown,
    known,
    view,
    queries: createQueries(view, () => store.reader().then((reader) => reader.version())),
    async load(written) {
      text = written;
      const read = loadRules(inForce, [{ file: 'rules.yaml', text }], { kinds });
      if (read.problems.length > 0) throw new Error(formatProblems(read.problems));
      watches = read.watches;
      await adopt(poller, watches);
      blind.adopt(watches);
      ring.adopt(watches);
    },
    async poll(times = 1, everyMs = 60_000) {
      for (let i = 0; i < times; i += 1) {
        await clock.advance(everyMs);
        await poller.poll(watches, new AbortController().signal);
        await dispatch(store, clock.now());
      }
    },
    async send(channel, outcome) {
      const at = clock.now();
      const claimed = await claim(store, channel, 100, at);
      for (const { delivery, attempt } of claimed) {
        const tried = { id: delivery.id, attempt, rejections: 0, ageMs: 0, outcome, at, giveUpAfterMs: 86_400_000 };
        await store.settle({ id: delivery.id, attempt }, afterOutcome(tried), at);
      }
      return claimed.length;
    },
  };
  await daemon.load(rules);
  return daemon;
}

const NAMES = new Map([
  [TREASURY, 'treasury'],
  [VAULT, 'vault'],
]);

function readerOf(shown: Readonly<Record<string, string | null>>): Read {
  return {
    async one(question) {
      const address = question.path.split('/').at(-1) ?? '';
      const coins = shown[NAMES.get(address) ?? address] ?? null;
      if (coins === null) throw new Missed('timeout', 'no answer within 30 s');
      const [held = '', price] = coins.split(' at ');
      const [whole = '', fraction = ''] = held.split('.');
      const wei = `${whole}${fraction.padEnd(18, '0')}`;
      return AddressDetails.read(
        { is_contract: false, coin_balance: BigInt(wei).toString(), exchange_rate: price },
        { coin: 18 },
      ) as never;
    },
    page: () => Promise.reject(new Error('not asked for')),
    pageAgain: () => Promise.reject(new Error('not asked for')),
  };
}
