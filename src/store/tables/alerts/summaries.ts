// Summaries: notifications of many events at once, or of what became of them. Each names the keys of its events.
import { EVENT_OPEN_MS } from '../../../core/model/transition.ts';
import type { Informed, RetractedSummary, Unrouted } from '../../../dispatch/rounds/routing-round.ts';
import type { Instant } from '../../../lib/clock.ts';
import type { SqlDialect } from '../../sql/dialect.ts';
import { int, text } from '../../sql/rows.ts';
import type { Sql } from '../../sql/sql.ts';
import { AS_ROUTED, summaryKeysIn, transitionOfType, unroutedOf } from './notifications.ts';

/** Summaries with an event that one of these notifications retracts. */
export async function retractedBy(sql: Sql, retractions: readonly Unrouted[]): Promise<RetractedSummary[]> {
  const since = Math.min(...retractions.map(({ at }) => at)) - EVENT_OPEN_MS;
  const keys = new Set(retractions.flatMap(({ key, members }) => [key, ...members]));
  const summaries = await summariesSince(sql, since);
  const about = new Set(summaries.filter((one) => isOfEvents(one) && one.members.some((key) => keys.has(key))));
  const finished = new Set(await retractedAmong(sql, summaries, (one) => about.has(one)));
  return [...about].map((summary) => ({ ...summary, isFinished: finished.has(summary) }));
}

/**
 * The numbers of later summaries about the events of these ones, such as of retractions. A recipient that is sent the
 * events now is sent these summaries, too. A summary that is folded for one recipient names no channels, and its
 * transitions have rows of their own.
 */
export async function summariesAfter(sql: Sql, informed: readonly Informed[], at: Instant): Promise<number[]> {
  // The first summary of an event is set last.
  const newestFirst = informed.toSorted((a, b) => b.number - a.number);
  const first = new Map(newestFirst.flatMap(({ number, keys }) => keys.map((key) => [key, number])));
  const summaries = await summariesSince(sql, at - EVENT_OPEN_MS);
  const isLater = ({ number, members }: Unrouted): boolean =>
    members.some((key) => number > (first.get(key) ?? Infinity));
  return summaries.filter((one) => one.notify.length > 0 && isLater(one)).map(({ number }) => number);
}

const SUMMARIES = `${AS_ROUTED} WHERE summary IS NOT NULL AND at > $1 ORDER BY number`;

/** The oldest first. */
async function summariesSince(sql: Sql, since: Instant): Promise<Unrouted[]> {
  return (await sql.all(SUMMARIES, [since])).map(unroutedOf);
}

export type SummaryMembers = Pick<Unrouted, 'number' | 'key' | 'transition' | 'members'>;

const MEMBERS = (d: SqlDialect): string => `
  SELECT number, key, transition, summary, ${d.jsonText('message', 'summary', 'of')} AS of
  FROM notifications WHERE summary IS NOT NULL AND at > $1 ORDER BY number`;

/**
 * Reads the members of summaries without their messages, the oldest first: to read the messages of a week would take
 * long.
 */
export async function summaryMembersSince(sql: Sql, since: Instant): Promise<SummaryMembers[]> {
  return (await sql.all(MEMBERS, [since])).map((row) => ({
    number: int(row, 'number'),
    key: text(row, 'key'),
    transition: transitionOfType(row['of'] ?? `alert.${text(row, 'transition')}`),
    members: summaryKeysIn(row['summary']),
  }));
}

const RETRACTED = (d: SqlDialect): string => `
  SELECT key, max(number) AS number FROM notifications
  WHERE transition = 'retracted' AND ${d.among('key', '$1', 'text')} GROUP BY key`;

/** True for a summary of events; false for one of later transitions of events. */
export function isOfEvents({ transition }: Pick<Unrouted, 'transition'>): boolean {
  return transition === 'event' || transition === 'reinstated';
}

/** Summaries whose events were all retracted after the summary. `isAsked`: chooses the summaries to check. */
export async function retractedAmong<T extends SummaryMembers>(
  sql: Sql,
  summaries: readonly T[],
  isAsked: (summary: T) => boolean = () => true,
): Promise<T[]> {
  const asked = summaries.filter((one) => isOfEvents(one) && isAsked(one));
  if (asked.length === 0) return [];
  const keys = [...new Set(asked.flatMap(({ members }) => members))];
  const retracted = new Map((await sql.all(RETRACTED, [keys])).map((row) => [String(row['key']), int(row, 'number')]));
  const together = summaries.filter(({ transition }) => transition === 'retracted');
  for (const { number, members } of together)
    for (const key of members) retracted.set(key, Math.max(number, retracted.get(key) ?? 0));
  return asked.filter(({ number, members }) => members.every((key) => (retracted.get(key) ?? 0) > number));
}
