// Puts one setup in force after the other, in three steps:
//
//   prepare   reads the state file and opens new parts; the only step that may fail, and it changes nothing
//   commit    swaps everything at once: a poll sees the former setup or the new one, never a mixture
//   after     closes replaced parts once they are unused; retires removed watches (engine/upkeep/retirement.ts)
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

export class Setups {
  readonly #options: SetupsOptions;
  readonly #startedAt: Instant;
  #inForce = NOTHING_YET;
  /** The watches that this process polls. */
  #own: ReadonlyMap<WatchId, Watch> = new Map();

  constructor(options: SetupsOptions) {
    this.#options = options;
    this.#startedAt = options.clock.now();
  }

  inForce(): InForce {
    return this.#inForce;
  }

  /**
   * To be called after shards changed hands. From then on, the watches that this replica polls are observed, and no
   * others.
   */
  follow(): void {
    const { poller, blindWatches, presentValues, pollRing } = this.#options.parts;
    const former = [...this.#own.values()];
    const polled = poller.watches();
    this.#own = new Map(polled.map((watch) => [watch.id, watch]));
    this.#forget(former);
    blindWatches.adopt(polled);
    presentValues.adopt(polled);
    pollRing.adopt(polled);
  }

  /** If the setup cannot be put in force, it rejects and changes nothing. */
  async prepare(next: Setup): Promise<Prepared> {
    const { parts, ownership, log } = this.#options;
    await using built = new AsyncDisposableStack();
    log.addSecrets(secretsOf(next.config));
    const outline = outlineOf(next.watches, recipientsIn(next.config));
    const shards = shardOfExplorer(next.config);
    const prepared = [
      built.use(await parts.explorers.prepare(next.config)),
      built.use(await parts.channels.prepare(next.config)),
      await parts.poller.prepare(next.watches, shards),
      await parts.keptPlans.prepare(next.config.explorers.keys(), shards),
    ];
    const open = built.move();
    return {
      commit: () => {
        for (const part of prepared) part.commit();
        this.#putInForce(next);
        if (ownership.isShared) ownership.declare(declaredIn(next));
        this.#keepRunning(outline);
      },
      [Symbol.asyncDispose]: () => open.disposeAsync(),
    };
  }

  #putInForce({ config, watches, reports, ruleFiles }: Setup): void {
    const { parts, store, schedule, clock, metrics } = this.#options;
    const rules = dispatchRulesOf(
      config,
      { watches, reports },
      {
        startedAt: this.#startedAt,
        lookedAt: (id) => this.#lookedAt(id),
        coveredUntil: (id) => this.#coveredUntil(id),
        presentOf: (alert) => parts.presentValues.of(alert),
      },
    );
    const ids = new Set([...watches.map(({ id }) => id), ...reports.map(({ watchId }) => watchId)]);
    this.#inForce = { config, watches, reports, ids, ruleFiles, rules, loadedAt: clock.now() };
    store.setMaxBytes(config.state.maxBytes);
    parts.dispatcher.reload();
    this.follow();
    // Running polls still read through the replaced explorers, so these are closed after them.
    this.#closeReplaced(parts.poller.idle());
    schedule();
    parts.retirement.wake();
    metrics.reload(true, clock.now());
  }

  /** The time of the last successful poll. The built-in watch observes the daemon continuously, so its time is now. */
  #lookedAt(id: WatchId): Instant | null {
    const { parts, clock } = this.#options;
    if (isSelfWatch(id)) return clock.now();
    return this.#isElsewhere(id) ? parts.coveredElsewhere.of(id) : parts.blindWatches.lookedAt(id);
  }

  #isElsewhere(id: WatchId): boolean {
    return this.#options.ownership.isShared && !this.#own.has(id);
  }

  #coveredUntil(id: WatchId): Instant | null {
    const { parts, clock } = this.#options;
    // Until the coverage of other replicas is read, no watch counts as uncovered.
    if (isSelfWatch(id) || (this.#isElsewhere(id) && !parts.coveredElsewhere.isRead())) return clock.now();
    return this.#lookedAt(id) ?? parts.poller.readings.memoryOf(id)?.coveredUntil ?? null;
  }

  #forget(former: readonly Watch[]): void {
    const kept = new Set([...this.#own.values()].map(keyOf));
    for (const watch of former) if (!kept.has(keyOf(watch))) this.#options.metrics.forgetWatch(labelsOf(watch));
  }

  #closeReplaced(unused: Promise<void>): void {
    const { parts, log } = this.#options;
    void unused
      .then(() => parts.explorers.closeReplaced())
      .catch((error: unknown) => {
        log.warn('explorer:not-closed', { error });
      });
  }

  #keepRunning(outline: Outline): void {
    const { store, log } = this.#options;
    store.keepRunning(outline).catch((error: unknown) => {
      log.warn('storage:housekeeping-failed', { error, effect: '`plan` compares with the former rules' });
    });
  }
}

function keyOf(watch: Watch): string {
  const { watch: rule, of } = labelsOf(watch);
  return `${rule}\n${of}`;
}
