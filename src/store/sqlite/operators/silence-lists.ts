// Silences and pauses as people look at them, those that are over included.
import type { DatabaseSync } from 'node:sqlite';
import type { Silence } from '../../../dispatch/model.ts';
import { silenceOf } from '../../rows/operator-rows.ts';
import { readable } from '../../rows/rows.ts';
import { SILENCES } from './silences-table.ts';

/** Those that are kept, by their begin. One that cannot be read is left out. */
export function createKeptSilences(db: DatabaseSync): () => Silence[] {
  const all = db.prepare(SILENCES);
  return () => readable(all.all(), silenceOf);
}

/** By the id of a silence, how many notifications about what it holds back now were decided since its begin. */
export function createHeldBySilences(db: DatabaseSync): () => Map<string, number> {
  const held = db.prepare(`
    WITH waiting AS (
      SELECT DISTINCT held ->> '$.by' AS silence, key FROM recipient_state
      WHERE held IS NOT NULL AND json_valid(held) AND held ->> '$.why' = 'silenced')
    SELECT silence, count(*) AS count FROM waiting
      JOIN silences ON silences.id = silence
      JOIN notifications AS notification ON notification.key = waiting.key AND notification.at >= silences.starts_at
    GROUP BY silence`);
  return () => new Map(held.all().map((row) => [String(row['silence']), Number(row['count'])]));
}
