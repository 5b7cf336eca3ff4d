import type { WatchId } from '../../core/model/ids.ts';
import { answering, assertThere, inTransaction, openDatabase, opened } from './database.ts';
import { createMemoryTable } from './memory-table.ts';
import { assertCurrent } from './migrations/migrations.ts';

/** Holds the file for one short transaction, for which a daemon waits. Throws a StorageError. */
export async function forgetInSqlite(file: string, watch: WatchId): Promise<boolean> {
  return answering(file, 'change', () => {
    assertThere(file);
    const db = opened(openDatabase(file), (found) => {
      assertCurrent(found, file);
    });
    try {
      const memory = createMemoryTable(db);
      return inTransaction(db, () => {
        const isThere = memory.versionOf(watch) > 0;
        memory.forget(watch);
        return isThere;
      });
    } finally {
      db.close();
    }
  });
}
