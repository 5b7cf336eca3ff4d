// What recipients know of alerts: how far they are told, what is held back, and which group tells them.
import { z } from 'zod';
import type { Recipient } from '../../../core/model/ids.ts';
import type { ClockShift } from '../../../dispatch/clock-jump.ts';
import type { Held, Key, RecipientState } from '../../../dispatch/model.ts';
import type { ActiveState, Rerouted } from '../../../dispatch/reroute.ts';
import type { Informed, Knowledge, Owing, Via } from '../../../dispatch/rounds/routing-round.ts';
import type { Instant } from '../../../lib/clock.ts';
import type { RecipientStateKey } from '../../contract/dispatch.ts';
import { intOrNull, jsonOrNull, texts, type Row } from '../../sql/rows.ts';
import { later, type SqlDialect } from '../../sql/dialect.ts';
import { columns, list, upsert, type Sql } from '../../sql/sql.ts';
import { labelsOf, recipientOf } from './alert-labels.ts';
import { moved, notAfter } from './moved-clock.ts';

/** What has to be looked at when its group is due. Word by word as in the index. */
export const IS_ACTIVE = 'wanted > closed OR held IS NOT NULL OR repeats = 1';

/**
 * Whether a delivery of what is owed to the recipient was tried; null: none is owed. Where `closed` is 0, nothing was ever
 * put into a delivery.
 */
export const TRIED = `
  CASE WHEN state.closed > 0 THEN (
    SELECT max(CASE WHEN mine.attempt > 0 THEN 1 ELSE 0 END)
    FROM group_member AS member JOIN deliveries AS mine ON mine.number = member.delivery
    WHERE member.key = state.key AND mine.channel = state.channel AND mine.recipient = state.recipient
      AND mine.state IN ('due', 'sending', 'parked')) END AS tried`;

const KNOWN = (d: SqlDialect): string => `
  SELECT state.*, ${TRIED} FROM recipient_state AS state WHERE ${d.among('state.key', '$1', 'text')}
  ORDER BY channel, recipient, key`;

export async function knownOf(sql: Sql, keys: readonly Key[]): Promise<Knowledge[]> {
  if (keys.length === 0) return [];
  return (await sql.all(KNOWN, [keys])).map(knowledgeOf);
}

function knowledgeOf(row: Row): Knowledge {
  return { key: String(row['key']), target: recipientOf(row), via: viaOf(row['via']), state: stateOf(row) };
}

function viaOf(value: unknown): Via {
  return value === 'escalate' || value === 'failover' ? value : 'route';
}

/** From a row with `tried`. */
export function stateOf(row: Row): RecipientState {
  return {
    wanted: Number(row['wanted']),
    closed: Number(row['closed']),
    notified: Number(row['notified']),
    notifiedAt: intOrNull(row, 'notified_at'),
    begun: intOrNull(row, 'begun'),
    held: heldOf(row['held']),
    heldAt: intOrNull(row, 'held_at'),
    owed: owedIn(row),
  };
}

function owedIn({ tried }: Row): RecipientState['owed'] {
  return tried === 1 ? 'tried' : tried === 0 ? 'untried' : null;
}

const heldShape = z.object({
  why: z.enum(['inhibited', 'silenced', 'acked', 'unpolled', 'mute-window', 'cap']),
  by: z.string().nullable(),
});

/** A damaged one holds nothing back: what it held is told. */
function heldOf(text: unknown): Held | null {
  return heldShape.safeParse(jsonOrNull(text)).data ?? null;
}

function heldText(held: Held | null): string | null {
  return held === null ? null : JSON.stringify({ why: held.why, by: held.by });
}

/** What a decision about a recipient and an alert says. */
const DECIDED = {
  ...columns('text', 'key', 'channel', 'recipient'),
  ...columns('int', 'wanted', 'closed'),
  ...columns('int?', 'begun', 'held_at'),
  held: 'text?',
} as const;

const OWE = upsert('recipient_state', ['key', 'channel', 'recipient'], {
  ...DECIDED,
  ...columns('text', 'group_id', 'via'),
  wanted_at: 'int',
});

/** Of several for one recipient and alert the last one counts. */
export async function oweStates(sql: Sql, owing: readonly Owing[], at: Instant): Promise<void> {
  const rows = owing.map((one) => ({ ...keptIn(one), via: one.via, wanted_at: at }));
  await sql.each(OWE, [...new Map(rows.map((row) => [placeOf(row), row])).values()]);
}

/** What is kept of a state that was decided with its group. */
function keptIn({ key, group: { id, target }, state }: Pick<Owing, 'key' | 'group' | 'state'>) {
  return { key, channel: target.channel, recipient: target.recipient, group_id: id, ...decidedIn(state) };
}

function decidedIn({ wanted, closed, begun, held, heldAt }: Omit<RecipientState, 'owed'>) {
  return { wanted, closed, begun, held: heldText(held), held_at: heldAt };
}

function placeOf({ key, channel, recipient }: RecipientStateKey): string {
  return JSON.stringify([key, channel, recipient]);
}

