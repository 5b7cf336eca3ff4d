// The composition root: a config file in, a running daemon out. The only place that picks implementations.
//
//   open    state file -> recover what was being sent -> explorers -> couriers -> memory -> web server
//   run     scheduler, reloader and housekeeping, until the signal aborts
//   close   no new ticks -> reads aborted -> commits end -> couriers end what they hold -> server and store, last first
import { dirname } from 'node:path';
import { formatProblems } from '../config/problem.ts';
import { secretsOf } from '../config/config.ts';
import type { Watch } from '../core/model.ts';
import { keep } from '../engine/keeper.ts';
import { createPoller, type Poller } from '../engine/poller.ts';
import { createReloader } from '../engine/reloader.ts';
import { countAlerts, createReport, labelsOf, lookAtData, lookAtHealth } from '../engine/report.ts';
import { createScheduler } from '../engine/scheduler.ts';
import type { Clock } from '../lib/clock.ts';
import { outlineOf } from '../plan/outline.ts';
import type { Recorder } from '../recording/recorder.ts';
import { ruleDirectories } from '../rules/read.ts';
import { openSqliteStore, openVolatileStore } from '../store/sqlite.ts';
import type { SafeLog } from '../telemetry/logger.ts';
import type { Metrics } from '../telemetry/metrics.ts';
import { serveWeb } from '../web/server.ts';
import { createChannels } from './channels.ts';
import { createExplorers } from './explorers.ts';
import { loadSetup, type Setup, type SetupTools } from './setup.ts';

export interface AppOptions extends SetupTools {
  readonly configFile: string;
  readonly setup: Setup;
  readonly clock: Clock;
  readonly log: SafeLog;
  readonly metrics: Metrics;
  /** One line for standard output: the `log` channel. */
  readonly print: (line: string) => Promise<void>;
  readonly version: string;
  /** Named to the next daemon that wants the same state file. */
  readonly owner: string;
  /** Writes down what polls see; closed by who opened it. */
  readonly recorder: Recorder | null;
  /** Does everything but send, with a memory of its own that ends with the process. */
  readonly isDry: boolean;
}

export interface App {
  /** Where /metrics is. */
  readonly url: string;
  readonly watches: () => readonly Watch[];
  /** Reads config and rules anew, soon. */
  reload(): void;
  /** Works until the signal aborts, then stops within ten seconds, losing nothing. */
  run(signal: AbortSignal): Promise<void>;
}

const COURIER_BUDGET_MS = 7000;

