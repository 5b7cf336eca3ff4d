import type { Config } from '../../config/model.ts';
import type { Head } from '../../core/model/observation.ts';
import type { ExplorerReading } from '../../engine/reporting/daemon-health.ts';
import type { ExplorerState, RuntimeView } from '../../query/view.ts';
import type { InForce } from './in-force.ts';
import type { Parts } from './parts.ts';

/** Data that only this process has, for readers of the running daemon. */
export interface RuntimeFacts extends Pick<
  RuntimeView,
  'watches' | 'readings' | 'blind' | 'unseen' | 'polls' | 'loadedAt' | 'ruleFile'
> {
  /** The config in force; null before the first one. */
  config(): Config | null;
  explorer(name: string): Omit<ExplorerState, 'name'>;
}

export function createFacts(
  { poller, blindWatches, pollRing, explorerFacts }: Parts,
  inForce: () => InForce,
): RuntimeFacts {
  return {
    watches: () => inForce().watches,
    readings: poller.readings,
    blind: blindWatches.blind,
    unseen: blindWatches.unseen,
    polls: (watch) => pollRing.of(watch),
    loadedAt: () => inForce().loadedAt,
    ruleFile: (file) => inForce().ruleFiles.get(file) ?? null,
    config: () => inForce().config,
    explorer(name) {
      const { answers, p99Ms, rate } = explorerFacts.of(name);
      return { answers, p99Ms, rate };
    },
  };
}

/**
 * The current data on an explorer of the config: its last head, the state of its credit plan, the request limit that
 * makes its intervals longer, and the credits left.
 */
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
