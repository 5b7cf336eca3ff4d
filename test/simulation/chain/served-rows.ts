// What an explorer served, as the oracle sees it: read from the bytes by hand, so that no mistake in the client can
// hide itself here. Old names and numbers written as text are read as a patient person would read them.
import { PAGE_SIZE } from './chain.ts';
import { eventFacts } from './chain-model.ts';
import type { Answer, Facts, Page, Row } from '../model.ts';

type Raw = Readonly<Record<string, unknown>>;

/** Null for what is no answer to the question. */
export function readAnswer(path: string, text: string, cursor = ''): Answer | null {
  const body = parse(text);
  if (!isRaw(body)) return null;
  if (isOfEvents(path)) return Array.isArray(body['items']) ? listedEvents(body) : eventsIn(body, cursor);
  if (isOne(path))
    return { type: 'one', facts: { ...factsOf(body, ['coin_balance', 'reputation']), code: codeIn(body) } };
  const { items, next_page_params: next } = body;
  if (!Array.isArray(items)) return null;
  const rows = items.map((item: unknown) => (isRaw(item) ? rowOf(path, item) : null));
  return { type: 'page', page: pageOf(rows, next) };
}

export function isOfEvents(path: string): boolean {
  return path.startsWith('api?');
}

/** A list without cursors: the question says from which block to which one. */
function eventsIn({ result }: Raw, cursor: string): Answer | null {
  if (!Array.isArray(result)) return null;
  const asked = new URLSearchParams(cursor);
  const to = asked.get('toBlock');
  const heights = { from: Number(asked.get('fromBlock')), to: to === 'latest' ? Infinity : Number(to) };
  const countByHash = new Map<string, number>();
  const rows = result.map((raw: unknown) => (isRaw(raw) ? eventOf(raw, countByHash) : null));
  return { type: 'page', page: { ...pageOf(rows, null), isEnd: false, heights } };
}

/** The list of a contract, the newest first: for hosts that refuse the other one. */
function listedEvents({ items, next_page_params: next }: Raw): Answer {
  const countByHash = new Map<string, number>();
  const upwards = Array.isArray(items) ? items.toReversed() : [];
  const rows = upwards.map((raw: unknown) => (isRaw(raw) ? eventOf(raw, countByHash) : null));
  return { type: 'page', page: pageOf(rows.reverse(), next) };
}

/** The simulation makes no other two events of one transaction than equal ones. */
function eventOf(raw: Raw, countByHash: Map<string, number>): Row | null {
  const hash = textAt(raw, 'transactionHash') ?? textAt(raw, 'transaction_hash') ?? textAt(raw, 'tx_hash');
  const height = textAt(raw, 'blockNumber') ?? textAt(raw, 'block_number');
  const { topics, data } = raw;
  if (hash === null || height === null || !Array.isArray(topics)) return null;
  const nth = countByHash.get(hash) ?? 0;
  countByHash.set(hash, nth + 1);
  const [topic, ...indexed] = topics.flatMap((one: unknown) => (typeof one === 'string' ? [one] : []));
  const event = EVENT_BY_TOPIC.get(topic ?? '') ?? 'other';
  const words = typeof data === 'string' ? (data.slice(2).match(/.{64}/g) ?? []) : [];
  const values = [...indexed.map((word) => word.slice(2)), ...words].map((word, n) => valueIn(word, event, n));
  return { id: `${hash}:${nth}`, block: Number(height), facts: eventFacts(event, values) };
}

const EVENT_BY_TOPIC = new Map([
  ['0x62e78cea01bee320cd4e420270b5ea74000d11b0c9f74754ebdbfc544b05a258', 'Paused'],
  ['0x8be0079c531659141344cd1fd0a4f28419497f9722a3daafe3b4186f6b6457e0', 'OwnershipTransferred'],
  ['0x2f8788117e7eff1d82e926ec794901d17c78024a50270940304540a733656f0d', 'RoleGranted'],
  ['0x8c5be1e5ebec7d5bd14f71427d1e84f3dd0314c0f7b2291e5b200ac8c7c3b925', 'Approval'],
]);

/** Of a word of 32 bytes: the third argument of an approval is a number, the first one of a role its hash. */
function valueIn(word: string, event: string, place: number): string {
  if (event === 'Approval' && place === 2) return String(BigInt(`0x${word}`));
  return event === 'RoleGranted' && place === 0 ? `0x${word}` : `0x${word.slice(24)}`;
}

function isOne(path: string): boolean {
  return /^(?:addresses|tokens)\/0x[0-9a-f]+$/.test(path);
}

