// Queries and changes of tables, on a connection that the caller holds. Statements are constants of their module: a
// driver prepares each of them once.
import type { ColumnType, ColumnValues, ListColumns, ListWords, SqlDialect } from './dialect.ts';

/** A row as an engine returns it, with its values by column name. */
export type Row = Readonly<Record<string, unknown>>;

export type SqlValue = string | number | boolean | null;

/** A list is one parameter, for `SqlDialect.among`. A boolean is stored as 0 or 1. */
export type Parameter = SqlValue | readonly SqlValue[];

/** Parameters are `$1`, `$2` and so on. A parameter in arithmetic needs its type: `$2::bigint`. */
export type Statement = string | ((dialect: SqlDialect) => string);

/** The name that a column has in objects: `openedAt` for `opened_at`. */
export type FieldName<N extends string> = N extends `${infer First}_${infer Rest}`
  ? `${First}${Capitalize<FieldName<Rest>>}`
  : N;

const fieldNames = new Map<string, string>();

export function fieldName(column: string): string {
  const known = fieldNames.get(column);
  if (known !== undefined) return known;
  const name = column.replaceAll(/_([a-z])/g, (_, letter: string) => letter.toUpperCase());
  fieldNames.set(column, name);
  return name;
}

/** A row of a list, by field. It may have more fields than the list has columns. */
export type ListRow<C extends ListColumns> = { readonly [K in keyof C & string as FieldName<K>]: ColumnValues[C[K]] };

/** A statement over a list of rows, written for one row. */
export interface ListStatement<C extends ListColumns> {
  readonly columns: C;
  readonly text: (dialect: SqlDialect) => string;
  /** In the order of the columns. */
  readonly valuesOf: (row: ListRow<C>) => SqlValue[];
}

/**
 * A query that is read page by page, in the order of its key columns. No two rows have the same values in these
 * columns.
 */
export interface PagedStatement {
  readonly keys: readonly string[];
  readonly first: Statement;
  readonly next: Statement;
}

/** Each call runs one statement. */
export interface Sql {
  all(statement: Statement, values?: readonly Parameter[]): Promise<readonly Row[]>;
  /** Undefined: there is none. */
  first(statement: Statement, values?: readonly Parameter[]): Promise<Row | undefined>;
  /** Resolves with how many rows were changed. */
  run(statement: Statement, values?: readonly Parameter[]): Promise<number>;
  /** Runs the statement for each row of the list. Resolves with how many rows were changed. */
  each<C extends ListColumns>(statement: ListStatement<C>, rows: readonly ListRow<C>[]): Promise<number>;
  /** Runs the query for each row of the list. Resolves with the results of all of them. */
  allOf<C extends ListColumns>(statement: ListStatement<C>, rows: readonly ListRow<C>[]): Promise<readonly Row[]>;
  /**
   * Each page is read by its own statement. All pages show the same moment only if they are read within one snapshot.
   */
  pages(statement: PagedStatement, size: number): AsyncIterable<readonly Row[]>;
}

/**
 * A statement over a list, written for one row: `list({ id: 'text' }, (row) => `DELETE FROM t ${row.using} WHERE id = ${row.id}`)`.
 * SQLite runs it for each row, PostgreSQL once for all. So no two rows of a list may change the same row of a table, nor
 * read what another one writes.
 */
export function list<const C extends ListColumns>(
  columns: C,
  build: (row: ListWords<C>, dialect: SqlDialect) => string,
): ListStatement<C> {
  const fields = Object.entries(columns).map(([name, type]) => ({ name: fieldName(name), type }));
  return {
    columns,
    text: (dialect) => build(dialect.list(columns), dialect),
    valuesOf(row) {
      const values: Readonly<Record<string, SqlValue | object>> = row;
      return fields.map(({ name, type }) => storedAs(type, values[name] ?? null));
    },
  };
}

function storedAs(type: ColumnType, value: SqlValue | object): SqlValue {
  if (type === 'json' || (typeof value === 'object' && value !== null)) return JSON.stringify(value);
  return value;
}

