// What operators have silenced and paused.
import type { DatabaseSync } from 'node:sqlite';
import type { Pause } from '../../core/model/pause.ts';
import type { Instant } from '../../lib/clock.ts';
import { pauseOf, type Row } from '../rows.ts';

/** The statements on `silences`. None of them opens a transaction. */
export interface SilencesTable {
  hasId(id: string): boolean;
  /** A pause of the same name that is in force ends with it. */
  pause(pause: Pause): void;
  /** Null: none of that name is in force. */
  endPause(watch: string, at: Instant): Pause | null;
  prune(endedBefore: Instant): void;
}

const COLUMNS = 'id, matchers, starts_at, ends_at, actor, comment';

export function createSilencesTable(db: DatabaseSync): SilencesTable {
  const find = db.prepare('SELECT 1 FROM silences WHERE id = ?');
  const insert = db.prepare(`
    INSERT INTO silences (id, kind, matchers, starts_at, ends_at, actor, comment)
    VALUES (?, 'pause', ?, ?, ?, ?, ?)`);
  const inForce = db.prepare(`
    SELECT ${COLUMNS} FROM silences
    WHERE kind = 'pause' AND CASE WHEN json_valid(matchers) THEN matchers ->> '$.watch' END = ? AND ends_at > ?`);
  const end = db.prepare('UPDATE silences SET ends_at = ? WHERE id = ?');
  const prune = db.prepare('DELETE FROM silences WHERE ends_at < ?');

  function endPause(watch: string, at: Instant): Pause | null {
    const ended = inForce.all(watch, at).flatMap((row) => readablePauseOf(row) ?? []);
    for (const { id } of ended) end.run(at, id);
    const [pause] = ended;
    return pause === undefined ? null : { ...pause, until: at };
  }

  return {
    hasId: (id) => find.get(id) !== undefined,
    pause({ id, watch, from, until, actor, comment }) {
      endPause(watch, from);
      insert.run(id, JSON.stringify({ watch }), from, until, actor, comment);
    },
    endPause,
    prune(endedBefore) {
      prune.run(endedBefore);
    },
  };
}

/** For who reads every pause. */
export const PAUSES = `SELECT ${COLUMNS} FROM silences WHERE kind = 'pause' ORDER BY starts_at, id`;

/**
 * Those that were asked for and are not forgotten yet, over or not. One that cannot be read is left out: its watch is
 * polled, which is the safe side.
 */
export function createPausesView(db: DatabaseSync): () => Pause[] {
  const all = db.prepare(PAUSES);
  return () => all.all().flatMap((row) => readablePauseOf(row) ?? []);
}

function readablePauseOf(row: Row): Pause | null {
  try {
    return pauseOf(row);
  } catch {
    return null;
  }
}
