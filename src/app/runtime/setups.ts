// Puts one setup in force after the other, in three steps:
//
//   prepare   reads the state file and opens new parts; the only step that may fail, and it changes nothing
//   commit    swaps everything at once: a poll sees the former setup or the new one, never a mixture
//   after     closes replaced parts once they are unused; retires watches that are gone (engine/upkeep/retirement.ts)
import type { Ownership } from '../../cluster/ownership.ts';
import { secretsOf } from '../../config/config.ts';
import { recipientsIn } from '../../config/routing/recipients.ts';
import type { WatchId } from '../../core/model/ids.ts';
import type { Watch } from '../../core/model/watch/watch.ts';
import { labelsOf } from '../../engine/reporting/report.ts';
import { isSelfWatch } from '../../engine/self/self-watch.ts';
import type { Clock, Instant } from '../../lib/clock.ts';
import { outlineOf, type Outline } from '../../plan/outline.ts';
import type { Store } from '../../store/contract/store.ts';
import type { SafeLog } from '../../telemetry/logger.ts';
import type { Metrics } from '../../telemetry/metrics.ts';
import type { Setup } from '../setup/setup.ts';
import { dispatchRulesOf } from './dispatch-rules.ts';
import { NOTHING_YET, type InForce } from './in-force.ts';
import type { Parts } from './parts.ts';
import type { Prepared } from './prepared.ts';
import { declaredIn, shardOfExplorer } from './shards.ts';

export interface SetupsOptions {
  readonly parts: Parts;
  readonly store: Pick<Store, 'setMaxBytes' | 'keepRunning'>;
  readonly ownership: Pick<Ownership, 'isShared' | 'declare'>;
  /** Schedules the polls of the watches in force, if polling has begun. */
  readonly schedule: () => void;
  readonly clock: Clock;
  readonly log: SafeLog;
  readonly metrics: Metrics;
}

export interface Setups {
  inForce(): InForce;
  /** After shards changed hands: polls the watches in force that are now this replica's. */
  follow(): void;
  /** Rejects if the setup cannot be put in force, and changes nothing. */
  prepare(next: Setup): Promise<Prepared>;
}

export function createSetups(options: SetupsOptions): Setups {
  const { parts, store, ownership, schedule, clock, log, metrics } = options;
  const { explorers, channels, dispatcher, poller, retirement, blindWatches, presentValues, pollRing } = parts;
  const { coveredElsewhere, keptPlans } = parts;
  const startedAt = clock.now();
  let inForce = NOTHING_YET;
  /** The watches that this process polls. */
  let own: ReadonlyMap<WatchId, Watch> = new Map();

  function putInForce({ config, watches, ruleFiles }: Setup): void {
    const rules = dispatchRulesOf(config, watches, {
      startedAt,
      lookedAt,
      coveredUntil,
      presentOf: (alert) => presentValues.of(alert),
    });
    const ids = new Set(watches.map(({ id }) => id));
    inForce = { config, watches, ids, ruleFiles, rules, loadedAt: clock.now() };
    store.setMaxBytes(config.state.maxBytes);
    dispatcher.reload();
    follow();
    // Running polls still read through the replaced explorers.
    closeReplaced(poller.idle());
    schedule();
    retirement.wake();
    metrics.reload(true, clock.now());
  }

  /** The built-in watch observes the daemon continuously. */
  function lookedAt(id: WatchId): Instant | null {
    if (isSelfWatch(id)) return clock.now();
    return isElsewhere(id) ? coveredElsewhere.of(id) : blindWatches.lookedAt(id);
  }

  function isElsewhere(id: WatchId): boolean {
    return ownership.isShared && !own.has(id);
  }

  function coveredUntil(id: WatchId): Instant | null {
    // Until the coverage of other replicas is read, no watch counts as uncovered.
    if (isSelfWatch(id) || (isElsewhere(id) && !coveredElsewhere.isRead())) return clock.now();
    return lookedAt(id) ?? poller.readings.memoryOf(id)?.coveredUntil ?? null;
  }

  function follow(): void {
    const former = [...own.values()];
    const polled = poller.watches();
    own = new Map(polled.map((watch) => [watch.id, watch]));
    forget(former);
    blindWatches.adopt(polled);
    presentValues.adopt(polled);
    pollRing.adopt(polled);
  }

  function forget(former: readonly Watch[]): void {
    const kept = new Set([...own.values()].map(keyOf));
    for (const watch of former) if (!kept.has(keyOf(watch))) metrics.forgetWatch(labelsOf(watch));
  }

  function closeReplaced(unused: Promise<void>): void {
    void unused
      .then(() => explorers.closeReplaced())
      .catch((error: unknown) => {
        log.warn('explorer:not-closed', { error });
      });
  }

  function keepRunning(outline: Outline): void {
    store.keepRunning(outline).catch((error: unknown) => {
      log.warn('storage:housekeeping-failed', { error, effect: '`plan` compares with the former rules' });
    });
  }

  return {
    inForce: () => inForce,
    follow,
    async prepare(next) {
      await using built = new AsyncDisposableStack();
      log.addSecrets(secretsOf(next.config));
      const outline = outlineOf(next.watches, recipientsIn(next.config));
      const shards = shardOfExplorer(next.config);
      const prepared = [
        built.use(await explorers.prepare(next.config)),
        built.use(await channels.prepare(next.config)),
        await poller.prepare(next.watches, shards),
        await keptPlans.prepare(next.config.explorers.keys(), shards),
      ];
      const open = built.move();
      return {
        commit() {
          for (const part of prepared) part.commit();
          putInForce(next);
          if (ownership.isShared) ownership.declare(declaredIn(next));
          keepRunning(outline);
        },
        [Symbol.asyncDispose]: () => open.disposeAsync(),
      };
    },
  };
}

function keyOf(watch: Watch): string {
  const { watch: rule, of } = labelsOf(watch);
  return `${rule}\n${of}`;
}