/** Columns of one type: `{ ...columns('text', 'id', 'key'), ...columns('int', 'at') }`. */
export function columns<const T extends ColumnType, const N extends string>(
  type: T,
  ...names: readonly N[]
): Readonly<Record<N, T>> {
  return Object.fromEntries(names.map((name) => [name, type])) as Record<N, T>;
}

/**
 * Inserts rows. Each column of the list has the name of a column of the table. `conflict`: the clause for existing
 * rows. `computed`: columns that are computed from others.
 */
export function insertion<const C extends ListColumns>(
  table: string,
  of: C,
  conflict = '',
  computed: (row: ListWords<C>) => Readonly<Record<string, string>> = () => ({}),
): ListStatement<C> {
  const names = Object.keys(of);
  return list(of, (row, d) => {
    const words: Readonly<Record<string, string>> = { ...row, ...computed(row) };
    const all = [...names, ...Object.keys(computed(row))];
    const values = all.map((name) => words[name]).join(', ');
    return `INSERT INTO ${table} (${all.join(', ')}) SELECT ${values} ${row.from} WHERE true ${d.inOrder} ${conflict}`;
  });
}

/** Inserts rows. A row whose keys exist already is not added; the existing row gets the new values. */
export function upsert<const C extends ListColumns>(table: string, keys: readonly string[], of: C): ListStatement<C> {
  const others = Object.keys(of).filter((name) => !keys.includes(name));
  const changes = others.map((name) => `${name} = excluded.${name}`).join(', ');
  return insertion(table, of, `ON CONFLICT (${keys.join(', ')}) DO UPDATE SET ${changes}`);
}

/**
 * A query whose rows are read page by page: `paged(['number'], (page) => `SELECT number FROM t WHERE ${page.after}
 * ${page.end}`)`. The rows have to contain the keys, under their names. `table`: the table of the keys, if several
 * tables of the query have such columns.
 */
export function paged(
  keys: readonly string[],
  build: (page: { readonly after: string; readonly end: string }, dialect: SqlDialect) => string,
  table?: string,
): PagedStatement {
  const named = keys.map((key) => (table === undefined ? key : `${table}.${key}`)).join(', ');
  const lasts = keys.map((_, at) => `$${2 + at}`).join(', ');
  const end = `ORDER BY ${named} LIMIT $1 + 0`;
  return {
    keys,
    first: (dialect) => build({ after: '1 = 1', end }, dialect),
    next: (dialect) => build({ after: `(${named}) > (${lasts})`, end }, dialect),
  };
}

/** Reads the pages of a query one after the other, each with one call of `sql.all`. */
export async function* readPages(
  sql: Pick<Sql, 'all'>,
  { keys, first, next }: PagedStatement,
  size: number,
): AsyncGenerator<readonly Row[], void, undefined> {
  let rows = await sql.all(first, [size]);
  while (rows.length > 0) {
    yield rows;
    const last = rows.at(-1);
    if (last === undefined || rows.length < size) return;
    rows = await sql.all(next, [size, ...keys.map((key) => keyIn(last, key))]);
  }
}

function keyIn(row: Row, key: string): string | number {
  const value = row[key];
  if (typeof value === 'string' || typeof value === 'number') return value;
  throw new TypeError(`a page has no column ${key} to go on from`);
}

// The first parameter of functions about tables is the connection. A store binds it once, for all calls.

type OnSql = (sql: Sql, ...rest: never[]) => Promise<unknown>;

/** The functions without their first parameter, the connection. */
export type Bound<F> = {
  readonly [N in keyof F]: F[N] extends (sql: Sql, ...rest: infer R) => infer T ? (...rest: R) => T : never;
};

/** `run`: gives each call its connection, as `snapshot` does. */
export function bound<F extends Readonly<Record<string, OnSql>>>(
  run: <T>(work: (sql: Sql) => Promise<T>) => Promise<T>,
  functions: F,
): Bound<F> {
  const entries = Object.entries(functions).map(([name, on]) => {
    return [name, (...rest: never[]) => run((sql) => on(sql, ...rest))] as const;
  });
  return Object.fromEntries(entries) as Bound<F>;
}
