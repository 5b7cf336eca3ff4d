// The composition root: makes a running daemon from a loaded config.
//
//   open      state file -> first setup prepared -> web server -> first setup in force
//   run       polls, loops and reloader, until the signal aborts
//   close     no new ticks -> reads aborted -> commits end -> senders finish -> server and store, last first
import type { Ownership } from '../cluster/ownership.ts';
import type { Watch } from '../core/model/watch/watch.ts';
import { createReloader } from '../engine/upkeep/reloader.ts';
import type { Loop } from '../engine/upkeep/supervisor.ts';
import { StateMismatchError } from '../store/contract/store.ts';
import { peopleLoops, runWork } from './loops.ts';
import { openParts, type Parts, type PartsOptions } from './parts.ts';
import { createReload } from './setup/reload.ts';
import type { SetupTools } from './setup/setup.ts';
import type { Sources } from './setup/sources.ts';
import { openState, type StateOptions } from './state/state.ts';
import { openWeb } from './web/web.ts';

export interface AppOptions extends PartsOptions, SetupTools, Pick<StateOptions, 'owner' | 'openStore'> {
  readonly configFile: string;
  /** The files that `setup` was read from. */
  readonly sources: Pick<Sources, 'begin' | 'loaded' | 'current'>;
}

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
  await using opened = new AsyncDisposableStack();
  const state = await openState(given);
  opened.use(state.storage.store);
  const options = { ...given, clock: state.clock };
  const parts = await openParts(options, state, opened);
  const { setups, inForce, journal, notes, ownership } = parts;
  await using first = await setups.prepare(given.setup);
  const web = await openWeb(options, parts);
  opened.defer(() => web.close());
  first.commit();

  const reload = createReload({ ...options, setups, notes, onApplied: (next) => journal.configured(next) });
  const reloader = createReloader({ clock: state.clock, files: given.sources, reload });
  const loops = [{ name: 'reloader', run: reloader.run } as const, ...peopleLoops(options, parts)];
  const closing = opened.move();
  return {
    url: web.url,
    watches: inForce.watches,
    reload: () => {
      reloader.request();
    },
    async run(signal) {
      await using _closing = closing;
      await owningUntil(ownership, signal, (until) => runUntil(until, options, parts, loops));
    },
  };
}

/** Rejects if the state is lost, after everything else has ended. */
async function runUntil(
  signal: AbortSignal,
  options: PartsOptions,
  parts: Parts,
  loops: readonly Loop[],
): Promise<void> {
  const { supervisor, journal, guard } = parts;
  const ending = new AbortController();
  const until = AbortSignal.any([signal, ending.signal]);
  const works = [
    runWork(options, parts, until),
    journal.started(options.setup, options.version),
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
