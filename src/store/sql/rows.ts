// Reads columns of rows. Values from the storage are checked once, in this folder, and trusted from then on. The types
// are those of the schema: a value that does not fit them is damage.
import { z } from 'zod';
import type { Json } from '../../core/values/fields.ts';
import { StorageError } from '../contract/store.ts';
import { fieldName, type FieldName, type Row } from './sql.ts';

export type { Row } from './sql.ts';

export const count = z.int().nonnegative();
export const instant = z.number();
export const anyJson = z.custom<Json>((value) => value !== undefined);

export function text(row: Row, column: string): string {
  const value = row[column];
  if (typeof value === 'string') return value;
  throw damaged(column, 'text');
}

/** Reads text columns as fields. */
export function texts<const N extends string>(row: Row, ...columns: readonly N[]): Fields<N, string> {
  return fields(columns, (column) => text(row, column));
}

export function ints<const N extends string>(row: Row, ...columns: readonly N[]): Fields<N, number> {
  return fields(columns, (column) => int(row, column));
}

export function intsOrNull<const N extends string>(row: Row, ...columns: readonly N[]): Fields<N, number | null> {
  return fields(columns, (column) => intOrNull(row, column));
}

type Fields<N extends string, V> = Record<FieldName<N>, V>;

function fields<N extends string, V>(columns: readonly N[], read: (column: N) => V): Fields<N, V> {
  const found: Record<string, V> = {};
  for (const column of columns) found[fieldName(column)] = read(column);
  return found as Fields<N, V>;
}

export function textOrNull(row: Row, column: string): string | null {
  return row[column] === null ? null : text(row, column);
}

/** PostgreSQL returns sums as text. */
export function int(row: Row, column: string): number {
  const value = row[column];
  const number = typeof value === 'string' && value !== '' ? Number(value) : value;
  if (typeof number === 'number' && !Number.isNaN(number)) return number;
  throw damaged(column, 'number');
}

export function intOrNull(row: Row, column: string): number | null {
  return row[column] === null ? null : int(row, column);
}

/** A boolean is stored as 0 or 1. */
export function bool(row: Row, column: string): boolean {
  return int(row, column) !== 0;
}

/** Null if the text is no JSON, or if it is `null`. */
export function jsonIfAny(row: Row, column: string): Json {
  try {
    return anyJson.parse(JSON.parse(text(row, column)));
  } catch {
    return null;
  }
}

function damaged(column: string, type: 'text' | 'number'): StorageError {
  return new StorageError(`the stored ${column} is damaged: it is no ${type}`);
}

/** Null if the text is no JSON. */
export function jsonOrNull(text: unknown): unknown {
  try {
    return fromJson(text);
  } catch {
    return null;
  }
}

/** The readable rows; others are left out. */
export function readable<T>(rows: readonly Row[], read: (row: Row) => T): T[] {
  return rows.flatMap((row) => {
    try {
      return [read(row)];
    } catch (error) {
      if (error instanceof StorageError) return [];
      throw error;
    }
  });
}

export function fromJson(text: unknown): unknown {
  return typeof text === 'string' ? JSON.parse(text) : text;
}

/** Throws a StorageError that names the damaged object. */
export function parsed<T>(what: string, parse: () => T, advice = ''): T {
  try {
    return parse();
  } catch (error) {
    const why = error instanceof z.ZodError ? z.prettifyError(error) : String(error);
    throw new StorageError(`the stored ${what} is damaged: ${why.replace(/\s+/g, ' ')}${advice}`, { cause: error });
  }
}
