// One connection to a SQLite file, with promises. SQLite answers at once: a promise is settled when it is returned.
import type { DatabaseSync, SQLInputValue, StatementSync } from 'node:sqlite';
import type { Row } from '../sql/rows.ts';
import { readPages, type Parameter, type Sql, type Statement } from '../sql/sql.ts';
import { asSqlite, SQLITE } from './dialect.ts';

/**
 * There are fewer constant statements than this. The limit keeps texts that are made at run time from filling the
 * memory.
 */
const MOST_PREPARED = 2000;

/** The statements of a connection. They reject with the errors of SQLite. */
export function sqlOn(db: DatabaseSync): Sql {
  const prepared = new Map<Statement, StatementSync>();

  function prepare(statement: Statement): StatementSync {
    const known = prepared.get(statement);
    if (known !== undefined) return known;
    if (prepared.size >= MOST_PREPARED) prepared.clear();
    const fresh = db.prepare(asSqlite(typeof statement === 'string' ? statement : statement(SQLITE)));
    prepared.set(statement, fresh);
    return fresh;
  }

  const sql: Sql = {
    all: async (statement, values = []) => prepare(statement).all(...values.map(bound)),
    first: async (statement, values = []) => prepare(statement).get(...values.map(bound)),
    run: async (statement, values = []) => Number(prepare(statement).run(...values.map(bound)).changes),
    async each(statement, rows) {
      const one = prepare(statement.text);
      let changed = 0;
      for (const row of rows) changed += Number(one.run(...statement.valuesOf(row).map(bound)).changes);
      return changed;
    },
    async allOf(statement, rows) {
      const one = prepare(statement.text);
      const found: Row[] = [];
      for (const row of rows) for (const each of one.all(...statement.valuesOf(row).map(bound))) found.push(each);
      return found;
    },
    pages: (statement, size) => readPages(sql, statement, size),
  };
  return sql;
}

function bound(value: Parameter): SQLInputValue {
  if (typeof value === 'boolean') return Number(value);
  return typeof value === 'object' && value !== null ? JSON.stringify(value) : value;
}
