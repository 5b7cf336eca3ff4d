import type { DatabaseSync } from 'node:sqlite';
import { IS_ACTIVE } from './states-table.ts';

/** How many messages are held back, by the reason. */
export function createHeldView(db: DatabaseSync): () => ReadonlyMap<string, number> {
  const held = db.prepare(`
    SELECT CASE WHEN json_valid(held) THEN held ->> '$.why' END AS why, count(*) AS count FROM recipient_state
    WHERE (${IS_ACTIVE}) AND held IS NOT NULL GROUP BY why ORDER BY why`);
  return () => new Map(held.all().map(({ why, count }) => [String(why), Number(count)]));
}
