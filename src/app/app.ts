// The composition root: a config file in, a running daemon out. The only place that picks implementations.
//
//   open    state file -> first setup prepared -> web server -> first setup in force
//   run     runtime and reloader, until the signal aborts
//   close   no new ticks -> reads aborted -> commits end -> senders end what they hold -> server and store, last first
import { randomUUID } from 'node:crypto';
import type { HttpSettings } from '../config/model.ts';
import type { Watch } from '../core/model/watch.ts';
import type { Instant } from '../lib/clock.ts';
import { createClockJumps } from '../engine/upkeep/clock-jumps.ts';
import { runJournal } from '../engine/upkeep/journal.ts';
import { countAlerts } from '../engine/reporting/report.ts';
import { createFind } from '../engine/self/findings.ts';
import { createSelfAlerts } from '../engine/self/self-alerts.ts';
import { keepPolicy } from '../engine/upkeep/policy-upkeep.ts';
import { createReloader } from '../engine/upkeep/reloader.ts';
import { createSupervisor } from '../engine/upkeep/supervisor.ts';
import { openStore as openState, openStoreForDryRun } from '../store/open.ts';
import type { Recovery } from '../store/backups.ts';
import type { Store } from '../store/store.ts';
import type { IdentityOptions } from '../web/guard/identity.ts';
import { gauges } from '../query/gauges.ts';
import { createQueries } from '../query/queries.ts';
import type { PagesOptions } from '../web/pages/app.ts';
import { serveWeb } from '../web/server.ts';
import { reportDaily } from './daily-report.ts';
import { createDaemonJournal } from './daemon-journal.ts';
import { createInterventions } from './operators/interventions.ts';
import { openLocalToken } from './local-token.ts';
import { createPauses } from './pauses.ts';
import { beatUntil } from './heartbeat.ts';
import { readinessOf } from './readiness.ts';
import { createRecoveryRecord } from './recovery-record.ts';
import { createReload } from './reload.ts';
import { createRuntime, type Runtime, type RuntimeOptions } from './runtime/runtime.ts';
import type { Setup, SetupTools } from './setup.ts';
import type { Sources } from './sources.ts';
import { createStateGuard } from './state-guard.ts';
import { watchStorage } from './storage-health.ts';
import { stateFileOf } from './runtime/upkeep.ts';
import { createEdition, createLook } from './view.ts';

