// The answer of /readyz: whether the daemon works, and which watches are blind.
import type { ClusterView, ReplicaView } from '../../cluster/ownership.ts';
import { showTrouble } from '../../core/model/quality/explorer-trouble.ts';
import { causesOf, namesOf, showCause } from '../../core/model/quality/blind-cause.ts';
import type { DaemonHealth } from '../../engine/reporting/daemon-health.ts';
import { pauseLines } from '../../engine/reporting/paused-watches.ts';
import { showInstant } from '../../lib/clock.ts';
import { showFailing } from '../../engine/upkeep/supervisor.ts';
import type { Readiness } from '../../web/app.ts';

/**
 * Blind watches and a rejected reload leave the daemon ready, because replacing it would not help. A daemon that holds
 * no shard is ready too: it waits to take over, and a rollout must go on with the next replica. A daemon that waits for
 * an operator is not ready: the rollout stops there, and the earlier replicas keep running.
 */
export function readinessOf(health: DaemonHealth): Readiness {
  const { isRunning, storage, restoredAt, rejected, watches, unpolled, blind, paused, troubles, failingLoops } = health;
  const all = watches.length;
  const lines: string[] = health.cluster === null ? [] : clusterLines(health.cluster);
  if (storage !== 'works') lines.push(STORAGE[storage]);
  if (restoredAt !== null) lines.push(`${RESTORED} (${showInstant(restoredAt)})`);
  if (unpolled.length > 0) lines.push(`not polled yet: ${unpolled.length} of ${all} watches: ${namesOf(unpolled)}`);
  if (rejected !== null) lines.push('config: the last reload failed, and the former config and rules are in force');
  if (blind.length > 0) lines.push(`blind: ${blind.length} of ${all} watches`, ...causesOf(blind).map(showCause));
  if (paused.length > 0) lines.push(`paused: ${paused.length} of ${all} watches`, ...pauseLines(paused));
  lines.push(...failingLoops.map(showFailing));
  lines.push(...troubles.map((trouble) => `explorer ${showTrouble(trouble)}`));
  const isWaiting = health.cluster?.replicas.some(({ isSelf, counts }) => isSelf && !counts) ?? false;
  return { isReady: isRunning && storage === 'works' && unpolled.length === 0 && !isWaiting, lines };
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
    ...(self.counts ? [] : [NOT_COUNTED]),
    ...(configInForce === null || configInForce === self.checksum || !self.counts
      ? []
      : [`config: most replicas run another one${sinceOf(self)}, so this one claims no shards`]),
  ];
}

/** `, since 2026-01-01 21:12 UTC` */
function sinceOf({ outvotedSince }: ReplicaView): string {
  return outvotedSince === null ? '' : `, since ${showInstant(outvotedSince)}`;
}

const NOT_COUNTED =
  'config: it names no watch that the database remembers, so this replica waits; if the config is right, run chainwarden state accept';

const RESTORED = 'storage: the state file or its lock was deleted or replaced, and was put back';

const STORAGE: Readonly<Record<Exclude<DaemonHealth['storage'], 'works'>, string>> = {
  fails: 'storage: the state cannot be written; the log says why',
  full: 'storage: the state file has reached state.max_size; wait until owed messages are sent, or raise the limit',
};
