// The state file: one SQLite file with one connection that writes, and a lock beside it against a second daemon.
import { existsSync } from 'node:fs';
import { DatabaseSync } from 'node:sqlite';
import type { Json } from '../../core/values/fields.ts';
import type { Memory } from '../../core/model/memory.ts';
import type { AlertId, WatchId } from '../../core/model/ids.ts';
import type { Decision } from '../../core/model/decision.ts';
import type { Instant } from '../../lib/clock.ts';
import type { Log } from '../../telemetry/log.ts';
import {
  answering,
  assertSound,
  inTransaction,
  makeDurable,
  openDatabase,
  opened,
  openReadOnly,
  settledPath,
} from './database.ts';
import { takeLock } from './lock.ts';
import { createChainTable } from './chain-table.ts';
import { createFacts } from './facts.ts';
import { createDiagnosticsView, createMemoryTable, createRecall, createRemembered } from './memory-table.ts';
import { assertCurrent, migrate } from './migrations.ts';
import { createOutboxTable, createOutboxView } from './outbox-table.ts';
import type { StoredDelivery } from '../rows.ts';
import { StoreBusyError, type StoredDiagnostics, type Store, type Survey } from '../store.ts';

interface SqliteOptions {
  /** Made, with its directories, when it does not exist. */
  readonly file: string;
  /** How the next daemon that is refused names this one, such as `pid 4711`. */
  readonly owner?: string;
  readonly log?: Log;
}

/**
 * Opens the state file for the one daemon that may write it, and brings it to the newest schema.
 *
 * Throws a StoreBusyError while another holds it, a StorageError when it cannot be used; the text is for the operator.
 */
export async function openSqliteStore({ file, owner, log }: SqliteOptions): Promise<Store> {
  const path = answering(file, 'open', () => settledPath(file));
  const lock = takeLock(path);
  if (lock === undefined) throw new StoreBusyError(refusal(path));
  try {
    const db = answering(path, 'open', () =>
      opened(openDatabase(path), (fresh) => {
        // First of all, so that a file that is refused stays as it was.
        migrate(fresh, path);
        makeDurable(fresh);
        assertSound(fresh, path);
        createFacts(fresh).write('owner', owner ?? '');
      }),
    );
    return createSqliteStore(db, {
      file: path,
      release: () => {
        lock[Symbol.dispose]();
      },
      ...(log && { log }),
    });
  } catch (error) {
    lock[Symbol.dispose]();
    throw error;
  }
}

/** A store that ends with the process, for a dry run: the same SQL, no file, no lock. */
export async function openVolatileStore({ log }: Pick<SqliteOptions, 'log'> = {}): Promise<Store> {
  const db = new DatabaseSync(':memory:');
  migrate(db, 'memory');
  return createSqliteStore(db, { file: 'memory', ...(log && { log }) });
}

interface SqliteTools {
  /** For messages. */
  readonly file: string;
  readonly log?: Log;
  /** Called once, after the database is closed. */
  readonly release?: () => void;
}

