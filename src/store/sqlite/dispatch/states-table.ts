// What recipients know of alerts: how far they are told, what is held back, and which group tells them.
import type { DatabaseSync } from 'node:sqlite';
import type { Recipient } from '../../../core/model/ids.ts';
import type { ClockShift } from '../../../dispatch/clock-jump.ts';
import type { Key, RecipientState } from '../../../dispatch/model.ts';
import type { ActiveState, Rerouted } from '../../../dispatch/reroute.ts';
import type { Informed, Knowledge, Owing } from '../../../dispatch/rounds/routing-round.ts';
import type { Instant } from '../../../lib/clock.ts';
import type { RecipientStateKey } from '../../dispatch-store.ts';
import { activeOf, heldText, knowledgeOf, owedIn, recipientOf, stateOf } from '../../rows/dispatch-rows.ts';
import type { Row } from '../../rows/rows.ts';
import { limitBy } from '../database.ts';
import { MOVED } from './moved-clock.ts';

/** None of these statements opens a transaction. */
export interface StatesTable {
  knownOf(keys: readonly Key[]): Knowledge[];
  /** A state, with what of it is owed in deliveries. */
  stateIn(row: Row): RecipientState;
  owe(owing: Owing, at: Instant): void;
  inform(informed: Informed, at: Instant): void;
  /** After a decision. `repeats`: it is told again while it is open. */
  keep(decided: Decided): void;
  /** Nothing of it can be told any more, until something new happens to the alert. */
  giveUp(of: RecipientStateKey): void;
  /** What waits, and what is known of open alerts. */
  active(after: RecipientStateKey | null, limit: number): ActiveState[];
  reroute(rerouted: Rerouted): void;
  moveClock(jump: ClockShift): void;
  /** What is neither open, nor waits, nor was heard of since. */
  prune(before: Instant): void;
}

export interface Decided {
  readonly key: Key;
  readonly channel: string;
  readonly recipient: string;
  readonly state: RecipientState;
  readonly repeats: boolean;
}

/** What has to be looked at when its group is due. Word by word as in the index. */
export const IS_ACTIVE = 'wanted > closed OR held IS NOT NULL OR repeats = 1';

