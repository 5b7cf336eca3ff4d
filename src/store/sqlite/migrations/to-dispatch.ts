// Leads from schema 10 to 11. There, a delivery held its own message, and each memory the recipients who had been told.
// Every delivery becomes a notification, shared by those of other recipients, and a delivery under the same id.
import type { DatabaseSync } from 'node:sqlite';
import { z } from 'zod';
import { MESSAGE_TYPES } from '../../../core/model/delivery.ts';
import { idOf } from '../../../core/model/watch/identity.ts';
import { nameOfTransition } from '../../../core/model/transition.ts';
import type { Row } from '../../rows/rows.ts';

const TABLES = `
  CREATE TABLE notifications (
    number INTEGER PRIMARY KEY,
    id TEXT NOT NULL UNIQUE,
    key TEXT NOT NULL,
    episode INTEGER NOT NULL,
    seq INTEGER NOT NULL,
    watch TEXT NOT NULL,
    alert TEXT NOT NULL,
    transition TEXT NOT NULL
      CHECK (transition IN ('event', 'firing', 'resolved', 'retracted', 'corrected', 'reinstated')),
    labels TEXT NOT NULL,
    notify TEXT NOT NULL,
    message TEXT NOT NULL,
    at INTEGER NOT NULL,
    routed INTEGER NOT NULL DEFAULT 0
  ) STRICT;
  CREATE INDEX notifications_unrouted ON notifications (number) WHERE routed = 0;
  CREATE INDEX notifications_of_key ON notifications (key, seq);
  CREATE INDEX notifications_of_alert ON notifications (watch, alert);

  CREATE TABLE alerts (
    key TEXT PRIMARY KEY,
    newest INTEGER NOT NULL,
    episode INTEGER NOT NULL,
    is_open INTEGER NOT NULL,
    began INTEGER NOT NULL,
    at INTEGER NOT NULL
  ) STRICT, WITHOUT ROWID;

  CREATE TABLE recipient_state (
    key TEXT NOT NULL,
    channel TEXT NOT NULL,
    recipient TEXT NOT NULL,
    wanted INTEGER NOT NULL,
    wanted_at INTEGER NOT NULL,
    closed INTEGER NOT NULL DEFAULT 0,
    notified INTEGER NOT NULL DEFAULT 0,
    notified_at INTEGER,
    PRIMARY KEY (key, channel, recipient)
  ) STRICT, WITHOUT ROWID;
  CREATE INDEX recipient_state_age ON recipient_state (wanted_at);

  ALTER TABLE deliveries RENAME TO former;
  DROP INDEX deliveries_in_order;
  DROP INDEX deliveries_due;
  DROP INDEX deliveries_ended;
  DROP INDEX deliveries_sending;
  DROP INDEX deliveries_open;

  CREATE TABLE deliveries (
    number INTEGER PRIMARY KEY,
    id TEXT NOT NULL UNIQUE,
    channel TEXT NOT NULL,
    recipient TEXT NOT NULL,
    kind TEXT NOT NULL CHECK (kind IN
      ('news', 'repeat', 'overflow_summary', 'silence_summary', 'inhibition_summary', 'daily_report')),
    rank INTEGER NOT NULL CHECK (rank IN (0, 1, 2)),
    state TEXT NOT NULL CHECK (state IN ('due', 'sending', 'sent', 'dead', 'merged', 'cancelled', 'parked')),
    attempt INTEGER NOT NULL DEFAULT 0,
    due_at INTEGER NOT NULL,
    created_at INTEGER NOT NULL,
    runtime_at INTEGER NOT NULL,
    settled_at INTEGER,
    outcome TEXT,
    lease_until INTEGER,
    folds TEXT
  ) STRICT;
  CREATE INDEX deliveries_due ON deliveries (channel, rank, due_at, number) WHERE state = 'due';
  CREATE INDEX deliveries_ended ON deliveries (state, settled_at)
    WHERE state IN ('sent', 'dead', 'merged', 'cancelled');
  CREATE INDEX deliveries_owed ON deliveries (channel, created_at) WHERE state IN ('due', 'sending');
  CREATE INDEX deliveries_sending ON deliveries (channel, lease_until) WHERE state = 'sending';
  CREATE INDEX deliveries_open ON deliveries (channel, recipient, folds, number)
    WHERE folds IS NOT NULL AND state = 'due' AND attempt = 0;

  CREATE TABLE group_member (
    delivery INTEGER NOT NULL REFERENCES deliveries (number) ON DELETE CASCADE,
    key TEXT NOT NULL,
    seq INTEGER NOT NULL,
    notification INTEGER,
    PRIMARY KEY (delivery, key, seq)
  ) STRICT, WITHOUT ROWID;
  CREATE INDEX group_member_of_key ON group_member (key, seq);

  CREATE TABLE delivery_order (
    delivery INTEGER NOT NULL REFERENCES deliveries (number) ON DELETE CASCADE,
    earlier INTEGER NOT NULL REFERENCES deliveries (number) ON DELETE CASCADE,
    PRIMARY KEY (delivery, earlier)
  ) STRICT, WITHOUT ROWID;
  CREATE INDEX delivery_order_earlier ON delivery_order (earlier);
`;

