// What an explorer served, as the oracle sees it: read from the bytes by hand, so that no mistake in the client can
// hide itself here. Old names and numbers written as text are read as a patient person would read them.
import { PAGE_SIZE } from './chain.ts';
import type { Answer, Facts, Page, Row } from '../model.ts';

type Raw = Readonly<Record<string, unknown>>;

/** Null for what is no answer to the question. */
export function readAnswer(path: string, text: string): Answer | null {
  const body = parse(text);
  if (!isRaw(body)) return null;
  if (isOne(path)) return { type: 'one', facts: factsOf(body, ['coin_balance', 'reputation']) };
  const { items, next_page_params: next } = body;
  if (!Array.isArray(items)) return null;
  const rows = items.map((item: unknown) => (isRaw(item) ? rowOf(path, item) : null));
  return { type: 'page', page: pageOf(rows, next) };
}

function isOne(path: string): boolean {
  return /^(?:addresses|tokens)\/0x[0-9a-f]+$/.test(path);
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
  if (path.endsWith('/tokens')) return holdingOf(raw);
  return path.endsWith('/internal-transactions') ? callOf(raw) : transactionOf(raw);
}

function blockOf(raw: Raw): Row | null {
  const [hash, height] = [textAt(raw, 'hash'), numberAt(raw, 'height')];
  if (hash === null || height === null) return null;
  return { id: hash, block: height, facts: factsOf(raw, ['parent_hash', 'timestamp']) };
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
