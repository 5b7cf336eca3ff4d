// The statements of one transaction. A statement after the end of the transaction would be part of the next one on that
// connection, so it is refused. The usual cause is a missing `await`.
import type { Row } from './rows.ts';
import { readPages, type Sql } from './sql.ts';

export interface SqlSession {
  readonly sql: Sql;
  readonly end: () => void;
}

// Most lists of a commit are empty. Without these shared promises a commit takes an eighth longer.
const NONE_CHANGED = Promise.resolve(0);
const NO_ROWS = Promise.resolve<readonly Row[]>([]);

export function createSqlSession(over: Sql): SqlSession {
  let isOver = false;

  // Not `async`: that would add turns of the queue of promises to each statement.
  const within: Reach = (work) =>
    isOver
      ? Promise.reject(new Error('the transaction is over: each of its statements has to be awaited within it'))
      : work(over);

  return {
    sql: sqlThrough(within),
    end() {
      isOver = true;
    },
  };
}

/** Chooses the connection for a statement, and runs `work` on it. */
type Reach = <T>(work: (over: Sql) => Promise<T>, isWrite: boolean) => Promise<T>;

/** Each statement runs on the connection that `reach` chooses at the time of the call. */
export function sqlThrough(reach: Reach): Sql {
  const sql: Sql = {
    all: (statement, values) => reach((over) => over.all(statement, values), false),
    first: (statement, values) => reach((over) => over.first(statement, values), false),
    run: (statement, values) => reach((over) => over.run(statement, values), true),
    each: (statement, rows) => (rows.length === 0 ? NONE_CHANGED : reach((over) => over.each(statement, rows), true)),
    allOf: (statement, rows) => (rows.length === 0 ? NO_ROWS : reach((over) => over.allOf(statement, rows), false)),
    pages: (statement, size) => readPages(sql, statement, size),
  };
  return sql;
}
