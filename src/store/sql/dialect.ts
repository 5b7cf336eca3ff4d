// The differences between the SQL of the engines. A statement is written once, with the words of `SqlDialect`. Each
// engine defines these words.

/** A column of a list: `bool` is stored as 0 or 1, `json` as its text; a type with `?` may be null. */
export type ColumnType = keyof ColumnValues;

export interface ColumnValues {
  readonly int: number;
  readonly text: string;
  readonly bool: boolean;
  readonly json: object | string | number | boolean | null;
  readonly 'int?': number | null;
  readonly 'text?': string | null;
  readonly 'json?': object | null;
}

export type ListColumns = Readonly<Record<string, ColumnType>>;

/** The words with which a list statement names one row of its list, and the values of the row. */
export type ListWords<C extends ListColumns> = { readonly [K in keyof C]: string } & {
  /** In place of FROM: the rows, if one statement handles all of them; else empty. */
  readonly from: string;
  /** The same after a FROM that names tables. */
  readonly also: string;
  /** The same in place of USING. */
  readonly using: string;
};

export interface SqlDialect {
  readonly name: 'sqlite' | 'postgres';

  /** Type of a column: a number that the database gives to each new row, as its primary key. */
  readonly serial: string;
  /** Type of a column: a whole number, an instant in milliseconds, or a boolean as 0 and 1. */
  readonly int: string;
  /** Type of a column. Texts are compared byte by byte. */
  readonly text: string;
  /** End of CREATE TABLE. `fill`: the percentage of a page that is filled, for rows that are rewritten often. */
  readonly table: (fill?: number) => string;
  /** Like `table`, for a table whose primary key is no `serial`. */
  readonly keyedTable: (fill?: number) => string;
  /** Within CREATE INDEX: null comes before all numbers. In ORDER BY both engines accept NULLS FIRST. */
  readonly nullsFirst: string;

  /** True if the column has one of the values of a list, which is one parameter: `d.among('id', '$3', 'text')`. */
  readonly among: (column: string, parameter: string, type: 'int' | 'text') => string;
  /** True if the text begins with the value, byte by byte. */
  readonly startsWith: (column: string, value: string) => string;
  /** True if the text begins with any value of a list, which is one parameter. */
  readonly startsWithAny: (column: string, parameter: string) => string;
  /** True if the text contains the value, byte by byte. */
  readonly contains: (column: string, value: string) => string;
  /** True if the text contains every value of a list, which is one parameter. */
  readonly containsAll: (column: string, parameter: string) => string;
  /** Compares with a pattern, without regard to upper and lower case of ASCII: `subject ${d.like} $2 ESCAPE '\'`. */
  readonly like: string;

  /** True if a text is JSON that the engine can read. */
  readonly isJson: (column: string) => string;
  /** A text within a column that holds JSON, by its path; null if the column is no JSON. */
  readonly jsonText: (column: string, ...path: readonly string[]) => string;
  /** True if a column with a JSON array of texts contains that text; false if it has no array. */
  readonly jsonHas: (column: string, value: string) => string;
  /** The length of a column's JSON array; NULL if it has none. */
  readonly jsonLength: (column: string) => string;
  /**
   * Aggregate: the values as the text of a JSON array, `[]` if there are none. The expression may contain an ORDER BY.
   */
  readonly jsonArray: (expression: string) => string;

  /** End of a SELECT: locks its rows until the end of the transaction, and skips locked ones. */
  readonly skipLocked: string;
  /** End of a SELECT: locks its rows, or those of the named table, until the end of the transaction. */
  readonly forUpdate: (table?: string) => string;
  /** End of a SELECT: no other session changes its rows until the end of the transaction. */
  readonly forShare: string;

  /** The names by which a list statement refers to one row, with parameters from $1 on. */
  readonly list: <C extends ListColumns>(columns: C) => ListWords<C>;
  /** End of INSERT … SELECT of a list: rows are numbered in the order of the list. */
  readonly inOrder: string;
  /**
   * A statement that sets the numbers of new rows after the highest existing one; null if the engine does so anyway.
   */
  readonly numbersFrom: (table: string) => string | null;
}

/** The greater of two numbers; if one is null, the other. */
export function later(a: string, b: string): string {
  return `(CASE WHEN ${b} IS NULL OR ${a} >= ${b} THEN ${a} ELSE ${b} END)`;
}

/** The smaller of two numbers; if one is null, the other. */
export function earlier(a: string, b: string): string {
  return `(CASE WHEN ${b} IS NULL OR ${a} <= ${b} THEN ${a} ELSE ${b} END)`;
}
