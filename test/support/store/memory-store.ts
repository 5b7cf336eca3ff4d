// The daemon's own store over a database that ends with the test: the same SQL, no file, no lock.
import { createStore } from '../../../src/store/create-store.ts';
import { keepSecrets } from '../../../src/store/link-secrets.ts';
import { type SqlDatabase, type SqlReads, sqlThrough } from '../../../src/store/sql/database.ts';
import { migrateState } from '../../../src/store/sql/migrate.ts';
import { createMemoryDatabase } from '../../../src/store/sqlite/driver.ts';
import type { Store } from '../../../src/store/contract/store.ts';
import { endLeases } from '../../../src/store/tables/deliveries/deliveries.ts';
import { healthRows, keepHealth } from '../../../src/store/tables/memory/health-rows.ts';

/** By database, which of the stores over it was opened last: the others are fenced. */
const epochs = new WeakMap<SqlDatabase, number>();

/** At once: what is asked of it waits for its tables. It takes over from an earlier store over the same database. */
export function createMemoryStore(made: SqlDatabase = createMemoryDatabase()): Store {
  const epoch = (epochs.get(made) ?? 0) + 1;
  epochs.set(made, epoch);
  const database = waitingFor(takenOver(made), made);
  return createStore(database, {
    cluster: { isShared: false, fence: { key: 'file', slot: 0, owner: '', epoch } },
    view: {
      replicas: () => Promise.resolve(null),
      version: async () => String((await database.sql.first('SELECT total_changes() AS changes'))?.['changes']),
      health: () => healthRows(database.sql, []),
    },
    holds: (_sql, fence) => Promise.resolve(fence.epoch === epochs.get(made)),
    keepHealth: (sql, health) => keepHealth(sql, 'file', health, []),
    secure: () => Promise.resolve([]),
    close: () => database[Symbol.asyncDispose](),
  });
}

async function takenOver(database: SqlDatabase): Promise<void> {
  await migrateState(database);
  await database.write('take-over', async (sql) => {
    await endLeases(sql, null);
    await keepSecrets(sql);
  });
}

function waitingFor(ready: Promise<void>, database: SqlDatabase): SqlDatabase {
  const then = async <T>(work: () => PromiseLike<T>): Promise<T> => {
    await ready;
    return work();
  };
  const readsOf = ({ sql, snapshot }: SqlReads): SqlReads => ({
    sql: sqlThrough((work) => then(() => work(sql))),
    snapshot: (work) => then(() => snapshot(work)),
  });
  return {
    ...database,
    ...readsOf(database),
    view: readsOf(database.view),
    write: (step, work, sync) => then(() => database.write(step, work, sync)),
    [Symbol.asyncDispose]: () => then(() => database[Symbol.asyncDispose]()),
  };
}
