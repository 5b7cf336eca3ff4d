// What operators asked for under which key, and what they were answered: a request that is repeated changes nothing.
import type { DatabaseSync } from 'node:sqlite';
import type { Instant } from '../../../lib/clock.ts';
import type { OperatorChange, ReplicaChanges, OperatorRequest } from '../../interventions.ts';
import { changedOf } from '../../rows/operator-rows.ts';

/** The statements on `operator_requests`. None of them opens a transaction. */
export interface RequestsTable {
  /** Null: nothing was done under that key. */
  answerTo(request: OperatorRequest): { readonly type: 'kept'; readonly changed: OperatorChange } | 'key-taken' | null;
  /** The oldest first. */
  since(since: Instant): ReplicaChanges['changes'];
  /** Forgets what is older than a day. */
  keep(request: OperatorRequest, changed: OperatorChange, at: Instant): void;
}

const KEPT_MS = 86_400_000;

export function createRequestsTable(db: DatabaseSync): RequestsTable {
  const find = db.prepare('SELECT asked, answer FROM operator_requests WHERE key = ?');
  const insert = db.prepare('INSERT INTO operator_requests (key, asked, answer, at) VALUES (?, ?, ?, ?)');
  const newer = db.prepare('SELECT key, answer FROM operator_requests WHERE at >= ? ORDER BY at, key');
  const prune = db.prepare('DELETE FROM operator_requests WHERE at < ?');
  return {
    answerTo({ key, asked }) {
      const row = find.get(key);
      if (row === undefined) return null;
      return row['asked'] === asked ? { type: 'kept', changed: changedOf(row) } : 'key-taken';
    },
    since: (since) => newer.all(since).map((row) => ({ key: String(row['key']), changed: changedOf(row) })),
    keep({ key, asked }, changed, at) {
      prune.run(at - KEPT_MS);
      insert.run(key, asked, JSON.stringify(changed), at);
    },
  };
}
