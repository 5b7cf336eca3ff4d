// A delivery about thousands of alerts is read and settled a page at a time, so that no turn of the event loop is long.
// If the process dies between two pages, the delivery is still `sending`, so it is sent again under its id.
import type { DeliveryId } from '../core/model/ids.ts';
import type { MoreMembers } from '../core/model/delivery.ts';
import type { ClosedMember, FirstTry } from '../dispatch/first-try.ts';
import type { Key } from '../dispatch/model.ts';
import { nextTurn, type Instant } from '../lib/clock.ts';
import type { Claimed, OutboxStore, Tried } from './contract/deliveries.ts';
import type { SqlDatabase } from './sql/database.ts';
import type { Sql } from './sql/sql.ts';
import type { TakenDelivery } from './tables/deliveries/deliveries.ts';
import { openConditions } from './tables/alerts/alerts.ts';
import { closedMembers } from './tables/deliveries/first-tries.ts';
import { policyFor } from './tables/operators/policy.ts';
import { alikeTogether, FIRST_KEY, moreMembers, pageEnd, type KeyPage } from './tables/deliveries/delivery-members.ts';
import { markSent, type SentSettlement } from './tables/deliveries/settled-deliveries.ts';

/** Reads the members that the claim left out, page by page, after its transaction. */
export async function wholeDelivery(sql: Sql, { claimed, unread }: TakenDelivery): Promise<Claimed> {
  if (unread === null) return claimed;
  const { delivery } = claimed;
  const more: MoreMembers[] = [];
  for await (const page of keyPages(sql, delivery.id)) more.push(...(await moreMembers(sql, unread, page)));
  return { ...claimed, delivery: { ...delivery, more: alikeTogether(more) } };
}

export async function readFirstTry(
  { snapshot, sql }: Pick<SqlDatabase, 'snapshot' | 'sql'>,
  id: DeliveryId,
  { silencesSince, withSources }: Parameters<OutboxStore['readFirstTry']>[1],
): Promise<FirstTry> {
  const members: ClosedMember[] = [];
  for await (const page of keyPages(sql, id)) members.push(...(await closedMembers(sql, id, page)));
  const keys = members.map(({ key }) => key);
  return snapshot(async (on) => {
    const policy = await policyFor(on, keys, silencesSince);
    return { members, policy, sources: withSources ? await openConditions(on) : [] };
  });
}

/** Marks all members but those of the last page as sent; resolves with the last key before that page. */
export async function markedBefore(
  { sql, write }: Pick<SqlDatabase, 'sql' | 'write'>,
  tried: Tried,
  settlement: SentSettlement,
  at: Instant,
): Promise<Key> {
  let marked = FIRST_KEY;
  for await (const page of keyPages(sql, tried.id)) {
    if (page.to === null) break;
    // This write need not wait for the disk: the settlement comes later, and waits for it.
    await write('settle', (on) => markSent(on, tried, page, settlement, at), 'relaxed');
    marked = page.to;
  }
  return marked;
}

/** Yields to the event loop between two pages. */
async function* keyPages(sql: Sql, id: DeliveryId): AsyncGenerator<KeyPage, void, undefined> {
  for (let after = FIRST_KEY; ;) {
    const to = await pageEnd(sql, id, after);
    yield { after, to };
    if (to === null) return;
    after = to;
    await nextTurn();
  }
}
