// Groups: alerts that are sent to one target together, with the time of the next decision.
//
//   due_at   when the group is decided: now for new transitions, else `wake_at`
//   wake_at  when decided members are to be decided again
//   news     the number of its oldest undecided notification: the oldest is sent first
import type { ClockShift } from '../../../dispatch/clock-jump.ts';
import type { GroupTimer, Key } from '../../../dispatch/model.ts';
import type { DueGroup } from '../../../dispatch/rounds/due-round.ts';
import type { GroupPlace } from '../../../dispatch/rounds/routing-round.ts';
import type { Instant } from '../../../lib/clock.ts';
import { earlier, type SqlDialect } from '../../sql/dialect.ts';
import { list, type Sql } from '../../sql/sql.ts';
import { notAfter } from './moved-clock.ts';
import { IS_ACTIVE } from './recipient-states.ts';

/**
 * A group with a new transition or another change. `notification`: the number of the transition; null: another change.
 */
export interface WokenGroup {
  readonly group: GroupPlace;
  readonly notification: number | null;
}

const WAKE = list(
  { id: 'text', channel: 'text', recipient: 'text', labels: 'json', due_at: 'int', news: 'int?' },
  (row) => `
    INSERT INTO dispatch_group AS old (id, channel, recipient, labels, due_at, news)
    SELECT ${row.id}, ${row.channel}, ${row.recipient}, ${row.labels}, ${row.due_at}, ${row.news}
    ${row.from} WHERE true
    ON CONFLICT (id) DO UPDATE SET
      due_at = ${earlier('excluded.due_at', 'old.due_at')}, news = coalesce(old.news, excluded.news),
      version = old.version + 1`,
);

/** Makes these groups due. */
export async function wake(sql: Sql, woken: readonly WokenGroup[], at: Instant): Promise<void> {
  const rows = [...Map.groupBy(woken, ({ group }) => group.id).values()].flatMap((some) => {
    const news = some.find(({ notification }) => notification !== null)?.notification ?? null;
    return some.slice(0, 1).map(({ group: { target, ...group } }) => ({ ...group, ...target, dueAt: at, news }));
  });
  await sql.each(WAKE, rows);
}

const wakeThose = (which: string): string => `
  UPDATE dispatch_group SET due_at = $1, wake_at = $1, version = version + 1
  WHERE id IN (SELECT group_id FROM recipient_state WHERE (${IS_ACTIVE}) AND ${which})`;
const WAKE_HOLDING = wakeThose('held IS NOT NULL');
// The row of a group may have been removed while no member waited, so it is inserted again.
const WAKE_MEMBERS = `
  INSERT INTO dispatch_group AS old (id, channel, recipient, labels, due_at, wake_at)
  SELECT DISTINCT state.group_id, state.channel, state.recipient, '{}', $2::bigint, $2::bigint
  FROM deliveries AS mine JOIN group_member AS member ON member.delivery = mine.number
  JOIN recipient_state AS state
    ON state.key = member.key AND state.channel = mine.channel AND state.recipient = mine.recipient
  WHERE mine.number = $1 AND state.group_id IS NOT NULL AND (state.begun IS NOT NULL OR state.wanted > state.closed)
  ON CONFLICT (id) DO UPDATE SET due_at = excluded.due_at, wake_at = excluded.wake_at, version = old.version + 1`;
const WAKE_HELD_BY = (d: SqlDialect): string => wakeThose(d.among(d.jsonText('held', 'by'), '$2', 'text'));

/** Groups with alerts that are held back are decided again. */
export async function wakeHolding(sql: Sql, at: Instant): Promise<void> {
  await sql.run(WAKE_HOLDING, [at]);
}

/** Groups of alerts in a delivery that are open or have pending transitions are decided again. */
export async function wakeMembers(sql: Sql, delivery: number, at: Instant): Promise<void> {
  await sql.run(WAKE_MEMBERS, [delivery, at]);
}

/** Groups with alerts that were held back by these ended alerts are decided again. */
export async function wakeHeldBy(sql: Sql, keys: readonly Key[], at: Instant): Promise<void> {
  if (keys.length > 0) await sql.run(WAKE_HELD_BY, [at, keys]);
}

/** `isKept`: false if the group is removed when no member waits. */
export interface DecidedGroup {
  readonly group: DueGroup;
  readonly timer: GroupTimer;
  readonly isKept: boolean;
}

const DROP = list(
  { id: 'text', version: 'int' },
  (row) => `DELETE FROM dispatch_group AS old ${row.using} WHERE old.id = ${row.id} AND old.version = ${row.version}`,
);
const KEEP = list(
  { id: 'text', version: 'int', closed_at: 'int?', wake_at: 'int?' },
  (row) => `
    UPDATE dispatch_group AS old SET
      closed_at = ${row.closed_at}, due_at = ${row.wake_at}, wake_at = ${row.wake_at}, news = NULL,
      version = old.version + 1
    ${row.from} WHERE old.id = ${row.id} AND old.version = ${row.version}`,
);

/** False: one of the groups has changed since it was read. */
export async function keepGroups(sql: Sql, groups: readonly DecidedGroup[]): Promise<boolean> {
  const goes = ({ timer, isKept }: DecidedGroup): boolean => timer.wakeAt === null && !isKept;
  const gone = groups.filter(goes).map(({ group }) => group);
  const kept = groups.filter((one) => !goes(one)).map(({ group, timer }) => ({ ...group, ...timer }));
  return (await sql.each(DROP, gone)) + (await sql.each(KEEP, kept)) === groups.length;
}

const AS_READ = list(
  { id: 'text', version: 'int' },
  (row) => `
    SELECT 1 AS same FROM dispatch_group AS old ${row.also} WHERE old.id = ${row.id} AND old.version = ${row.version}`,
);

/** False: one of the groups has changed since it was read. */
export async function areAsRead(sql: Sql, groups: readonly DueGroup[]): Promise<boolean> {
  const same = await sql.allOf(AS_READ, groups);
  return same.length === groups.length;
}

const MOVE = `
  UPDATE dispatch_group SET closed_at = ${notAfter('closed_at', '$1')}, due_at = $1::bigint, wake_at = $1::bigint,
    version = version + 1
  WHERE due_at IS NOT NULL OR closed_at > $1::bigint`;

/** All waiting members are decided again. */
export async function moveGroups(sql: Sql, { now }: ClockShift): Promise<void> {
  await sql.run(MOVE, [now]);
}
