// States of alerts for recipients: sent transitions, held-back transitions, and the group.
import { z } from 'zod';
import type { Recipient } from '../../../core/model/ids.ts';
import type { ClockShift } from '../../../dispatch/clock-jump.ts';
import type { Held, Key, RecipientState, Renewal } from '../../../dispatch/model.ts';
import type { ActiveAlert, Rerouted } from '../../../dispatch/reroute.ts';
import type { Informed, Knowledge, Owing, Via } from '../../../dispatch/rounds/routing-round.ts';
import type { Instant } from '../../../lib/clock.ts';
import type { ActiveAlerts, RecipientStateKey } from '../../contract/dispatch.ts';
import { intOrNull, ints, intsOrNull, jsonOrNull, texts, type Row } from '../../sql/rows.ts';
import { later, type SqlDialect } from '../../sql/dialect.ts';
import { columns, list, upsert, type Sql } from '../../sql/sql.ts';
import { MAY_HAVE_ARRIVED } from '../deliveries/delivery-rows.ts';
import { inForceAt } from '../operators/policy.ts';
import { labelsOf, recipientOf, summaryKeysIn } from './notifications.ts';
import { moved, notAfter } from './moved-clock.ts';

/**
 * States that are decided when their group is due. The words are those of the partial index, so that SQLite uses it.
 */
export const IS_ACTIVE = 'wanted > closed OR held IS NOT NULL OR repeats = 1';

/** The last transition in a delivery that may have arrived; 0: there is none. */
export const NEWEST_TRIED = `max(CASE WHEN ${MAY_HAVE_ARRIVED} THEN member.seq ELSE 0 END)`;

/**
 * Null: no delivery is unsettled. If `closed` is 0, no transition was ever added to a delivery, so none is searched.
 */
const TRIED = `
  CASE WHEN state.closed > 0 THEN (
    SELECT ${NEWEST_TRIED}
    FROM group_member AS member JOIN deliveries AS mine ON mine.number = member.delivery
    WHERE member.key = state.key AND mine.channel = state.channel AND mine.recipient = state.recipient
      AND mine.state IN ('due', 'sending')) END AS tried`;

/** The first transition of what is over, and is in a message to the recipient that is not settled; null: there is none. */
const OVER_FROM = `
  CASE WHEN state.closed > 0 THEN (
    SELECT min(begin.seq) FROM group_member AS member JOIN deliveries AS mine ON mine.number = member.delivery
      JOIN notifications AS ended ON ended.number = member.notification
      JOIN notifications AS begin ON begin.key = ended.key AND begin.episode = ended.episode
    WHERE member.key = state.key AND mine.channel = state.channel AND mine.recipient = state.recipient
      AND member.sent_as = 'fired-and-resolved' AND mine.state IN ('due', 'sending')) END AS over_from`;

const KNOWN = (d: SqlDialect): string => `
  SELECT state.*, ${TRIED}, ${OVER_FROM} FROM recipient_state AS state
  WHERE ${d.among('state.key', '$1', 'text')} ORDER BY channel, recipient, key`;

export async function knownOf(sql: Sql, keys: readonly Key[]): Promise<Knowledge[]> {
  if (keys.length === 0) return [];
  return (await sql.all(KNOWN, [keys])).map(knowledgeOf);
}

function knowledgeOf(row: Row): Knowledge {
  const overFrom = intOrNull(row, 'over_from');
  return { key: String(row['key']), target: recipientOf(row), via: viaOf(row['via']), state: stateOf(row), overFrom };
}

function viaOf(value: unknown): Via {
  return value === 'escalate' || value === 'failover' ? value : 'route';
}

/** The state in a row that has the column `tried`. */
export function stateOf(row: Row): RecipientState {
  return {
    ...ints(row, 'wanted', 'closed', 'notified', 'maybe_notified'),
    ...intsOrNull(row, 'notified_at', 'begun', 'held_at'),
    held: heldOf(row['held']),
    owed: owedIn(row),
    renewed: renewedIn(row['renewed']),
  };
}

/**
 * A tried delivery counts only from the begin of this episode on. The end of the former episode may still be under way,
 * which does not matter for this one.
 */
function owedIn(row: Row): RecipientState['owed'] {
  const { tried, begun } = intsOrNull(row, 'tried', 'begun');
  return tried === null ? null : tried >= (begun ?? 1) ? 'tried' : 'untried';
}

const heldShape = z.object({
  why: z.enum(['inhibited', 'silenced', 'acked', 'unpolled', 'mute-window', 'cap']),
  by: z.string().nullable(),
});

/** Null also if the text is damaged: nothing is held back, so the transitions are sent. */
function heldOf(text: unknown): Held | null {
  return heldShape.safeParse(jsonOrNull(text)).data ?? null;
}

const renewalShape = z.object({ why: z.enum(['reload', 'ack-ended', 'called']), by: z.string().nullable() });

/** The value of a column `renewed`; null also if it is damaged. */
export function renewedIn(text: unknown): Renewal | null {
  return renewalShape.safeParse(jsonOrNull(text)).data ?? null;
}

