// One alert with all known facts. The facts come last: on a telephone the subject, the first lines and the links are
// read first.
import { showSecond, type Instant } from '../../lib/clock.ts';
import { plain } from '../../lib/untrusted.ts';
import { isReport, type Attempt, type DeliveryMember, type Message } from '../../core/model/delivery.ts';
import { capital, explorerLinks, runbookOf, showRange } from '../../core/wording/words.ts';
import { ACKNOWLEDGE, ALERT, ourLine, RUNBOOK, type Link, type MessageContent, type TextLine } from './content.ts';
import { ourPiece, toRows, type FactRow } from './facts.ts';
import {
  firedFor,
  isToldLater,
  laterValues,
  memberLead,
  memberSubject,
  ours,
  presentMessage,
  reasonOf,
  sinceWords,
  toLinesOfText,
} from './wording.ts';

const MOST_VALUES = 60;

/** Links to the daemon's own pages. */
export type OwnLinks = Pick<Attempt, 'ackUrl' | 'pageOf'>;

/** `at`: the time when the delivery was put together. */
export function toAlertContent(member: DeliveryMember, at: Instant, links: OwnLinks = {}): MessageContent {
  const { as, present } = member;
  const message = presentMessage(member);
  const values = valuesOf(message, whenBefore(member));
  const about = aboutRows(message);
  const [lead, text] = [leadOf(member, at), textLines(message.text)];
  return {
    subject: memberSubject(member, at),
    tone: isOver(message) ? 'resolved' : message.severity,
    lead,
    alerts: [],
    others: [],
    links: linksOf(message, links),
    text,
    values: values.slice(0, MOST_VALUES),
    about,
    details: detailRows(message, at),
    notes: [
      ...(as === 'repeat' && present === null && values.length > 0
        ? ['The values are those of its first message.']
        : []),
      ...notesOf({ lead, text, values: [...values, ...about], omitted: values.length - MOST_VALUES }),
    ],
  };
}

/** The values of the message, without those that the lines above show. */
function valuesOf(message: Message, when: string): FactRow[] {
  // The text of a report already shows its values, in the words of its rule.
  if (isReport(message)) return [];
  const rows = toRows(message.fields, message.before, { when, zone: message.zone });
  return rows.filter((row) => !isSaid(row, message));
}

/** The links that a person needs in an emergency come first. */
function linksOf(message: Message, { ackUrl, pageOf }: OwnLinks): Link[] {
  const [runbook, page] = [runbookOf(message), pageOf?.(message) ?? null];
  return [
    ...(runbook === null ? [] : [{ label: RUNBOOK, url: runbook }]),
    ...(ackUrl === undefined ? [] : [{ label: ACKNOWLEDGE, url: ackUrl }]),
    ...(page === null ? [] : [{ label: ALERT, url: page }]),
    ...explorerLinks(message),
  ];
}

/**
 * The first lines. A repeat, and a message with newer values, leave out the change of the value, which happened
 * earlier.
 */
export function linesOf(member: DeliveryMember, at: Instant): TextLine[] {
  const { message } = member;
  const own = isToldLater(member) ? [] : message.lines.flatMap(textLines);
  return [...memberLead(member, at).map(ourLine), ...tableLines(message), ...own];
}

/** The rows of a report as lines of equal columns: names on the left, numbers on the right. */
function tableLines({ table = [] }: Pick<Message, 'table'>): TextLine[] {
  const rows = table.map((row) => row.map(ours));
  const widths: number[] = [];
  for (const row of rows) for (const [i, cell] of row.entries()) widths[i] = Math.max(widths[i] ?? 0, cell.length);
  return rows.map((row) => {
    const cells = row.map((cell, i) => (i === 0 ? cell.padEnd(widths[i] ?? 0) : cell.padStart(widths[i] ?? 0)));
    return { text: cells.join('  '), strange: false, isTable: true };
  });
}

function leadOf(member: DeliveryMember, at: Instant): TextLine[] {
  const { message } = member;
  const reason = reasonOf(message);
  return [
    ...linesOf(member, at),
    ...(reason === null ? [] : [ourLine(`${capital(reason)}.`)]),
    ...(isToldLate(message) ? [ourLine('Late: it happened more than ten minutes before it was seen.')] : []),
  ];
}

