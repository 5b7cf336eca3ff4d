import type { DatabaseSync } from 'node:sqlite';
import { StoreFullError } from '../../contract/store.ts';
import { firstNumber } from '../database.ts';

export interface SizeLimit {
  set(maxBytes: number): void;
  /** Throws a StoreFullError. */
  assertRoom(): void;
}

/**
 * Limits the size of the file. Only transactions that add data are refused, by a check before them. SQLite's own limit
 * would also refuse to record outcomes and to delete old rows, so no space could become free.
 */
export function createSizeLimit(db: DatabaseSync, file: string, initialBytes = Infinity): SizeLimit {
  const pageBytes = firstNumber(db, 'PRAGMA page_size');
  const pages = db.prepare(`
    SELECT (SELECT page_count FROM pragma_page_count) - (SELECT freelist_count FROM pragma_freelist_count) AS used`);
  let maxBytes = initialBytes;
  return {
    set(bytes) {
      maxBytes = bytes;
    },
    assertRoom() {
      const used = Number(pages.get()?.['used']) * pageBytes;
      if (used < maxBytes) return;
      throw new StoreFullError(
        `${file} holds ${used} bytes, and state.max_size is ${maxBytes}: nothing that was learned is kept until there is ` +
          'room. Let what is owed go out, or raise max_size: a reload is enough.',
      );
    },
  };
}
