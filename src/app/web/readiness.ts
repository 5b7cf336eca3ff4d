// The answer of /readyz: whether the daemon works, and which watches are blind.
import type { ClusterView } from '../../cluster/ownership.ts';
import { showTrouble, type ExplorerTrouble } from '../../core/model/quality/explorer-trouble.ts';
import type { Watch } from '../../core/model/watch/watch.ts';
import { causesOf, namesOf, showCause, type BlindWatch } from '../../core/model/quality/blind-cause.ts';
import { pauseLines, type PausedWatch } from '../../engine/reporting/paused-watches.ts';
import { showInstant, type Instant } from '../../lib/clock.ts';
import { showFailing, type FailingLoop } from '../../engine/upkeep/supervisor.ts';
import type { Readiness } from '../../web/app.ts';
import type { StorageState } from '../state/storage-health.ts';

export interface ReadinessInput {
  readonly isRunning: boolean;
  readonly storage: StorageState;
  /** When the state file was put back that somebody had taken away; null = long ago, or never. */
  readonly restoredAt: Instant | null;
  /** The files as they are now are in force. */
  readonly isCurrent: boolean;
  readonly watches: number;
  /** Watches of which no poll has ended yet. */
  readonly unpolled: readonly Watch[];
  readonly blind: readonly BlindWatch[];
  readonly paused: readonly PausedWatch[];
  readonly troubles: readonly ExplorerTrouble[];
  readonly failing: readonly FailingLoop[];
  /** Null: one process has the state for itself. */
  readonly cluster: ClusterView | null;
}

/**
 * Blind watches and a rejected reload leave it ready: replacing the daemon would not help. So does holding no shard: it is
 * there to take over.
 */
export function readinessOf(work: ReadinessInput): Readiness {
  const { isRunning, storage, restoredAt, isCurrent, watches, unpolled, blind, paused, troubles, failing } = work;
  const lines: string[] = work.cluster === null ? [] : clusterLines(work.cluster);
  if (storage !== 'works') lines.push(STORAGE[storage]);
  if (restoredAt !== null) lines.push(`${RESTORED} (${showInstant(restoredAt)})`);
  if (unpolled.length > 0) lines.push(`not polled yet: ${unpolled.length} of ${watches} watches: ${namesOf(unpolled)}`);
  if (!isCurrent) lines.push('config: the last reload failed, and the former config and rules are in force');
  if (blind.length > 0) lines.push(`blind: ${blind.length} of ${watches} watches`, ...causesOf(blind).map(showCause));
  if (paused.length > 0) lines.push(`paused: ${paused.length} of ${watches} watches`, ...pauseLines(paused));
  lines.push(...failing.map(showFailing));
  lines.push(...troubles.map((trouble) => `explorer ${showTrouble(trouble)}`));
  return { isReady: isRunning && storage === 'works' && unpolled.length === 0, lines };
}

/** `replica treasury-2: works on 3 of 7 shards: explorer:ethereum, channel:ops, service:dispatch` */
function clusterLines({ replicas, shards, configInForce }: ClusterView): string[] {
  const self = replicas.find(({ isSelf }) => isSelf);
  if (self === undefined) return ['replica: waits for the database'];
  const own = shards.filter(({ isOurs }) => isOurs).map(({ shard }) => shard);
  const free = shards.filter(({ holder }) => holder === null).map(({ shard }) => shard);
  const others = replicas.filter(({ isSelf }) => !isSelf).map(({ name }) => name);
  return [
    `replica ${self.name}: works on ${own.length} of ${shards.length} shards${own.length === 0 ? '' : `: ${own.join(', ')}`}`,
    ...(others.length === 0 ? [] : [`other replicas: ${others.join(', ')}`]),
    ...(free.length === 0 ? [] : [`nobody works on: ${free.join(', ')}`]),
    ...(configInForce === null || configInForce === self.checksum
      ? []
      : ['config: most replicas run another one, so this one claims nothing']),
  ];
}

const RESTORED = 'storage: the state file or its lock was deleted or replaced, and was put back';

const STORAGE: Readonly<Record<Exclude<StorageState, 'works'>, string>> = {
  fails: 'storage: the state cannot be written; the log says why',
  full: 'storage: the state file has reached state.max_size; let what is owed go out, or raise it',
};
