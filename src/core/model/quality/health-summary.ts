// The health of a daemon for pages, `status` and other replicas: plain data, a few hundred bytes for each explorer,
// however many watches there are. A running daemon stores it at least every 30 seconds.
import { z } from 'zod';
import { earliest, type Instant } from '../../../lib/clock.ts';
import { SPEND_CLASSES } from '../../spending/spend.ts';
import { Count } from '../../values/answer-shapes.ts';
import { latest } from './blindness.ts';
import { causesOf, type BlindReason, type BlindWatch } from './blind-cause.ts';

const instant = z.number();

const BlindGroup = z.object({
  explorer: z.string(),
  reason: z.custom<BlindReason>((value) => typeof value === 'string'),
  /** The watch that has been blind for the longest time. */
  since: instant,
  watches: Count,
  rules: Count,
  /** The names of the first ten watches. */
  names: z.array(z.string()),
  fields: z.array(z.string()),
});
/** Watches of one explorer that have no usable data, for one reason. */
export type BlindGroup = z.output<typeof BlindGroup>;

const HeadStanding = z.object({
  height: z.string().nullable(),
  at: instant.nullable(),
  state: z.enum(['fresh', 'stalled', 'overdue', 'blind', 'unread', 'unknown']),
  /** The time since which the data is not fresh; for `unread`, the time of the explorer's last answer. */
  since: instant.nullable(),
});
/** The newest block that an explorer has read, and whether its answer is credible. */
export type HeadStanding = z.output<typeof HeadStanding>;

const bySeverity = z.object({ critical: z.number(), warning: z.number(), info: z.number() });

const CreditPlanState = z.object({
  /** The explorers that share it, in the order of the config. */
  explorers: z.array(z.string()),
  credits: z.number(),
  per: z.enum(['day', 'month']),
  /** True if no plan is written in the config. */
  isAssumed: z.boolean(),
  /** Requests for warning and info must leave this many credits. */
  reserve: z.number(),
  /** Credits left; null: unknown. */
  known: z.number().nullable(),
  /** No answer named the credits left: only own requests are counted. */
  isCounted: z.boolean(),
  /** When the period began, or when the daemon started within it. */
  from: instant,
  resetsAt: instant,
  /** The credits left at several times since `from`, the oldest first. */
  curve: z.array(z.object({ at: instant, known: z.number() })),
  /** The credits that are expected to be left at the reset; negative: this many are missing; null: unknown. */
  atReset: z.number().nullable(),
  /** The time at which the credits run out; null: they last until the reset, or it is unknown. */
  runsOutAt: instant.nullable(),
  /** Credits a day at the intervals of the rules, for first pages only. */
  wantedPerDay: z.number(),
  /** Credits a day at the intervals in force, with second pages, retries and sweeps. */
  plannedPerDay: z.number(),
  /** Prices that were learned, by operation. */
  prices: z.record(z.string(), z.number()).default({}),
  /** Credits spent in this period, by class. */
  spent: z.record(z.enum(SPEND_CLASSES), z.number()),
  /** Credits that other programs spent in this period. */
  foreign: z.number(),
  /** False: intervals are not stretched. */
  isStretched: z.boolean(),
  /** The factor by which the intervals are longer. */
  stretch: bySeverity,
  /** The stretch for a full plan that no other program uses. */
  usual: bySeverity,
});
export type CreditPlanState = z.output<typeof CreditPlanState>;

const RequestPace = z.object({
  /** The limit in the config, or the one that the explorer announces. */
  perSecond: z.number(),
  /** Requests a second at the intervals of the rules, for first pages only. */
  wantedPerSecond: z.number(),
  stretch: bySeverity,
});
export type RequestPace = z.output<typeof RequestPace>;

const ExplorerHealth = z.object({
  name: z.string(),
  /** The watches that this daemon polls. */
  polled: Count,
  head: HeadStanding,
  /** Null: no plan is known. */
  plan: CreditPlanState.nullable().default(null),
  /** Without a known plan, the limit of requests that makes intervals longer; null if no limit does. */
  paced: RequestPace.nullable().default(null),
  /** Credits left, by its last answer; null: no answer named them. */
  credits: z.number().nullable().default(null),
});
export type ExplorerHealth = z.output<typeof ExplorerHealth>;

const STORAGE_STATES = ['works', 'full', 'fails'] as const;

export const HealthSummary = z.object({
  at: instant,
  /** The time at which the daemon started; null: no daemon wrote this summary. */
  startedAt: instant.nullable(),
  isRunning: z.boolean(),
  storage: z.enum(STORAGE_STATES),
  /** A line for each loop that fails again and again. */
  failingLoops: z.array(z.string()),
  /** The reason why the config files on the disk are not in force; null if they are. */
  rejected: z.object({ since: instant, why: z.string(), place: z.string().nullable() }).nullable(),
  heartbeatAt: instant.nullable(),
  /** Watches without a reading since the start. */
  unseen: Count,
  /** The oldest first. */
  blind: z.array(BlindGroup),
  overdue: z.array(BlindGroup),
  /** Items of the last hour that were never evaluated. */
  notJudged: Count,
  /**
   * The reasons why an explorer receives no requests or why its answers are doubtful. `isDoubted`: the reason itself
   * may be wrong, and a request checks it soon.
   */
  troubles: z.array(z.object({ explorer: z.string(), text: z.string(), isDoubted: z.boolean() })),
  explorers: z.array(ExplorerHealth),
});
export type HealthSummary = z.output<typeof HealthSummary>;