/** The columns of a decision about a recipient and an alert. */
const DECIDED = {
  ...columns('text', 'key', 'channel', 'recipient'),
  ...columns('int', 'wanted', 'closed'),
  ...columns('int?', 'begun', 'held_at'),
  ...columns('json?', 'held', 'renewed'),
} as const;

const OWE = upsert('recipient_state', ['key', 'channel', 'recipient'], {
  ...DECIDED,
  ...columns('text', 'group_id', 'via'),
  wanted_at: 'int',
});

const IS_OF = (row: { readonly [K in keyof RecipientStateKey]: string }): string =>
  `state.key = ${row.key} AND state.channel = ${row.channel} AND state.recipient = ${row.recipient}`;

const LOOK_AT = list(
  columns('text', 'key', 'channel', 'recipient'),
  (row) => `UPDATE recipient_state AS state SET repeats = 1 ${row.from} WHERE ${IS_OF(row)}`,
);

/** If there are several states for one recipient and alert, the last one is stored. */
export async function oweStates(sql: Sql, owing: readonly Owing[], at: Instant): Promise<void> {
  const rows = owing.map((one) => ({ ...keptIn(one), via: one.via, wantedAt: at }));
  const last = [...new Map(rows.map((row) => [placeOf(row), row])).values()];
  await sql.each(OWE, last);
  const renewed = last.filter((row) => row.renewed !== null);
  await lookAtStates(sql, renewed);
}

/** Marks these states, so that they are decided with their groups even without a new transition. */
export async function lookAtStates(sql: Sql, states: readonly RecipientStateKey[]): Promise<void> {
  await sql.each(LOOK_AT, [...new Map(states.map((one) => [placeOf(one), one])).values()]);
}

/** The columns of a state that was decided with its group. */
function keptIn({ key, group: { id, target }, state }: Pick<Owing, 'key' | 'group' | 'state'>) {
  return { key, ...target, groupId: id, ...state };
}

function placeOf({ key, channel, recipient }: RecipientStateKey): string {
  return JSON.stringify([key, channel, recipient]);
}

const JOIN = list(
  { ...columns('text', 'key', 'channel', 'recipient'), ...columns('int', 'maybe_notified', 'at'), begun: 'int?' },
  (row) => `
    INSERT INTO recipient_state (key, channel, recipient, wanted, closed, begun, maybe_notified, decided, wanted_at)
    SELECT ${row.key}, ${row.channel}, ${row.recipient},
      coalesce((SELECT max(one.seq) FROM notifications AS one WHERE one.key = ${row.key} AND one.routed = 1), 1),
      1, ${row.begun}, ${row.maybe_notified}, 1, ${row.at} ${row.from} WHERE true
    ON CONFLICT (key, channel, recipient) DO NOTHING`,
);

type JoinedState = RecipientStateKey & Pick<RecipientState, 'begun' | 'maybeNotified'>;

/** The first transition of each alert is in a message to the recipient already. A state that exists stays as it is. */
export async function joinStates(sql: Sql, joined: readonly JoinedState[], at: Instant): Promise<void> {
  await sql.each(
    JOIN,
    joined.map((one) => ({ ...one, at })),
  );
}

/**
 * The events of a summary count as sent. A recipient that takes the summary over is sent what was decided about them
 * since, too.
 */
export async function informStates(sql: Sql, informed: readonly Informed[], at: Instant): Promise<void> {
  const joined = statesOf(informed).map((one) => ({ ...one, begun: 1, maybeNotified: 1 }));
  await joinStates(sql, joined, at);
}

const UNINFORM = list(
  columns('text', 'key', 'channel', 'recipient'),
  (row) => `
    UPDATE recipient_state AS state SET begun = NULL, maybe_notified = 0 ${row.from}
    WHERE ${IS_OF(row)} AND state.notified < state.begun`,
);

/** The events of a summary do not count as sent. */
export async function uninformStates(sql: Sql, uninformed: readonly Informed[]): Promise<void> {
  await sql.each(UNINFORM, statesOf(uninformed));
}

function statesOf(informed: readonly Informed[]): RecipientStateKey[] {
  const rows = informed.flatMap(({ keys, target: { channel, recipient } }) =>
    keys.map((key) => ({ key, channel, recipient })),
  );
  return [...new Map(rows.map((row) => [placeOf(row), row])).values()];
}

const MAY_KNOW = list(
  { ...columns('text', 'key', 'channel', 'recipient'), ...columns('int', 'seq') },
  (row) => `
    UPDATE recipient_state AS state SET maybe_notified = ${later('state.maybe_notified', row.seq)} ${row.from}
    WHERE ${IS_OF(row)}`,
);

/** These transitions are sent with a summary, so their ends are sent too. */
export async function markFolded(
  sql: Sql,
  folded: readonly (RecipientStateKey & { readonly seq: number })[],
): Promise<void> {
  await sql.each(MAY_KNOW, folded);
}

export interface DecidedState extends RecipientStateKey {
  readonly state: RecipientState;
  /** True if the alert is repeated while it is open. */
  readonly repeats: boolean;
}

