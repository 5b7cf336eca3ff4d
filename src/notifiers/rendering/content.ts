// The content of a message for every channel that people read: a mail shows all of it, chats and pagers the part that
// fits.
import type { Message } from '../../core/model/delivery.ts';
import type { Piece, FactRow } from './facts.ts';

/**
 * `strange`: the line contains untrusted text, defanged. A channel must not let the service turn words of it into
 * markup.
 */
export interface TextLine {
  readonly text: string;
  readonly strange: boolean;
  /** A row of a table: its blanks make columns where all characters have one width. */
  readonly isTable?: true;
}

/** Lines one after another that are all rows of a table, or all not. */
export function tablesApart(lines: readonly TextLine[]): { readonly isTable: boolean; readonly lines: TextLine[] }[] {
  const parts: { readonly isTable: boolean; readonly lines: TextLine[] }[] = [];
  for (const line of lines) {
    const isTable = line.isTable === true;
    const last = parts.at(-1);
    if (last?.isTable === isTable) last.lines.push(line);
    else parts.push({ isTable, lines: [line] });
  }
  return parts;
}

export type MessageTone = Message['severity'] | 'resolved';

/** `#rrggbb`: every service reads red, green and blue in this order. */
export const COLOURS: Readonly<Record<MessageTone, `#${string}`>> = {
  info: '#2f6fb5',
  warning: '#b26a00',
  critical: '#b3261e',
  resolved: '#2e7d32',
};

export interface MessageContent {
  /** `[CRITICAL] treasury USDC 970,030, below 1,000,000` */
  readonly subject: string;
  readonly tone: MessageTone;
  /** The previous value, the threshold, and the reason why the message is sent. */
  readonly lead: readonly TextLine[];
  /** One line for each alert, if the message contains several. */
  readonly alerts: readonly ListedAlert[];
  /** Members that are not listed, counted by rule. */
  readonly others: readonly RuleCount[];
  readonly links: readonly Link[];
  /** The rule's own text. */
  readonly text: readonly TextLine[];
  /** The present values, with the previous values. */
  readonly values: readonly FactRow[];
  /** The address and the token to which the values belong. */
  readonly about: readonly FactRow[];
  /** Time, place and rule. They rarely matter at night, so they share one line. */
  readonly details: readonly FactRow[];
  readonly notes: readonly string[];
}

/** A page, named by its content or purpose. The name is a fixed text of the program and contains no markup. */
export interface Link {
  readonly label: string;
  readonly url: string;
}

/** The page with instructions. */
export const RUNBOOK = 'Runbook';
/** The pages for acknowledging the alert, or all alerts of the message. */
export const ACKNOWLEDGE = 'Acknowledge';
export const ACKNOWLEDGE_ALL = 'Acknowledge all';
/** The daemon's own page of the alert. */
export const ALERT = 'Alert';

/** One alert of several. */
export interface ListedAlert {
  readonly subject: string;
  /** `21:16 UTC`, `since 12:00 UTC`, `6 times, 00:05\u201300:08 UTC, from 0x1E46\u2026FD90, \u201cout of gas\u201d` */
  readonly aside: string;
  /** True if `aside` contains untrusted text, which is defanged and in quotes. */
  readonly strange: boolean;
  readonly tone: MessageTone;
  /** A page about the alert; null if there is none. */
  readonly link: string | null;
  readonly counts: RuleCount;
}

/** The number of alerts of one rule: `coins/low`. */
export interface RuleCount {
  readonly rule: string;
  readonly count: number;
}

/** Null if there are no details. */
export function detailsText({ details }: Pick<MessageContent, 'details'>): string | null {
  return details.length === 0 ? null : details.map(rowText).join(' \u00b7 ');
}

export function ourLine(text: string): TextLine {
  return { text, strange: false };
}

/** `[CRITICAL] treasury USDC 970,030, below 1,000,000 (21:16 UTC)` */
export function alertText({ subject, aside }: Pick<ListedAlert, 'subject' | 'aside'>): string {
  return `${subject} (${aside})`;
}

const MOST_RULES = 12;

/** `20 more are not listed here: coins/low 12, calls/failed 8.`; null if there are none. */
export function othersText(others: readonly RuleCount[]): string | null {
  const all = sumOf(others);
  if (all === 0) return null;
  const shown = others.slice(0, MOST_RULES).map(({ rule, count }) => `${rule} ${count}`);
  const rest = others.slice(MOST_RULES);
  const more = rest.length === 0 ? [] : [`other rules ${sumOf(rest)}`];
  return `${all} more ${all === 1 ? 'is' : 'are'} not listed here: ${[...shown, ...more].join(', ')}.`;
}

/** One count per rule, the highest first. */
export function byRule(counts: readonly RuleCount[]): RuleCount[] {
  const sums = new Map<string, number>();
  for (const { rule, count } of counts) sums.set(rule, (sums.get(rule) ?? 0) + count);
  return [...sums].map(([rule, count]) => ({ rule, count })).toSorted((a, b) => b.count - a.count);
}

export function sumOf(counts: readonly Pick<RuleCount, 'count'>[]): number {
  return counts.reduce((sum, { count }) => sum + count, 0);
}

/** Untrusted text in quotes that it cannot close. */
export function quoted(piece: Piece): string {
  return piece.strange ? `\u201c${piece.text.replace(/[\u201c\u201d]/g, '"')}\u201d` : piece.text;
}

/** `balance: 940,000 (last poll: 2,000,000.5)` */
export function rowText(row: FactRow): string {
  return `${row.label}: ${valueText(row)}`;
}

export function valueText({ value }: FactRow): string {
  return value.map(quoted).join('');
}
