// Commits decisions of polls together. Decisions of one watch are committed one after the other. Decisions of
// different watches are committed together.
import { journalOf } from '../core/journal/entry.ts';
import type { Decision } from '../core/model/decision.ts';
import type { Instant } from '../lib/clock.ts';
import type { CommitResult } from './contract/fence.ts';
import type { Sql } from './sql/sql.ts';
import { addNotifications } from './tables/alerts/notifications.ts';
import { append } from './tables/journal/journal.ts';
import { keepCoverage, keepMemories, versionsOf } from './tables/memory/memory.ts';
import { keepSamples, noteData, noteFirst } from './tables/memory/samples.ts';

/**
 * Runs in a transaction of the caller. The caller has checked the fence. `format`: the newest format of memories that
 * all replicas can read.
 */
export async function commitAll(
  sql: Sql,
  decisions: readonly Decision[],
  at: Instant,
  format: number,
): Promise<CommitResult[]> {
  const kept = new Set<Decision>();
  for (const wave of wavesOf(decisions))
    for (const decision of await commitWave(sql, wave, at, format)) kept.add(decision);
  return decisions.map((decision) => (kept.has(decision) ? 'kept' : 'superseded'));
}

/** A wave has at most one decision of each watch. */
function wavesOf(decisions: readonly Decision[]): Decision[][] {
  const ofWatch = [...Map.groupBy(decisions, ({ watchId }) => watchId).values()];
  const longest = Math.max(0, ...ofWatch.map(({ length }) => length));
  return Array.from({ length: longest }, (_, turn) => ofWatch.flatMap((some) => some.slice(turn, turn + 1)));
}

/** Resolves with the decisions that are not superseded. Those without a change are not written. */
async function commitWave(
  sql: Sql,
  wave: readonly Decision[],
  at: Instant,
  format: number,
): Promise<readonly Decision[]> {
  const [learned, quiet] = [wave.filter(isWritten), wave.filter((decision) => !isWritten(decision))];
  const ids = quiet.map(({ watchId }) => watchId);
  const versions = await versionsOf(sql, ids);
  const current = quiet.filter(({ watchId, expects }) => (versions.get(watchId) ?? 0) === expects);
  const renewed = await keepMemories(sql, learned, format);
  const kept = learned.filter(({ watchId }) => renewed.has(watchId));
  await keepBeside(sql, kept, at);
  return [...current, ...kept];
}

function isWritten({ hasChanged, transitions }: Decision): boolean {
  return hasChanged || transitions.length > 0;
}

/** Writes the tables that depend on the stored memories. */
async function keepBeside(sql: Sql, kept: readonly Decision[], at: Instant): Promise<void> {
  await keepCoverage(
    sql,
    new Map(kept.map(({ watchId, memory }) => [watchId, { until: memory.coveredUntil, paceMs: memory.paceMs }])),
  );
  await keepSamples(sql, kept);
  await noteFirst(sql, kept, at);
  await noteData(sql, kept, at);
  const told = kept.map(({ watchId, transitions }) => ({ watch: watchId, transitions }));
  await addNotifications(sql, told, at);
  const lines = kept.flatMap((decision) => journalOf(decision, at));
  await append(sql, lines);
}
