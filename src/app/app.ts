// The composition root: makes a running daemon from a loaded config. Only this file selects implementations.
//
//   open      state file -> first setup prepared -> web server -> first setup in force
//   run       runtime and reloader, until the signal aborts
//   close     no new ticks -> reads aborted -> commits end -> senders finish -> server and store, last first
import type { Ownership } from '../cluster/ownership.ts';
import type { Watch } from '../core/model/watch/watch.ts';
import { summaryOfHealth } from '../engine/reporting/daemon-health.ts';
import { recordHealth } from '../engine/upkeep/health-record.ts';
import { runJournal } from '../engine/upkeep/journal.ts';
import { createStorageBackoff } from '../engine/reporting/storage-backoff.ts';
import { keepPolicy } from '../operators/upkeep.ts';
import { createReloader, type Reloader } from '../engine/upkeep/reloader.ts';
import { runReports } from '../engine/reporting/scheduled-reports.ts';
import type { Loop } from '../engine/upkeep/supervisor.ts';
import type { Instant } from '../lib/clock.ts';
import { reportDaily } from './daily-report.ts';
import { beatUntil, failWhileOutvoted } from './heartbeat.ts';
import { createAnchorFile } from './state/anchor-file.ts';
import { followReplicas } from './state/replicas.ts';
import { openServices, type AppOptions, type Services } from './services.ts';
import { openState } from './state/state.ts';
import { StateMismatchError } from '../store/contract/store.ts';
import { openWeb } from './web/web.ts';

export type { AppOptions } from './services.ts';

export interface App {
  /** The address of the web server, with /metrics. */
  readonly url: string;
  readonly watches: () => readonly Watch[];
  /** Requests that config and rules are read again. Returns at once. */
  reload(): void;
  /** Works until the signal aborts, then stops within ten seconds without losing anything. */
  run(signal: AbortSignal): Promise<void>;
}

/** Rejects with a `StorageError`, `StoreBusyError` or `WebError`. The text of the error is for the operator. */
export async function openApp(given: AppOptions): Promise<App> {
  const { setup } = given;
  await using opened = new AsyncDisposableStack();
  const state = await openState(given);
  const { clock } = state;
  const options = { ...given, clock };
  const services = await openServices(options, state, opened);
  const { runtime, reload } = services;
  await using first = await runtime.prepare(setup);
  const web = await openWeb(options, services);
  opened.defer(() => web.close());
  first.commit();

  const reloader = createReloader({ clock, files: options.sources, reload: (signal) => reload.run(signal) });
  const loops = loopsOf(options, services, reloader);
  const closing = opened.move();
  return {
    url: web.url,
    watches: runtime.watches,
    reload: () => {
      reloader.request();
    },
    async run(signal) {
      await using _closing = closing;
      await owningUntil(services.ownership, signal, (until) => runUntil(until, options, services, loops));
    },
  };
}

/** Rejects if the state is lost, after everything else has ended. */
async function runUntil(
  signal: AbortSignal,
  { setup, version }: AppOptions,
  { runtime, supervisor, journal, guard }: Services,
  loops: readonly Loop[],
): Promise<void> {
  const ending = new AbortController();
  const until = AbortSignal.any([signal, ending.signal]);
  const works = [
    runtime.run(until),
    journal.started(setup, version),
    ...loops.map((loop) => supervisor.supervise(loop, until)),
    // The guard is not supervised: if the state is lost, its rejection ends the daemon, after the latest memories are
    // stored.
    guard.run(until),
  ];
  try {
    await Promise.all(works);
  } finally {
    ending.abort();
    await Promise.allSettled(works);
  }
  if (!(signal.reason instanceof StateMismatchError)) await journal.stopped();
  await guard.look();
}

/**
 * Gives all shards back after everything else has ended. Rejects afterwards if the state no longer belongs to this
 * daemon.
 */
async function owningUntil(
  ownership: Ownership,
  signal: AbortSignal,
  work: (until: AbortSignal) => Promise<void>,
): Promise<void> {
  const leaving = new AbortController();
  const lost = new AbortController();
  const owning = ownership.run(leaving.signal).catch((error: unknown) => {
    lost.abort(error);
  });
  try {
    await work(AbortSignal.any([signal, lost.signal]));
  } finally {
    leaving.abort();
    await owning;
  }
  lost.signal.throwIfAborted();
}

function loopsOf(
  options: AppOptions,
  { store, ownership, whileHeld, runtime, pauses, self, jumps, health, heartbeats }: Services,
  reloader: Reloader,
): Loop[] {
  const { clock, log } = options;
  const policy = {
    store,
    fence: () => ownership.fenceOf('service:dispatch'),
    clock,
    storage: () => createStorageBackoff({ loop: 'operators' }, log),
    watches: runtime.watches,
    notify: () => runtime.self(),
    timeZone: runtime.timeZone,
    onChanged: () => {
      runtime.dispatch();
    },
  };
  const onAccepted = (at: Instant): void => {
    heartbeats.acceptedAt = at;
  };
  const beat = { ...options, runtime, store, ownership, health, onAccepted };
  const report = { runtime, store, ownership, health, clock, log };
  const reports = { store, ownership, reports: runtime.reports, onTransitions: policy.onChanged, clock, log };
  const summary = { health: () => summaryOfHealth(health()) };
  const kept = options.isDry ? null : createAnchorFile(options.setup.config.state.file);
  const loops: Loop[] = [
    { name: 'reloader', run: reloader.run },
    { name: 'self-alerts', run: self.run },
    { name: 'operators', run: whileHeld('service:dispatch', (end) => keepPolicy(policy, end)) },
    { name: 'heartbeat', run: whileHeld('service:dispatch', (end) => beatUntil(beat, end)) },
    { name: 'daily-report', run: whileHeld('service:dispatch', (end) => reportDaily(report, end)) },
    { name: 'reports', run: whileHeld('service:dispatch', (end) => runReports(reports, end)) },
    { name: 'health', run: (end) => recordHealth({ ...summary, store, clock, log }, end) },
    { name: 'journal', run: (end) => runJournal({ store, kept, ownership, jumps, clock, log }, end) },
  ];
  const replicas = { store, ownership, runtime, pauses, clock, log };
  if (ownership.isShared)
    loops.push(
      { name: 'replicas', run: (end) => followReplicas(replicas, end) },
      { name: 'outvoted', run: (end) => failWhileOutvoted(beat, end) },
    );
  return loops;
}
