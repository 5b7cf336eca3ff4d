import type { Config } from '../../config/model.ts';
import type { Head } from '../../core/model/observation.ts';
import type { Watch } from '../../core/model/watch/watch.ts';
import type { Poller } from '../../engine/polling/poller.ts';
import type { ExplorerReading } from '../../engine/reporting/daemon-health.ts';
import type { PollRecord } from '../../engine/reporting/poll-ring.ts';
import type { Instant } from '../../lib/clock.ts';
import type { ExplorerState } from '../../query/view.ts';
import type { InForce } from './in-force.ts';
import type { Parts } from './parts.ts';

/** Data that only this process has, for readers of the running daemon. */
export interface RuntimeFacts extends Pick<Poller, 'changedSince' | 'figuresOf' | 'snapshotOf' | 'healthOf'> {
  /** The config in force; null before the first one. */
  config(): Config | null;
  /** The text of a rule file in force; null if no such file is in force. */
  ruleFile(file: string): string | null;
  /** The newest first. */
  polls(watch: Watch): readonly PollRecord[];
  /** When config and rules were last put in force; null before the first time. */
  loadedAt(): Instant | null;
  explorer(name: string): Omit<ExplorerState, 'name'>;
}

export function createFacts({ poller, pollRing, explorerFacts }: Parts, inForce: () => InForce): RuntimeFacts {
  return {
    changedSince: (mark) => poller.changedSince(mark),
    figuresOf: (id) => poller.figuresOf(id),
    snapshotOf: (id) => poller.snapshotOf(id),
    healthOf: (id) => poller.healthOf(id),
    config: () => inForce().config,
    ruleFile: (file) => inForce().ruleFiles.get(file) ?? null,
    polls: (watch) => pollRing.of(watch),
    loadedAt: () => inForce().loadedAt,
    explorer(name) {
      const { answers, p99Ms, rate } = explorerFacts.of(name);
      return { answers, p99Ms, rate };
    },
  };
}

/** The last answers of an explorer in the config. */
export function explorerReading(
  { explorers, spending, explorerFacts }: Pick<Parts, 'explorers' | 'spending' | 'explorerFacts'>,
  name: string,
): ExplorerReading {
  const { credits } = explorerFacts.of(name);
  return {
    name,
    head: headReading(explorers.get(name)?.head() ?? null),
    plan: spending.stateOf(name),
    paced: spending.pacedBy(name),
    credits,
  };
}

function headReading(head: Head | null): ExplorerReading['head'] {
  if (head === null) return null;
  const { height, timestamp, readAt, staleAfterMs } = head;
  return { height, at: timestamp, readAt, isStalled: readAt - timestamp > staleAfterMs };
}
