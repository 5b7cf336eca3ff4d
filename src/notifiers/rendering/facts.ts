// The values of a message in two forms: nested, for programs; and as labelled lines, for people.
import { Amount, showDollars } from '../../core/values/amount.ts';
import { showExact } from '../../core/values/unlimited.ts';
import type { Fact } from '../../core/model/delivery.ts';
import type { Segment } from '../../core/model/watch/condition.ts';
import { showDate, showPart } from '../../core/wording/words.ts';
import { plain, untrusted } from '../../lib/untrusted.ts';
import { ours } from './wording.ts';

type Facts = Readonly<Record<string, Fact>>;
type Plain = boolean | number | string | readonly Plain[] | { readonly [name: string]: Plain };

/** A part of a line; `strange` if it is untrusted. */
export interface Piece {
  readonly text: string;
  readonly strange: boolean;
}

/** `balance: 900 (last poll: 1,200)` */
export interface FactRow {
  readonly label: string;
  readonly value: readonly Piece[];
}

/**
 * Converts facts to plain values with the same nesting: `{ token: { symbol: 'USDC' } }`. Untrusted text is defanged.
 */
export function toPlain(facts: Facts): Record<string, Plain> {
  return Object.fromEntries(named(facts).map(([name, fact]) => [name, plainFact(fact)]));
}

interface RowWords {
  /** The words for the time of the previous value. */
  readonly when: string;
  /** The zone in which times are shown. */
  readonly zone: string;
}

/** One row per value, with the previous value if it differs. Amounts get thousands separators. */
export function toRows(fields: Facts, before: Facts, { when, zone }: RowWords): FactRow[] {
  const now = byLabel(leaves(fields, [], zone));
  const then = byLabel(leaves(before, [], zone));
  return [...new Set([...now.keys(), ...then.keys()])].map((label) => ({
    label,
    value: compared(now.get(label), then.get(label), when),
  }));
}

function plainFact(fact: Fact): Plain {
  if (typeof fact === 'number') return Number.isFinite(fact) ? fact : String(fact);
  if (typeof fact === 'boolean') return fact;
  if ('list' in fact) return fact.list.map(plainFact);
  if ('record' in fact) return toPlain(fact.record);
  return 'text' in fact ? ownValue(fact.text) : plain(fact.untrusted);
}

// Names come from our tables. Any other name is shown like untrusted text.
function named(facts: Facts): [string, Fact][] {
  return Object.entries(facts)
    .filter(([name]) => name !== '__proto__')
    .map(([name, fact]) => [/^\w{1,64}$/.test(name) ? name : plain(untrusted(name)), fact]);
}

// The text is an amount, an address, a time or a short word. None of these has a dot before a letter. A host name has
// one, so a host name that an explorer sent as a short word is defanged.
function ownValue(text: string): string {
  return /\.\p{L}/u.test(text) ? plain(untrusted(text)) : ours(text);
}

function leaves(facts: Facts, path: readonly string[], zone: string): FactRow[] {
  return named(facts).flatMap(([name, fact]) => rowsOf(fact, [...path, name.replaceAll('_', ' ')], zone));
}

// The label has spaces where conditions have dots, because mail programs make a link of `token.name`.
function rowsOf(fact: Fact, path: readonly string[], zone: string): FactRow[] {
  if (typeof fact === 'object' && 'record' in fact) return leaves(fact.record, path, zone);
  if (typeof fact === 'object' && 'list' in fact) return listRows(fact.list, path, zone);
  return [{ label: path.join(' '), value: [pieceOf(fact, path.at(-1) ?? '', zone)] }];
}

function listRows(list: readonly Fact[], path: readonly string[], zone: string): FactRow[] {
  const rows = list.flatMap((fact, index) => rowsOf(fact, [...path, String(index + 1)], zone));
  return rows.length === 0 ? [{ label: path.join(' '), value: [ourPiece('none')] }] : rows;
}

function pieceOf(fact: boolean | number | Segment, name: string, zone: string): Piece {
  if (typeof fact !== 'object') return ourPiece(String(fact));
  if ('untrusted' in fact) return { text: plain(fact.untrusted), strange: true };
  if (INSTANT.test(fact.text)) return ourPiece(showDate(Date.parse(fact.text), zone));
  return ourPiece(grouped(ownValue(fact.text), name));
}

/** Messages contain times in the form for programs. */
const INSTANT = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?Z$/;

// People copy ids and read amounts, so only amounts get separators.
function grouped(text: string, name: string): string {
  const amount = /\bid$/.test(name) ? undefined : Amount.parse(text);
  if (amount === undefined) return text;
  if (/^change (?:[a-z ]+ )?\d/.test(name)) return showPart(amount);
  return /\busd(?: \d+[a-z]+)?$/.test(name) ? showDollars(amount) : showExact(amount);
}

function byLabel(rows: readonly FactRow[]): Map<string, readonly Piece[]> {
  return new Map(rows.map(({ label, value }) => [label, value]));
}

function compared(
  now: readonly Piece[] | undefined,
  then: readonly Piece[] | undefined,
  when: string,
): readonly Piece[] {
  if (now === undefined) return [ourPiece(`unknown (${when}: `), ...(then ?? []), ourPiece(')')];
  if (then === undefined || isSame(now, then)) return now;
  return [...now, ourPiece(` (${when}: `), ...then, ourPiece(')')];
}

// The memory and the servers may write addresses and hashes in different case. This is no change.
function isSame(now: readonly Piece[], then: readonly Piece[]): boolean {
  const [a, b] = [JSON.stringify(now), JSON.stringify(then)];
  return a === b || (now.every(isHex) && a.toLowerCase() === b.toLowerCase());
}

function isHex({ text, strange }: Piece): boolean {
  return !strange && /^0x[\da-f]+$/i.test(text);
}

/** A piece of text from the program, which is trusted. */
export function ourPiece(text: string): Piece {
  return { text, strange: false };
}
