// The journal as it comes out of the storage, and how much of it is kept and read at once.
import type { JournalAnchor } from '../../core/journal/chain.ts';
import type { JournalText } from '../../core/journal/entry.ts';
import type { JournalCounts, JournalLine, JournalPage } from '../journal.ts';
import { json, jsonOrNull, type Row } from './rows.ts';

export const MOST_LINES = 800_000;
/** At once: takes a few milliseconds. */
export const MOST_COUNTED = 20_000;
/** Lines that one search looks at: a few milliseconds. */
export const MOST_SEARCHED = 20_000;
/** Alerts of watches that are looked for. */
export const MOST_KEYS = 10_000;
/** Lines, at once: dropping them takes a few tens of milliseconds. */
export const MOST_DROPPED = 50_000;

export function anchorOf(row: Row): JournalAnchor {
  return { position: Number(row['position']), hash: String(row['hash']) };
}

/** As it was hashed, whether its data can be read or not. */
export function journalTextOf(row: Row): JournalText {
  const text = (name: string): string => String(row[name]);
  return {
    at: Number(row['at']),
    kind: text('kind'),
    subject: text('subject'),
    actor: text('actor'),
    data: text('data'),
  };
}

/** Of the lines after that number, by kind. */
export function countsOf(after: number, rows: readonly Row[]): JournalCounts {
  return {
    line: Math.max(after, ...rows.map((row) => Number(row['line']))),
    lines: Object.fromEntries(rows.map((row) => [String(row['kind']), Number(row['count'])])),
  };
}

/** For LIKE, with a backslash as its escape. */
export function escapedForLike(text: string): string {
  return text.replaceAll(/[\\%_]/g, String.raw`\$&`);
}

/** `from`: the line down to which was looked. `oldest`: the first one that is kept. */
export function pageOf(
  lines: readonly JournalLine[],
  { limit, from, oldest }: Readonly<Record<'limit' | 'from' | 'oldest', number>>,
): JournalPage {
  const last = lines.length === limit ? (lines.at(-1)?.number ?? from) : from;
  return { lines, next: last > oldest ? last : null };
}

/** What only explains: data that cannot be read is shown as it is. */
export function journalLineOf(row: Row): JournalLine {
  const [position, hash] = [row['position'], row['hash']];
  const data = json.safeParse(jsonOrNull(row['data'])).data ?? null;
  return {
    number: Number(row['number']),
    at: Number(row['at']),
    kind: String(row['kind']),
    subject: String(row['subject']),
    actor: String(row['actor']),
    data: data === null ? String(row['data']) : data,
    anchor: typeof position === 'number' && typeof hash === 'string' ? { position, hash } : null,
  };
}
