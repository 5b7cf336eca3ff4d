// Finds blind watches: they are polled, or should be, but have had no `ok` data for too long.
import { blindSince, clearUntil, fromAfterReload, overdueSince } from '../../core/model/quality/blindness.ts';
import { missingValues } from '../../core/poll.ts';
import type { WatchId } from '../../core/model/ids.ts';
import { reasonOf, type BlindReason, type BlindWatch } from '../../core/model/quality/blind-cause.ts';
import type { Memory } from '../../core/model/memory.ts';
import type { MissReason, Observation } from '../../core/model/observation.ts';
import { isOverdue, showCron } from '../../core/model/watch/schedule.ts';
import { paceIn, type Schedule, type Watch } from '../../core/model/watch/watch.ts';
import { paceOfRule } from '../scheduling/when-due.ts';
import type { Clock, Instant } from '../../lib/clock.ts';

export interface BlindWatches {
  /** Adopts these watches; known ones keep the time of their adoption. */
  adopt(watches: readonly Watch[]): void;
  polled(watch: Watch, observation: Observation): void;
  /** Call this when a poll was due but the plan had no credits for it. */
  postponed(watch: Watch): void;
  /**
   * Call this when a poll was due but impossible, since the memory is damaged. The watch counts as damaged until its
   * next poll.
   */
  damaged(watch: Watch): void;
  /**
   * Watches without a finished poll that should have had one: they were not paused, and a time of their cron has come.
   */
  unpolled(): Watch[];
  /** As `unpolled`, for watches without a successful poll. */
  readonly unseen: () => Watch[];
  readonly blind: () => BlindWatch[];
  /** Watches that missed a due time, and are not blind yet. */
  overdue(): BlindWatch[];
  /** The time of its last successful poll since it was adopted; null: none. */
  lookedAt(id: WatchId): Instant | null;
  /**
   * Explorers with a watch that was blind before the start, and has not been polled long enough since to decide if it
   * still is.
   */
  undecided(): ReadonlySet<string>;
}

interface Watched {
  readonly watch: Watch;
  readonly adoptedAt: Instant;
  /** Missing data before this time does not count. */
  from: Instant;
  isPolled: boolean;
  lookedAt: Instant | null;
  /** The reason why the last poll was missed; null if it succeeded. */
  missed: MissReason | null;
  isDamaged: boolean;
  /**
   * Until this time the watch cannot be blind, by its last poll. So most watches are not evaluated again before their
   * next poll.
   */
  clearUntil: Instant;
}

const NEVER_CLEAR = -Infinity;

export interface BlindWatchesOptions {
  readonly clock: Clock;
  readonly memoryOf: (watch: WatchId) => Memory | undefined;
  /** The interval in force; by default the rule's. */
  readonly paceOf?: (watch: Watch) => number;
  /** The end of the watch's last pause; null: it had none. A paused watch is not blind. */
  readonly pausedUntil: (watch: Watch) => Instant | null;
  /** The result of the last write. */
  readonly storage: () => 'works' | 'fails' | 'full';
}

export function createBlindWatches(options: BlindWatchesOptions): BlindWatches {
  const { clock, memoryOf, pausedUntil } = options;
  const judge = createBlindJudge(options);
  let watchedById: ReadonlyMap<WatchId, Watched> = new Map();

  /** True if the watch was paused at some time since its adoption, so that its first poll may still come. */
  function wasPaused({ watch, adoptedAt }: Watched): boolean {
    const pauseEnd = pausedUntil(watch);
    return pauseEnd !== null && pauseEnd > adoptedAt;
  }

  function awaited(isMissing: (watched: Watched) => boolean): Watch[] {
    const missing: Watch[] = [];
    const now = clock.now();
    for (const one of watchedById.values())
      if (isMissing(one) && !wasPaused(one) && wasDue(one, now)) missing.push(one.watch);
    return missing;
  }

  return {
    adopt(watches) {
      const before = watchedById;
      const now = clock.now();
      const fresh = { adoptedAt: now, from: now, isPolled: false, lookedAt: null, missed: null, isDamaged: false };
      const watched = watches.map((watch): [WatchId, Watched] => {
        const known = before.get(watch.id);
        const from = fromUnder(watch, known, memoryOf(watch.id), now);
        // A blind watch stays blind.
        const stays = known !== undefined && from !== known.from && judge.look(known, now) !== null;
        return [watch.id, { ...(known ?? fresh), ...(stays ? {} : { from }), watch, clearUntil: NEVER_CLEAR }];
      });
      watchedById = new Map(watched);
    },
    polled({ id }, observation) {
      const watched = watchedById.get(id);
      if (watched === undefined) return;
      watched.isPolled = true;
      watched.isDamaged = false;
      if (observation.type === 'seen') watched.lookedAt = observation.at;
      watched.missed = observation.type === 'missed' ? observation.reason : null;
      watched.clearUntil = NEVER_CLEAR;
    },
    postponed({ id }) {
      const watched = watchedById.get(id);
      if (watched !== undefined) watched.missed = 'plan';
    },
    damaged({ id }) {
      const watched = watchedById.get(id);
      if (watched === undefined) return;
      watched.isPolled = true;
      watched.isDamaged = true;
    },
    unpolled: () => awaited(({ isPolled }) => !isPolled),
    unseen: () => awaited(({ lookedAt, isDamaged }) => lookedAt === null && !isDamaged),
    blind() {
      const now = clock.now();
      const blind: BlindWatch[] = [];
      for (const watched of watchedById.values()) {
        const found = judge.look(watched, now);
        if (found !== null) blind.push(found);
      }
      return blind;
    },
    overdue() {
      const now = clock.now();
      return [...watchedById.values()].flatMap((watched) => judge.overdueOf(watched, now));
    },
    lookedAt: (id) => watchedById.get(id)?.lookedAt ?? null,
    undecided() {
      const now = clock.now();
      const undecided = [...watchedById.values()].filter((watched) => judge.isUndecided(watched, now));
      return new Set(undecided.map(({ watch: { target } }) => target.explorer));
    },
  };
}

