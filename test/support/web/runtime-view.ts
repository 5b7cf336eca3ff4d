// What queries see of a daemon that has a poller and nothing else.
import type { Config } from '../../../src/config/model.ts';
import type { Watch } from '../../../src/core/model/watch/watch.ts';
import type { Poller } from '../../../src/engine/polling/poller.ts';
import { daemonHealth, summaryOfHealth, type HealthParts } from '../../../src/engine/reporting/daemon-health.ts';
import type { BlindWatches } from '../../../src/engine/reporting/blind-watches.ts';
import { selfLabels } from '../../../src/engine/self/self-watch.ts';
import type { Clock, Instant } from '../../../src/lib/clock.ts';
import type { RuntimeView } from '../../../src/query/view.ts';
import { calmParts } from '../engine/calm-health.ts';

export interface PolledParts extends Partial<Pick<HealthParts, 'explorers' | 'storage'>> {
  readonly config: Config;
  readonly watches: () => readonly Watch[];
  readonly poller: Poller;
  readonly blindWatches: BlindWatches;
  readonly startedAt: Instant;
  readonly clock: Pick<Clock, 'now'>;
}

export function polledRuntime(parts: PolledParts): RuntimeView {
  const { config, watches, poller, blindWatches: blind, startedAt, clock } = parts;
  return {
    version: '0',
    startedAt,
    bootId: 'boot',
    silentSince: null,
    health: () => summaryOfHealth(daemonHealth({ ...calmParts(clock), ...parts, memoryOf: poller.readings.memoryOf })),
    config: () => config,
    watches,
    readings: poller.readings,
    reports: () => [],
    selfLabels: () => selfLabels(config.explorers.keys()),
    blind: () => blind.blind(),
    unseen: () => blind.unseen(),
    explorers: () => [],
    rejected: () => null,
    loadedAt: () => null,
    replicaOf: () => null,
    cluster: () => null,
    polls: () => [],
    ruleFile: () => null,
  };
}
