// Which episodes of alerts operators have acknowledged.
import type { DatabaseSync } from 'node:sqlite';
import type { ClockShift } from '../../../dispatch/clock-jump.ts';
import type { Key } from '../../../dispatch/model.ts';
import type { Instant } from '../../../lib/clock.ts';
import type { StoredAck } from '../../interventions.ts';
import { ackOf, refusalOfAck } from '../../rows/operator-rows.ts';
import { readable } from '../../rows/rows.ts';

/** The statements on `acks`. None of them opens a transaction. */
export interface AcksTable {
  hasId(id: string): boolean;
  /** An earlier one of the same episode gives way to it. */
  ack(ack: StoredAck): StoredAck | 'not-found' | 'is-over' | 'stale-seq';
  end(of: { readonly key: Key; readonly episode: number }, at: Instant): StoredAck | 'not-found' | 'is-over';
  /** An acknowledgement keeps the time that it had left. */
  moveClock(jump: ClockShift): void;
  prune(endedBefore: Instant): void;
}

const COLUMNS = 'key, episode, id, seq, severity, actor, comment, at, ends_at';
/** The episode has not ended since it was acknowledged. */
export const LASTS = `NOT EXISTS (
  SELECT 1 FROM notifications AS later WHERE later.key = acks.key AND later.seq > acks.seq
    AND (later.episode > acks.episode OR later.transition IN ('resolved', 'retracted')))`;

export function createAcksTable(db: DatabaseSync): AcksTable {
  const find = db.prepare(`SELECT ${COLUMNS}, ${LASTS} AS lasts FROM acks WHERE key = ? AND episode = ?`);
  const hasId = db.prepare('SELECT 1 FROM acks WHERE id = ?');
  const insert = db.prepare(`INSERT OR REPLACE INTO acks (${COLUMNS}) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)`);
  const end = db.prepare('UPDATE acks SET ends_at = ? WHERE key = ? AND episode = ?');
  const prune = db.prepare('DELETE FROM acks WHERE ends_at < ?');
  const moveClock = db.prepare('UPDATE acks SET ends_at = ends_at + max(?1, 0) WHERE ends_at > ?2 - max(?1, 0)');
  // That of an alert that is open is kept.
  const newest = db.prepare(
    'SELECT episode, seq, transition, at FROM notifications WHERE key = ? ORDER BY seq DESC LIMIT 1',
  );
  return {
    hasId: (id) => hasId.get(id) !== undefined,
    ack(ack) {
      const why = refusalOfAck(newest.get(ack.key), ack);
      if (why !== null) return why;
      const { key, episode, id, seq, severity, actor, comment, at, until } = ack;
      insert.run(key, episode, id, seq, severity, actor, comment, at, until);
      return ack;
    },
    end({ key, episode }, at) {
      const row = find.get(key, episode);
      const [found] = row === undefined ? [] : readable([row], ackOf);
      if (found === undefined) return 'not-found';
      if (row?.['lasts'] === 0 || found.until <= at) return 'is-over';
      end.run(at, key, episode);
      return { ...found, until: at };
    },
    moveClock({ byMs, now }) {
      moveClock.run(byMs, now);
    },
    prune(endedBefore) {
      prune.run(endedBefore);
    },
  };
}

/** For who reads every acknowledgement. */
export const ACKS = `SELECT ${COLUMNS} FROM acks ORDER BY at, id`;

/** Of episodes that last. One that cannot be read is left out: its alert is repeated. */
export function createAcksView(db: DatabaseSync): (at: Instant) => StoredAck[] {
  const lasting = db.prepare(`SELECT ${COLUMNS} FROM acks WHERE ends_at > ? AND ${LASTS} ORDER BY at, id`);
  return (at) => readable(lasting.all(at), ackOf);
}
