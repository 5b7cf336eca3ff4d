// The daemon's own store over a database that ends with the test: the same SQL, no file, no lock.
import { DatabaseSync } from 'node:sqlite';
import { migrate } from '../../../src/store/sqlite/migrations/migrations.ts';
import { createSqliteStore } from '../../../src/store/sqlite/store.ts';
import type { Store } from '../../../src/store/store.ts';

export function createMemoryStore(): Store {
  const db = new DatabaseSync(':memory:');
  migrate(db, 'memory');
  return createSqliteStore(db, { file: 'memory' });
}
