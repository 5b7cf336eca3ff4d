// Decisions that were not kept: the next poll goes on from the memory of the last one, and all of them are committed as one.
import type { Decision, Reason } from './model/decision.ts';

/** Reasons are for the log and the journal: of a long outage they name the last. */
const MOST_REASONS = 200;

/** Both as one decision, on the memory that `earlier` was computed from. `later` was computed from that of `earlier`. */
export function joinDecisions(earlier: Decision, later: Decision): Decision {
  return {
    ...later,
    expects: earlier.expects,
    hasChanged: earlier.hasChanged || later.hasChanged,
    transitions: [...earlier.transitions, ...later.transitions],
    reasons: [...earlier.reasons.filter(isOfAlert), ...later.reasons].slice(-MOST_REASONS),
    closed: { ...later.closed, shiftedMs: earlier.closed.shiftedMs + later.closed.shiftedMs },
  };
}

function isOfAlert({ type }: Reason): boolean {
  return type !== 'note' && type !== 'baseline' && !NOTHING_NEW.has(type);
}

const NOTHING_NEW: ReadonlySet<Reason['type']> = new Set<Reason['type']>([
  'clear',
  'still-pending',
  'still-firing',
  'still-recovering',
  'unknown',
  'no-match',
  'open',
]);
