// A daemon with nothing to watch, and nothing wrong.
import { daemonHealth, type DaemonHealth, type HealthParts } from '../../../src/engine/reporting/daemon-health.ts';
import type { Clock, Instant } from '../../../src/lib/clock.ts';

export function calmHealth(at: Instant): DaemonHealth {
  return daemonHealth(calmParts({ now: () => at }));
}

/** Parts that see nothing. */
export function calmParts(clock: Pick<Clock, 'now'>): HealthParts {
  const none = (): readonly never[] => [];
  return {
    clock,
    startedAt: clock.now(),
    isRunning: () => true,
    storage: () => 'works',
    restoredAt: () => null,
    recovered: () => null,
    lowDisk: () => null,
    backups: { trouble: () => null, isUnknown: () => false },
    failingLoops: none,
    rejected: () => null,
    clockJumps: { recent: none, isYoung: () => false },
    watches: none,
    polled: none,
    blindWatches: {
      unpolled: () => [],
      unseen: () => [],
      blind: () => [],
      overdue: () => [],
      undecided: () => new Set(),
    },
    paused: none,
    notJudged: { recent: none },
    explorers: none,
    memoryOf: () => undefined,
    troubles: none,
    channels: () => new Map(),
    owedToMirrors: none,
    cluster: () => null,
    heartbeatAt: () => null,
  };
}
