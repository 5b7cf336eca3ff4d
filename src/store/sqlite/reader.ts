import type { DatabaseSync } from 'node:sqlite';
import type { Json } from '../../core/values/fields.ts';
import type { StoreReader } from '../store.ts';
import { createAlertsView } from './alerts-view.ts';
import { answering, opened, openReadOnly } from './database.ts';
import { createFacts } from './facts.ts';
import { createJournalView } from './journal-table.ts';
import { createNotifiedView } from './dispatch/notified-view.ts';
import { createHeldBySilences, createKeptSilences } from './operators/silence-lists.ts';
import { createJournalPages, createNotificationCounts, createNotificationsView } from './journal-pages.ts';
import { createDiagnosticsView, createRecall } from './memory-table.ts';
import { assertCurrent } from './migrations/migrations.ts';
import { createDeliveriesView } from './deliveries/deliveries-view.ts';
import { createToldView } from './dispatch/states-table.ts';
import { createOpenAlertsView } from './dispatch/open-alerts.ts';
import { createPolicyView } from './operators/policy.ts';
import { createSamplesView } from './samples-table.ts';
import { createPausesView } from './operators/silences-table.ts';

/** Takes no lock. Throws a StorageError when there is no state file, or when it is not of this release's schema. */
export async function openSqliteReader({ file }: { readonly file: string }): Promise<StoreReader> {
  const db = answering(file, 'open', () =>
    opened(openReadOnly(file), (found) => {
      assertCurrent(found, file);
    }),
  );
  return createSqliteReader(db, file, () => {
    if (db.isOpen) db.close();
  });
}

/** Over a connection that the caller opened. `file`: for messages. */
export function createSqliteReader(db: DatabaseSync, file: string, close: () => void): StoreReader {
  const {
    recall,
    diagnostics,
    view,
    alerts,
    told,
    facts,
    runs,
    pauses,
    policy,
    openAlerts,
    journal,
    journalPage,
    notifications,
    silences,
    heldBySilence,
    counts,
    notified,
  } = answering(file, 'prepare', () => ({
    recall: createRecall(db),
    diagnostics: createDiagnosticsView(db),
    view: createDeliveriesView(db),
    alerts: createAlertsView(db),
    told: createToldView(db),
    facts: createFacts(db),
    runs: createSamplesView(db),
    pauses: createPausesView(db),
    policy: createPolicyView(db),
    openAlerts: createOpenAlertsView(db),
    journal: createJournalView(db),
    journalPage: createJournalPages(db),
    notifications: createNotificationsView(db),
    silences: createKeptSilences(db),
    heldBySilence: createHeldBySilences(db),
    counts: createNotificationCounts(db),
    notified: createNotifiedView(db),
  }));
  const version = answering(file, 'prepare', () =>
    db.prepare('SELECT data_version AS others, total_changes() AS own FROM pragma_data_version'),
  );
  const read = <T>(work: () => T): T => answering(file, 'read', work);
  return {
    replicas: async () => null,
    silences: async () => read(silences),
    heldBySilence: async () => read(heldBySilence),
    notificationCounts: async (since) => read(() => counts(since)),
    notifiedSince: async (since) => read(() => notified(since)),
    version: async () => read(() => Object.values(version.get() ?? {}).join('.')),
    recall: async (ids, onDamaged) => read(() => recall(ids, onDamaged)),
    samples: async (watch) => read(() => runs.of(watch)),
    samplesAfter: async (of, after, limit) => read(() => runs.after(of, after, limit)),
    runsAfter: async (of, after, limit) => read(() => runs.runsAfter(of, after, limit)),
    buckets: async (of, from) => read(() => runs.buckets(of, from)),
    unknownSpans: async (since, watch) => read(() => runs.unknown(since, watch)),
    firstPolls: async (watches) => read(() => runs.firstPolls(watches)),
    pauses: async () => read(pauses),
    policy: async (at) => read(() => policy(at)),
    openAlerts: async (of) => read(() => openAlerts(of)),
    history: async (filter) => read(() => journal.history(filter)),
    journalPage: async (filter) => read(() => journalPage(filter)),
    notifications: async (of) => read(() => notifications(of)),
    journalHead: async () => read(() => journal.head()),
    verifyJournal: async (anchor) => read(() => journal.verify(anchor)),
    survey: async () => read(() => view.survey()),
    backlog: async (deadSince) => read(() => view.backlog(deadSince)),
    deliveries: async (filter) => read(() => view.deliveries(filter)),
    delivery: async (id) => read(() => view.delivery(id)),
    told: async () => read(told),
    lastTried: async (channel) => read(() => view.lastTried(channel)),
    dead: async (limit) => read(() => view.dead(limit)),
    diagnostics: async (ids) => read(() => diagnostics(ids)),
    running: async () => read(() => facts.json('running')),
    troubles: async () => read(() => textsOf(facts.json('troubles'))),
    deliveriesOf: async (watch, alert, limit) => read(() => view.deliveriesOf(watch, alert, limit)),
    progress: async (of) => read(() => alerts.progress(of)),
    heldBack: async (of) => read(() => alerts.held(of)),
    unheard: async (before, uncounted) => read(() => alerts.unheard(before, uncounted)),
    events: async (since, limit) => read(() => alerts.events(since, limit)),
    firings: async (since, watch) => read(() => alerts.firings(since, watch)),
    messages: async (of) => read(() => alerts.messages(of)),
    messagesOfKey: async (key) => read(() => alerts.messagesOfKey(key)),
    messagesOf: async (watch, limit) => read(() => alerts.messagesOf(watch, limit)),
    watchOf: async (key) => read(() => alerts.watchOf(key)),
    async [Symbol.asyncDispose]() {
      close();
    },
  };
}

function textsOf(value: Json): string[] {
  return Array.isArray(value) ? value.filter((line) => typeof line === 'string') : [];
}