/** Without a daemon nothing is polled, and unknown values are no problem. */
export const UNKNOWN_HEALTH: Omit<HealthSummary, 'at'> = {
  startedAt: null,
  isRunning: false,
  storage: 'works',
  failingLoops: [],
  rejected: null,
  heartbeatAt: null,
  unseen: 0,
  blind: [],
  overdue: [],
  notJudged: 0,
  troubles: [],
  explorers: [],
};

/** An older row was written by a daemon that ended, hangs, or cannot write. */
export const HEALTH_IS_OLD_MS = 90_000;

/** After a clock was set back, a row can lie in the future; it is old too. */
export function isOld({ at }: Pick<HealthSummary, 'at'>, now: Instant): boolean {
  return Math.abs(now - at) > HEALTH_IS_OLD_MS;
}

/** The health of all replicas together. `at`: the time of the oldest summary. */
export function mergedHealth(first: HealthSummary, others: readonly HealthSummary[]): HealthSummary {
  return others.reduce(merged, first);
}

function merged(one: HealthSummary, other: HealthSummary): HealthSummary {
  return {
    at: Math.min(one.at, other.at),
    startedAt: earliest([one.startedAt, other.startedAt]),
    isRunning: one.isRunning || other.isRunning,
    storage: STORAGE_STATES.findLast((state) => state === one.storage || state === other.storage) ?? one.storage,
    failingLoops: [...one.failingLoops, ...other.failingLoops],
    rejected: one.rejected ?? other.rejected,
    heartbeatAt: latest(one.heartbeatAt, other.heartbeatAt),
    unseen: one.unseen + other.unseen,
    blind: joinedGroups([...one.blind, ...other.blind]),
    overdue: joinedGroups([...one.overdue, ...other.overdue]),
    notJudged: one.notJudged + other.notJudged,
    troubles: [...one.troubles, ...other.troubles],
    explorers: joinedExplorers(one.explorers, other.explorers),
  };
}

const MOST_NAMED = 10;

/** The groups of blind watches, the oldest first. */
export function blindGroups(blind: readonly BlindWatch[]): BlindGroup[] {
  return causesOf(blind).map(({ explorer, reason, since, watches, fields }) => ({
    explorer,
    reason,
    since,
    watches: watches.length,
    rules: new Set(watches.map(({ rule }) => rule)).size,
    names: watches.slice(0, MOST_NAMED).map(({ name }) => name),
    fields: [...fields],
  }));
}

function joinedGroups(groups: readonly BlindGroup[]): BlindGroup[] {
  const same = Map.groupBy(groups, ({ explorer, reason }) => `${explorer} ${reason}`);
  return [...same.values()].flatMap(joinedGroup).toSorted((a, b) => a.since - b.since);
}

function joinedGroup(groups: readonly BlindGroup[]): BlindGroup[] {
  const [first] = groups;
  if (first === undefined) return [];
  const sum = (of: (one: BlindGroup) => number): number => groups.reduce((total, one) => total + of(one), 0);
  return [
    {
      ...first,
      since: Math.min(...groups.map(({ since }) => since)),
      watches: sum(({ watches }) => watches),
      rules: sum(({ rules }) => rules),
      names: groups
        .flatMap(({ names }) => names)
        .toSorted()
        .slice(0, MOST_NAMED),
      fields: [...new Set(groups.flatMap(({ fields }) => fields))],
    },
  ];
}

/** For each explorer, takes the data of the replica that polls most of its watches. */
function joinedExplorers(one: readonly ExplorerHealth[], other: readonly ExplorerHealth[]): ExplorerHealth[] {
  const byName = new Map(one.map((explorer) => [explorer.name, explorer]));
  for (const explorer of other) {
    const known = byName.get(explorer.name);
    if (known === undefined || known.polled < explorer.polled) byName.set(explorer.name, explorer);
  }
  return [...byName.values()];
}

/** Each plan once, from the replica that polls most of its watches. */
export function plansOf(explorers: readonly ExplorerHealth[]): CreditPlanState[] {
  const known = explorers.toSorted((a, b) => b.polled - a.polled).flatMap(({ plan }) => plan ?? []);
  return [...Map.groupBy(known, (plan) => plan.explorers[0]).values()].flatMap(([first]) => first ?? []);
}

/** The number of watches in all groups. */
export function watchesIn(groups: readonly BlindGroup[]): number {
  return groups.reduce((sum, { watches }) => sum + watches, 0);
}
