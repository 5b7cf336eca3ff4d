import type { StoreView } from '../store.ts';
import * as alerts from './alerts-view.ts';
import { seenCluster } from './cluster.ts';
import type { Database } from './database.ts';
import * as deliveries from './deliveries/deliveries-view.ts';
import { notifiedSince } from './dispatch/notified-view.ts';
import { openAlerts } from './dispatch/open-alerts.ts';
import { told } from './dispatch/states-table.ts';
import { readFact, troubles } from './facts.ts';
import { notificationCounts, notifications, journalPage } from './journal-pages.ts';
import { headOf, historyOf, verify } from './journal-table.ts';
import { diagnostics, recall } from './memory-table.ts';
import { policyAt } from './operators/policy.ts';
import { heldBySilence, pauses, silences } from './operators/silences-table.ts';
import { buckets, firstPolls, runsAfter, samplesAfter, samplesOf, unknownSpans } from './samples-table.ts';
import type { Sql } from './sql.ts';

/** What may be looked at. What takes more than one statement sees one moment. */
export function createPostgresView({ sql, snapshot }: Pick<Database, 'sql' | 'snapshot'>): StoreView {
  const one = <T>(work: (on: Sql) => Promise<T>): Promise<T> => work(sql);
  return {
    replicas: () => one(seenCluster),
    silences: () => one(silences),
    heldBySilence: () => one(heldBySilence),
    notificationCounts: (since) => one((on) => notificationCounts(on, since)),
    version: () => one(versionOf),
    recall: (ids, onDamaged) => one((on) => recall(on, ids, onDamaged)),
    samples: (watch) => one((on) => samplesOf(on, watch)),
    samplesAfter: (of, after, limit) => one((on) => samplesAfter(on, of, after, limit)),
    runsAfter: (of, after, limit) => one((on) => runsAfter(on, of, after, limit)),
    buckets: (of, from) => one((on) => buckets(on, of, from)),
    unknownSpans: (since, watch) => one((on) => unknownSpans(on, since, watch)),
    firstPolls: (watches) => one((on) => firstPolls(on, watches)),
    notifiedSince: (since) => snapshot((on) => notifiedSince(on, since)),
    pauses: () => one(pauses),
    policy: (at) => snapshot((on) => policyAt(on, at)),
    openAlerts: (of) => one((on) => openAlerts(on, of)),
    history: (filter) => one((on) => historyOf(on, filter)),
    journalPage: (filter) => snapshot((on) => journalPage(on, filter)),
    notifications: (of) => snapshot((on) => notifications(on, of)),
    journalHead: () => one(headOf),
    verifyJournal: (anchor) => snapshot((on) => verify(on, anchor)),
    survey: () => snapshot(deliveries.survey),
    backlog: (deadSince) => snapshot((on) => deliveries.backlog(on, deadSince)),
    deliveries: (filter) => snapshot((on) => deliveries.deliveries(on, filter)),
    delivery: (id) => snapshot((on) => deliveries.delivery(on, id)),
    told: () => one(told),
    lastTried: (channel) => snapshot((on) => deliveries.lastTried(on, channel)),
    dead: (limit) => snapshot((on) => deliveries.dead(on, limit)),
    diagnostics: (ids) => one((on) => diagnostics(on, ids)),
    running: () => one((on) => readFact(on, 'running')),
    troubles: () => one(troubles),
    deliveriesOf: (watch, alert, limit) => snapshot((on) => deliveries.deliveriesOf(on, watch, alert, limit)),
    progress: (of) => one((on) => alerts.progress(on, of)),
    heldBack: (of) => one((on) => alerts.heldBack(on, of)),
    unheard: (before, uncounted) => one((on) => alerts.unheard(on, before, uncounted)),
    events: (since, limit) => snapshot((on) => alerts.events(on, since, limit)),
    firings: (since, watch) => snapshot((on) => alerts.firings(on, since, watch)),
    messages: (of) => one((on) => alerts.messages(on, of)),
    messagesOfKey: (key) => one((on) => alerts.messagesOfKey(on, key)),
    messagesOf: (watch, limit) => one((on) => alerts.messagesOf(on, watch, limit)),
    watchOf: (key) => one((on) => alerts.watchOf(on, key)),
  };
}

/** Changes with every commit on the server, that of another database included. */
async function versionOf(sql: Sql): Promise<string> {
  return String((await sql.first('SELECT pg_current_snapshot()::text AS version'))?.['version']);
}
