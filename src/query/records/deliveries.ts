// The deliveries: given up, then owed, then sent.
import { z } from 'zod';
import { headingOf } from '../../core/wording/words.ts';
import { showInstant } from '../../lib/clock.ts';
import { singleLine } from '../../lib/untrusted.ts';
import type { DeliveryFilter as Wanted, DeliveryState, StoredDelivery } from '../../store/contract/deliveries.ts';
import { cursorOf, placeIn } from '../cursor.ts';
import { statusOf } from '../alerts/recipients.ts';
import type { DeliveryListFilter } from '../shapes.ts';
import type { DeliveryDetail, DeliveryList, DeliveryRow } from '../shapes/operators.ts';
import { debtsOf } from '../daemon/trust.ts';
import type { QueryContext } from '../view.ts';

/** Rejects with a `StorageError`, or a `BadCursor`. */
export async function deliveries(
  { store }: Pick<QueryContext, 'store'>,
  filter: DeliveryListFilter,
): Promise<DeliveryList> {
  const { items, next } = await pageOf(store, filter);
  const { outbox, dead, sent } = await store.survey();
  const owed = outbox.reduce((sum, { rows }) => sum + rows, 0);
  return {
    items: items.map(rowOf),
    next,
    counts: { problems: dead + owed, given_up: dead, owed, sent },
    failing: (await debtsOf(store, outbox)).filter(({ last_answer: answer }) => answer !== null),
  };
}

/** Null if the delivery never existed or is no longer stored. Rejects with a `StorageError`. */
export async function delivery({ store }: Pick<QueryContext, 'store'>, id: string): Promise<DeliveryDetail | null> {
  const found = await store.delivery(id);
  return found === null ? null : detailOf(found);
}

const STATES: Readonly<Record<NonNullable<DeliveryListFilter['state']> | 'all', readonly DeliveryState[]>> = {
  all: ['given-up', 'owed', 'sent'],
  problems: ['undismissed', 'owed'],
  'given-up': ['given-up'],
  owed: ['owed'],
  sent: ['sent'],
};

/** The content of a cursor: the index of the state among those of the filter, and the number of the last delivery. */
const Place = z.tuple([z.literal('deliveries'), z.int().nonnegative(), z.int()]);

async function pageOf(
  store: QueryContext['store'],
  { state, channel, after, limit }: DeliveryListFilter,
): Promise<{ items: StoredDelivery[]; next: string | null }> {
  const states = STATES[state ?? 'all'];
  const [, first, number] = placeIn(after, Place) ?? ['deliveries', 0, null];
  const found: { readonly at: number; readonly row: StoredDelivery }[] = [];
  for (const [at, one] of states.entries()) {
    if (at < first || found.length > limit) continue;
    // One delivery more than the page shows: its presence means that there is another page.
    const wanted: Wanted = {
      state: one,
      channel,
      before: at === first ? number : null,
      limit: limit + 1 - found.length,
    };
    found.push(...(await store.deliveries(wanted)).map((row) => ({ at, row })));
  }
  const shown = found.slice(0, limit);
  const last = shown.at(-1);
  const next = last === undefined || found.length <= limit ? null : cursorOf(['deliveries', last.at, last.row.number]);
  return { items: shown.map(({ row }) => row), next };
}

function rowOf(stored: StoredDelivery): DeliveryRow {
  const { id, kind, state, at, members, more, dismissedAt } = stored;
  const [{ message }] = members;
  const { key, episode, watch, alert, severity } = message;
  return {
    id,
    kind,
    state: STATE_OF[state],
    decided_at: showInstant(at),
    title: singleLine(headingOf(message)),
    severity,
    watch,
    alert,
    key,
    episode,
    transition: message.type.replace('alert.', ''),
    members: members.length + more.reduce((sum, { count }) => sum + count, 0),
    recipient: statusOf(stored),
    is_dismissed: dismissedAt !== null,
  };
}

const STATE_OF: Readonly<Record<StoredDelivery['state'], DeliveryRow['state']>> = {
  due: 'owed',
  sending: 'owed',
  dead: 'given-up',
  sent: 'sent',
  merged: 'merged',
  cancelled: 'cancelled',
};

function detailOf(stored: StoredDelivery): DeliveryDetail {
  const { members, more, settledAt, outcome } = stored;
  return {
    ...rowOf(stored),
    ended_at: settledAt === null ? null : showInstant(settledAt),
    outcome: outcome?.type ?? null,
    messages: members.map(({ message }) => ({
      title: singleLine(headingOf(message)),
      transition: message.type.replace('alert.', ''),
      watch: message.watch,
      alert: message.alert,
      severity: message.severity,
      rule: singleLine(message.rule),
    })),
    more: more.map(({ watch, alert, count }) => ({ watch, alert, count })),
  };
}
