// Chooses further targets when nobody answers, or when no target could be reached.
import type { Recipient, RecipientsOf, Severity } from '../core/model/ids.ts';
import { recipientsOn, targetKey } from '../core/model/delivery.ts';
import { earliest, type Instant } from '../lib/clock.ts';
import { firstPollUntil } from './policy/holds.ts';
import type { EscalationStep, Routing, DispatchContext } from './model.ts';

/** After this time without an accepted message a critical alert fails over. */
const FAILOVER_MS = 300_000;

/** By key of the target: the number of calls after `Unanswered.since`. */
export type CallCounts = Readonly<Record<string, number>>;

/** If several steps for one target are due together, its calls are this far apart. */
export const APART_MS = 60_000;

/** One alert, with its states for its targets. */
export interface Unanswered {
  readonly watch: string;
  readonly severity: Severity;
  readonly routing: Pick<Routing, 'options'>;
  /**
   * False: an event for which the routes required no acknowledgement when it happened. It has no steps, even if a
   * reload adds some.
   */
  readonly needsAck: boolean;
  /** Keys of the targets that the routes name. Steps and failovers do not call these. */
  readonly named: ReadonlySet<string>;
  /** Keys of targets with a message about the alert that is pending or not accepted yet. */
  readonly waiting: ReadonlySet<string>;
  readonly isOpen: boolean;
  readonly isAcked: boolean;
  /**
   * The time from which the steps are counted: when the first batch of the episode was closed (not for `log` or
   * `alertmanager`), or when a later acknowledgement ended; null: no batch was closed.
   */
  readonly since: Instant | null;
  /** True if a channel other than `log` and `alertmanager` accepted a message of the episode. */
  readonly isAccepted: boolean;
  readonly calls: CallCounts;
  /** Keys of targets that the failover has called. A target that a reload adds later is still called. */
  readonly failedOverTo: ReadonlySet<string>;
}

/** True if an event is open until somebody acknowledges it. */
export function needsAck({ options: { requireAck, escalate } }: Pick<Routing, 'options'>): boolean {
  return requireAck === true || escalate !== null;
}

/** True if the alert needs an acknowledgement, or has a failover. */
export function isAnswered(routing: Pick<Routing, 'options'>): boolean {
  return needsAck(routing) || routing.options.failover !== null;
}

/** Targets to call now, and the time of the next decision. */
export interface CallIn {
  readonly escalate: readonly Recipient[];
  /** The counts after these calls. */
  readonly calls: CallCounts;
  readonly failover: readonly Recipient[];
  readonly askAt: Instant | null;
}

type World = Pick<DispatchContext, 'startedAt' | 'lookedAt'> & { readonly recipientsOf: RecipientsOf };

/**
 * A target is called as often as it has steps that are due, while the alert is open and nobody acknowledged it. After a
 * start a step waits for the first poll of its watch, but no longer than five minutes, and not if the clock was set back
 * meanwhile.
 */
export function callIn(alert: Unanswered, world: World, now: Instant): CallIn {
  const { since: begun, calls } = alert;
  if (!alert.isOpen || alert.isAcked || begun === null) return { escalate: [], calls, failover: [], askAt: null };
  // A future instant, after the clock was set back, counts as of now.
  const since = Math.min(begun, now);
  const knownFrom = firstPollUntil(world, alert.watch, now) ?? since;
  const dueAt = ({ afterMs }: EscalationStep): Instant => Math.max(since + afterMs, knownFrom);
  const steps = alert.needsAck ? (alert.routing.options.escalate ?? []) : [];
  const targetsOf = (channels: readonly string[]): Recipient[] => targetsOn(channels, alert, world);
  const due = steps.filter((step) => dueAt(step) <= now).flatMap(({ notify }) => targetsOf(notify));
  const failover = failoverOf(alert);
  const failoverAt = since + FAILOVER_MS;
  const next = steps.map(dueAt).filter((at) => at > now);
  if (failover.length > 0 && failoverAt > now) next.push(failoverAt);
  const called = calledBy(due, alert);
  if (called.isMissing) next.push(now + APART_MS);
  return {
    escalate: called.targets,
    calls: called.calls,
    failover: failoverAt <= now ? targetsOf(failover).filter((to) => !alert.failedOverTo.has(targetKey(to))) : [],
    askAt: earliest(next),
  };
}

/** The targets of the channels, each once, without those that a route names. */
function targetsOn(channels: readonly string[], { named }: Unanswered, { recipientsOf }: World): Recipient[] {
  return recipientsOn(channels, recipientsOf).filter((target) => !named.has(targetKey(target)));
}

interface CalledNow {
  readonly targets: readonly Recipient[];
  readonly calls: CallCounts;
  /** True if a target has more due steps than calls, and is called again later. */
  readonly isMissing: boolean;
}

/**
 * `due`: the target of each step that is due. Only the number of steps of a target counts, not their places in the
 * list. A target that still waits for a message is not called again yet.
 */
function calledBy(due: readonly Recipient[], { calls, waiting }: Pick<Unanswered, 'calls' | 'waiting'>): CalledNow {
  const steps = Map.groupBy(due, targetKey);
  const behind = [...steps].filter(([key, some]) => some.length > (calls[key] ?? 0));
  const now = behind.filter(([key]) => !waiting.has(key));
  return {
    targets: now.flatMap(([, some]) => some.slice(0, 1)),
    calls: { ...calls, ...Object.fromEntries(now.map(([key]) => [key, (calls[key] ?? 0) + 1])) },
    isMissing: behind.some(([key, some]) => waiting.has(key) || some.length > (calls[key] ?? 0) + 1),
  };
}

function failoverOf({ severity, isAccepted, routing }: Unanswered): readonly string[] {
  return severity === 'critical' && !isAccepted ? (routing.options.failover ?? []) : [];
}
