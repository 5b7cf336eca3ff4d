// The members of deliveries. A message about thousands of alerts is read and settled one page of members at a time, and
// other work runs between the pages. Once a try to send a delivery has begun, no member is removed from it.
import { z } from 'zod';
import {
  type Delivery,
  type DeliveryMember,
  MESSAGE_TYPES,
  type MoreMembers,
  MOST_LISTED,
  type Present,
  type Receipt,
} from '../../../core/model/delivery.ts';
import { SEVERITIES } from '../../../core/model/ids.ts';
import type { Key } from '../../../dispatch/model.ts';
import { StorageError } from '../../contract/store.ts';
import type { SqlDialect } from '../../sql/dialect.ts';
import { count, fromJson, instant, int, jsonOrNull, parsed, readable, type Row, text } from '../../sql/rows.ts';
import { paged, type Parameter, type Sql } from '../../sql/sql.ts';
import { renewedIn } from '../alerts/recipient-states.ts';
import { facts, message, segments } from './delivery-rows.ts';

export interface DeliveryName {
  readonly id: string;
  readonly number: number;
}

/** Members of a delivery with keys greater than `after` and up to `to`; if `to` is null, up to the last key. */
export interface KeyPage {
  readonly after: Key;
  readonly to: Key | null;
}

/** A key before all others. */
export const FIRST_KEY: Key = '';

/** A key after all others, in the order of bytes. */
const LAST_KEY: Key = '\u{10ffff}';

/** A condition for a `member` of delivery $1, with the values of `inPage` from $2 on. */
export const IN_PAGE = 'member.delivery = $1 AND member.key > $2 AND member.key <= $3';

export function inPage({ after, to }: KeyPage): [Key, Key] {
  return [after, to ?? LAST_KEY];
}

/** The members of all deliveries, row by row. */
export const MEMBERS = paged(
  ['delivery', 'key', 'seq'],
  (page) => `
    SELECT member.delivery, member.key, member.seq, mine.id, watch, message, sent_as, renewed, held_at, present
    FROM group_member AS member
      JOIN deliveries AS mine ON mine.number = member.delivery
      LEFT JOIN notifications AS notification ON notification.number = member.notification
    WHERE ${page.after} ${page.end}`,
  'member',
);

const PLACE = 'member.position, member.key, member.seq';

// The inner query sorts the members, which may be thousands, without reading their messages.
const LISTED = `
  SELECT $2::text AS id, watch, message, sent_as, renewed, held_at, present, position, listed.key, listed.seq
  FROM (
    SELECT notification, sent_as, renewed, held_at, present, position, key, seq FROM group_member AS member
    WHERE member.delivery = $1 ORDER BY ${PLACE} LIMIT ${MOST_LISTED + 1}) AS listed
    LEFT JOIN notifications AS notification ON notification.number = listed.notification
  ORDER BY position, listed.key, listed.seq`;

const MORE = (d: SqlDialect): string => `
  SELECT $4::text AS id, coalesce(${d.jsonText('labels', 'watch')}, watch) AS rule, alert,
    ${d.jsonText('labels', 'severity')} AS severity, 'alert.' || transition AS type,
    CAST(sum(coalesce(${d.jsonLength('summary')}, 1)) AS bigint) AS count,
    ${d.jsonArray('member.key')} AS keys
  FROM group_member AS member JOIN notifications ON notifications.number = member.notification
  WHERE ${IN_PAGE} AND (${PLACE}) > ($5, $6, $7)
  GROUP BY 2, 3, 4, 5`;

const KEYS_IN_PAGE = 500;

const PAGE_END = `
  SELECT member.key FROM group_member AS member JOIN deliveries AS mine ON mine.number = member.delivery
  WHERE mine.id = $1 AND member.key > $2 ORDER BY member.key LIMIT 1 OFFSET ${KEYS_IN_PAGE - 1}`;