export interface AppOptions
  extends SetupTools, Omit<RuntimeOptions, 'store' | 'storageState' | 'supervise' | 'stateFile' | 'pauses'> {
  readonly configFile: string;
  readonly setup: Setup;
  /** The files that `setup` was read from. */
  readonly sources: Pick<Sources, 'begin' | 'loaded' | 'current'>;
  /** Named to the next daemon that wants the same state file. */
  readonly owner: string;
  readonly openStore?: typeof openState;
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

/** Rejects with a `StorageError`, `StoreBusyError` or `WebError` whose text is for the operator. */
export async function openApp(options: AppOptions): Promise<App> {
  const { setup, clock, log, metrics } = options;
  await using opened = new AsyncDisposableStack();
  const recovery = createRecoveryRecord(clock);
  const storage = watchStorage(opened.use(await openStore(options, recovery.recovered)));
  const { store } = storage;
  const jumps = createClockJumps(clock);
  const guard = createStateGuard({ store, clock, log });
  const supervisor = createSupervisor({
    clock,
    log,
    onRestart: (loop) => {
      metrics.loopRestarted(loop);
    },
  });
  const { supervise } = supervisor;
  const pauses = createPauses({ store, clock });
  await pauses.read();
  const runtime = opened.use(
    createRuntime({
      ...options,
      store,
      pauses,
      storageState: () => storage.state(),
      supervise,
      stateFile: options.isDry ? null : stateFileOf(setup.config),
    }),
  );
  metrics.mirrorStorage(() => storage.state() === 'works');
  metrics.mirrorFailing(() => supervisor.failing().map(({ name }) => name));
  const journal = createDaemonJournal({ store, clock, log });
  const reload = createReload({ ...options, runtime, onApplied: (next) => journal.configured(next) });
  const self = createSelfAlerts({
    store,
    clock,
    log,
    find: createFind({
      store,
      clock,
      work: {
        ...runtime,
        storage: () => storage.state(),
        restoredAt: () => guard.restoredAt(),
        recovered: () => recovery.recent(),
        clockJumps: jumps,
        rejected: () => reload.rejected(),
        failing: () => supervisor.failing(),
      },
    }),
    notify: () => runtime.self(),
    onTransitions: () => {
      runtime.dispatch();
    },
    onUnkept: (transitions) => {
      runtime.unkept(transitions);
    },
  });
  const told = {
    notify: () => runtime.self(),
    onChanged: () => {
      runtime.dispatch();
    },
  };
  metrics.mirrorAlerts(() => [...runtime.alerts(), ...countAlerts(self.watches(), (id) => self.memoryOf(id))]);
  await using first = await runtime.prepare(setup);
  const bootId = randomUUID();
  let heartbeatAt: Instant | null = null;
  const look = createLook({
    ...options,
    runtime,
    reload,
    store,
    storage: () => storage.state(),
    heartbeatAt: () => heartbeatAt,
    bootId,
  });
  metrics.mirrorOperators(async () => gauges(await look()));
  const web = await serveWeb({
    ...setup.config.http.listen,
    publicUrl: setup.config.http.publicUrl,
    metricsText: () => metrics.text(),
    isAlive: () => runtime.isRunning(),
    readiness: () =>
      readinessOf({
        isRunning: runtime.isRunning(),
        storage: storage.state(),
        restoredAt: guard.restoredAt(),
        isCurrent: reload.rejected() === null,
        watches: runtime.watches().length,
        unpolled: runtime.unpolled(),
        blind: runtime.blind(),
        paused: runtime.paused(),
        troubles: runtime.troubles(),
        failing: supervisor.failing(),
      }),
    api: {
      ...callersOf(setup.config.http),
      localToken: localTokenOf(options),
      monotonic: () => clock.monotonic(),
      interventions: createInterventions({
        store,
        clock,
        log,
        watches: () => runtime.watches(),
        onPauses: () => pauses.read(),
        onResumed: (watches) => {
          runtime.pollNow(watches);
        },
        ...told,
        channels: () => runtime.channels(),
        onRetry: (channel) => {
          runtime.retry(channel);
        },
      }),
    },
    version: options.version,
    pages: pagesOf(options, runtime),
    queries: createQueries(look, createEdition({ runtime, store, clock, bootId })),
    log,
    onRejected: (reason) => {
      metrics.httpRejected(reason);
    },
    onAnswered: (answered) => {
      metrics.httpAnswered(answered);
    },
    onStreams: (open) => {
      metrics.httpStreams(open);
    },
  });
  opened.defer(() => web.close());
  first.commit();

  const onAccepted = (at: Instant): void => {
    heartbeatAt = at;
  };
  const reloader = createReloader({ clock, files: options.sources, reload: (signal) => reload.run(signal) });
  const closing = opened.move();
  return {
    url: web.url,
    watches: () => runtime.watches(),
    reload: () => {
      reloader.request();
    },
    async run(signal) {
      await using _closing = closing;
      const ending = new AbortController();
      const until = AbortSignal.any([signal, ending.signal]);
      const reloading = supervise({ name: 'reloader', run: (end) => reloader.run(end) }, until);
      const telling = supervise({ name: 'self-alerts', run: (end) => self.run(end) }, until);
      const keeping = supervise(
        {
          name: 'operators',
          run: (end) => keepPolicy({ store, clock, log, watches: () => runtime.watches(), ...told }, end),
        },
        until,
      );
      const beating = supervise(
        { name: 'heartbeat', run: (end) => beatUntil({ ...options, runtime, store, onAccepted }, end) },
        until,
      );
      const reporting = supervise(
        { name: 'daily-report', run: (end) => reportDaily({ runtime, store, clock, log }, end) },
        until,
      );
      // The guard is not supervised: a state that is lost ends the daemon, after what was learned last is written down.
      const chaining = supervise(
        { name: 'journal', run: (end) => runJournal({ store, jumps, clock, log }, end) },
        until,
      );
      const starting = journal.started(setup, options.version);
      const works = [
        runtime.run(until),
        starting,
        reloading,
        telling,
        keeping,
        beating,
        reporting,
        chaining,
        guard.run(until),
      ];
      try {
        await Promise.all(works);
      } finally {
        ending.abort();
        await Promise.allSettled(works);
      }
      await journal.stopped();
      await guard.look();
    },
  };
}

function pagesOf({ setup, clock, version }: AppOptions, { facts }: Pick<Runtime, 'facts'>): PagesOptions | null {
  const { isServed, timeZone } = setup.config.http.page;
  const startedAt = clock.now();
  const daemon = () => ({ version, startedAt, loadedAt: facts.loadedAt() });
  return isServed ? { timeZone, clock, daemon } : null;
}

function callersOf({ operators, proxy, page }: HttpSettings): Omit<IdentityOptions, 'localToken'> {
  return {
    isOpen: page.isOpen,
    operators: operators.map(({ token, ...operator }) => ({ ...operator, token: token?.reveal() ?? null })),
    proxy: proxy && { ...proxy, secret: proxy.secret.reveal() },
  };
}

/** A dry run leaves no file behind. */
function localTokenOf({ isDry, setup, log }: AppOptions): string | null {
  const token = isDry ? null : openLocalToken(setup.config.state.file, log);
  if (token !== null) log.addSecrets([token]);
  return token;
}

/** A dry run remembers nothing that outlives the process. */
function openStore(
  { isDry, setup, owner, log, openStore: open = openState }: AppOptions,
  onRecovered: (how: Recovery) => void,
): Promise<Store> {
  return isDry ? openStoreForDryRun({ log }) : open(setup.config.state, { owner, log, onRecovered });
}