/** What is behind a proxy: one contract in the simulation. Null: unknown. */
function codeIn({ implementations }: Raw): string | null {
  const listed: readonly unknown[] = Array.isArray(implementations) ? implementations : [];
  const [first] = listed;
  const address = isRaw(first) ? (textAt(first, 'address_hash') ?? textAt(first, 'address')) : null;
  return address?.toLowerCase() ?? null;
}

function pageOf(rows: readonly (Row | null)[], params: unknown): Page {
  const named = rows.filter((row) => row !== null);
  const next = isRaw(params) ? cursorOf(Object.entries(params)) : null;
  const isBroken = isRaw(params) && next === null && rows.length >= PAGE_SIZE;
  return { rows: named, nameless: rows.length - named.length, next, isEnd: next === null && !isBroken };
}

/** Parameters in one order, null as the four letters, nothing of what is empty. Null where nothing is left. */
export function cursorOf(parameters: readonly (readonly [string, unknown])[]): string | null {
  const written = parameters.map(([name, value]) => `${name}=${String(value)}`).filter((pair) => !pair.endsWith('='));
  return written.length === 0 ? null : written.toSorted().join('&');
}

function rowOf(path: string, raw: Raw): Row | null {
  if (path === 'blocks') return blockOf(raw);
  if (path.endsWith('transfers')) return transferOf(raw);
  if (path.endsWith('/tokens')) return holdingOf(raw);
  return path.endsWith('/internal-transactions') ? callOf(raw) : transactionOf(raw);
}

function blockOf(raw: Raw): Row | null {
  const [hash, height] = [textAt(raw, 'hash'), numberAt(raw, 'height')];
  if (hash === null || height === null) return null;
  const count = textAt(raw, 'transactions_count') ?? textAt(raw, 'tx_count');
  return {
    id: hash,
    block: height,
    facts: { ...factsOf(raw, ['parent_hash', 'timestamp']), transactions_count: count },
  };
}

function callOf(raw: Raw): Row | null {
  const [hash, index] = [textAt(raw, 'transaction_hash'), numberAt(raw, 'index')];
  const block = numberAt(raw, 'block_number') ?? numberAt(raw, 'block');
  if (hash === null || index === null || block === null) return null;
  return { id: `${hash}:${index}`, block, facts: factsOf(raw, ['success', 'error']) };
}

function transactionOf(raw: Raw): Row | null {
  const hash = textAt(raw, 'hash');
  const block = numberAt(raw, 'block_number') ?? numberAt(raw, 'block');
  return hash === null ? null : { id: hash, block, facts: factsOf(raw, ['status', 'value']) };
}

/** The simulation makes one transfer in a transaction. */
function transferOf(raw: Raw): Row | null {
  const hash = textAt(raw, 'transaction_hash');
  const block = numberAt(raw, 'block_number') ?? numberAt(raw, 'block');
  const [token, from, to] = [addressIn(raw['token']), addressIn(raw['from']), addressIn(raw['to'])];
  if (hash === null || block === null || token === null || from === null || to === null) return null;
  const { total } = raw;
  return { id: `${hash}:0`, block, facts: { token, from, to, raw: isRaw(total) ? textAt(total, 'value') : null } };
}

function addressIn(value: unknown): string | null {
  if (!isRaw(value)) return null;
  return (textAt(value, 'hash') ?? textAt(value, 'address_hash') ?? textAt(value, 'address'))?.toLowerCase() ?? null;
}

function holdingOf(raw: Raw): Row | null {
  const { token } = raw;
  const address = isRaw(token) ? (textAt(token, 'address_hash') ?? textAt(token, 'address')) : null;
  if (address === null) return null;
  const piece = textAt(raw, 'token_id');
  const id = piece === null ? address : `${address}/${piece}`;
  return { id: id.toLowerCase(), block: null, facts: factsOf(raw, ['value']) };
}

function factsOf(raw: Raw, names: readonly string[]): Facts {
  return Object.fromEntries(names.map((name) => [name, textAt(raw, name)]));
}

function textAt(raw: Raw, name: string): string | null {
  const value = raw[name];
  return typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean' ? String(value) : null;
}

function numberAt(raw: Raw, name: string): number | null {
  const text = textAt(raw, name);
  return text !== null && /^\d{1,15}$/.test(text) ? Number(text) : null;
}

function isRaw(value: unknown): value is Raw {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

// Of a number this long only the text is exact.
const LONG_NUMBER = /([:,[]\s*)(-?\d{16,})(?=\s*[,}\]])/g;

function parse(text: string): unknown {
  try {
    return JSON.parse(text.replace(LONG_NUMBER, '$1"$2"'));
  } catch {
    return null;
  }
}