/** Rejects with a `StorageError`, `StoreBusyError` or `WebError` whose text is for the operator. */
export async function openApp(options: AppOptions): Promise<App> {
  const { clock, log, metrics, owner, recorder } = options;
  const { config } = options.setup;
  await using opened = new AsyncDisposableStack();
  const reading = new AbortController();
  const store = opened.use(
    options.isDry ? await openVolatileStore({ log }) : await openSqliteStore({ file: config.stateFile, owner, log }),
  );
  const recovered = await store.recover(clock.now());
  if (recovered > 0) log.info('outbox:recovered', { deliveries: recovered, effect: 'sent again under the same ids' });

  const explorers = opened.use(
    createExplorers({
      clock,
      log,
      meter: metrics,
      userAgent: `chainwarden/${options.version}`,
      signal: reading.signal,
      ...(recorder && { onAnswer: recorder.onAnswer }),
    }),
  );
  const channels = createChannels({ ...options, store });
  opened.defer(() => channels.stop(COURIER_BUDGET_MS));
  const asked = new Set<string>();
  const report = createReport({ log, metrics });
  const poller = createPoller({
    store,
    clock,
    log,
    readerOf: (name) => explorers.get(name),
    witness: recorder,
    onPolled(watch, observation, decision) {
      asked.add(watch.id);
      report(watch, observation, decision);
    },
    onSkipped: ({ rule }) => {
      metrics.skipped(rule);
    },
    onOwed: (owed) => {
      channels.wake(owed);
    },
  });
  const scheduler = createScheduler({
    clock,
    onTick: (watches) => void poller.poll(watches, reading.signal),
    onLag: (seconds) => {
      metrics.schedulerLag(seconds);
    },
  });

  let current = options.setup;
  let isRunning = false;
  metrics.mirrorAlerts(() => countAlerts(current.watches, (id) => poller.memoryOf(id)));
  metrics.mirrorHealth(() => lookAtHealth(current.watches, (id) => poller.healthOf(id), clock.now()));
  metrics.mirrorData(() => lookAtData(current.watches, (id) => poller.memoryOf(id)));
  metrics.mirrorOutbox(async () => (await store.survey()).outbox);

  async function apply(next: Setup): Promise<void> {
    log.addSecrets(secretsOf(next.config));
    // First what the storage may refuse: then the old watches go on with the explorers and channels that they know.
    await poller.adopt(next.watches);
    await explorers.apply(next.config);
    channels.apply(next.config);
    const kept = new Set(next.watches.map(keyOf));
    for (const watch of current.watches) if (!kept.has(keyOf(watch))) metrics.forgetWatch(labelsOf(watch));
    current = next;
    scheduler.set(next.watches, isRunning ? dueAtOnce(next.watches, poller, clock) : []);
    metrics.reload(true, clock.now());
    await store.keepRunning(outlineOf(next.watches)).catch((error: unknown) => {
      log.warn('storage:housekeeping-failed', { error, effect: '`plan` compares with the former rules' });
    });
  }

  const reloader = opened.use(
    createReloader({
      clock,
      log,
      concerns: (path) => /\.ya?ml$/.test(path) || path === config.file,
      reload: () => reload(),
    }),
  );

  async function reload(): Promise<void> {
    const loaded = loadSetup(options.configFile, options);
    if (loaded.setup === null) {
      metrics.reload(false, clock.now());
      const problems = formatProblems(loaded.problems);
      log.error('config:rejected', { effect: 'the last good config and rules stay in force', problems });
      return;
    }
    warnOfRestart(options.setup, loaded.setup, log);
    try {
      await apply(loaded.setup);
      log.info('config:reloaded', { watches: loaded.setup.watches.length });
    } catch (error) {
      metrics.reload(false, clock.now());
      log.error('config:not-applied', { error, hint: 'it is tried again at the next change' });
    }
  }

  await apply(current);
  const web = await serveWeb({
    ...config.listen,
    metricsText: () => metrics.text(),
    isAlive: () => isRunning,
    isReady: () => isRunning && current.watches.every(({ id }) => asked.has(id)),
    log,
    onRejected: (reason) => {
      metrics.httpRejected(reason);
    },
  });
  opened.defer(() => web.close());
  const closing = opened.move();

  return {
    url: web.url,
    watches: () => current.watches,
    reload: () => {
      reloader.ask();
    },
    async run(signal) {
      await using _closing = closing;
      const flush = (): Promise<void> => poller.flush();
      isRunning = true;
      reloader.lookAt([dirname(config.source.file), ...ruleDirectories(config)]);
      scheduler.set(current.watches, dueAtOnce(current.watches, poller, clock));
      await Promise.all([
        scheduler.run(signal),
        reloader.run(signal),
        keep({ store, flush, clock, log }, signal),
        recorder?.run(signal),
      ]);
      isRunning = false;
      reading.abort(new DOMException('the daemon is stopping', 'AbortError'));
      await poller.idle();
      // What is not flushed costs a `for` a few seconds at most: no reason to fail the stop.
      await flush().catch((error: unknown) => {
        log.warn('storage:housekeeping-failed', { error });
      });
    },
  };
}

/** Watches that were last looked at longer than their interval ago, or never. */
function dueAtOnce(watches: readonly Watch[], poller: Poller, clock: Clock): Watch[] {
  return watches.filter(({ id, schedule }) => {
    const until = poller.memoryOf(id)?.coveredUntil ?? null;
    return until === null || clock.now() - until > schedule.intervalMs;
  });
}

function keyOf(watch: Watch): string {
  const { watch: rule, of } = labelsOf(watch);
  return `${rule}\n${of}`;
}

/** Parts of the config that stay as they were at the start, and their keys in the file. */
const FIXED = [
  ['stateFile', 'state'],
  ['listen', 'http'],
  ['recording', 'recording'],
] as const;

function warnOfRestart({ config: started }: Setup, { config: next }: Setup, log: SafeLog): void {
  for (const [part, what] of FIXED)
    if (JSON.stringify(started[part]) !== JSON.stringify(next[part])) log.warn('config:needs-a-restart', { what });
}
