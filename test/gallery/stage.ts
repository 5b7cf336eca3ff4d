// Plays one situation: polls of written rules go through the daemon's own decisions into a real state, from which its
// dispatcher and senders tell every channel type. Only the clock is fake.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { pageLinksOf, withLinks, withPages } from '../../src/app/runtime/wrapped-notifiers.ts';
import { dispatchRulesOf } from '../../src/app/in-force.ts';
import { loadConfig } from '../../src/config/config.ts';
import type { Config } from '../../src/config/model.ts';
import { ONLY_TRY, sampleFor } from '../../src/notifiers/sample.ts';
import type { Attempt, Delivery, Message } from '../../src/core/model/delivery.ts';
import type { Memory } from '../../src/core/model/memory.ts';
import type { Watch } from '../../src/core/model/watch/watch.ts';
import { blankMemory, step } from '../../src/core/step.ts';
import type { DispatchRules } from '../../src/dispatch/rules.ts';
import { createDispatcher, type Dispatcher } from '../../src/engine/dispatching/dispatcher.ts';
import { isWritten } from '../../src/engine/polling/commit.ts';
import { poll } from '../../src/engine/polling/observe.ts';
import { createPresentValues } from '../../src/engine/reporting/recent-polls.ts';
import type { Cause } from '../../src/engine/self/cause.ts';
import { createSelfAlerts } from '../../src/engine/self/self-alerts.ts';
import { createMirrorLoop } from '../../src/engine/sending/mirror.ts';
import { createSender, type Sender } from '../../src/engine/sending/sender.ts';
import { parseDuration } from '../../src/lib/durations.ts';
import type { OpenNotifier } from '../../src/notifiers/notifier.ts';
import { notifiers } from '../../src/notifiers/index.ts';
import { NOBODY_TOLD } from '../../src/engine/sending/unrecorded.ts';
import { loadRules } from '../../src/rules/load.ts';
import type { WatchTest, WrittenPoll } from '../../src/rule-tests/model.ts';
import { loadRuleTests } from '../../src/rule-tests/reading/load.ts';
import { createScriptedExplorer } from '../../src/rule-tests/scripted-explorer.ts';
import { openVolatileStore } from '../../src/store/sqlite/open.ts';
import type { Store } from '../../src/store/contract/store.ts';
import { kinds } from '../../src/watches/index.ts';
import { createFakeClock, type FakeClock } from '../support/fake-clock.ts';
import { createRecordingLog } from '../support/recording-log.ts';
import { fenceOf, ownershipOf } from '../support/store/fences.ts';
import { operate, type Act } from '../support/store/operate.ts';
import type { Payload, Receivers } from './receivers.ts';
import { createClockJumps } from '../../src/engine/upkeep/clock-jumps.ts';

const HERE = import.meta.dirname;
export const START = Date.UTC(2026, 0, 1);

export interface Situation {
  /** The name of its file. */
  readonly name: string;
  /** It is told in a sentence. */
  readonly story: string;
  /** By watch: what each poll saw, as rows of a rule test. Its first poll is the baseline. */
  readonly saw?: Readonly<Record<string, readonly string[]>>;
  /** Other things that happen, and when: `['4h', (stage) => stage.silence('1h')]`. */
  readonly then?: readonly (readonly [at: string, happens: (stage: Stage) => Promise<void> | void])[];
  /** Shown is what arrives from then on; left out: with what happens last. */
  readonly shownFrom?: string;
}

/** Acts of people, and findings of the daemon about itself. */
export interface Stage {
  readonly watches: readonly Watch[];
  now(): number;
  /** The alert of which was told last. */
  ack(lasting: string): Promise<void>;
  silence(lasting: string, watch: string): Promise<void>;
  /** The daemon starts anew with this in place of that in its config or rules. */
  reload(of: string, by: string): void;
  /** From now on this is wrong with the daemon. */
  finds(causes: readonly Cause[]): Promise<void>;
  /** A message that a person sends to see whether the channels work. */
  sample(): Promise<void>;
  /** How every try from now on is made. */
  tryAs(attempt: Partial<Attempt>): void;
  /** No receiver is reached from now on, or all are again. */
  reach(isReached: boolean): void;
}

export async function play({ saw = {}, then = [], shownFrom }: Situation, receivers: Receivers): Promise<Payload[]> {
  await using daemon = await aDaemon(receivers);
  const tests = Object.entries(saw).map(([watch, rows]) => testOf(watch, rows));
  const acts = [
    ...tests.flatMap(pollsOf).map(({ at, ...one }) => ({ at, happens: () => daemon.poll(one) })),
    ...then.map(([at, happens]) => ({ at: instantOf(at), happens: () => happens(daemon.stage) })),
  ];
  const times = [...new Set(acts.map(({ at }) => at))].toSorted((a, b) => a - b);
  const from = shownFrom === undefined ? (times.at(-1) ?? 0) : instantOf(shownFrom);
  const shown: Payload[] = [];
  for (const at of times) {
    if (at === from) receivers.take();
    await daemon.passTo(at);
    for (const act of acts.filter((one) => one.at === at)) await act.happens();
    await daemon.passTo(at + 1000);
    if (at >= from) shown.push(...receivers.take());
  }
  // It is shown all that is open, again and again.
  const last = shown.findLast(({ channel }) => channel === 'alertmanager');
  return shown.filter((one) => one.channel !== 'alertmanager' || one === last);
}