// In order of their numbers, so that what is owed keeps its order. Of one alert and recipient a later one was never sent
// before an earlier one had ended.
const DELIVERIES = `
  INSERT INTO deliveries
    (number, id, channel, recipient, kind, rank, state, attempt, due_at, created_at, runtime_at, settled_at, outcome,
      lease_until, folds)
    SELECT number, id, channel, recipient, 'news', min(max(rank, 0), 2), state, attempt, due_at, created_at, ran_before,
      settled_at, outcome, lease_until, folds
    FROM former ORDER BY number;
  INSERT INTO delivery_order (delivery, earlier)
    SELECT later.number, earlier.number FROM former AS later JOIN former AS earlier
      ON earlier.key = later.key AND earlier.channel = later.channel AND earlier.recipient = later.recipient
    WHERE later.state IN ('due', 'sending') AND earlier.state IN ('due', 'sending')
      AND (earlier.seq, earlier.number) < (later.seq, later.number);
`;

export function toDispatch(db: DatabaseSync): void {
  db.exec(TABLES);
  db.exec('CREATE INDEX former_in_order ON former (key, channel, recipient, seq, number)');
  db.exec(DELIVERIES);
  copyMessages(db);
  copyTold(db);
  db.exec('DROP TABLE former');
}

function copyMessages(db: DatabaseSync): void {
  const find = db.prepare('SELECT number, message FROM notifications WHERE id = ?');
  const add = db.prepare(`
    INSERT INTO notifications (id, key, episode, seq, watch, alert, transition, labels, notify, message, at, routed)
    VALUES (?, ?, ?, ?, ?, ?, ?, ?, '[]', ?, ?, 1)`);
  const member = db.prepare('INSERT INTO group_member (delivery, key, seq, notification) VALUES (?, ?, ?, ?)');

  function notificationOf(row: Row): number | bigint {
    const { key, seq, watch, message, created_at: at } = textsOf(row);
    const { episode, alert, transition, labels } = partsOf(message);
    const id = idOf(key, episode, Number(seq));
    const same = find.get(id);
    if (same !== undefined && same['message'] === message) return Number(same['number']);
    // Two recipients had summaries of different events under one key.
    const own = same === undefined ? id : idOf(id, String(row['id']));
    const { lastInsertRowid } = add.run(
      own,
      key,
      episode,
      Number(seq),
      watch,
      alert,
      transition,
      labels,
      message,
      Number(at),
    );
    return lastInsertRowid;
  }

  for (const row of db.prepare('SELECT * FROM former ORDER BY number').iterate())
    member.run(Number(row['number']), String(row['key']), Number(row['seq']), notificationOf(row));
}

function textsOf(row: Row): Record<'key' | 'seq' | 'watch' | 'message' | 'created_at', string> {
  const text = (name: string): string => String(row[name]);
  return {
    key: text('key'),
    seq: text('seq'),
    watch: text('watch'),
    message: text('message'),
    created_at: text('created_at'),
  };
}

const named = z.object({ name: z.string().nullable(), address: z.string() }).nullable();

/** Of a message, what its notification has in columns. */
const Parts = z.object({
  type: z.enum(MESSAGE_TYPES),
  episode: z.number(),
  watch: z.string(),
  alert: z.string(),
  kind: z.string(),
  severity: z.string(),
  explorer: z.string(),
  of: named,
  token: z.object({ address: z.string() }).nullable(),
  summary: z
    .object({ of: z.enum(MESSAGE_TYPES), count: z.number(), keys: z.array(z.string()) })
    .nullable()
    .default(null),
});

