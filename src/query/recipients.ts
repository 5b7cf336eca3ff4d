// How far messages have come.
import { singleLine } from '../lib/untrusted.ts';
import type { StoredDelivery } from '../store/outbox.ts';

/** What the server said last, in one line; null: it was not tried yet. */
export function answerOf({ outcome }: Pick<StoredDelivery, 'outcome'>): string | null {
  return outcome === null ? null : singleLine(outcome.text);
}