function instantOf(written: string): number {
  const ms = parseDuration(written);
  if (ms === undefined) throw new Error(`${written} is no duration`);
  return START + ms;
}

// --- what is written -----------------------------------------------------------------------------------------------

const textOf = (file: string): string => readFileSync(join(HERE, file), 'utf8');

function setupOf(changed: readonly [of: string, by: string][]): { config: Config; watches: readonly Watch[] } {
  const readFile = (path: string): string =>
    changed.reduce((text, [of, by]) => text.replaceAll(of, by), textOf(path.replace(/^.*\//, '')));
  const { config, problems } = loadConfig('config.yaml', { env: {}, readFile, notifiers });
  if (config === null) throw new Error(problems.map(({ message }) => message).join('\n'));
  const rules = loadRules(config, [{ file: 'rules.yaml', text: readFile('rules.yaml') }], { kinds });
  if (rules.problems.length > 0) throw new Error(rules.problems.map(({ message }) => message).join('\n'));
  return { config, watches: rules.watches };
}

function testOf(watch: string, rows: readonly string[]): WatchTest {
  const saw = rows.map((row) => `      - ${row}\n`).join('');
  const written = `rules: rules.yaml\nconfig: config.yaml\ntests:\n  - name: x\n    watch: '${watch}'\n    expect: []\n    saw:\n${saw}`;
  const readFile = (path: string): string =>
    path.endsWith('x.test.yaml') ? written : textOf(path.replace(/^.*\//, ''));
  const { tests, problems } = loadRuleTests('x.test.yaml', {
    env: {},
    readFile,
    notifiers,
    kinds,
    mayShow: () => true,
  });
  const [test] = tests;
  if (test === undefined || 'report' in test) throw new Error(problems.map(({ message }) => message).join('\n'));
  return test;
}

interface ScriptedPoll {
  readonly watch: Watch;
  readonly poll: WrittenPoll;
  readonly explorer: ReturnType<typeof createScriptedExplorer>;
}

function pollsOf({ watch, polls }: WatchTest): (ScriptedPoll & { readonly at: number })[] {
  const explorer = createScriptedExplorer(watch);
  return polls.map((one) => ({ at: one.at, watch, poll: one, explorer }));
}

// --- the daemon ----------------------------------------------------------------------------------------------------

interface Daemon extends AsyncDisposable {
  readonly stage: Stage;
  poll(one: ScriptedPoll): Promise<void>;
  passTo(at: number): Promise<void>;
}

async function aDaemon(receivers: Receivers): Promise<Daemon> {
  const clock = createFakeClock(START);
  const store = await openVolatileStore();
  const changed: [string, string][] = [];
  let setup = setupOf(changed);
  const present = createPresentValues();
  const looked = new Map<string, number>();
  const memories = new Map<string, Memory>();
  const stop = new AbortController();
  const way = { attempt: {} as Partial<Attempt>, isReached: true };
  const told: Message[] = [];
  const log = createRecordingLog();

  const opened = receivers.open(clock);
  const links = pageLinksOf(setup.config.http, 'the secret of the gallery');
  const readBy = new Map(notifiers.map((notifier) => [notifier.type, notifier.readBy]));
  const senders = new Map<string, Sender>();
  const rules = (): DispatchRules =>
    dispatchRulesOf(
      setup.config,
      { ...setup, reports: [] },
      {
        startedAt: START,
        lookedAt: (watch) => looked.get(watch) ?? null,
        coveredUntil: (watch) => looked.get(watch) ?? null,
        presentOf: (alert) => present.of(alert),
      },
    );
  const dispatcher = createDispatcher({
    store,
    ownership: ownershipOf(store),
    rules,
    announce: () => [],
    onOwed: (channels) => {
      for (const channel of channels) senders.get(channel)?.wake();
    },
    clock,
    jumps: createClockJumps(clock),
    log,
  });
  const notifierOf = new Map(
    [...opened].map(([channel, notifier]) => {
      const linked = withLinks(notifier, () => links, readBy.get(channel) ?? 'machines');
      return [channel, oneByOne(linked, way, told)] as const;
    }),
  );
  const running = [dispatcher.run(stop.signal)];
  for (const [channel, notifier] of notifierOf) {
    const sender = senderOf({ channel, notifier, store, clock, log });
    senders.set(channel, sender);
    running.push(sender.run(stop.signal, stop.signal));
  }
  const open = withPages(receivers.openMirror(clock), () => links);
  const mirror = createMirrorLoop({
    channel: 'alertmanager',
    mirror: open,
    refreshMs: 60_000,
    holdMs: 86_400_000,
    store,
    ownership: ownershipOf(store),
    rules,
    onOutcome: () => undefined,
    clock,
    log,
  });
  running.push(mirror.run(stop.signal));
  const wake = (): void => {
    dispatcher.wake();
    mirror.wake();
  };

  let causes: readonly Cause[] = [];
  const selfAlerts = createSelfAlerts({
    store,
    ownership: ownershipOf(store),
    shardOf: () => 'service:self',
    clock,
    log,
    find: async () => ({ causes, isUndecided: () => false }),
    notify: () => [...notifierOf.keys(), 'alertmanager'],
    timeZone: () => 'UTC',
    onTransitions: wake,
    unrecorded: NOBODY_TOLD,
  });
  let isSelfRunning = false;
  let requests = 0;

  const operateNow = async (act: Act): Promise<void> => {
    requests += 1;
    const key = `request-${requests}`;
    const end = await operate(store, act, { key, asked: key, actor: 'alice' }, { at: clock.now() });
    if (end.type === 'refused') throw new Error(JSON.stringify(end.why));
    wake();
  };
  const after = (lasting: string): number => clock.now() + (parseDuration(lasting) ?? 0);

  const stage: Stage = {
    get watches() {
      return setup.watches;
    },
    now: () => clock.now(),
    async ack(lasting) {
      const last = told.at(-1);
      if (last === undefined) throw new Error('nobody was told of anything');
      const { key, episode, seq, severity } = last;
      const until = after(lasting);
      await operateNow({ type: 'ack', replace: false, key, episode, seq, severity, comment: null, until });
    },
    silence: (lasting, watch) =>
      operateNow({
        type: 'silence',
        matchers: { watch },
        from: clock.now(),
        until: after(lasting),
        untilResolved: false,
        comment: 'work',
      }),
    reload(of, by) {
      changed.push([of, by]);
      setup = setupOf(changed);
      dispatcher.reload();
    },
    async finds(found) {
      causes = found;
      if (!isSelfRunning) running.push(selfAlerts.run(stop.signal));
      isSelfRunning = true;
      await clock.advance(25_000);
    },
    async sample() {
      for (const [channel, notifier] of notifierOf)
        await notifier.send(sampleFor(channel, recipientOf(channel), clock.now()), ONLY_TRY, stop.signal);
    },
    tryAs(attempt) {
      way.attempt = attempt;
    },
    reach(isReached) {
      way.isReached = isReached;
      for (const sender of senders.values()) sender.resume();
    },
  };

  return {
    stage,
    async poll({ watch, poll: written, explorer }) {
      const before = memories.get(watch.id) ?? blankMemory(watch);
      const { decision } = await poll(watch, before, explorer.readerFor(written), (seen) => step(watch, before, seen));
      const memory = { ...decision.memory, version: decision.expects + Number(isWritten(decision)) };
      memories.set(watch.id, memory);
      looked.set(watch.id, clock.now());
      present.polled(watch.id, decision);
      if (!isWritten(decision)) return;
      const [end] = await store.commit([decision], clock.now(), fenceOf(store, `explorer:${watch.target.explorer}`));
      if (end !== 'kept') throw new Error(`${watch.name} was not kept`);
      wake();
    },
    async passTo(at) {
      await passOn(clock, at, wake);
    },
    async [Symbol.asyncDispose]() {
      stop.abort();
      await Promise.all(running);
      for (const notifier of opened.values()) await notifier[Symbol.asyncDispose]();
      await open[Symbol.asyncDispose]();
      await store[Symbol.asyncDispose]();
    },
  };
}

/** Hours pass as for a machine that sleeps, so that no loop looks every minute of them. */
async function passOn(clock: FakeClock, at: number, wake: Dispatcher['wake']): Promise<void> {
  const restMs = at - clock.now();
  if (restMs > 120_000) clock.stall(restMs - 1000);
  wake();
  await clock.advance(at - clock.now());
}

function recipientOf(channel: string): string {
  return channel === 'email' ? 'ops@example.com' : channel;
}

interface Sending {
  readonly channel: string;
  readonly notifier: OpenNotifier;
  readonly store: Store;
  readonly clock: FakeClock;
  readonly log: ReturnType<typeof createRecordingLog>;
}

function senderOf({ store, ...rest }: Sending): Sender {
  return createSender({
    ...rest,
    store,
    recipients: [recipientOf(rest.channel)],
    ownership: ownershipOf(store),
    giveUpAfterMs: 86_400_000,
    mayGo: () => Promise.resolve(true),
    isToldUnrecorded: () => false,
    onOutcome: () => undefined,
    onDead: () => undefined,
  });
}

/** One message after the other, so that they always arrive in the same order. */
function oneByOne(
  notifier: OpenNotifier,
  way: { readonly attempt: Partial<Attempt>; readonly isReached: boolean },
  told: Message[],
): OpenNotifier {
  let last: Promise<unknown> = Promise.resolve();
  return {
    ...notifier,
    send(delivery: Delivery, attempt, signal) {
      if (!way.isReached) return Promise.resolve({ type: 'again', why: 'not connected' });
      told.push(...delivery.members.map(({ message }) => message));
      const sent = last.then(() => notifier.send(delivery, { ...attempt, ...way.attempt }, signal));
      last = sent;
      return sent;
    },
    [Symbol.asyncDispose]: () => notifier[Symbol.asyncDispose](),
  };
}
