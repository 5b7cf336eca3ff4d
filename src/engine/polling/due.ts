// Before a poll: the stored memory is read when a watch is adopted, again while it is damaged, and again after a commit
// that the store did not keep. Without this last read the watch would decide on a memory that differs from the stored
// one. Every later commit would then be superseded too, and the watch would be blind until a restart.
import type { Ownership } from '../../cluster/ownership.ts';
import type { WatchId } from '../../core/model/ids.ts';
import type { Memory } from '../../core/model/memory.ts';
import type { Watch } from '../../core/model/watch/watch.ts';
import type { Shard } from '../../store/contract/fence.ts';
import type { Store } from '../../store/contract/store.ts';
import type { Log } from '../../telemetry/log.ts';
import type { Outages } from '../reporting/report.ts';
import { lostDiagnostics } from './beside-memory.ts';
import { readMemory } from './observe.ts';
import { adopt, keepRefused, memoryOrBlank, type PollState, stateOf, versionOf, type HeldWatch } from './state.ts';

export interface DueTools {
  readonly polls: PollState;
  readonly store: Pick<Store, 'recall' | 'diagnostics'>;
  readonly ownership: Pick<Ownership, 'avoid'>;
  readonly shardOfWatch: (watch: Watch) => Shard;
  readonly outages: Pick<Outages, 'storageFails'>;
  readonly log: Pick<Log, 'info' | 'warn' | 'error'>;
  /** Called when a poll is due and the memory of the watch is damaged. */
  readonly onDamaged: (watch: Watch) => void;
  /** Called when the memory of a watch was read again, because the store did not keep a commit. */
  readonly onRecalled: (cause: RecallCause) => void;
  /** Called when the store has, or may have, new transitions. */
  readonly onTransitions: () => void;
}

export type RecallCause = 'superseded' | 'rejected';

/** The memory from which the next poll decides; null: it cannot be read now, so the watch is not polled. */
export async function due(state: HeldWatch, watch: Watch, tools: DueTools): Promise<Memory | null> {
  if (state.memoryState === 'damaged' && !(await mend(state, watch, tools))) return null;
  if (state.memoryState === 'uncertain') {
    const found = await readAgain(state, watch, 'rejected', tools);
    if (found === 'failed' && state.refused === null) return null;
  }
  return state.refused?.memory ?? memoryOrBlank(state, watch);
}

/** Reads a damaged memory again. False: it is still damaged. Without a stored one the watch starts with a blank memory. */
async function mend(state: HeldWatch, watch: Watch, tools: DueTools): Promise<boolean> {
  const { store, ownership, shardOfWatch, log, onDamaged, onTransitions } = tools;
  const damaged: WatchId[] = [];
  const stored = await store.recall([watch.id], (id, _why, isNewer) => {
    damaged.push(id);
    // A replica of the newer release may have started since, so the shard is offered again.
    if (isNewer) ownership.avoid(shardOfWatch(watch));
  });
  if (damaged.length > 0) {
    onDamaged(watch);
    return false;
  }
  state.memoryState = 'read';
  log.info('watch:memory-mended', { watch: watch.name });
  replace(state, watch, stored.get(watch.id), tools);
  onTransitions();
  return true;
}

/** Reads the memory again, and compares its version with that of the one in force. */
export async function readAgain(
  state: HeldWatch,
  watch: Watch,
  cause: RecallCause,
  tools: DueTools,
): Promise<'newer' | 'not-newer' | 'failed'> {
  const { polls, store, outages, log, onRecalled, onTransitions } = tools;
  state.memoryState = 'uncertain';
  try {
    const stored = (await store.recall([watch.id])).get(watch.id);
    state.memoryState = 'read';
    const [held, found] = [versionOf(state), stored?.version ?? 0];
    onRecalled(cause);
    if (found === held) return 'not-newer';
    keepRefused(polls, state, null);
    log.info('watch:memory-recalled', { watch: watch.name, cause, held, found });
    replace(state, watch, stored, tools);
    // A commit that is unknown here may have transitions.
    if (polls.watches.has(watch.id)) onTransitions();
    return found > held ? 'newer' : 'not-newer';
  } catch (error) {
    outages.storageFails(error);
    return 'failed';
  }
}

/** The stored memory replaces the one in force; undefined: none is stored any more. */
function replace(
  state: HeldWatch,
  watch: Watch,
  stored: Memory | undefined,
  { polls, log }: Pick<DueTools, 'polls' | 'log'>,
): void {
  state.runs = null;
  if (!polls.watches.has(watch.id)) return;
  state.memory = stored === undefined ? null : readable(watch, stored, log);
  lostDiagnostics(state.diagnostics);
  polls.changed.note(watch.id);
}

/** If this release cannot read the kind's state, the watch starts without it, and a line is logged. */
function readable(watch: Watch, memory: Memory, log: Pick<Log, 'warn'>): Memory {
  const read = readMemory(watch, memory);
  if (read !== null) return read;
  const effect = 'the watch starts with a new baseline; changes since the last poll are not reported';
  log.warn('watch:memory-unreadable', { watch: watch.name, effect });
  return { ...memory, state: null };
}

/**
 * Reads what is stored of watches that were not in force. The returned function puts the watches of its argument in
 * force, and no others. Rejects with a `StorageError`.
 */
export async function recallNew(
  watches: readonly Watch[],
  tools: DueTools,
): Promise<(inForce: readonly Watch[]) => void> {
  const { polls, store } = tools;
  const unread = watches.filter(({ id }) => (polls.states.get(id)?.memory ?? null) === null);
  const damaged = new Map<WatchId, { readonly why: string; readonly isNewer: boolean }>();
  const ids = unread.map(({ id }) => id);
  const recalled = await store.recall(ids, (id, why, isNewer) => damaged.set(id, { why, isNewer }));
  const unknown = watches.filter(({ id }) => (polls.states.get(id)?.diagnostics ?? null) === null);
  const stored = await store.diagnostics(unknown.map(({ id }) => id));
  return (inForce) => {
    adopt(polls, inForce, stored);
    for (const watch of unread) {
      if (!polls.watches.has(watch.id)) continue;
      const state = stateOf(polls, watch.id);
      const found = damaged.get(watch.id);
      if (found !== undefined) foundDamaged(state, watch, found, tools);
      const memory = recalled.get(watch.id);
      if (memory !== undefined) state.memory ??= readable(watch, memory, tools.log);
    }
  };
}

const LEFT_TO_OTHERS =
  'the memory stays unchanged; the watch is blind unless a replica of the newer release polls the watch';

/** With a blank memory the watch would send old items again. `isNewer`: a newer release wrote it. */
function foundDamaged(
  state: HeldWatch,
  watch: Watch,
  { why, isNewer }: { readonly why: string; readonly isNewer: boolean },
  { ownership, shardOfWatch, log }: DueTools,
): void {
  if (state.memoryState === 'damaged') return;
  state.memoryState = 'damaged';
  if (isNewer) {
    log.error('watch:memory-newer', { watch: watch.name, why, effect: LEFT_TO_OTHERS });
    ownership.avoid(shardOfWatch(watch));
    return;
  }
  const effect = 'only this watch is blind, until its memory is repaired, or removed by `chainwarden state forget`';
  log.error('watch:memory-damaged', { watch: watch.name, why, effect });
}