/** Members behind the last one that the message lists. */
export interface UnlistedMembers extends DeliveryName {
  readonly behind: readonly Parameter[];
}

/**
 * Reads the members that a message lists, without unreadable ones. Rejects with a StorageError if none of them is
 * readable. `unread`: the place after which the members begin that the message does not list; null if it lists all.
 */
export async function listedMembers(sql: Sql, { id, number }: DeliveryName) {
  const rows = await sql.all(LISTED, [number, id]);
  const last = rows.length > MOST_LISTED ? rows[MOST_LISTED - 1] : undefined;
  const unread = last === undefined ? null : { id, number, behind: placeOf(last) };
  return { members: membersIn(id, rows.slice(0, MOST_LISTED)), unread };
}

function placeOf(row: Row): Parameter[] {
  return [int(row, 'position'), text(row, 'key'), int(row, 'seq')];
}

/** Counts the members of a page that the message does not list, without unreadable ones. */
export async function moreMembers(
  sql: Sql,
  { id, number, behind }: UnlistedMembers,
  page: KeyPage,
): Promise<MoreMembers[]> {
  return readable(await sql.all(MORE, [number, ...inPage(page), id, ...behind]), moreOf);
}

/** The members that the message lists, and the counts of the others. */
export async function membersOf(sql: Sql, of: DeliveryName): Promise<Pick<Delivery, 'members' | 'more'>> {
  const { members, unread } = await listedMembers(sql, of);
  const more = unread === null ? [] : await moreMembers(sql, unread, { after: FIRST_KEY, to: null });
  return { members, more: alikeTogether(more) };
}

/** The last key of the page that begins after a key; null if this page is the last one. */
export async function pageEnd(sql: Sql, delivery: string, after: Key): Promise<Key | null> {
  const key = (await sql.first(PAGE_END, [delivery, after]))?.['key'];
  return typeof key === 'string' ? key : null;
}

/** Adds up the counts of members with the same watch, alert, severity and type, and joins their keys. */
export function alikeTogether(some: readonly MoreMembers[]): MoreMembers[] {
  const byKind = Map.groupBy(some, ({ watch, alert, severity, type }) =>
    JSON.stringify([watch, alert, severity, type]),
  );
  return [...byKind.keys()].toSorted().flatMap((kind) => {
    const [first, ...others] = byKind.get(kind) ?? [];
    if (first === undefined) return [];
    const total = others.reduce((sum, one) => sum + one.count, first.count);
    return [{ ...first, count: total, keys: [first, ...others].flatMap(({ keys }) => keys) }];
  });
}

function membersIn(id: string, rows: readonly Row[]): Delivery['members'] {
  const failures: StorageError[] = [];
  const [first, ...others] = rows.flatMap((row) => {
    try {
      return [memberOf(row)];
    } catch (error) {
      if (!(error instanceof StorageError)) throw error;
      failures.push(error);
      return [];
    }
  });
  if (first !== undefined) return [first, ...others];
  throw failures[0] ?? new StorageError(`the stored delivery ${id} speaks of nothing that is kept`);
}

const present: z.ZodType<Present> = z.object({
  at: instant,
  title: z.string(),
  detail: z.string().nullable(),
  measured: z.string().nullable(),
  text: segments,
  fields: facts,
});

const sentAs = z.enum(['news', 'repeat', 'fired-and-resolved']);

/** Throws a StorageError that names the delivery and the watch when the row is damaged. */
export function memberOf(row: Row): DeliveryMember {
  const watch = typeof row['watch'] === 'string' ? `watch ${row['watch']}` : 'a watch that is gone';
  return parsed(`delivery ${String(row['id'])} of ${watch}`, () => ({
    message: message.parse(fromJson(row['message'])),
    as: sentAs.parse(row['sent_as']),
    renewed: renewedIn(row['renewed']),
    heldAt: instant.nullable().parse(row['held_at']),
    // If it is missing or damaged, the message shows the values at firing.
    present: present.safeParse(jsonOrNull(row['present'])).data ?? null,
  }));
}

