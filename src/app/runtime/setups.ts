// Puts one setup in force after the other, in three steps:
//
//   prepare   reads the stored state and opens new parts; the only step that may fail, and it changes nothing
//   commit    swaps everything at once: a poll sees the former setup or the new one, never a mixture
//   after     closes replaced parts once they are unused; retires removed watches (engine/upkeep/retirement.ts)
import type { Ownership } from '../../cluster/ownership.ts';
import { secretsOf } from '../../config/config.ts';
import type { WatchId } from '../../core/model/ids.ts';
import type { Watch } from '../../core/model/watch/watch.ts';
import type { CoveredElsewhere } from '../../engine/reporting/covered-elsewhere.ts';
import { labelsOf } from '../../engine/reporting/report.ts';
import { isSelfWatch } from '../../engine/self/self-watch.ts';
import type { Retirement } from '../../engine/upkeep/retirement.ts';
import type { Clock, Instant, Mutex } from '../../lib/clock.ts';
import { outlineOf, type Outline } from '../../plan/outline.ts';
import type { Store } from '../../store/contract/store.ts';
import type { SafeLog } from '../../telemetry/logger.ts';
import type { Metrics } from '../../telemetry/metrics.ts';
import { dispatchRulesOf, type ReplaceableSetup } from '../in-force.ts';
import type { Polling } from '../polling.ts';
import type { Sending } from '../sending.ts';
import type { Setup } from '../setup/setup.ts';
import type { Prepared } from './prepared.ts';
import { declaredIn, shardOfExplorer } from './shards.ts';

export interface SetupsOptions
  extends
    Pick<Sending, 'channels' | 'dispatcher'>,
    Pick<Polling, 'explorers' | 'keptPlans' | 'poller' | 'polls' | 'blindWatches' | 'presentValues' | 'pollRing'> {
  readonly inForce: ReplaceableSetup;
  /** Held while a setup is put in force. */
  readonly changing: Mutex;
  readonly coveredElsewhere: Pick<CoveredElsewhere, 'of' | 'isRead'>;
  readonly retirement: Pick<Retirement, 'wake'>;
  readonly store: Pick<Store, 'setMaxBytes' | 'keepRunning'>;
  readonly ownership: Pick<Ownership, 'isShared' | 'declare'>;
  readonly clock: Clock;
  readonly log: SafeLog;
  readonly metrics: Pick<Metrics, 'reload' | 'forgetWatch'>;
}

export class Setups {
  readonly #options: SetupsOptions;
  readonly #startedAt: Instant;
  /** The watches that this process polls. */
  #own: ReadonlyMap<WatchId, Watch> = new Map();

  constructor(options: SetupsOptions) {
    this.#options = options;
    this.#startedAt = options.clock.now();
  }

  /**
   * Call this after shards changed hands. Blindness, present values, poll records and metrics are then kept for exactly
   * the watches that this replica polls.
   */
  follow(): void {
    const { poller, blindWatches, presentValues, pollRing } = this.#options;
    const former = [...this.#own.values()];
    const polled = poller.watches();
    this.#own = new Map(polled.map((watch) => [watch.id, watch]));
    this.#forget(former);
    blindWatches.adopt(polled);
    presentValues.adopt(polled);
    pollRing.adopt(polled);
  }

  /**
   * Rejects, and changes nothing, if the setup cannot be put in force. Setups are prepared one at a time: the next
   * call waits until this one is committed or disposed of.
   */
  async prepare(next: Setup): Promise<Prepared> {
    const release = await this.#options.changing.acquire();
    try {
      return releasing(await this.#prepare(next), release);
    } catch (error) {
      release();
      throw error;
    }
  }

  async #prepare(next: Setup): Promise<Prepared> {
    const { explorers, channels, poller, keptPlans, ownership, log } = this.#options;
    await using built = new AsyncDisposableStack();
    log.addSecrets(secretsOf(next.config));
    const outline = outlineOf(next);
    const shards = shardOfExplorer(next.config);
    const prepared = [
      built.use(await explorers.prepare(next.config)),
      built.use(await channels.prepare(next.config)),
      await poller.prepare(next.watches, shards),
      await keptPlans.prepare(next.config.explorers.keys(), shards),
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

  #putInForce(next: Setup): void {
    const { inForce, dispatcher, poller, polls, presentValues, retirement, store, clock, metrics } = this.#options;
    const rules = dispatchRulesOf(next.config, next, {
      startedAt: this.#startedAt,
      lookedAt: (id) => this.#lookedAt(id),
      coveredUntil: (id) => this.#coveredUntil(id),
      presentOf: (alert) => presentValues.of(alert),
    });
    inForce.replace(next, rules, clock.now());
    store.setMaxBytes(next.config.state.maxBytes);
    dispatcher.reload();
    this.follow();
    // Running polls still use the replaced explorers, so the explorers are closed when those polls end.
    this.#closeReplaced(poller.idle());
    polls.schedule();
    retirement.wake();
    metrics.reload(true, clock.now());
  }

  /** The time of the last successful poll. The built-in watch observes the daemon continuously, so its time is now. */
  #lookedAt(id: WatchId): Instant | null {
    const { coveredElsewhere, blindWatches, clock } = this.#options;
    if (isSelfWatch(id)) return clock.now();
    return this.#isElsewhere(id) ? coveredElsewhere.of(id) : blindWatches.lookedAt(id);
  }

  #isElsewhere(id: WatchId): boolean {
    return this.#options.ownership.isShared && !this.#own.has(id);
  }

  #coveredUntil(id: WatchId): Instant | null {
    const { coveredElsewhere, poller, clock } = this.#options;
    // Until the coverage of other replicas is read, no watch counts as uncovered.
    if (isSelfWatch(id) || (this.#isElsewhere(id) && !coveredElsewhere.isRead())) return clock.now();
    return this.#lookedAt(id) ?? poller.readings.memoryOf(id)?.coveredUntil ?? null;
  }

  #forget(former: readonly Watch[]): void {
    const kept = new Set([...this.#own.values()].map(keyOf));
    for (const watch of former) if (!kept.has(keyOf(watch))) this.#options.metrics.forgetWatch(labelsOf(watch));
  }

  #closeReplaced(unused: Promise<void>): void {
    const { explorers, log } = this.#options;
    void unused
      .then(() => explorers.closeReplaced())
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

/** Releases the mutex once the setup is committed or disposed of. */
function releasing(built: Prepared, release: () => void): Prepared {
  return {
    commit() {
      built.commit();
      release();
    },
    async [Symbol.asyncDispose]() {
      try {
        await built[Symbol.asyncDispose]();
      } finally {
        release();
      }
    },
  };
}
