// The SQL of SQLite. There is one writer, so no rows are locked. A list statement runs once for each row.
import type { SqlDialect, ListColumns, ListWords } from '../sql/dialect.ts';

export const SQLITE: SqlDialect = {
  name: 'sqlite',
  serial: 'INTEGER PRIMARY KEY',
  int: 'INTEGER',
  text: 'TEXT',
  table: () => 'STRICT',
  keyedTable: () => 'STRICT, WITHOUT ROWID',
  nullsFirst: '',
  among: (column, parameter) => `${column} IN (SELECT value FROM json_each(${parameter}))`,
  startsWith: (column, value) => `substr(${column}, 1, length(${value})) = ${value}`,
  startsWithAny: (column, parameter) =>
    `EXISTS (SELECT 1 FROM json_each(${parameter}) WHERE ${SQLITE.startsWith(column, 'value')})`,
  contains: (column, value) => `instr(${column}, ${value}) > 0`,
  containsAll: (column, parameter) =>
    `NOT EXISTS (SELECT 1 FROM json_each(${parameter}) WHERE instr(${column}, value) = 0)`,
  like: 'LIKE',
  isJson: (column) => `json_valid(${column})`,
  jsonText: (column, ...path) => `(CASE WHEN json_valid(${column}) THEN ${column} ->> '$.${path.join('.')}' END)`,
  jsonHas: (column, value) => `${value} IN (SELECT item.value FROM json_each(
    CASE WHEN json_valid(${column}) THEN iif(json_type(${column}) = 'array', ${column}, '[]') ELSE '[]' END) AS item)`,
  jsonLength: (column) => `(CASE WHEN json_valid(${column}) THEN json_array_length(${column}) END)`,
  jsonArray: (expression) => `json_group_array(${expression})`,
  skipLocked: '',
  forUpdate: () => '',
  forShare: '',
  list: wordsOf,
  inOrder: '',
  // SQLite numbers a new row after the highest existing one.
  numbersFrom: () => null,
};

function wordsOf<C extends ListColumns>(columns: C): ListWords<C> {
  const words = Object.fromEntries(Object.keys(columns).map((name, at) => [name, `$${at + 1}`]));
  return { ...words, from: '', also: '', using: '' } as ListWords<C>;
}

/** Writes parameters as `?1`, and removes casts: SQLite has none, and takes its types from the values. */
export function asSqlite(text: string): string {
  return text.replaceAll(/\$(\d+)/g, '?$1').replaceAll(/::(?:bigint|int|text)(?:\[\])?/g, '');
}
