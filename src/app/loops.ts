// The loops that run as long as the daemon. A loop for the whole state runs only in the replica that holds its shard.
import { summaryOfHealth } from '../engine/reporting/daemon-health.ts';
import { reportBlind } from '../engine/reporting/blind-report.ts';
import { reportPauses } from '../engine/reporting/pause-report.ts';
import { runReports } from '../engine/reporting/scheduled-reports.ts';
import { createStorageBackoff } from '../engine/loop.ts';
import { recordHealth } from '../engine/upkeep/health-record.ts';
import { runJournal } from '../engine/upkeep/journal.ts';
import type { LoopRun } from '../engine/upkeep/held-loops.ts';
import type { Loop } from '../engine/upkeep/supervisor.ts';
import { keepPolicy } from '../operators/upkeep.ts';
import { reportDaily } from './daily-report.ts';
import { beatUntil, failWhileOutvoted } from './heartbeat.ts';
import type { Parts, PartsOptions } from './parts.ts';
import { upkeepLoops } from './runtime/upkeep.ts';
import { createAnchorFile } from './state/anchor-file.ts';
import { followReplicas } from './state/replicas.ts';

type LoopOptions = Pick<PartsOptions, 'setup' | 'version' | 'isDry' | 'recorder' | 'log' | 'metrics'>;

/** Polls, decides and sends until the signal aborts; then polls end and their results are stored. */
export async function runWork(options: LoopOptions, parts: Parts, signal: AbortSignal): Promise<void> {
  const { polls, supervisor } = parts;
  polls.begin();
  await Promise.all(workLoops(options, parts).map((loop) => supervisor.supervise(loop, signal)));
  await polls.end();
}

/** Loops that poll, decide and send, and keep the state. */
function workLoops(options: LoopOptions, parts: Parts): Loop[] {
  const { scheduler, spending, dispatcher, retirement, blindWatches, coveredElsewhere } = parts;
  const { pauses, inForce, ownership, storage, polls, notes, clock } = parts;
  const { recorder, log } = options;
  const dispatch: LoopRun = async (signal) => {
    // Another replica may have dispatched by other rules before, so pending groups are decided again.
    dispatcher.reload();
    await dispatcher.run(signal);
  };
  const upkeep = {
    ...options,
    ...parts,
    stateFile: parts.file,
    settings: () => inForce.config()?.state ?? null,
    flush: polls.flush,
    isFull: () => storage.state() === 'full',
    isPruner: () => ownership.fenceOf('service:journal') !== null,
    onDiskLow: (freeBytes: number | null) => {
      notes.lowDisk = freeBytes === null ? null : { since: notes.lowDisk?.since ?? clock.now(), freeBytes };
    },
  };
  const pausedNow = { clock, log, paused: () => pauses.among(inForce.watches()) };
  const loops: Loop[] = [
    { name: 'scheduler', run: scheduler.run },
    { name: 'spending', run: spending.run },
    { name: 'dispatcher', run: parts.whileHeld('service:dispatch', dispatch) },
    { name: 'retirement', run: parts.whileHeld('service:dispatch', retirement.run) },
    ...upkeepLoops(upkeep),
    { name: 'blind-report', run: (signal) => reportBlind({ clock, log, blind: blindWatches.blind }, signal) },
    { name: 'pause-report', run: (signal) => reportPauses(pausedNow, signal) },
  ];
  if (ownership.isShared)
    loops.push({ name: 'replicas', run: parts.whileHeld('service:dispatch', coveredElsewhere.run) });
  if (recorder !== null) loops.push({ name: 'recorder', run: recorder.run });
  return loops;
}

/** Loops for people: alerts about the daemon itself, reports, the heartbeat, and operators' actions. */
export function peopleLoops(options: LoopOptions, parts: Parts): Loop[] {
  const { store, ownership, inForce, wake, self, health, polls, storage, jumps, clock } = parts;
  const { log, setup, isDry } = options;
  const { watches, reports, timeZone } = inForce;
  const held = (run: LoopRun): LoopRun => parts.whileHeld('service:dispatch', run);
  const policy = {
    store,
    fence: () => ownership.fenceOf('service:dispatch'),
    clock,
    storage: () => createStorageBackoff({ loop: 'operators' }, log),
    watches,
    notify: inForce.self,
    timeZone,
    onChanged: wake.transitions,
  };
  const all = { ...options, ...parts };
  const reporting = { store, ownership, reports, onTransitions: wake.transitions, clock, log };
  const recording = {
    health: () => summaryOfHealth(health()),
    // A full state takes this row, but no transitions.
    onKept() {
      if (storage.state() !== 'full') polls.storeAgain();
    },
    store,
    clock,
    log,
  };
  const kept = isDry ? null : createAnchorFile(setup.config.state.file);
  const loops: Loop[] = [
    { name: 'self-alerts', run: self.run },
    { name: 'operators', run: held((end) => keepPolicy(policy, end)) },
    { name: 'heartbeat', run: held((end) => beatUntil(all, end)) },
    { name: 'daily-report', run: held((end) => reportDaily(all, end)) },
    { name: 'reports', run: held((end) => runReports(reporting, end)) },
    { name: 'health', run: (end) => recordHealth(recording, end) },
    { name: 'journal', run: (end) => runJournal({ store, kept, ownership, jumps, clock, log }, end) },
  ];
  if (ownership.isShared)
    loops.push(
      { name: 'replicas', run: (end) => followReplicas(all, end) },
      { name: 'outvoted', run: (end) => failWhileOutvoted(all, end) },
    );
  return loops;
}
