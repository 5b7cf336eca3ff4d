// Spoils right answers with shapes, cursors, names and numbers that real servers send.
import type { ApiAnswer } from '../api.ts';
import { isPage, isRow, replyOf, type SandboxReply, type JsonRow } from '../answer.ts';
import type { Params } from '../params.ts';
import { repeatKeys, sentCursor } from '../releases/repeated-keys.ts';
import type { ContentFaultName } from './fault.ts';

/** The answer that a fault spoils, and the data that it needs. */
export interface Spoiling {
  readonly right: ApiAnswer;
  readonly params: Params;
  /** The first page of the same list. */
  readonly firstPage: () => ApiAnswer;
}

export function spoil(name: ContentFaultName, spoiling: Spoiling): SandboxReply {
  const { right, params } = spoiling;
  const body = right.again();
  switch (name) {
    case 'array':
      return withBody(right, isPage(body) ? body.items : [body]);
    case 'null':
      return withBody(right, null);
    case 'no-items':
      return withBody(right, isPage(body) ? { next_page_params: body.next_page_params } : {});
    case 'duplicate-cursor-keys':
      return repeatKeys(right, params);
    case 'repeated-page':
      return repeatFirst(spoiling);
    case 'ignored-cursor':
      // Release 5.1.5: the cursor has no effect beside a topic.
      return params.has('topic') ? spoiling.firstPage() : right;
    case 'repeated-rows':
      return withItems(right, repeated);
    case 'shuffled-rows':
      return withItems(right, shuffled);
    case 'stuck-cursor':
      return withCursor(right, (cursor) => sentCursor(cursor, params));
    case 'numbers-as-strings':
      return withRows(right, (row) => mapValues(row, (value) => (typeof value === 'number' ? String(value) : value)));
    case 'old-names':
      return withRows(right, (row) => rename(row));
    case 'nulls':
      return withRows(right, (row) => Object.fromEntries(Object.keys(row).map((key) => [key, null])));
    case 'empty-list':
      return withBody(right, isPage(body) ? { items: [], next_page_params: null } : {});
    case 'lost-implementations':
      return withRows(right, lost);
    case 'no-calls':
      return withBody(right, Array.isArray(body) ? body.map(withoutCalls) : isCall(body) ? withoutCalls(body) : body);
    case 'unknown-limits':
      return { ...right, headers: { ...right.headers, ...UNKNOWN_LIMITS } };
  }
}

const UNKNOWN_LIMITS = { 'x-ratelimit-limit': '-1', 'x-ratelimit-remaining': '-1', 'x-ratelimit-reset': '-1' };

function withBody({ status, headers }: ApiAnswer, body: unknown): SandboxReply {
  return replyOf({ status, headers, body });
}

function withRows(right: ApiAnswer, change: (row: JsonRow) => unknown): SandboxReply {
  const body = right.again();
  if (!isPage(body)) return withBody(right, isRow(body) ? change(body) : body);
  return withBody(right, { ...body, items: body.items.map(change) });
}

function withItems(right: ApiAnswer, change: (items: readonly JsonRow[]) => readonly JsonRow[]): SandboxReply {
  const body = right.again();
  return isPage(body) ? withBody(right, { ...body, items: change(body.items) }) : right;
}

function isCall(body: unknown): boolean {
  return isRow(body) && Object.hasOwn(body, 'jsonrpc');
}

/** The answer to a call where the explorer answers no calls. */
function withoutCalls(answer: unknown): JsonRow {
  return { jsonrpc: '2.0', id: isRow(answer) ? answer['id'] : null, error: 'Action not found.' };
}

/** A proxy whose implementation the explorer fails to detect. */
function lost(row: JsonRow): JsonRow {
  const none = { implementations: [], implementation_address: null, implementation_name: null, proxy_type: null };
  return Object.fromEntries(
    Object.entries(row).map(([key, value]) => [key, Object.hasOwn(none, key) ? none[key as keyof typeof none] : value]),
  );
}

/** Every third row comes a second time. */
function repeated(items: readonly JsonRow[]): JsonRow[] {
  return items.flatMap((row, place) => (place % 3 === 0 ? [row, row] : [row]));
}

/** The rows of the odd places, then those of the even ones. */
function shuffled(items: readonly JsonRow[]): JsonRow[] {
  return [...items.filter((_, place) => place % 2 === 1), ...items.filter((_, place) => place % 2 === 0)];
}

function withCursor(right: ApiAnswer, change: (cursor: JsonRow) => JsonRow): SandboxReply {
  const body = right.again();
  if (!isPage(body) || body.next_page_params === null) return right;
  return withBody(right, { ...body, next_page_params: change(body.next_page_params) });
}

/** The rows of page one again, with a cursor that continues as if they were new. */
function repeatFirst({ right, firstPage }: Spoiling): SandboxReply {
  const [body, first] = [right.again(), firstPage().again()];
  if (!isPage(body) || !isPage(first)) return right;
  return withBody(right, { ...body, items: first.items });
}

/** Names of releases before 6.9 and 9.0. */
const OLD_NAMES = new Map([
  ['address_hash', 'address'],
  ['holders_count', 'holders'],
  ['transactions_count', 'tx_count'],
  ['transaction_fees', 'tx_fees'],
  ['block_number', 'block'],
  ['transaction_types', 'tx_types'],
  ['transaction_tag', 'tx_tag'],
  ['has_error_in_internal_transactions', 'has_error_in_internal_txs'],
  ['transaction_burnt_fee', 'tx_burnt_fee'],
]);

function rename(value: unknown, inside = ''): unknown {
  if (Array.isArray(value)) return value.map((element: unknown) => rename(element, inside));
  if (!isRow(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([key, each]) => [oldName(key, inside), rename(each, key)]));
}

function oldName(key: string, inside: string): string {
  if (key === 'transaction_hash' && inside === 'token_transfers') return 'tx_hash';
  return OLD_NAMES.get(key) ?? key;
}

function mapValues(value: unknown, change: (value: unknown) => unknown): unknown {
  if (Array.isArray(value)) return value.map((element: unknown) => mapValues(element, change));
  if (!isRow(value)) return change(value);
  return Object.fromEntries(Object.entries(value).map(([key, each]) => [key, mapValues(each, change)]));
}
