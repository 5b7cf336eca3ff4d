// Decides whether a person has to act now. The first condition in `verdictOf` that is true decides.
import { watchesIn, type HealthSummary } from '../../core/model/quality/health-summary.ts';
import type { PageVerdict } from '../shapes/overview.ts';

/** Data that the daemon cannot read, send or store. */
export interface UnseenFacts {
  /** True if a daemon runs, so that watches are polled and messages are sent. */
  readonly isWorking: boolean;
  readonly storage: HealthSummary['storage'];
  readonly blind: number;
  /** Items of the last hour that no condition could evaluate. */
  readonly notJudged: number;
  /** Explorers that refuse requests, show another chain, or have a stalled chain. */
  readonly doubted: readonly string[];
  /** Loops of the daemon that fail repeatedly. */
  readonly failingLoops: number;
  /** Explorers, channels and services that no replica holds. */
  readonly unheld: number;
  /** True if the config or the rules on the disk are not those in force. */
  readonly isRejected: boolean;
  /** Watches without a reading since the start. */
  readonly unseen: number;
}

export interface VerdictFacts extends UnseenFacts {
  /** Open alerts that need attention. */
  readonly critical: number;
  readonly warnings: number;
  /** Critical alerts with a message that has reached no recipient for five minutes. */
  readonly unheard: number;
  /** True if messages to people have been pending for five minutes. */
  readonly isOwedLong: boolean;
  /**
   * The number of pending alerts, and of open ones that need no attention now: acknowledged, silenced, inhibited or
   * `info`.
   */
  readonly inHand: number;
}

export function verdictOf(facts: VerdictFacts): PageVerdict {
  if (!facts.isWorking) return 'blind';
  if (facts.critical > 0 || facts.unheard > 0 || facts.storage !== 'works') return 'critical';
  if (facts.warnings > 0) return 'warning';
  if (seesTooLittle(facts) || facts.isOwedLong) return 'blind';
  if (facts.inHand > 0) return 'in-hand';
  return facts.unseen > 0 ? 'starting' : 'quiet';
}

function seesTooLittle({ blind, notJudged, doubted, failingLoops, unheld }: UnseenFacts): boolean {
  return blind + notJudged + doubted.length + failingLoops + unheld > 0;
}

export function unseenIn(health: HealthSummary, unheld: number): UnseenFacts {
  const { isRunning, storage, blind, notJudged, troubles, explorers, failingLoops, unseen } = health;
  const refused = troubles.flatMap(({ explorer, isDoubted }) => (isDoubted ? [] : [explorer]));
  const stalled = explorers.flatMap(({ name, polled, head }) => (polled > 0 && head.state === 'stalled' ? [name] : []));
  return {
    isWorking: isRunning,
    storage,
    blind: watchesIn(blind),
    notJudged,
    doubted: [...new Set([...refused, ...stalled])],
    failingLoops: failingLoops.length,
    unheld,
    isRejected: health.rejected !== null,
    unseen,
  };
}