interface BlindJudge {
  /** Null: the watch is not blind. */
  readonly look: (watched: Watched, now: Instant) => BlindWatch | null;
  readonly overdueOf: (watched: Watched, now: Instant) => BlindWatch[];
  readonly isUndecided: (watched: Watched, now: Instant) => boolean;
}

/** Judges one watch by its memory, its polls and its pauses, and by the store. */
function createBlindJudge(options: BlindWatchesOptions): BlindJudge {
  const { memoryOf, pausedUntil, storage, paceOf = paceOfRule } = options;
  /** The time when the store last refused a write. */
  let refusedAt: Instant = -Infinity;

  /** The memory of the watch, with the longer of two intervals: that of its last poll, and the present one. */
  function knownOf({ watch, missed }: Pick<Watched, 'watch' | 'missed'>): Memory | Unpolled | undefined {
    const memory = memoryOf(watch.id);
    // A poll without an answer, or with old data, is judged by the interval of its time: a longer interval since then
    // does not excuse it.
    const isUnsaid = (missed !== null && missed !== 'plan') || (memory?.data?.state ?? 'ok') !== 'ok';
    if (memory !== undefined && isUnsaid) return memory;
    const paceMs = paceOf(watch);
    if (paceMs <= paceIn(memory, watch)) return memory;
    return memory === undefined
      ? { data: null, coveredUntil: null, state: null, checksum: '', paceMs }
      : { ...memory, paceMs };
  }

  function look(watched: Watched, now: Instant): BlindWatch | null {
    const { watch, missed } = watched;
    // After the clock was set back, the watch would otherwise not count as blind until that time comes again.
    if (watched.from > now) Object.assign(watched, { from: now, clearUntil: NEVER_CLEAR });
    const refused = storageReason();
    if (refused !== null) refusedAt = now;
    const pauseEnd = pausedUntil(watch);
    if (pauseEnd !== null) {
      if (pauseEnd > now) return null;
      watched.from = Math.max(watched.from, pauseEnd);
    }
    if (watched.isDamaged) return { watch, since: watched.from, reason: 'damaged-memory', fields: [] };
    if (now <= watched.clearUntil) return null;
    const memory = knownOf(watched);
    // The polls succeeded while the store refused writes, so once the store works again only later misses count.
    if (refused === null && missed === null && (memory?.data?.state ?? 'ok') === 'ok')
      watched.from = Math.max(watched.from, refusedAt);
    const watching = { watch, from: watched.from, now };
    const since = blindSince(memory, watching);
    if (since === null) {
      watched.clearUntil = clearUntil(memory, watching) ?? NEVER_CLEAR;
      return null;
    }
    const reason = whyOf(missed, memory);
    return { watch, since, reason, ...missingValues(watch, memory) };
  }

  function whyOf(missed: MissReason | null, memory: Pick<Memory, 'data'> | undefined): BlindReason {
    return storageReason() ?? missed ?? reasonOf(memory?.data ?? null);
  }

  function overdueOf({ watch, from, missed, isDamaged }: Watched, now: Instant): BlindWatch[] {
    const pauseEnd = pausedUntil(watch) ?? -Infinity;
    if (isDamaged || pauseEnd > now) return [];
    const memory = knownOf({ watch, missed });
    const since = overdueSince(memory, { watch, from: Math.max(from, pauseEnd), now });
    if (since === null) return [];
    return [{ watch, since, reason: whyOf(missed, memory), fields: [] }];
  }

  /**
   * True if the watch was blind by its stored times when the daemon stopped, and the time since is too short to decide
   * if it still is.
   */
  function isUndecided({ watch, from, missed, isDamaged }: Watched, now: Instant): boolean {
    const memory = knownOf({ watch, missed });
    return (
      !isDamaged &&
      (pausedUntil(watch) ?? now) <= now &&
      blindSince(memory, { watch, from: null, now }) !== null &&
      blindSince(memory, { watch, from, now }) === null
    );
  }

  function storageReason(): BlindReason | null {
    const state = storage();
    return state === 'works' ? null : `storage-${state}`;
  }

  return { look, overdueOf, isUndecided };
}

type Unpolled = Pick<Memory, 'data' | 'coveredUntil' | 'state' | 'checksum'> & { readonly paceMs: number };

/** True if the watch is polled at once, or had a due time since it was adopted. */
function wasDue({ watch, adoptedAt }: Watched, now: Instant): boolean {
  const { schedule } = watch;
  if (schedule.type === 'every' || isOverdue(watch, null, adoptedAt)) return true;
  const due = schedule.times.upTo(now);
  return due !== null && due > adoptedAt;
}

/** After a reload with another schedule the earlier due times do not count as missed. */
function fromUnder(watch: Watch, known: Watched | undefined, memory: Memory | undefined, now: Instant): Instant {
  if (known === undefined || haveOtherTimes(known.watch, watch)) return now;
  return fromAfterReload(memory, known.watch, { watch, from: known.from, now }) ?? now;
}

function haveOtherTimes(one: Watch, other: Watch): boolean {
  return nameOf(one.schedule) !== nameOf(other.schedule);
}

function nameOf(schedule: Schedule): string | number {
  return schedule.type === 'cron' ? showCron(schedule) : schedule.intervalMs;
}
