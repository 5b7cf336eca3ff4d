// What happens to a state file behind the daemon's back.
import { readFileSync, writeFileSync } from 'node:fs';
import { DatabaseSync } from 'node:sqlite';

const PAGE = 4096;

/** Four pages from there on, counted from the end where it is negative. */
export function damagePages(file: string, from = 5): void {
  const bytes = readFileSync(file);
  const start = (from < 0 ? bytes.length : 0) + from * PAGE;
  bytes.fill(0xff, start, start + 4 * PAGE);
  writeFileSync(file, bytes);
}

export function execute(file: string, ...statements: readonly string[]): void {
  using db = new DatabaseSync(file);
  for (const statement of statements) db.exec(statement);
}
