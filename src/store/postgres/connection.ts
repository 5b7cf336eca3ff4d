// One connection to a PostgreSQL server.
import type pg from 'pg';
import type { Row } from '../sql/rows.ts';
import type { ListColumns } from '../sql/dialect.ts';
import { readPages, type ListRow, type ListStatement, type Parameter, type Sql, type Statement } from '../sql/sql.ts';
import { POSTGRES } from './dialect.ts';
import { isAnswered } from './errors.ts';
import { remembered } from '../../lib/remembered.ts';

export interface PostgresConnection {
  /** Rejects with errors of the server and of the network. */
  readonly sql: Sql;
  /** True if it cannot be used any more. */
  readonly isBroken: () => boolean;
}

/**
 * Caches the text of each statement that is a function of the dialect. Statements are constants, so the cache stays
 * small.
 */
const madeText = remembered((statement: Exclude<Statement, string>) => statement(POSTGRES));

function textOf(statement: Statement): string {
  return typeof statement === 'string' ? statement : madeText(statement);
}

export function connectionOn(client: pg.PoolClient): PostgresConnection {
  let isBroken = false;

  async function query(statement: Statement, values: readonly Parameter[] = []): Promise<pg.QueryResult<Row>> {
    try {
      return await client.query<Row>(textOf(statement), values.map(storable));
    } catch (error) {
      isBroken ||= !isAnswered(error);
      throw error;
    }
  }

  const sql: Sql = {
    all: async (statement, values) => (await query(statement, values)).rows,
    first: async (statement, values) => (await query(statement, values)).rows[0],
    run: async (statement, values) => (await query(statement, values)).rowCount ?? 0,
    async each(statement, rows) {
      return rows.length === 0 ? 0 : sql.run(statement.text, listsOf(statement, rows));
    },
    async allOf(statement, rows) {
      return rows.length === 0 ? [] : sql.all(statement.text, listsOf(statement, rows));
    },
    pages: (statement, size) => readPages(sql, statement, size),
  };
  return { sql, isBroken: () => isBroken };
}

/** One list for each column. */
function listsOf<C extends ListColumns>(statement: ListStatement<C>, rows: readonly ListRow<C>[]): Parameter[] {
  const values = rows.map((row) => statement.valuesOf(row));
  return Object.keys(statement.columns).map((_, at) => values.map((row) => row[at] ?? null));
}

/** PostgreSQL accepts no NUL in a text, so it is replaced. A NUL in JSON is escaped, and stays. */
function storable(value: Parameter): unknown {
  if (typeof value === 'string') return value.replaceAll('\0', '\uFFFD');
  if (typeof value === 'boolean') return Number(value);
  return typeof value === 'object' && value !== null ? value.map(storable) : value;
}