const more: z.ZodType<MoreMembers> = z.object({
  watch: z.string(),
  alert: z.string(),
  severity: z.enum(SEVERITIES),
  type: z.enum(MESSAGE_TYPES),
  count,
  keys: z.array(z.string()),
});

/** Throws a StorageError when the row is damaged. */
function moreOf(row: Row): MoreMembers {
  return parsed(`members of delivery ${String(row['id'])}`, () =>
    more.parse({ ...row, watch: row['rule'], keys: fromJson(row['keys']) }),
  );
}

// The ids that receivers gave to the last message about each alert, so that the next message can change or answer it.

const TOLD = `
  group_member AS member
    JOIN deliveries AS mine ON mine.number = member.delivery
    JOIN notifications AS told ON told.number = member.notification`;

const RECEIPTS = `
  ${TOLD}
    LEFT JOIN recipient_state AS state
      ON state.key = member.key AND state.channel = mine.channel AND state.recipient = mine.recipient
        AND state.receipt_episode = told.episode
  WHERE member.delivery = $1`;

// Two short queries instead of one over all members. If there are thousands of members, usually the first one has no
// receipt, or the second one has a different receipt.
const FIRST_RECEIPT = `SELECT receipt FROM ${RECEIPTS} LIMIT 1`;
const ANOTHER_RECEIPT = `SELECT 1 AS one FROM ${RECEIPTS} AND receipt IS DISTINCT FROM $2 LIMIT 1`;

const MOST_OWN = 50;
const OWN_RECEIPTS = `SELECT member.key, receipt FROM ${RECEIPTS} AND receipt IS NOT NULL ORDER BY member.key LIMIT ${MOST_OWN}`;

const IS_OF_SEVERAL = 'SELECT 1 AS one FROM group_member WHERE delivery = $1 LIMIT 1 OFFSET 1';

// The receipt of a message about several alerts replaces the receipt that they shared before, but not the receipt of a
// message about one alert alone.
const KEEP_RECEIPT = `
  UPDATE recipient_state AS state SET receipt = $4, receipt_episode = known.episode
  FROM (SELECT member.key, mine.channel, mine.recipient, told.episode FROM ${TOLD} WHERE ${IN_PAGE}) AS known
  WHERE state.key = known.key AND state.channel = known.channel AND state.recipient = known.recipient
    AND ($5::bigint = 0 OR state.receipt IS NULL OR state.receipt_episode <> known.episode OR state.receipt = $6::text)`;

/**
 * The receipt of an earlier message about the same alerts in the same episodes; null if there is none, or if not all of
 * these alerts have the same one.
 */
export async function receiptOf(sql: Sql, delivery: number): Promise<Receipt | null> {
  const receipt = (await sql.first(FIRST_RECEIPT, [delivery]))?.['receipt'];
  if (typeof receipt !== 'string') return null;
  return (await sql.first(ANOTHER_RECEIPT, [delivery, receipt])) === undefined ? receipt : null;
}

/** The receipts of the delivery's members by key, at most `MOST_OWN`. */
export async function ownReceiptsOf(sql: Sql, delivery: number): Promise<ReadonlyMap<string, Receipt>> {
  const rows = await sql.all(OWN_RECEIPTS, [delivery]);
  return new Map(rows.map((row) => [text(row, 'key'), text(row, 'receipt')]));
}

/** Stores the receipt of an accepted delivery for the members of this page. */
export async function keepReceipt(sql: Sql, delivery: number, page: KeyPage, receipt: Receipt): Promise<void> {
  const isOfSeveral = (await sql.first(IS_OF_SEVERAL, [delivery])) !== undefined;
  const shared = isOfSeveral ? await receiptOf(sql, delivery) : null;
  await sql.run(KEEP_RECEIPT, [delivery, ...inPage(page), receipt, Number(isOfSeveral), shared]);
}
