// Some releases write each key of a cursor twice.
import { isPage, type SandboxReply, type JsonRow } from '../answer.ts';
import type { Params } from '../params.ts';

interface Right extends SandboxReply {
  readonly again: () => unknown;
}

/** Writes every key of the cursor twice, the old value last. A reader that takes the last value never moves on. */
export function repeatKeys(right: Right, params: Params): SandboxReply {
  const body = right.again();
  if (!isPage(body) || body.next_page_params === null) return right;
  const fresh = JSON.stringify(body.next_page_params).slice(1, -1);
  const old = JSON.stringify(sentCursor(body.next_page_params, params)).slice(1, -1);
  return { ...right, text: `{"items":${JSON.stringify(body.items)},"next_page_params":{${fresh},${old}}}` };
}

/**
 * The cursor that came with the request. On page one there is none, so the right cursor is used; from page two on it
 * never moves.
 */
export function sentCursor(cursor: JsonRow, params: Params): JsonRow {
  return Object.fromEntries(Object.entries(cursor).map(([key, value]) => [key, params.get(key) ?? value]));
}
