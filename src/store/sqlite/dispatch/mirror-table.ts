// What receivers that keep their own state of alerts are shown, and what of it they accepted.
import type { DatabaseSync } from 'node:sqlite';
import type { MirroredAlert } from '../../../core/model/mirror.ts';
import type { Instant } from '../../../lib/clock.ts';
import { mirroredOf } from '../../rows/alert-rows.ts';
import type { AcceptedAlert, PassedAck } from '../../mirrors.ts';
import { passedAckOf } from '../../rows/operator-rows.ts';
import { LASTS } from '../operators/acks-table.ts';

/** Leads to the next schema. */
export const MIRROR_TABLE = `
  CREATE TABLE mirrored (
    channel TEXT NOT NULL,
    key TEXT NOT NULL,
    seq INTEGER NOT NULL,
    at INTEGER NOT NULL,
    ends_at INTEGER NOT NULL,
    PRIMARY KEY (channel, key)
  ) STRICT, WITHOUT ROWID;
  CREATE INDEX notifications_at ON notifications (at);
  `;

/** None of these statements opens a transaction. */
export interface MirrorTable {
  /**
   * Alerts whose rule or routes lead to the channel: those that fire, and those of which something happened since. The
   * oldest news first. One that cannot be read is left out.
   */
  alerts(channel: string, since: Instant): MirroredAlert[];
  /** Acknowledgements in force of what the receiver was told of, and that it has not accepted. The oldest first. */
  acksToPass(channel: string, at: Instant): PassedAck[];
  accept(channel: string, accepted: readonly AcceptedAlert[]): void;
  /** What was accepted before then, of alerts that do not fire. */
  prune(before: Instant): void;
}

export function createMirrorTable(db: DatabaseSync): MirrorTable {
  const alerts = db.prepare(`
    WITH candidates AS (SELECT key FROM alerts WHERE is_open = 1 UNION SELECT key FROM notifications WHERE at > ?2)
    SELECT newest.message, first.labels, mirrored.seq, mirrored.at, mirrored.ends_at
    FROM candidates
      CROSS JOIN notifications AS newest ON newest.key = candidates.key
      CROSS JOIN notifications AS first ON first.key = candidates.key
      LEFT JOIN mirrored ON mirrored.channel = ?1 AND mirrored.key = candidates.key AND mirrored.seq >= first.seq
    WHERE newest.seq = (SELECT max(seq) FROM notifications AS one WHERE one.key = candidates.key)
      AND first.seq = (
        SELECT min(seq) FROM notifications AS one WHERE one.key = candidates.key AND one.episode = newest.episode)
      AND EXISTS (
        SELECT 1 FROM notifications AS one CROSS JOIN json_each(one.notify) AS named
        WHERE one.key = candidates.key AND one.episode = newest.episode AND named.value = ?1)
    ORDER BY newest.number`);
  const acks = db.prepare(`
    SELECT acks.key, acks.seq, acks.at, acks.ends_at FROM acks
      JOIN recipient_state AS state ON state.key = acks.key AND state.channel = ?1
    WHERE acks.ends_at > ?2 AND ${LASTS} AND state.begun IS NOT NULL AND state.notified >= state.begun
      AND NOT EXISTS (
        SELECT 1 FROM mirrored WHERE mirrored.channel = ?1 AND mirrored.key = acks.key AND mirrored.at >= acks.at)
    GROUP BY acks.key ORDER BY acks.at, acks.key`);
  const accept = db.prepare(`
    INSERT INTO mirrored (channel, key, seq, at, ends_at) VALUES (?, ?, ?, ?, ?)
    ON CONFLICT (channel, key) DO UPDATE SET seq = excluded.seq, at = excluded.at, ends_at = excluded.ends_at`);
  const prune = db.prepare(`
    DELETE FROM mirrored WHERE at < ?
      AND NOT EXISTS (SELECT 1 FROM alerts WHERE alerts.key = mirrored.key AND is_open = 1)`);
  return {
    alerts: (channel, since) => alerts.all(channel, since).flatMap((row) => mirroredOf(row) ?? []),
    acksToPass: (channel, at) => acks.all(channel, at).map(passedAckOf),
    accept(channel, accepted) {
      for (const { key, seq, at, endsAt } of accepted) accept.run(channel, key, seq, at, endsAt);
    },
    prune(before) {
      prune.run(before);
    },
  };
}
