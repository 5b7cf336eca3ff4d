// Whether somebody has to get up. The first row that is true wins.
import type { PageVerdict } from '../shapes/overview.ts';

export interface VerdictFacts {
  /** A daemon polls and tells. */
  readonly isWorking: boolean;
  /** Open alerts that nobody has in hand. */
  readonly critical: number;
  readonly warnings: number;
  /** Critical alerts of which a message reached nobody for five minutes. */
  readonly unheard: number;
  readonly storage: 'works' | 'fails' | 'full' | null;
  readonly blind: number;
  /** Messages to people are owed for five minutes. */
  readonly isOwedLong: boolean;
  /** Alerts that are pending, or open and in somebody's hand. */
  readonly inHand: number;
  /** Watches that have not been polled since the start. */
  readonly unpolled: number;
}

export function verdictOf(facts: VerdictFacts): PageVerdict {
  if (!facts.isWorking) return 'blind';
  const isStoring = facts.storage === 'works' || facts.storage === null;
  if (facts.critical > 0 || facts.unheard > 0 || !isStoring) return 'critical';
  if (facts.warnings > 0) return 'warning';
  if (facts.blind > 0 || facts.isOwedLong) return 'blind';
  if (facts.inHand > 0) return 'in-hand';
  return facts.unpolled > 0 ? 'starting' : 'quiet';
}