/** The promise of `Store` over a database that was opened for writing and has the newest schema. */
export function createSqliteStore(db: DatabaseSync, { file, log, release }: SqliteTools): Store {
  const { recall, remembered, diagnostics, memory, outbox, view, facts, chain } = answering(file, 'prepare', () => ({
    recall: createRecall(db),
    chain: createChainTable(db),
    remembered: createRemembered(db),
    diagnostics: createDiagnosticsView(db),
    memory: createMemoryTable(db),
    outbox: createOutboxTable(db),
    view: createOutboxView(db),
    facts: createFacts(db),
  }));
  const read = <T>(work: () => T): T => answering(file, 'read', work);
  const write = <T>(work: () => T): T => answering(file, 'write', () => inTransaction(db, work));

  function keep(decision: Decision, at: Instant): 'kept' | 'superseded' {
    const { watchId, expects, hasChanged, deliveries } = decision;
    if (memory.versionOf(watchId) !== expects) return 'superseded';
    if (!hasChanged && deliveries.length === 0) return 'kept';
    memory.keep(decision);
    outbox.add(watchId, deliveries, at);
    return 'kept';
  }

  const damaged = (error: unknown): void => log?.error('delivery:damaged', { error: String(error) });

  return {
    recall: async (ids) => read(() => recall(ids)),
    remembered: async () => read(remembered),
    commit: async (decisions, at) => write(() => decisions.map((decision) => keep(decision, at))),
    async cover(coverage) {
      write(() => {
        for (const [id, one] of coverage) memory.cover(id, one);
      });
    },
    diagnostics: async (ids) => read(() => diagnostics(ids)),
    chainBlocks: async (explorers) =>
      read(() => new Map(explorers.map((explorer) => [explorer, chain.blocks(explorer)]))),
    async keepChainBlocks(explorer, blocks, from) {
      write(() => {
        chain.keep(explorer, blocks, from);
      });
    },
    async keepRunning(outline) {
      write(() => {
        facts.write('running', JSON.stringify(outline));
      });
    },
    async forget(ids) {
      write(() => {
        for (const id of ids) memory.forget(id);
      });
    },
    claim: async (channel, limit, at) => write(() => outbox.claim({ channel, limit, at }, damaged)),
    async ran(channel, ms) {
      write(() => {
        outbox.ran(channel, ms);
      });
    },
    async settle(id, settlement, at) {
      write(() => {
        outbox.settle(id, settlement, at);
      });
    },
    recover: async (at) => write(() => outbox.recover(at)),
    nextDue: async (channel) => read(() => outbox.nextDue(channel)),
    survey: async () => read(() => view.survey()),
    async prune(before) {
      write(() => {
        outbox.prune(before);
      });
    },
    async [Symbol.asyncDispose]() {
      if (!db.isOpen) return;
      answering(file, 'close', () => {
        db.close();
      });
      release?.();
    },
  };
}

/** What `status` may look at while a daemon runs, or when none does. Rejects with a StorageError. */
export interface StoreReader extends AsyncDisposable {
  recall(ids?: readonly WatchId[]): Promise<Map<WatchId, Memory>>;
  diagnostics(ids?: readonly WatchId[]): Promise<Map<WatchId, StoredDiagnostics>>;
  /** What the daemon last wrote down of what it runs; null when it never did. */
  running(): Promise<Json>;
  survey(): Promise<Survey>;
  /** The newest deliveries, newest first. */
  recent(limit: number): Promise<StoredDelivery[]>;
  /** Those that were given up or refused, newest first. */
  dead(limit: number): Promise<StoredDelivery[]>;
  /** Those of one alert of a watch, newest first. */
  deliveriesOf(watch: WatchId, alert: AlertId, limit: number): Promise<StoredDelivery[]>;
}

/** Throws a StorageError when there is no state file, or when it is not of this release's schema. */
export async function openSqliteReader({ file }: Pick<SqliteOptions, 'file'>): Promise<StoreReader> {
  const db = answering(file, 'open', () =>
    opened(openReadOnly(file), (found) => {
      assertCurrent(found, file);
    }),
  );
  const { recall, diagnostics, view, facts } = answering(file, 'prepare', () => ({
    recall: createRecall(db),
    diagnostics: createDiagnosticsView(db),
    view: createOutboxView(db),
    facts: createFacts(db),
  }));
  const read = <T>(work: () => T): T => answering(file, 'read', work);
  return {
    recall: async (ids) => read(() => recall(ids)),
    survey: async () => read(() => view.survey()),
    recent: async (limit) => read(() => view.recent(limit)),
    dead: async (limit) => read(() => view.dead(limit)),
    diagnostics: async (ids) => read(() => diagnostics(ids)),
    running: async () => read(() => facts.json('running')),
    deliveriesOf: async (watch, alert, limit) => read(() => view.deliveriesOf(watch, alert, limit)),
    async [Symbol.asyncDispose]() {
      if (db.isOpen) db.close();
    },
  };
}

/** The same, and null when there is no state file. */
export async function openReaderIfAny(options: Pick<SqliteOptions, 'file'>): Promise<StoreReader | null> {
  return existsSync(options.file) ? openSqliteReader(options) : null;
}

function refusal(file: string): string {
  const owner = ownerOf(file);
  const who = owner === '' ? 'another daemon' : `another daemon (${owner})`;
  return `${file} is in use by ${who}. Stop that one, or give this one a state file of its own.`;
}

/** The name that the holder left in the file; empty when it cannot be read. For a message only: the lock decides. */
function ownerOf(file: string): string {
  try {
    const db = openReadOnly(file);
    try {
      return createFacts(db).read('owner') ?? '';
    } finally {
      db.close();
    }
  } catch {
    return '';
  }
}
