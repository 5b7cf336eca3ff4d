// What /readyz answers: whether the daemon does its work, and what keeps it from some of it.
import { showTrouble, type ExplorerTrouble } from '../core/model/explorer-trouble.ts';
import type { Watch } from '../core/model/watch.ts';
import { causesOf, namesOf, showCause, type BlindWatch } from '../engine/blind-watches.ts';
import type { Readiness } from '../web/server.ts';

export interface Work {
  readonly isRunning: boolean;
  /** What was last written to the state file was kept. */
  readonly isStored: boolean;
  /** The files as they are now are in force. */
  readonly isCurrent: boolean;
  readonly watches: number;
  /** Watches of which no poll has ended yet. */
  readonly unpolled: readonly Watch[];
  readonly blind: readonly BlindWatch[];
  readonly troubles: readonly ExplorerTrouble[];
}

/** Blind watches and a rejected reload leave it ready: a daemon that is replaced because of them sees no more. */
export function readinessOf(work: Work): Readiness {
  const { isRunning, isStored, isCurrent, watches, unpolled, blind, troubles } = work;
  const lines: string[] = [];
  if (!isStored) lines.push('storage: the state file takes nothing; the log says why');
  if (unpolled.length > 0) lines.push(`not polled yet: ${unpolled.length} of ${watches} watches: ${namesOf(unpolled)}`);
  if (!isCurrent) lines.push('config: the last reload failed, and the former config and rules are in force');
  if (blind.length > 0) lines.push(`blind: ${blind.length} of ${watches} watches`, ...causesOf(blind).map(showCause));
  lines.push(...troubles.map((trouble) => `explorer ${showTrouble(trouble)}`));
  return { isReady: isRunning && isStored && unpolled.length === 0, lines };
}