const INFORM = list(
  { key: 'text', channel: 'text', recipient: 'text', at: 'int' },
  (row) => `
    INSERT INTO recipient_state (key, channel, recipient, wanted, closed, begun, decided, wanted_at)
    SELECT ${row.key}, ${row.channel}, ${row.recipient}, 1, 1, 1, 1, ${row.at} ${row.from} WHERE true
    ON CONFLICT (key, channel, recipient) DO NOTHING`,
);

export async function informStates(sql: Sql, informed: readonly Informed[], at: Instant): Promise<void> {
  const rows = informed.flatMap(({ keys, target: { channel, recipient } }) =>
    keys.map((key) => ({ key, channel, recipient, at })),
  );
  await sql.each(INFORM, [...new Map(rows.map((row) => [placeOf(row), row])).values()]);
}

export interface DecidedState extends RecipientStateKey {
  readonly state: RecipientState;
  /** It is told again while it is open. */
  readonly repeats: boolean;
}

const IS_OF = (row: { readonly [K in keyof RecipientStateKey]: string }): string =>
  `state.key = ${row.key} AND state.channel = ${row.channel} AND state.recipient = ${row.recipient}`;

const KEEP = list(
  { ...DECIDED, repeats: 'bool' },
  (row) => `
    UPDATE recipient_state AS state SET
      wanted = ${later('state.wanted', row.wanted)}, closed = ${row.closed}, begun = ${row.begun}, held = ${row.held},
      held_at = ${row.held_at}, decided = ${later('state.decided', row.wanted)}, repeats = ${row.repeats}
    ${row.from} WHERE ${IS_OF(row)}`,
);

/** After a decision. */
export async function keepStates(sql: Sql, decided: readonly DecidedState[]): Promise<void> {
  await sql.each(
    KEEP,
    decided.map(({ key, channel, recipient, state, repeats }) => {
      return { key, channel, recipient, ...decidedIn(state), repeats };
    }),
  );
}

const GIVE_UP = (d: SqlDialect): string => `
  UPDATE recipient_state SET closed = ${later('closed', 'wanted')}, held = NULL, held_at = NULL, repeats = 0
  WHERE ${d.among('key', '$1', 'text')} AND channel = $2 AND recipient = $3`;

/** Nothing of these can be told any more, until something new happens to the alert. */
export async function giveUpStates(sql: Sql, keys: readonly Key[], { channel, recipient }: Recipient): Promise<void> {
  if (keys.length > 0) await sql.run(GIVE_UP, [keys, channel, recipient]);
}

const ACTIVE = `
  SELECT state.*, ${TRIED}, newest.watch, newest.alert, newest.labels FROM recipient_state AS state
    JOIN notifications AS newest ON newest.key = state.key AND newest.seq = state.wanted
  WHERE (state.key, channel, recipient) > ($1, $2, $3)
    AND (${IS_ACTIVE} OR begun IS NOT NULL
      AND EXISTS (SELECT 1 FROM alerts WHERE alerts.key = state.key AND is_open = 1))
  ORDER BY state.key, channel, recipient LIMIT $4 + 0`;

/** What waits, and what is known of open alerts. */
export async function activeStates(sql: Sql, after: RecipientStateKey | null, limit: number): Promise<ActiveState[]> {
  const rows = await sql.all(ACTIVE, [after?.key ?? '', after?.channel ?? '', after?.recipient ?? '', limit]);
  return rows.map((row) => ({
    ...knowledgeOf(row),
    ...texts(row, 'watch', 'alert'),
    labels: labelsOf(row['labels'])?.labels ?? {},
  }));
}

const REROUTE = list(
  { ...DECIDED, group_id: 'text', is_named: 'bool' },
  (row) => `
    UPDATE recipient_state AS state SET
      group_id = ${row.group_id}, wanted = ${row.wanted}, closed = ${row.closed}, begun = ${row.begun},
      held = ${row.held}, held_at = ${row.held_at}, decided = 0,
      repeats = CASE WHEN ${row.is_named} = 1 AND state.begun IS NOT NULL THEN 1 ELSE 0 END
    ${row.from} WHERE ${IS_OF(row)}`,
);

export async function rerouteStates(sql: Sql, rerouted: readonly Rerouted[]): Promise<void> {
  await sql.each(
    REROUTE,
    rerouted.map((one) => ({ ...keptIn(one), is_named: one.isNamed })),
  );
}

const MOVE = `
  UPDATE recipient_state SET notified_at = ${moved('notified_at')}, held_at = ${notAfter('held_at', '$2')}
  WHERE ${IS_ACTIVE}`;

export async function moveStates(sql: Sql, { byMs, now }: ClockShift): Promise<void> {
  await sql.run(MOVE, [byMs, now]);
}

const PRUNE = `
  DELETE FROM recipient_state AS state WHERE wanted_at < $1 AND NOT (${IS_ACTIVE})
    AND NOT EXISTS (SELECT 1 FROM alerts WHERE alerts.key = state.key AND is_open = 1)`;

/** What is neither open, nor waits, nor was heard of since. */
export async function pruneStates(sql: Sql, before: Instant): Promise<void> {
  await sql.run(PRUNE, [before]);
}
