// Queries for readers, for either engine. A query of several statements reads one snapshot.
import type { SqlReads } from './sql/database.ts';
import { bound, type Sql } from './sql/sql.ts';
import type { StoreView } from './contract/store.ts';
import { heldBack, notifiedSince, openAlerts, progress, told, unheard } from './tables/alerts/alert-lists.ts';
import { openConditions } from './tables/alerts/alerts.ts';
import {
  events,
  firings,
  labelsOf,
  messages,
  messagesOf,
  messagesOfKey,
  watchOf,
} from './tables/alerts/event-lists.ts';
import { notificationCounts } from './tables/alerts/notifications.ts';
import {
  backlog,
  dead,
  deliveries,
  deliveriesOf,
  delivery,
  lastTried,
  survey,
} from './tables/deliveries/delivery-lists.ts';
import { history, journalPage, notifications, verifyJournal } from './tables/journal/journal-pages.ts';
import { journalHashAt, journalHead } from './tables/journal/journal.ts';
import { readFact } from './tables/memory/facts.ts';
import { diagnostics, recall } from './tables/memory/memory.ts';
import { buckets, firstPolls, runsAfter, samples, samplesAfter, unknownSpans } from './tables/memory/samples.ts';
import { policyAt } from './tables/operators/policy.ts';
import { heldBySilence, pauses, silences } from './tables/operators/silences.ts';

/** The queries that each engine implements itself. */
export type OwnView = Pick<StoreView, 'replicas' | 'version' | 'health'>;

export function createView({ sql, snapshot }: SqlReads, own: OwnView): StoreView {
  const single = <T>(work: (on: Sql) => Promise<T>): Promise<T> => work(sql);
  return {
    ...own,
    running: () => readFact(sql, 'running'),
    ...bound(single, { recall, diagnostics, samples, samplesAfter, runsAfter, buckets, unknownSpans, firstPolls }),
    ...bound(single, { openAlerts, openConditions, progress, heldBack, unheard, told, notificationCounts }),
    ...bound(single, { labelsOf, messages, messagesOfKey, messagesOf, watchOf }),
    ...bound(snapshot, { events, firings, notifiedSince, notifications }),
    ...bound(snapshot, { survey, backlog, deliveries, delivery, dead, lastTried, deliveriesOf }),
    ...bound(single, { silences, heldBySilence, pauses }),
    ...bound(snapshot, { policy: policyAt, journalPage, verifyJournal }),
    ...bound(single, { history, journalHead, journalHashAt }),
  };
}
