// What queries see of a daemon that has a poller and nothing else.
import type { Config } from '../../../src/config/model.ts';
import type { Watch } from '../../../src/core/model/watch/watch.ts';
import type { Poller } from '../../../src/engine/polling/poller.ts';
import type { BlindWatches } from '../../../src/engine/reporting/blind-watches.ts';
import { selfLabels } from '../../../src/engine/self/self-watch.ts';
import type { Instant } from '../../../src/lib/clock.ts';
import type { RuntimeView } from '../../../src/query/view.ts';

export interface PolledParts {
  readonly config: Config;
  readonly watches: () => readonly Watch[];
  readonly poller: Poller;
  readonly blind: Pick<BlindWatches, 'blind' | 'overdue' | 'unpolled'>;
  readonly startedAt: Instant;
}

export function polledRuntime({ config, watches, poller, blind, startedAt }: PolledParts): RuntimeView {
  return {
    version: '0',
    startedAt,
    bootId: 'boot',
    isWorking: () => true,
    config: () => config,
    watches,
    memoryOf: (id) => poller.memoryOf(id) ?? null,
    changedSince: (mark) => poller.changedSince(mark),
    figuresOf: (id) => poller.figuresOf(id),
    snapshotOf: (id) => poller.snapshotOf(id),
    healthOf: (id) => poller.healthOf(id),
    selfLabels: () => selfLabels(config.explorers.keys()),
    blindness: blind,
    unpolled: () => blind.unpolled(),
    explorers: () => [],
    troubles: () => [],
    notJudged: () => 0,
    rejected: () => null,
    loadedAt: () => null,
    replicaOf: () => null,
    cluster: () => null,
    heartbeatAt: () => null,
    polls: () => [],
    ruleFile: () => null,
    storage: () => 'works',
  };
}
