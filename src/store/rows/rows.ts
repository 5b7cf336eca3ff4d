// What comes out of the storage is checked once, in this folder, and trusted from then on, whichever engine it comes from. A
// kind's own state is checked later, by the kind.
import { z } from 'zod';
import type { Json } from '../../core/values/fields.ts';
import { StorageError } from '../store.ts';

/** A row as an engine hands it out, by column. */
export type Row = Readonly<Record<string, unknown>>;

export const count = z.int().nonnegative();
export const instant = z.number();
export const json = z.custom<Json>((value) => value !== undefined);

/** Null where it is no JSON. */
export function jsonOrNull(text: unknown): unknown {
  try {
    return fromJson(text);
  } catch {
    return null;
  }
}

/** Without those that cannot be read. */
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

/** Throws a StorageError that says what is damaged. */
export function parsed<T>(what: string, parse: () => T, advice = ''): T {
  try {
    return parse();
  } catch (error) {
    const why = error instanceof z.ZodError ? z.prettifyError(error) : String(error);
    throw new StorageError(`the stored ${what} is damaged: ${why.replace(/\s+/g, ' ')}${advice}`, { cause: error });
  }
}