export function createStatesTable(db: DatabaseSync): StatesTable {
  const known = db.prepare(`
    SELECT state.* FROM json_each(?) AS about CROSS JOIN recipient_state AS state ON state.key = about.value
    ORDER BY channel, recipient`);
  const owed = db.prepare(`
    SELECT max(mine.attempt > 0) AS tried FROM group_member AS member JOIN deliveries AS mine ON mine.number = member.delivery
    WHERE member.key = ? AND channel = ? AND recipient = ? AND state IN ('due', 'sending', 'parked')`);
  const owe = db.prepare(`
    INSERT INTO recipient_state
      (key, channel, recipient, group_id, via, wanted, closed, begun, held, held_at, decided, wanted_at)
    VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, 0, ?11)
    ON CONFLICT (key, channel, recipient) DO UPDATE SET
      group_id = excluded.group_id, via = excluded.via, wanted = excluded.wanted, closed = excluded.closed,
      begun = excluded.begun, held = excluded.held, held_at = excluded.held_at, wanted_at = excluded.wanted_at`);
  const inform = db.prepare(`
    INSERT INTO recipient_state (key, channel, recipient, wanted, closed, begun, decided, wanted_at)
    SELECT value, ?2, ?3, 1, 1, 1, 1, ?4 FROM json_each(?1) WHERE true ON CONFLICT (key, channel, recipient) DO NOTHING`);
  const keep = db.prepare(`
    UPDATE recipient_state SET
      wanted = max(wanted, ?4), closed = ?5, begun = ?6, held = ?7, held_at = ?8, decided = max(decided, ?4), repeats = ?9
    WHERE key = ?1 AND channel = ?2 AND recipient = ?3`);
  const giveUp = db.prepare(`
    UPDATE recipient_state SET closed = max(closed, wanted), held = NULL, held_at = NULL, repeats = 0
    WHERE key = ? AND channel = ? AND recipient = ?`);
  const active = db.prepare(`
    SELECT state.*, newest.watch, newest.alert, newest.labels FROM recipient_state AS state
      JOIN notifications AS newest ON newest.key = state.key AND newest.seq = state.wanted
    WHERE (state.key, channel, recipient) > (?1, ?2, ?3)
      AND (${IS_ACTIVE} OR begun IS NOT NULL AND EXISTS (SELECT 1 FROM alerts WHERE alerts.key = state.key AND is_open = 1))
    ORDER BY state.key, channel, recipient ${limitBy('?4')}`);
  const reroute = db.prepare(`
    UPDATE recipient_state SET
      group_id = ?4, wanted = ?5, closed = ?6, begun = ?7, held = ?8, held_at = ?9, decided = 0,
      repeats = CASE WHEN ?10 THEN begun IS NOT NULL ELSE 0 END
    WHERE key = ?1 AND channel = ?2 AND recipient = ?3`);
  const moveClock = db.prepare(`
    UPDATE recipient_state SET notified_at = ${MOVED('notified_at')}, held_at = min(held_at, ?2) WHERE ${IS_ACTIVE}`);
  const prune = db.prepare(`
    DELETE FROM recipient_state WHERE wanted_at < ? AND NOT (${IS_ACTIVE})
      AND NOT EXISTS (SELECT 1 FROM alerts WHERE alerts.key = recipient_state.key AND is_open = 1)`);

  function owedOf(row: Row): RecipientState['owed'] {
    // Nothing was ever put into a delivery.
    if (row['closed'] === 0) return null;
    return owedIn(owed.get(String(row['key']), String(row['channel']), String(row['recipient'])));
  }

  const stateIn = (row: Row): RecipientState => ({ ...stateOf(row), owed: owedOf(row) });

  return {
    stateIn,
    knownOf: (keys) =>
      keys.length === 0 ? [] : known.all(JSON.stringify(keys)).map((row) => knowledgeOf(row, owedOf(row))),
    owe({ key, group: { id, target }, via, state }, at) {
      const { wanted, closed, begun, held, heldAt } = state;
      owe.run(key, target.channel, target.recipient, id, via, wanted, closed, begun, heldText(held), heldAt, at);
    },
    inform({ keys, target }, at) {
      inform.run(JSON.stringify(keys), target.channel, target.recipient, at);
    },
    keep({ key, channel, recipient, state, repeats }) {
      const { wanted, closed, begun, held, heldAt } = state;
      keep.run(key, channel, recipient, wanted, closed, begun, heldText(held), heldAt, Number(repeats));
    },
    giveUp({ key, channel, recipient }) {
      giveUp.run(key, channel, recipient);
    },
    active: (after, limit) =>
      active
        .all(after?.key ?? '', after?.channel ?? '', after?.recipient ?? '', limit)
        .map((row) => activeOf(row, owedOf(row))),
    reroute({ key, group: { id, target }, state, isNamed }) {
      const { wanted, closed, begun, held, heldAt } = state;
      const values = [wanted, closed, begun, heldText(held), heldAt, Number(isNamed)];
      reroute.run(key, target.channel, target.recipient, id, ...values);
    },
    moveClock({ byMs, now }) {
      moveClock.run(byMs, now);
    },
    prune(before) {
      prune.run(before);
    },
  };
}

/** By key of each alert that fires, who was told so. */
export function createToldView(db: DatabaseSync): () => Map<string, readonly Recipient[]> {
  const told = db.prepare(`
    SELECT alerts.key, channel, recipient FROM alerts JOIN recipient_state AS state ON state.key = alerts.key
    WHERE is_open = 1 AND is_event = 0 AND begun IS NOT NULL ORDER BY channel, recipient`);
  return () => {
    const byKey = Map.groupBy(told.all(), ({ key }) => String(key));
    return new Map([...byKey].map(([key, rows]) => [key, rows.map(recipientOf)]));
  };
}
