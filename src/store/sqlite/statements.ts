// The statements on an open file: what reads and what writes each part of the state.
import type { DatabaseSync } from 'node:sqlite';
import { ANNOUNCER } from '../../core/model/ids.ts';
import { createAcksTable } from './operators/acks-table.ts';
import { createChainTable } from './chain-table.ts';
import { createFacts } from './facts.ts';
import { createJournalTable, createJournalView } from './journal-table.ts';
import {
  createDiagnosticsView,
  createMemoryTable,
  createRecall,
  createCovered,
  createRemembered,
} from './memory-table.ts';
import { createInterventions } from './operators/interventions.ts';
import { createPolicyView } from './operators/policy.ts';
import { createPausesView } from './operators/silences-table.ts';
import { createDeliveriesTable } from './deliveries/deliveries-table.ts';
import { createDeliveriesView } from './deliveries/deliveries-view.ts';
import { createNotificationsTable } from './dispatch/notifications-table.ts';
import { createHeldView } from './dispatch/held-view.ts';
import { createMirrorTable } from './dispatch/mirror-table.ts';
import { createOpenAlertsView } from './dispatch/open-alerts.ts';
import { createRounds } from './dispatch/rounds.ts';
import { createStatesTable } from './dispatch/states-table.ts';
import { createGroupsTable } from './dispatch/groups-table.ts';
import { createAlertsTable } from './dispatch/alerts-table.ts';
import { createBatchesTable } from './dispatch/batches-table.ts';
import { createSamplesTable, createSamplesView } from './samples-table.ts';
import { createSizeLimit } from './files/size-limit.ts';

/** With the limit of the file's size. They hold for this connection alone. */
export function prepareStatements(db: DatabaseSync, file: string, maxBytes: number) {
  const [notifications, states, policy] = [createNotificationsTable(db), createStatesTable(db), createPolicyView(db)];
  const [groups, alerts] = [createGroupsTable(db, states), createAlertsTable(db, states)];
  const [batches, deliveries] = [createBatchesTable(db), createDeliveriesTable(db)];
  const journal = createJournalTable(db);
  return {
    notifications,
    states,
    groups,
    alerts,
    deliveries,
    rounds: createRounds({ db, notifications, states, groups, alerts, batches, acks: createAcksTable(db), policy }),
    held: createHeldView(db),
    mirror: createMirrorTable(db),
    recall: createRecall(db),
    chain: createChainTable(db),
    remembered: createRemembered(db),
    covered: createCovered(db),
    diagnostics: createDiagnosticsView(db),
    memory: createMemoryTable(db),
    view: createDeliveriesView(db),
    facts: createFacts(db),
    samples: createSamplesTable(db),
    runs: createSamplesView(db),
    journal,
    history: createJournalView(db),
    interventions: createInterventions(db, {
      append(line) {
        journal.append([line]);
      },
      tell(transitions, at) {
        notifications.add(ANNOUNCER, transitions, at);
      },
      decideAgain(at) {
        groups.wakeHolding(at);
        alerts.askAgain(at);
      },
    }),
    pauses: createPausesView(db),
    policy,
    openAlerts: createOpenAlertsView(db),
    size: createSizeLimit(db, file, maxBytes),
  };
}
