// One model of a mail; its text part is made here, its HTML part in mail-html.ts, so that both say the same. The facts
// stand last: who reads on a telephone has the subject, the first lines and the links before anything else.
import { showSecond } from '../../lib/clock.ts';
import { plain } from '../../lib/untrusted.ts';
import type { Message } from '../../core/model/delivery.ts';
import { capital } from '../../core/wording/words.ts';
import { ourPiece, toRows, type Piece, type Row } from './facts.ts';
import { firedFor, ours, pagesOf, reasonOf, runbookOf, subjectOf, toLinesOfText } from './wording.ts';

/** A line above the facts; `strange` when a stranger's text is in it. */
export interface TextLine {
  readonly text: string;
  readonly strange: boolean;
}

export interface MailContent {
  /** `[CRITICAL] treasury USDC 970,030, below 1,000,000` */
  readonly subject: string;
  readonly tone: Message['severity'] | 'resolved';
  /** The value before, the threshold, why it is told. */
  readonly lead: readonly TextLine[];
  readonly links: readonly Link[];
  /** The rule's own text. */
  readonly text: readonly TextLine[];
  /** What was seen: the values, and those before. */
  readonly values: readonly Row[];
  /** Where, when and by which rule. */
  readonly about: readonly Row[];
  readonly notes: readonly string[];
}

export interface Link {
  readonly label: string;
  readonly url: string;
}

const MOST_VALUES = 60;

export function toMailContent(message: Message): MailContent {
  const values = toRows(message.fields, message.before, whenBefore(message)).filter((row) => !isSaid(row, message));
  const about = aboutRows(message);
  const [lead, text] = [leadOf(message), textLines(message.text)];
  return {
    subject: mailSubject(message),
    tone: isOver(message) ? 'resolved' : message.severity,
    lead,
    links: pagesOf(message).map((url) => ({ label: labelOf(message, url), url })),
    text,
    values: values.slice(0, MOST_VALUES),
    about,
    notes: notesOf({ lead, text, values: [...values, ...about], omitted: values.length - MOST_VALUES }),
  };
}

/** Threads are kept by headers, so each message says how things stand. */
function mailSubject(message: Message): string {
  // Mail programs would decode an encoded word (RFC 2047), line breaks included.
  return subjectOf(message).replaceAll('=?', '= ?');
}

function labelOf(message: Message, url: string): string {
  return url === runbookOf(message) ? 'Runbook' : `Open on ${ours(message.explorer)}`;
}

/** The text part. A stranger's text among the facts stands in “quotes”; none of it can begin a line. */
export function toText({ subject, lead, links, text, values, about, notes }: MailContent): string {
  const parts = [
    [subject, ...lead.map((line) => line.text)],
    links.map(({ label, url }) => `${label}: ${url}`),
    text.map((line) => line.text),
    values.map(rowText),
    about.map(rowText),
    notes,
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

/** `balance: 940,000 (last poll: 2,000,000.5)` */
export function rowText({ label, value }: Row): string {
  return `${label}: ${value.map(quoted).join('')}`;
}

function leadOf(message: Message): TextLine[] {
  const reason = reasonOf(message);
  return [
    ...message.lines.flatMap(textLines),
    ...(reason === null ? [] : [ourLine(`${capital(reason)}.`)]),
    ...(message.late ? [ourLine('Told late: it happened more than ten minutes before it was seen.')] : []),
  ];
}

function textLines(text: Message['text']): TextLine[] {
  const strange = text.some((segment) => 'untrusted' in segment);
  return toLinesOfText(text).map((line) => ({ text: line, strange }));
}

export function ourLine(text: string): TextLine {
  return { text, strange: false };
}

function isOver({ type }: Message): boolean {
  return type === 'alert.resolved' || type === 'alert.retracted';
}

/** Of which time the values before are. */
function whenBefore({ type }: Message): string {
  if (type === 'alert.resolved') return 'when it fired';
  return type === 'alert.corrected' ? 'told before' : 'last poll';
}

/** The address, the token and its symbol stand among what is said of the watch. */
function isSaid({ label, value: [piece, ...more] }: Row, { of, token }: Message): boolean {
  if (piece === undefined || more.length > 0) return false;
  const text = piece.text.toLowerCase();
  if (/^(?:token )?symbol$/.test(label))
    return token !== null && token.symbol !== null && piece.text === plain(token.symbol);
  if (/^address$/.test(label)) return text === of?.address.toLowerCase();
  return /^(?:token )?address hash$/.test(label) && text === token?.address.toLowerCase();
}

const STATES: Readonly<Record<Message['type'], string>> = {
  'alert.event': 'event',
  'alert.firing': 'firing',
  'alert.resolved': 'resolved',
  'alert.retracted': 'retracted: what was told is no longer so',
  'alert.corrected': 'corrected: what was told is otherwise',
  'alert.reinstated': 'reinstated: it is so after all',
  'alert.summary': 'summary of many messages',
};

/** `firing, critical, since 2026-01-01T00:00:00Z` */
function stateWords(message: Message): string {
  return `${STATES[message.type]}, ${message.severity}${timesOf(message)}`;
}

function timesOf(message: Message): string {
  const since = showSecond(message.since);
  if (message.type === 'alert.firing') return `, since ${since}`;
  if (message.resolvedAt === null) return '';
  return `, after ${firedFor(message) ?? ''} (${since} to ${showSecond(message.resolvedAt)})`;
}

function aboutRows(message: Message): Row[] {
  const { of, token } = message;
  const chain = message.chainId === null ? '' : ` (chain ${message.chainId})`;
  return [
    row('state', stateWords(message)),
    row('condition', message.condition),
    ...(of === null ? [] : [row('address', of.name === null ? of.address : `${of.name} ${of.address}`)]),
    ...(token === null ? [] : [tokenRow(token)]),
    row('explorer', `${message.explorer}${chain}`),
    row('observed', showSecond(message.observedAt)),
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

interface Shown extends Pick<MailContent, 'lead' | 'text' | 'values'> {
  readonly omitted: number;
}

/** In the first lines and among the facts a stranger's text stands in quotes; in a rule's own text it does not. */
function notesOf({ lead, text, values, omitted }: Shown): string[] {
  const isQuoted = [...lead, ...values.flatMap(({ value }) => value)].some(({ strange }) => strange);
  const inText = text.some(({ strange }) => strange);
  return [
    ...(omitted > 0 ? [`${omitted} more values are not shown here.`] : []),
    ...(isQuoted ? ['Text in \u201cquotes\u201d is as the explorer reports it: anyone may have chosen it.'] : []),
    ...(inText ? ['Names in the text above are as the explorer reports them.'] : []),
  ];
}