/** A report with a table already contains the time at which it was due. */
function isToldLate({ late, table }: Message): boolean {
  return late && table === undefined;
}

function textLines(text: Message['text']): TextLine[] {
  const strange = text.some((segment) => 'untrusted' in segment);
  return toLinesOfText(text).map((line) => ({ text: line, strange }));
}

function isOver({ type }: Message): boolean {
  return type === 'alert.resolved' || type === 'alert.retracted';
}

/** The words for the time of the previous values. */
function whenBefore(member: DeliveryMember): string {
  const { type } = member.message;
  if (type === 'alert.resolved' || laterValues(member) !== null) return 'when it fired';
  return type === 'alert.corrected' ? 'before' : 'last poll';
}

/** True for the address, the token and its symbol, if they are already shown with the watch. */
function isSaid({ label, value: [piece, ...more] }: FactRow, { of, token }: Message): boolean {
  if (piece === undefined || more.length > 0) return false;
  const text = piece.text.toLowerCase();
  // The config names the symbol of a native coin, and the title shows it.
  if (label === 'symbol' && token === null) return true;
  if (/^(?:token )?symbol$/.test(label))
    return token !== null && token.symbol !== null && piece.text === plain(token.symbol);
  if (/^address$/.test(label)) return text === of?.address.toLowerCase();
  return /^(?:token )?address hash$/.test(label) && text === token?.address.toLowerCase();
}

const STATES: Readonly<Record<Message['type'], string>> = {
  'alert.event': 'event',
  'alert.firing': 'firing',
  'alert.resolved': 'resolved',
  'alert.retracted': 'retracted: it is no longer true',
  'alert.corrected': 'corrected: it turned out different',
  'alert.reinstated': 'reinstated: it is true after all',
  'alert.summary': 'summary of many messages',
};

/** `firing, critical, since 21:16 UTC` */
function stateWords(message: Message, at: Instant): string {
  return `${STATES[message.type]}, ${message.severity}${timesOf(message, at)}`;
}

function timesOf(message: Message, now: Instant): string {
  const moment = { now, zone: message.zone };
  if (message.type === 'alert.firing') return `, ${sinceWords(message, moment)}`;
  if (message.resolvedAt === null) return '';
  const fired = firedFor(message);
  return `${fired === null ? '' : `, after ${fired}`} (${showRange(message.since, message.resolvedAt, moment)})`;
}

function aboutRows({ of, token }: Message): FactRow[] {
  return [
    ...(of === null ? [] : [row('address', of.name === null ? of.address : `${of.name} ${of.address}`)]),
    ...(token === null ? [] : [tokenRow(token)]),
  ];
}

/** The condition comes last: it may be long. */
function detailRows(message: Message, at: Instant): FactRow[] {
  const chain = message.chainId === null ? '' : ` (chain ${message.chainId})`;
  return [
    row('state', stateWords(message, at)),
    row('watch', `${message.watch} / ${message.alert}`),
    row('explorer', `${message.explorer}${chain}`),
    row('observed', showSecond(message.observedAt)),
    row('rule', message.rule),
    row('condition', message.condition),
  ];
}

function row(label: string, text: string): FactRow {
  return { label, value: [ourPiece(ours(text))] };
}

// Anyone may call a token USDC, so the name proves nothing. The whole address is shown beside it.
function tokenRow(token: NonNullable<Message['token']>): FactRow {
  const address = ourPiece(ours(token.address));
  if (token.symbol === null) return { label: 'token', value: [address] };
  const symbol = { text: plain(token.symbol), strange: true };
  return { label: 'token', value: [symbol, ourPiece(' '), address] };
}

interface Shown extends Pick<MessageContent, 'lead' | 'text' | 'values'> {
  readonly omitted: number;
}

/** Untrusted text is in quotes in the first lines and among the facts, but not in a rule's own text. */
function notesOf({ lead, text, values, omitted }: Shown): string[] {
  const isQuoted = [...lead, ...values.flatMap(({ value }) => value)].some(({ strange }) => strange);
  const inText = text.some(({ strange }) => strange);
  return [
    ...(omitted > 0 ? [`${omitted} more values are not shown here.`] : []),
    ...(isQuoted ? ['Text in \u201cquotes\u201d is as the explorer reports it: anyone may have chosen it.'] : []),
    ...(inText ? ['Names in the text above are as the explorer reports them.'] : []),
  ];
}
