// A delivery about thousands of alerts is read and settled a page at a time, so that no turn of the event loop is long.
// When the process dies in between, the delivery is still being sent: it goes out again, under its id.
import type { MoreMembers } from '../../../core/model/delivery.ts';
import type { DeliveryId } from '../../../core/model/ids.ts';
import type { Key } from '../../../dispatch/model.ts';
import { nextTurn, type Instant } from '../../../lib/clock.ts';
import type { Claimed, Tried } from '../../outbox.ts';
import type { Access } from '../access.ts';
import type { DeliveriesTable, HandedOut, Sent } from './deliveries-table.ts';
import type { KeyRange } from './member-pages.ts';

export interface LargeDeliveries {
  /** With all of its members. */
  whole(handedOut: HandedOut): Promise<Claimed>;
  /** Notes that its recipient was told of all members but those of the last page; resolves with the key before that page. */
  toldBefore(tried: Tried, settlement: Sent, at: Instant): Promise<Key>;
}

/** What all keys come after. */
export const FIRST_PAGE: Key = '';

/** `table`: of the file that is open now. */
export function createLargeDeliveries(
  { read, writeUnsynced }: Pick<Access, 'read' | 'writeUnsynced'>,
  table: () => DeliveriesTable,
): LargeDeliveries {
  function pageBehind(id: DeliveryId, after: Key): KeyRange {
    return { after, to: table().pageEnd(id, after) };
  }

  return {
    async whole({ claimed, unread }) {
      if (unread === null) return claimed;
      const { delivery } = claimed;
      const pages: MoreMembers[] = [];
      for (let after: Key | null = FIRST_PAGE; after !== null;) {
        await nextTurn();
        const page: KeyRange = await read(() => pageBehind(delivery.id, after ?? FIRST_PAGE));
        pages.push(...(await read(() => unread.page(page))));
        after = page.to;
      }
      return { ...claimed, delivery: { ...delivery, more: alikeTogether(pages) } };
    },
    async toldBefore(tried, settlement, at) {
      for (let after: Key = FIRST_PAGE; ;) {
        const page = await read(() => pageBehind(tried.id, after));
        if (page.to === null) return after;
        await writeUnsynced('settle', () => {
          table().told(tried, page, settlement, at);
        });
        after = page.to;
        await nextTurn();
      }
    },
  };
}

/** Those of one alert, severity and type as one. */
function alikeTogether(pages: readonly MoreMembers[]): MoreMembers[] {
  const byKind = Map.groupBy(pages, ({ watch, alert, severity, type }) =>
    JSON.stringify([watch, alert, severity, type]),
  );
  return [...byKind.keys()].toSorted().flatMap((kind) => {
    const [first, ...others] = byKind.get(kind) ?? [];
    if (first === undefined) return [];
    const count = others.reduce((sum, one) => sum + one.count, first.count);
    return [{ ...first, count, keys: [first, ...others].flatMap(({ keys }) => keys) }];
  });
}
