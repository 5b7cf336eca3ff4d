// Ends stored watches that are no longer polled. Their firing alerts resolve for the targets that received them, and
// their memory is dropped. This work runs beside the polls, so a reload does not wait for it. If the storage fails, the
// work is repeated, after pauses that grow from a second to a minute. A stop in the middle loses nothing, because the
// next start finds the same watches in the state file.
//
// Also removes the recipients of channels that are no longer open. The messages that wait for such a channel then do
// not count as owed, and are sent if the channel is opened again.
import type { Ownership } from '../../cluster/ownership.ts';
import { joinDecisions } from '../../core/joined-decision.ts';
import type { Decision } from '../../core/model/decision.ts';
import type { Memory } from '../../core/model/memory.ts';
import { retire } from '../../core/step.ts';
import type { WatchId } from '../../core/model/ids.ts';
import type { Clock } from '../../lib/clock.ts';
import type { Fence } from '../../store/contract/fence.ts';
import type { Store } from '../../store/contract/store.ts';
import type { Log } from '../../telemetry/log.ts';
import type { UnkeptDecisions } from '../polling/commit.ts';
import type { Unrecorded } from '../sending/unrecorded.ts';
import { createWokenLoop } from '../loop.ts';

export interface RetirementOptions {
  readonly store: Pick<Store, 'remembered' | 'recall' | 'commit' | 'forget' | 'namingChannels' | 'keepRecipients'>;
  readonly ownership: Pick<Ownership, 'fenceOf' | 'mayRetire'>;
  readonly isAdopted: (watch: WatchId) => boolean;
  readonly isOpen: (channel: string) => boolean;
  /** Runs the work while no reload is under way, so that a watch is not retired while it is added again. */
  readonly exclusively: (work: () => Promise<void>) => Promise<void>;
  /** Decisions of former polls that the store did not keep. */
  readonly unkept: UnkeptDecisions;
  readonly unrecorded: Pick<Unrecorded, 'withTold' | 'recorded'>;
  /** Called when transitions were committed. */
  readonly onTransitions: () => void;
  readonly clock: Clock;
  readonly log: Log;
}

export interface Retirement {
  /** Call this when the set of watches has changed. Safe to call at any time, also before `run`. */
  wake(): void;
  /** Runs until the signal aborts. */
  readonly run: (signal: AbortSignal) => Promise<void>;
}

const FIRST_PAUSE_MS = 1000;
const LONGEST_PAUSE_MS = 60_000;
// The pause after a check without failures, unless `wake` is called. Nothing should change meanwhile, and a check is
// one short query.
const LONGEST_REST_MS = 3_600_000;
/** If replicas run different configs, nothing is retired. This is the time until the next check. */
const DISAGREED_MS = 10_000;
/** The most watches that are ended at once. Due polls run between two such groups. */
const AT_ONCE = 100;

export function createRetirement(options: RetirementOptions): Retirement {
  const { store, ownership, isAdopted, isOpen, exclusively, unkept, unrecorded, onTransitions, clock, log } = options;
  const loop = createWokenLoop(clock);
  let lastFailure: string | null = null;
  let pauseMs = FIRST_PAUSE_MS;

  /** Makes the end of all alerts of a watch, also of an alert that was sent from memory. */
  async function endOf(id: WatchId, stored: Memory | undefined): Promise<Decision[]> {
    const before = unkept.unkept(id);
    const goesOn = before?.expects === (stored?.version ?? 0) ? before : undefined;
    const memory = goesOn?.memory ?? stored;
    if (memory === undefined) return [];
    const end = retire(id, memory, clock.now());
    if (goesOn === undefined) return [end];
    const whole = joinDecisions(goesOn, end);
    return [{ ...whole, transitions: await unrecorded.withTold(whole.transitions) }];
  }

  async function retireSome(ids: readonly WatchId[], fence: Fence): Promise<void> {
    // The watches are checked again, because a reload may have added some of them meanwhile.
    const gone = ids.filter((id) => !isAdopted(id));
    /** Memories that cannot be read. Memories of a newer release are kept. */
    const unreadable = new Map<WatchId, 'damaged' | 'newer'>();
    const memories = await store.recall(gone, (id, why, isNewer) => {
      unreadable.set(id, isNewer ? 'newer' : 'damaged');
      if (isNewer) return;
      log.warn('watch:memory-damaged', { watch: id, why, effect: 'its memory is removed, its alerts not resolved' });
    });
    const decisions: Decision[] = [];
    for (const id of gone) if (!unreadable.has(id)) decisions.push(...(await endOf(id, memories.get(id))));
    const ends = await store.commit(decisions, clock.now(), fence);
    onTransitions();
    const kept = decisions.filter((_decision, i) => ends[i] === 'kept');
    for (const { transitions } of kept) unrecorded.recorded(transitions);
    for (const id of gone) unkept.forget(id);
    const damaged = gone.filter((id) => unreadable.get(id) === 'damaged');
    await store.forget([...kept.map(({ watchId }) => watchId), ...damaged]);
    // A commit was under way when the reload came, and changed the memory. The next try reads the memory again.
    const changed = decisions.length - kept.length;
    if (changed > 0) throw new Error(`the memory of ${changed} watches changed while they were retired`);
  }

  async function closeChannels(names: readonly string[], fence: Fence): Promise<void> {
    for (const name of names) if (!isOpen(name)) await store.keepRecipients(name, [], fence);
  }

  /** False: another replica runs a config that may name these watches and channels. */
  async function retireAll(): Promise<boolean> {
    const fence = ownership.fenceOf('service:dispatch');
    if (fence === null) return true;
    const known = new Set([...(await store.remembered()), ...unkept.unkeptWatches()]);
    const gone = [...known].filter((id) => !isAdopted(id));
    const closed = (await store.namingChannels()).filter((name) => !isOpen(name));
    if (gone.length + closed.length > 0 && !ownership.mayRetire()) return false;
    if (closed.length > 0) await exclusively(() => closeChannels(closed, fence));
    for (let i = 0; i < gone.length; i += AT_ONCE)
      await exclusively(() => retireSome(gone.slice(i, i + AT_ONCE), fence));
    return true;
  }

  /** Makes one check, and returns the milliseconds until the next one. Never rejects. */
  async function look(): Promise<number> {
    try {
      if (!(await retireAll())) return DISAGREED_MS;
      if (lastFailure !== null) log.info('watch:retired');
      lastFailure = null;
      pauseMs = FIRST_PAUSE_MS;
      return LONGEST_REST_MS;
    } catch (error) {
      if (lastFailure !== String(error))
        log.warn('watch:not-retired', { error, effect: 'alerts of removed watches stay open until a retry succeeds' });
      lastFailure = String(error);
      const restMs = pauseMs;
      pauseMs = Math.min(pauseMs * 2, LONGEST_PAUSE_MS);
      return restMs;
    }
  }

  return { wake: loop.wake, run: (signal) => loop.run(signal, look) };
}
