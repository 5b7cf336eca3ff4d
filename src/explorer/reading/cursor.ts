// The cursor is sent back unchanged: `next_page_params` as a map of exact texts.
import { isRow } from '../../core/values/fields.ts';
import type { Cursor } from '../../core/model/watch/question.ts';
import { RequestFault } from '../http/fault.ts';

const MOST_KEYS = 32;
const MOST_CHARACTERS = 2000;

// Old servers echo the key of the request, or the one for restricted addresses, into the cursor.
const SECRETS = /^(?:api[_-]?key|key)$/i;

/** Null if there is none: missing, null, or an empty map. Throws `RequestFault` for a value that is not a map. */
export function readCursor(raw: unknown, where: string): Cursor | null {
  if (raw === undefined || raw === null) return null;
  if (!isRow(raw)) throw new RequestFault('shape', `${where}: next_page_params is not an object`);
  const entries = Object.entries(raw).flatMap(([name, value]) => {
    const text = asText(value);
    if (text === undefined)
      throw new RequestFault('shape', `${where}: next_page_params holds what cannot be sent back`);
    return text === '' || SECRETS.test(name) || name === '__proto__' ? [] : [[name, text] as const];
  });
  if (entries.length > MOST_KEYS || entries.some(([name, text]) => name.length + text.length > MOST_CHARACTERS))
    throw new RequestFault('shape', `${where}: next_page_params is too large`);
  return entries.length === 0 ? null : Object.fromEntries(entries);
}

/** Null is sent as the text `null`: without `fiat_value`, old servers would start again at page one. */
function asText(value: unknown): string | undefined {
  switch (typeof value) {
    case 'string':
      return value;
    case 'number':
    case 'boolean':
      return String(value);
    default:
      return value === null ? 'null' : undefined;
  }
}

/**
 * True if two cursors point at the same place. `items_count` is a running total in old releases and moves even if the
 * position does not, so it is left out if there is another key to compare.
 */
export function isSameCursor(a: Cursor, b: Cursor): boolean {
  const [left, right] = [position(a), position(b)];
  return left.length === right.length && left.every(([name, text]) => b[name] === text);
}

function position(cursor: Cursor): [string, string][] {
  const all = Object.entries(cursor);
  const rest = all.filter(([name]) => name !== 'items_count');
  return rest.length === 0 ? all : rest;
}
