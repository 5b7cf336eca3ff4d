// The journal line of an attempt to send a delivery.
import type { Settlement } from '../model/delivery.ts';
import type { DeliveryId } from '../model/ids.ts';
import type { Instant } from '../../lib/clock.ts';
import type { JournalEntry } from './entry.ts';

const KINDS = { sent: 'told', dead: 'dead', due: 'tried' } as const;
const LONGEST_ANSWER = 300;

export function triedLine(
  { id, attempt }: { readonly id: DeliveryId; readonly attempt: number },
  { state, outcome }: Settlement,
  at: Instant,
): JournalEntry {
  const text = outcome.type === 'sent' ? outcome.answer : outcome.why;
  const data = { attempt, outcome: outcome.type, text: text.slice(0, LONGEST_ANSWER) };
  return { at, kind: KINDS[state], subject: id, actor: 'daemon', data };
}