/** A damaged message ends as it would have ended: when it is to be sent. */
function partsOf(text: string): { episode: number; alert: string; transition: string; labels: string } {
  const parsed = Parts.safeParse(jsonOf(text));
  if (!parsed.success) return { episode: 0, alert: '', transition: 'event', labels: '{}' };
  const { episode, watch, alert, kind, severity, explorer, of, token } = parsed.data;
  const labels = {
    watch: watch.replace(/\[.*$/s, ''),
    alert,
    kind,
    severity,
    explorer,
    ...(of === null ? {} : { of: of.name ?? of.address.toLowerCase() }),
    ...(token === null ? {} : { token: token.address.toLowerCase() }),
  };
  return { episode, alert, transition: nameOfTransition(parsed.data), labels: JSON.stringify(labels) };
}

function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}

const Told = z.array(z.object({ channel: z.string(), recipient: z.string() }));
const Firing = z.object({ key: z.string(), episode: z.number(), seq: z.number(), at: z.number() });
const Condition = z.object({ seq: z.number(), told: Told, firing: Firing });
const Event = z.object({ type: z.literal('event'), seq: z.number(), told: Told, since: z.number() });
const Alerts = z.record(z.string(), z.record(z.string(), z.unknown()));

/** One alert that somebody was told of. */
interface Known {
  readonly key: string;
  readonly told: z.infer<typeof Told>;
  readonly seq: number;
  readonly at: number;
  /** Set while it fires. */
  readonly episode: number | null;
}

/** The ends of what was told reach exactly those who heard of it. */
function copyTold(db: DatabaseSync): void {
  const fires = db.prepare(`
    INSERT INTO alerts (key, newest, episode, is_open, began, at) VALUES (?1, ?2, ?3, 1, ?2, ?4) ON CONFLICT DO NOTHING`);
  const informed = db.prepare(`
    INSERT INTO recipient_state (key, channel, recipient, wanted, wanted_at, closed, notified, notified_at)
    SELECT ?1, ?2, ?3, ?4, ?5, ?4, CASE WHEN isOwed THEN 0 ELSE ?4 END, CASE WHEN isOwed THEN NULL ELSE ?5 END
    FROM (SELECT EXISTS (
      SELECT 1 FROM former
      WHERE key = ?1 AND channel = ?2 AND recipient = ?3 AND seq = ?4 AND state IN ('due', 'sending', 'dead')) AS isOwed)
    WHERE true ON CONFLICT DO NOTHING`);
  for (const row of db.prepare('SELECT watch, alerts FROM memory').iterate())
    for (const { key, told, seq, at, episode } of knownIn(String(row['watch']), String(row['alerts']))) {
      if (episode !== null) fires.run(key, seq, episode, at);
      for (const { channel, recipient } of told) informed.run(key, channel, recipient, seq, at);
    }
}

function knownIn(watch: string, text: string): Known[] {
  // A damaged memory is said when it is read, and begins anew.
  const alerts = Alerts.safeParse(jsonOf(text)).data ?? {};
  return Object.entries(alerts).flatMap(([alert, byKey]) =>
    Object.entries(byKey).flatMap(([findingKey, state]) => knownOf({ watch, alert, findingKey }, state)),
  );
}

function knownOf(
  { watch, alert, findingKey }: Record<'watch' | 'alert' | 'findingKey', string>,
  state: unknown,
): Known[] {
  const event = Event.safeParse(state).data;
  if (event !== undefined) {
    const { seq, told, since } = event;
    const key = idOf(watch, alert, explorerOf(watch), findingKey);
    return [{ key, told, seq, at: since, episode: null }];
  }
  const condition = Condition.safeParse(conditionIn(state)).data;
  if (condition === undefined) return [];
  const { key, episode, seq, at } = condition.firing;
  return [{ key, told: condition.told, seq, at, episode }];
}

/** A watch's id ends in its explorer, address and token. */
function explorerOf(watch: string): string {
  return watch.split('/').at(-3) ?? '';
}

/** A group of a count holds its condition. */
function conditionIn(state: unknown): unknown {
  return typeof state === 'object' && state !== null && 'condition' in state ? state.condition : state;
}
