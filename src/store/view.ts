// What may be looked at, whichever engine keeps it. What takes more than one statement sees one moment.
import type { SqlReads } from './sql/database.ts';
import type { StoreView } from './contract/store.ts';
import { heldBack, notifiedSince, openAlerts, progress, told, unheard } from './tables/alerts/alert-lists.ts';
import { events, firings, messages, messagesOf, messagesOfKey, watchOf } from './tables/alerts/event-lists.ts';
import { notificationCounts } from './tables/alerts/notifications.ts';
import * as deliveries from './tables/deliveries/delivery-lists.ts';
import { historyOf, journalPage, notifications, verify } from './tables/journal/journal-pages.ts';
import { hashAt, headOf } from './tables/journal/journal.ts';
import { diagnostics } from './tables/memory/coverage.ts';
import { readFact } from './tables/memory/facts.ts';
import { recall } from './tables/memory/memory.ts';
import { buckets } from './tables/memory/sample-hours.ts';
import { runsAfter, samplesAfter, samplesOf } from './tables/memory/samples.ts';
import { firstPolls, unknownSpans } from './tables/memory/unknown-spans.ts';
import { policyAt } from './tables/operators/policy.ts';
import { heldBySilence, pauses, silences } from './tables/operators/silences.ts';

/** What each engine knows in a way of its own. */
export type OwnView = Pick<StoreView, 'replicas' | 'version' | 'health'>;

export function createView(reads: SqlReads, own: OwnView): StoreView {
  return {
    ...own,
    running: () => readFact(reads.sql, 'running'),
    ...memoryView(reads),
    ...alertView(reads),
    ...deliveryView(reads),
    ...operatorView(reads),
    ...journalView(reads),
  };
}

function memoryView({ sql }: SqlReads) {
  return {
    recall: (ids, onDamaged) => recall(sql, ids, onDamaged),
    diagnostics: (ids) => diagnostics(sql, ids),
    samples: (watch) => samplesOf(sql, watch),
    samplesAfter: (of, after, limit) => samplesAfter(sql, of, after, limit),
    runsAfter: (of, after, limit) => runsAfter(sql, of, after, limit),
    buckets: (of, from) => buckets(sql, of, from),
    unknownSpans: (since, watch) => unknownSpans(sql, since, watch),
    firstPolls: (watches) => firstPolls(sql, watches),
  } satisfies Partial<StoreView>;
}

function alertView({ sql, snapshot }: SqlReads) {
  return {
    openAlerts: (of) => openAlerts(sql, of),
    progress: (of) => progress(sql, of),
    heldBack: (of) => heldBack(sql, of),
    unheard: (before, uncounted) => unheard(sql, before, uncounted),
    told: () => told(sql),
    events: (since, limit) => snapshot((on) => events(on, since, limit)),
    firings: (since, watch) => snapshot((on) => firings(on, since, watch)),
    messages: (of) => messages(sql, of),
    messagesOfKey: (key) => messagesOfKey(sql, key),
    messagesOf: (watch, limit) => messagesOf(sql, watch, limit),
    watchOf: (key) => watchOf(sql, key),
    notificationCounts: (since) => notificationCounts(sql, since),
    notifiedSince: (since) => snapshot((on) => notifiedSince(on, since)),
    notifications: (of) => snapshot((on) => notifications(on, of)),
  } satisfies Partial<StoreView>;
}

function deliveryView({ snapshot }: SqlReads) {
  return {
    survey: () => snapshot(deliveries.survey),
    backlog: (deadSince) => snapshot((on) => deliveries.backlog(on, deadSince)),
    deliveries: (filter) => snapshot((on) => deliveries.deliveries(on, filter)),
    delivery: (id) => snapshot((on) => deliveries.delivery(on, id)),
    dead: (limit) => snapshot((on) => deliveries.dead(on, limit)),
    lastTried: (channel) => snapshot((on) => deliveries.lastTried(on, channel)),
    deliveriesOf: (watch, alert, limit) => snapshot((on) => deliveries.deliveriesOf(on, watch, alert, limit)),
  } satisfies Partial<StoreView>;
}

function operatorView({ sql, snapshot }: SqlReads) {
  return {
    silences: () => silences(sql),
    heldBySilence: () => heldBySilence(sql),
    pauses: () => pauses(sql),
    policy: (at) => snapshot((on) => policyAt(on, at)),
  } satisfies Partial<StoreView>;
}

function journalView({ sql, snapshot }: SqlReads) {
  return {
    history: (filter) => historyOf(sql, filter),
    journalPage: (filter) => snapshot((on) => journalPage(on, filter)),
    journalHead: () => headOf(sql),
    journalHashAt: (position) => hashAt(sql, position),
    verifyJournal: (anchor) => snapshot((on) => verify(on, anchor)),
  } satisfies Partial<StoreView>;
}
