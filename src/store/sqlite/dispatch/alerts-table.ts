// Which alerts are open, and which of them somebody has to answer.
import type { DatabaseSync } from 'node:sqlite';
import type { CalledAlert, CallState } from '../../../dispatch/rounds/call-round.ts';
import type { ClockShift } from '../../../dispatch/clock-jump.ts';
import type { Key, InhibitingAlert } from '../../../dispatch/model.ts';
import type { Turned } from '../../../dispatch/rounds/routing-round.ts';
import type { Instant } from '../../../lib/clock.ts';
import { calledOf, labelsOf, numberOrNull } from '../../rows/dispatch-rows.ts';
import { MOVED } from './moved-clock.ts';
import type { StatesTable } from './states-table.ts';
import { limitBy } from '../database.ts';

/** None of these statements opens a transaction. */
export interface AlertsTable {
  turned(turned: Turned, at: Instant): void;
  /** Conditions: they may inhibit others. */
  open(): InhibitingAlert[];
  /** It was put into a message on a channel that counts. `isAnswered`: whether others have to be called is decided next. */
  told(key: Key, at: Instant, isAnswered: boolean): void;
  /** `uncounted`: channels on which nobody answers. */
  due(at: Instant, limit: number, uncounted: readonly string[]): CalledAlert[];
  called(state: CallState, at: Instant): void;
  /** Whether others have to be called is decided anew. */
  askAgain(at: Instant): void;
  moveClock(jump: ClockShift): void;
  nextDue(): Instant | null;
  prune(before: Instant): void;
}

export function createAlertsTable(db: DatabaseSync, states: Pick<StatesTable, 'knownOf'>): AlertsTable {
  const opens = db.prepare(`
    INSERT INTO alerts (key, newest, episode, is_open, began, at, watch, alert, labels, is_event, opened_at)
    VALUES (?1, ?2, ?3, 1, ?2, ?4, ?5, ?6, ?7, ?8, ?9)
    ON CONFLICT (key) DO UPDATE SET
      began = CASE WHEN is_open = 1 THEN began ELSE excluded.began END,
      opened_at = CASE WHEN is_open = 1 THEN opened_at ELSE excluded.opened_at END,
      first_closed_at = CASE WHEN is_open = 1 THEN first_closed_at END,
      escalation_step = CASE WHEN is_open = 1 THEN escalation_step ELSE 0 END,
      failed_over = CASE WHEN is_open = 1 THEN failed_over ELSE 0 END,
      due_at = CASE WHEN is_open = 1 THEN due_at END,
      newest = excluded.newest, episode = excluded.episode, is_open = 1, at = excluded.at,
      watch = excluded.watch, alert = excluded.alert, labels = excluded.labels, is_event = excluded.is_event`);
  const closes = db.prepare('UPDATE alerts SET newest = ?, is_open = 0, at = ?, due_at = NULL WHERE key = ?');
  const open = db.prepare('SELECT key, watch, labels FROM alerts WHERE is_open = 1 AND is_event = 0 ORDER BY key');
  const told = db.prepare(`
    UPDATE alerts SET first_closed_at = ?2, due_at = CASE WHEN ?3 THEN coalesce(due_at, ?2) ELSE due_at END
    WHERE key = ?1 AND is_open = 1 AND first_closed_at IS NULL`);
  const due = db.prepare(`
    SELECT *, EXISTS (
        SELECT 1 FROM recipient_state AS state
        WHERE state.key = alerts.key AND state.notified >= alerts.began
          AND state.channel NOT IN (SELECT value FROM json_each(?3))) AS is_accepted
    FROM alerts WHERE due_at IS NOT NULL AND due_at <= ?1 ORDER BY due_at, key ${limitBy('?2')}`);
  const called = db.prepare(`
    UPDATE alerts SET escalation_step = ?2, failed_over = ?3, is_open = ?4, due_at = ?5, at = max(at, ?6) WHERE key = ?1`);
  const askAgain = db.prepare('UPDATE alerts SET due_at = ? WHERE is_open = 1 AND first_closed_at IS NOT NULL');
  const moveClock = db.prepare(`
    UPDATE alerts SET
      first_closed_at = ${MOVED('first_closed_at')}, opened_at = ${MOVED('opened_at')},
      due_at = CASE WHEN first_closed_at IS NOT NULL THEN ?2 END
    WHERE is_open = 1`);
  const next = db.prepare('SELECT min(due_at) AS at FROM alerts WHERE due_at IS NOT NULL');
  const prune = db.prepare('DELETE FROM alerts WHERE is_open = 0 AND at < ?');
  return {
    turned(turned, at) {
      const { key, seq, episode, watch, alert, labels, at: happenedAt } = turned.notification;
      if (turned.type === 'closed') closes.run(seq, at, key);
      else {
        const isEvent = Number(turned.isEvent);
        opens.run(key, seq, episode, at, watch, alert, JSON.stringify(labels), isEvent, happenedAt);
      }
    },
    open: () =>
      open.all().flatMap((row) => {
        const labels = labelsOf(row['labels'])?.labels;
        return labels === undefined ? [] : [{ key: String(row['key']), watch: String(row['watch']), labels }];
      }),
    told(key, at, isAnswered) {
      told.run(key, at, Number(isAnswered));
    },
    due: (at, limit, uncounted) =>
      due.all(at, limit, JSON.stringify(uncounted)).flatMap((row) => {
        const alert = calledOf(row);
        return alert === null ? [] : [{ ...alert, known: states.knownOf([alert.key]) }];
      }),
    called({ key, stepsTaken, hasFailedOver, isOpen, askAt }, at) {
      called.run(key, stepsTaken, Number(hasFailedOver), Number(isOpen), askAt, at);
    },
    askAgain(at) {
      askAgain.run(at);
    },
    moveClock({ byMs, now }) {
      moveClock.run(byMs, now);
    },
    nextDue: () => numberOrNull(next.get()?.['at']),
    prune(before) {
      prune.run(before);
    },
  };
}