const KEEP = list(
  { ...DECIDED, repeats: 'bool' },
  (row) => `
    UPDATE recipient_state AS state SET
      wanted = ${later('state.wanted', row.wanted)}, closed = ${row.closed}, begun = ${row.begun}, held = ${row.held},
      held_at = ${row.held_at}, renewed = ${row.renewed}, decided = ${later('state.decided', row.wanted)},
      repeats = ${row.repeats}
    ${row.from} WHERE ${IS_OF(row)}`,
);

/** Stores states after a decision. */
export async function keepStates(sql: Sql, decided: readonly DecidedState[]): Promise<void> {
  const rows = decided.map(({ state, ...one }) => ({ ...one, ...state }));
  await sql.each(KEEP, rows);
}

const GIVE_UP = (d: SqlDialect): string => `
  UPDATE recipient_state SET closed = ${later('closed', 'wanted')}, held = NULL, held_at = NULL, renewed = NULL, repeats = 0
  WHERE ${d.among('key', '$1', 'text')} AND channel = $2 AND recipient = $3`;

/** These alerts cannot be sent to the recipient any more, until they have a new transition. */
export async function giveUpStates(sql: Sql, keys: readonly Key[], { channel, recipient }: Recipient): Promise<void> {
  if (keys.length > 0) await sql.run(GIVE_UP, [keys, channel, recipient]);
}

const ACTIVE_KEYS = `
  SELECT key FROM recipient_state WHERE key > $1 AND (${IS_ACTIVE})
  UNION SELECT key FROM alerts WHERE key > $1 AND is_open = 1
  UNION SELECT member.key FROM deliveries AS mine JOIN group_member AS member ON member.delivery = mine.number
    WHERE mine.state IN ('due', 'sending') AND member.key > $1
  ORDER BY key LIMIT $2 + 0`;

// `began` is null for an acknowledged event, and for one that needs no acknowledgement: these are not sent to further
// targets.
const ACTIVE = (d: SqlDialect): string => `
  SELECT newest.key, newest.watch, newest.alert, newest.episode, newest.seq AS newest, newest.number, newest.summary,
    CASE WHEN is_open = 1 THEN alerts.labels ELSE newest.labels END AS labels,
    CASE WHEN is_open = 1 AND (is_event = 0 OR needs_ack = 1 AND NOT EXISTS (
      SELECT 1 FROM acks WHERE acks.key = alerts.key AND acks.episode = alerts.episode AND ${inForceAt('$2')}
    )) THEN began END AS began
  FROM notifications AS newest LEFT JOIN alerts ON alerts.key = newest.key
  WHERE ${d.among('newest.key', '$1', 'text')} AND newest.seq = (
    SELECT max(one.seq) FROM notifications AS one WHERE one.key = newest.key AND one.routed = 1)`;

/**
 * Alerts that are open or have pending transitions, in the order of their keys. Unreadable alerts are left out, so they
 * stay unchanged.
 */
export async function readActive(
  sql: Sql,
  { after, limit, at }: { readonly after: Key; readonly limit: number; readonly at: Instant },
): Promise<ActiveAlerts> {
  const keys = (await sql.all(ACTIVE_KEYS, [after, limit])).map(({ key }) => String(key));
  if (keys.length === 0) return { alerts: [], last: null };
  const known = Map.groupBy(await knownOf(sql, keys), ({ key }) => key);
  const alerts = (await sql.all(ACTIVE, [keys, at])).flatMap((row): ActiveAlert[] => {
    const described = labelsOf(row['labels']);
    if (described === null) return [];
    const place = { ...texts(row, 'key', 'watch', 'alert'), ...ints(row, 'episode', 'newest', 'number') };
    const members = summaryKeysIn(row['summary']);
    return [{ ...place, ...described, began: intOrNull(row, 'began'), known: known.get(place.key) ?? [], members }];
  });
  return { alerts, last: keys.length < limit ? null : (keys.at(-1) ?? null) };
}

const REROUTE = list(
  { ...DECIDED, group_id: 'text', is_named: 'bool' },
  (row) => `
    UPDATE recipient_state AS state SET
      group_id = ${row.group_id}, wanted = ${row.wanted}, closed = ${row.closed}, begun = ${row.begun},
      held = ${row.held}, held_at = ${row.held_at}, decided = 0,
      repeats = CASE WHEN ${row.is_named} = 1 AND state.begun IS NOT NULL THEN 1 ELSE 0 END, renewed = ${row.renewed}
    ${row.from} WHERE ${IS_OF(row)}`,
);

export async function rerouteStates(sql: Sql, rerouted: readonly Rerouted[]): Promise<void> {
  const rows = rerouted.map((one) => ({ ...keptIn(one), isNamed: one.isNamed }));
  await sql.each(REROUTE, rows);
}

const MOVE = `
  UPDATE recipient_state SET notified_at = ${moved('notified_at')}, held_at = ${notAfter('held_at', '$2')}
  WHERE ${IS_ACTIVE}`;

export async function moveStates(sql: Sql, { byMs, now }: ClockShift): Promise<void> {
  await sql.run(MOVE, [byMs, now]);
}
