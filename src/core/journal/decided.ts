// The journal lines of a poll.
import type { ConditionReason, Decision, EventReason, Reason } from '../model/decision.ts';
import type { Json } from '../values/fields.ts';
import type { Instant } from '../../lib/clock.ts';
import type { JournalEntry } from './entry.ts';

/** Reasons that name a change. The other reasons repeat at every poll without a change. */
const CHANGES: ReadonlySet<EventReason | ConditionReason> = new Set([
  'told',
  'undecided',
  'not-judged',
  'unfollowed',
  'observed',
  'confirmed',
  'dropped',
  'suspect',
  'back',
  'retracted',
  'corrected',
  'reinstated',
  'pending',
  'firing',
  'recovering',
  'relapsed',
  'resolved',
]);

/** One line for a decision that changes an alert, or that is a baseline; none for any other. */
export function journalOf({ watchId, reasons }: Decision, at: Instant): readonly JournalEntry[] {
  const line = { at, subject: watchId, actor: 'daemon' } as const;
  const changes = reasons.filter(isChange);
  if (changes.length > 0) return [{ ...line, kind: 'decided', data: { alerts: changesOf(changes) } }];
  const baseline = reasons.find((reason) => reason.type === 'baseline');
  return baseline === undefined ? [] : [{ ...line, kind: 'observed', data: { baseline: baseline.items } }];
}

type Change = Extract<Reason, { readonly alert: string }>;

function isChange(reason: Reason): reason is Change {
  return reason.type !== 'baseline' && reason.type !== 'note' && CHANGES.has(reason.type);
}

const MOST_GROUPS = 4;

/** For each alert and type of change: the number of changes, and the key of the first. */
function changesOf(changes: readonly Change[]): Json {
  const groups = Map.groupBy(changes, ({ alert, type }) => `${alert}\n${type}`);
  return [...groups.values()].slice(0, MOST_GROUPS).flatMap((group) => {
    const [first] = group;
    if (first === undefined) return [];
    return [{ alert: first.alert.slice(0, 60), what: first.type, count: group.length, key: first.key.slice(0, 80) }];
  });
}
