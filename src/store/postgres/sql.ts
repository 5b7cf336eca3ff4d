// How the tables of PostgreSQL are asked, on a connection that the caller chose.
import type { Row } from '../rows/rows.ts';

export type Value = string | number | boolean | null;

/** One statement at a time. Parameters are `$1`, `$2` and so on. */
export interface Sql {
  all(text: string, values?: readonly Parameter[]): Promise<readonly Row[]>;
  /** Undefined: there is none. */
  first(text: string, values?: readonly Parameter[]): Promise<Row | undefined>;
  /** Resolves with how many rows were changed. */
  run(text: string, values?: readonly Parameter[]): Promise<number>;
}

/** A list is an array of the type that the statement casts it to. */
export type Parameter = Value | readonly Value[];

/** One list for each of `of`, for `unnest`: a statement takes any number of rows so. */
export function columns<T>(rows: readonly T[], of: readonly ((row: T) => Value)[]): Value[][] {
  return of.map((column) => rows.map(column));
}

/**
 * A text within a column that holds JSON; null where that is damaged, or holds a NUL, which PostgreSQL keeps only while it
 * is escaped: either would fail the whole statement.
 */
export function jsonText(column: string, name: string): string {
  return `(CASE WHEN ${column} IS JSON AND strpos(${column}, '\\u0000') = 0 THEN ${column}::json ->> '${name}' END)`;
}
