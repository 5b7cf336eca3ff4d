// The members of a delivery, a page at a time: a message about thousands of alerts is read and settled in steps, between
// which other work runs. Once a try has begun, no member leaves a delivery.
import type { DatabaseSync } from 'node:sqlite';
import type { Key } from '../../../dispatch/model.ts';
import { limitBy } from '../database.ts';

/** Keys behind `after`, and up to `to`; null: to the end. */
export interface KeyRange {
  readonly after: Key;
  readonly to: Key | null;
}

/** Of a `member`, with the range as ?2 and ?3. */
export const IN_RANGE = 'member.key > ?2 AND (?3 IS NULL OR member.key <= ?3)';

const KEYS_IN_PAGE = 500;

/** Where the page that follows a key ends; null: it is the last one. */
export type PageEnd = (delivery: string, after: Key) => Key | null;

export function createPageEnd(db: DatabaseSync): PageEnd {
  const end = db.prepare(`
    SELECT member.key FROM group_member AS member JOIN deliveries AS mine ON mine.number = member.delivery
    WHERE mine.id = ?1 AND member.key > ?2 ORDER BY member.key ${limitBy('?3')} OFFSET ?4`);
  return (delivery, after) => {
    const key = end.get(delivery, after, 1, KEYS_IN_PAGE - 1)?.['key'];
    return typeof key === 'string' ? key : null;
  };
}
