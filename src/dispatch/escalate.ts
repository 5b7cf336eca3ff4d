// Who else is called when nobody answers, or when nobody could be reached.
import type { Severity } from '../core/model/ids.ts';
import { earliest, type Instant } from '../lib/clock.ts';
import { FIRST_POLL_MS } from './policy/holds.ts';
import type { EscalationStep, Routing, DispatchContext } from './model.ts';

/** A critical alert that no channel took for so long fails over. */
const FAILOVER_MS = 300_000;
/** One alert, and what its targets know of it. */
export interface Unanswered {
  readonly watch: string;
  readonly severity: Severity;
  readonly routing: Pick<Routing, 'options'>;
  readonly isOpen: boolean;
  readonly isAcked: boolean;
  /** When the first batch of the episode was closed, `log` and `alertmanager` left out; null: none was. */
  readonly firstClosedAt: Instant | null;
  /** Whether a channel took a message of the episode, `log` and `alertmanager` left out. */
  readonly isAccepted: boolean;
  /** How many steps of its escalation were taken in this episode. */
  readonly stepsTaken: number;
  readonly hasFailedOver: boolean;
}

/** Somebody has to answer, or others are called. */
export function isAnswered({ options: { requireAck, escalate, failover } }: Pick<Routing, 'options'>): boolean {
  return requireAck === true || escalate !== null || failover !== null;
}

/** Channels to call in now, and when to ask again. */
export interface CallIn {
  readonly escalate: readonly string[];
  /** How many steps are taken then. */
  readonly steps: number;
  readonly failover: readonly string[];
  readonly askAt: Instant | null;
}

/**
 * Each step of an escalation is taken once in an episode, counted from its first message, while the alert is open and
 * nobody acknowledged it. After a start it waits for the first poll of its watch, but no longer than five minutes.
 */
export function callIn(
  alert: Unanswered,
  world: Pick<DispatchContext, 'startedAt' | 'lookedAt'>,
  now: Instant,
): CallIn {
  const { firstClosedAt, stepsTaken } = alert;
  if (!alert.isOpen || alert.isAcked || firstClosedAt === null) return { ...NOBODY, steps: stepsTaken };
  // What lies ahead, since the clock was set back, counts as of now.
  const since = Math.min(firstClosedAt, now);
  const knownFrom = world.lookedAt(alert.watch) === null ? Math.min(world.startedAt, now) + FIRST_POLL_MS : since;
  const steps = (alert.routing.options.escalate ?? []).slice(stepsTaken);
  const dueAt = ({ afterMs }: EscalationStep): Instant => Math.max(since + afterMs, knownFrom);
  const due = steps.filter((step) => dueAt(step) <= now);
  const failover = failoverOf(alert);
  const failoverAt = since + FAILOVER_MS;
  const next = steps.slice(due.length, due.length + 1).map(dueAt);
  if (failover.length > 0 && failoverAt > now) next.push(failoverAt);
  return {
    escalate: [...new Set(due.flatMap(({ notify }) => notify))],
    steps: stepsTaken + due.length,
    failover: failoverAt <= now ? failover : [],
    askAt: earliest(next),
  };
}

const NOBODY: CallIn = { escalate: [], steps: 0, failover: [], askAt: null };

function failoverOf({ severity, isAccepted, hasFailedOver, routing }: Unanswered): readonly string[] {
  const isNeeded = severity === 'critical' && !isAccepted && !hasFailedOver;
  return isNeeded ? (routing.options.failover ?? []) : [];
}
