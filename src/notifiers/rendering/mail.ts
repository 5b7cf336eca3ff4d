// One model of a mail; its text part is made here, its HTML part in mail-html.ts, so that both say the same.
import { showInstant } from '../../lib/clock.ts';
import { plain } from '../../lib/untrusted.ts';
import type { Message } from '../../core/model/delivery.ts';
import { ourPiece, toRows, type Piece, type Row } from './facts.ts';
import { firedFor, linesOf, ours, pagesOf } from './wording.ts';

export interface MailContent {
  readonly title: string;
  readonly tone: Message['severity'] | 'resolved';
  /** `Firing, critical, since 2026-01-01T00:00:00Z` */
  readonly state: string;
  readonly text: readonly string[];
  /** What was seen: the values, and those before. */
  readonly values: readonly Row[];
  /** Where, when and by which rule. */
  readonly about: readonly Row[];
  readonly links: readonly string[];
  readonly notes: readonly string[];
}

const MOST_VALUES = 60;

export function toMailContent(message: Message): MailContent {
  const values = toRows(message.fields, message.before);
  const about = aboutRows(message);
  return {
    title: ours(message.title),
    tone: isOver(message) ? 'resolved' : message.severity,
    state: stateLine(message),
    text: linesOf(message),
    values: values.slice(0, MOST_VALUES),
    about,
    links: pagesOf(message),
    notes: notesOf(message, values, about),
  };
}

/** Constant over an episode, so that mail programs keep its messages together; never any text from the chain. */
export function subjectOf(message: Message): string {
  const reply = OPENING.has(message.type) ? '' : 'Re: ';
  const subject = `${reply}[${message.severity.toUpperCase()}] ${ours(message.title)} - ${ours(message.watch)}`;
  // Mail programs would decode an encoded word (RFC 2047), line breaks included.
  return subject.replaceAll('=?', '= ?');
}

/** The first message of a thread. */
const OPENING: ReadonlySet<Message['type']> = new Set(['alert.event', 'alert.firing', 'alert.summary']);

/** The text part. A stranger's text stands in “quotes”; none of it can begin a line. */
export function toText(content: MailContent): string {
  const parts = [
    [content.title, content.state],
    content.text,
    content.values.map(rowText),
    content.about.map(rowText),
    content.links,
    content.notes,
  ];
  return `${parts
    .filter((lines) => lines.length > 0)
    .map((lines) => lines.join('\n'))
    .join('\n\n')}\n`;
}

/** A stranger's text in quotes that he cannot close. */
export function quoted(piece: Piece): string {
  return piece.strange ? `\u201c${piece.text.replace(/[\u201c\u201d]/g, '"')}\u201d` : piece.text;
}

/** `balance: 940,000 (was 2,000,000.5)` */
export function rowText({ label, value }: Row): string {
  return `${label}: ${value.map(quoted).join('')}`;
}

function isOver({ type }: Message): boolean {
  return type === 'alert.resolved' || type === 'alert.retracted';
}

function stateLine(message: Message): string {
  const why = message.reason === null ? '' : `; ${ours(message.reason)}`;
  return `${STATES[message.type]}, ${message.severity}${timesOf(message)}${why}`;
}

const STATES: Readonly<Record<Message['type'], string>> = {
  'alert.event': 'Event',
  'alert.firing': 'Firing',
  'alert.resolved': 'Resolved',
  'alert.retracted': 'Retracted: what was told is no longer so',
  'alert.corrected': 'Corrected: what was told is otherwise',
  'alert.reinstated': 'Reinstated: it is so after all',
  'alert.summary': 'Summary of many messages',
};

function timesOf(message: Message): string {
  const since = showInstant(message.since);
  if (message.type === 'alert.firing') return `, since ${since}`;
  if (message.resolvedAt === null) return '';
  return `, after ${firedFor(message) ?? ''} (${since} to ${showInstant(message.resolvedAt)})`;
}

function aboutRows(message: Message): Row[] {
  const { of, token } = message;
  const chain = message.chainId === null ? '' : ` (chain ${message.chainId})`;
  return [
    row('condition', message.condition),
    ...(of === null ? [] : [row('address', of.name === null ? of.address : `${of.name} ${of.address}`)]),
    ...(token === null ? [] : [tokenRow(token)]),
    row('explorer', `${message.explorer}${chain}`),
    row('observed', showInstant(message.observedAt)),
    row('watch', `${message.watch} / ${message.alert}`),
    row('rule', message.rule),
  ];
}

function row(label: string, text: string): Row {
  return { label, value: [ourPiece(ours(text))] };
}

// The name alone proves nothing: anyone may call a token USDC. Hence the whole address beside it.
function tokenRow(token: NonNullable<Message['token']>): Row {
  const address = ourPiece(ours(token.address));
  if (token.symbol === null) return { label: 'token', value: [address] };
  const symbol = { text: plain(token.symbol), strange: true };
  return { label: 'token', value: [symbol, ourPiece(' '), address] };
}

function notesOf(message: Message, values: readonly Row[], about: readonly Row[]): string[] {
  const hasStrange = [...values, ...about].some(({ value }) => value.some(({ strange }) => strange));
  const inText = message.text.some((segment) => 'untrusted' in segment);
  const more = values.length - MOST_VALUES;
  return [
    ...(more > 0 ? [`${more} more values are not shown here.`] : []),
    ...(message.late ? ['Told late: it happened more than ten minutes before it was seen.'] : []),
    ...(hasStrange ? ['Text in \u201cquotes\u201d is as the explorer reports it: anyone may have chosen it.'] : []),
    ...(inText ? ['Names in the text above are as the explorer reports them.'] : []),
  ];
}
