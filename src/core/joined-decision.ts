// Joins decisions that could not be stored. The next poll continues from the memory of the last one, and all of them
// are committed as one decision.
import type { Decision, Reason } from './model/decision.ts';

/** Reasons are only for the log and the journal. After a long outage only the last ones are kept. */
const MOST_REASONS = 200;

/**
 * Joins two decisions. The result follows the memory from which `earlier` was computed; `later` was computed from the
 * memory of `earlier`.
 */
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
