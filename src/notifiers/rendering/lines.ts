// A delivery as lines, for chats and pagers. This file decides the content, its order, and the parts to leave out. Each
// channel decides how to show a line.
import type { Attempt, Delivery } from '../../core/model/delivery.ts';
import {
  byRule,
  detailsText,
  othersText,
  ourLine,
  rowText,
  type Link,
  type ListedAlert,
  type MessageContent,
  type MessageTone,
  type RuleCount,
  type TextLine,
} from './content.ts';
import type { OwnLinks } from './alert-content.ts';
import { toContent } from './group-content.ts';
import type { FactRow } from './facts.ts';

/** The lines of a message, in reading order. */
export interface MessageLines {
  readonly tone: MessageTone;
  /** `[CRITICAL] treasury USDC 970,030, below 1,000,000` */
  readonly headline: string;
  /** The previous value, the threshold, and the reason why the message is sent. */
  readonly lead: readonly TextLine[];
  /** One line for each alert, if there are several. Their links follow the same rules as `links`. */
  readonly alerts: readonly ListedAlert[];
  /** Complete web addresses, without characters that end an address in markup; the runbook comes first. */
  readonly links: readonly Link[];
  /** The rule's own text, or the alerts that are not listed. */
  readonly text: readonly TextLine[];
  /** `balance: 940,000 (was 2,000,000.5)` */
  readonly facts: readonly TextLine[];
}

/** All lines, before they are cut to a size. */
export interface AllLines extends MessageLines {
  /** The alerts that are not listed. */
  readonly others: readonly RuleCount[];
}

/** The lines with their content. */
export interface ContentLines extends AllLines {
  readonly content: MessageContent;
}

const LONGEST_HEADLINE = 300;
const LONGEST_LINE = 400;
const LONGEST_LINK = 300;
const MOST_LINKS = 5;

const COPY = 'This may be a copy: nobody knows whether an earlier try arrived.';

const UNRECORDED = 'Not on record yet, since the state cannot be written: after a crash it may come again.';

export type LinesAttempt = OwnLinks & Pick<Attempt, 'maybeCopy' | 'unrecorded'>;

/** `maybeCopy` adds a line about a possible copy. It is false if the receiver recognises a copy by itself. */
export function toLines(delivery: Delivery, attempt: LinesAttempt): ContentLines {
  const { maybeCopy, unrecorded } = attempt;
  const content = toContent(delivery, attempt);
  const { tone, subject, lead, alerts, others, links, text, values, about, notes } = content;
  const details = detailsText(content);
  const short = (line: TextLine): TextLine => ({ ...line, text: cut(line.text, LONGEST_LINE) });
  return {
    content,
    tone,
    headline: cut(subject, LONGEST_HEADLINE),
    lead: [...lead, ...(maybeCopy ? [ourLine(COPY)] : []), ...(unrecorded === true ? [ourLine(UNRECORDED)] : [])].map(
      short,
    ),
    alerts: alerts.map(withShortLink),
    others,
    links: links
      .map(withoutMarkupIn)
      .filter(({ url }) => isShort(url))
      .slice(0, MOST_LINKS),
    text: text.map(short),
    facts: [
      ...[...values, ...about].map(factOf),
      ...notes.map(ourLine),
      ...(details === null ? [] : [short(ourLine(details))]),
    ],
  };
}

function withShortLink(alert: ListedAlert): ListedAlert {
  const link = alert.link === null ? null : withoutMarkup(alert.link);
  return {
    ...alert,
    subject: cut(alert.subject, LONGEST_HEADLINE),
    link: link !== null && isShort(link) ? link : null,
  };
}

function withoutMarkupIn({ label, url }: Link): Link {
  return { label, url: withoutMarkup(url) };
}

/** The address of the link with this label; null if there is none. */
export function linkTo(label: string, { links }: Pick<MessageLines, 'links'>): string | null {
  return links.find((link) => link.label === label)?.url ?? null;
}

/** `Runbook: https://wiki.example.com/reserve`, for formats in which words cannot be a link. */
export function linkText({ label, url }: Link): string {
  return `${label}: ${url}`;
}

// Percent-encodes the characters that end an address in some markup. The address keeps its meaning.
function withoutMarkup(link: string): string {
  const { origin, pathname, search, hash } = new URL(link);
  const rest = `${pathname}${search}${hash}`.replace(
    /[<>"'`|\\^{}[\]()*~]/g,
    (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`,
  );
  return origin + rest;
}

function isShort({ length }: string): boolean {
  return length <= LONGEST_LINK;
}

function factOf(row: FactRow): TextLine {
  const strange = !OUR_LABEL.test(row.label) || row.value.some((piece) => piece.strange);
  return { text: cut(rowText(row), LONGEST_LINE), strange };
}

// Labels come from our tables; any other is untrusted.
const OUR_LABEL = /^[\w ]+$/;

function cut(text: string, most: number): string {
  return text.length <= most ? text : `${text.slice(0, most - 1).replace(/[\ud800-\udbff]$/, '')}\u2026`;
}

/** The encoded sizes of lines, including their line ends. */
export interface Sizes {
  line(line: TextLine): number;
  link(link: Link): number;
  alert(alert: ListedAlert): number;
}

/**
 * Cuts the lines to the size `most`. The headline and the links always stay. Facts are removed first, from the last one
 * on, then text, then rows of a table, then the first lines. Of several alerts, the last ones are removed. The message counts the removed
 * parts.
 */
export function fitted({ others, ...lines }: AllLines, most: number, sizes: Sizes): MessageLines {
  return lines.alerts.length > 0 ? fittedAlerts(lines, others, most, sizes) : fittedLines(lines, most, sizes);
}

function fittedAlerts(lines: MessageLines, others: readonly RuleCount[], most: number, sizes: Sizes): MessageLines {
  const { headline, lead, alerts, links } = lines;
  const fixed =
    sizes.line(ourLine(headline)) +
    sum(lead.map((line) => sizes.line(line))) +
    sum(links.map((link) => sizes.link(link)));
  const taken = alerts.map((alert) => sizes.alert(alert));
  for (let kept = alerts.length; ; kept -= 1) {
    const left = othersText(byRule([...alerts.slice(kept).map(({ counts }) => counts), ...others]));
    const text = left === null ? [] : [ourLine(cut(left, LONGEST_LINE))];
    const size = fixed + sum(taken.slice(0, kept)) + sum(text.map((line) => sizes.line(line)));
    if (size <= most || kept === 0) return { ...lines, alerts: alerts.slice(0, kept), text };
  }
}

function fittedLines(lines: MessageLines, most: number, sizes: Sizes): MessageLines {
  const { headline, links, text, facts } = lines;
  const fixed = sizes.line(ourLine(headline)) + sum(links.map((link) => sizes.link(link)));
  const count = lines.lead.length + text.length + facts.length;
  if (fixed + sum([...lines.lead, ...text, ...facts].map((line) => sizes.line(line))) <= most) return lines;
  const room = most - fixed - sizes.line(omitted(count));
  const lead = withFewerRows(lines.lead, room, sizes);
  const all = [...lead, ...text, ...facts];
  const kept = countFitting(
    all.map((line) => sizes.line(line)),
    room,
  );
  const first = <T>(some: readonly T[], before: number): readonly T[] => some.slice(0, Math.max(kept - before, 0));
  return {
    ...lines,
    lead: first(lead, 0),
    text: first(text, lead.length),
    facts: [...first(facts, lead.length + text.length), ...(kept < all.length ? [omitted(all.length - kept)] : [])],
  };
}

/**
 * The last row of a table is the total, and the lines below the table name the values that are not in it. So rows above
 * the total are removed first.
 */
function withFewerRows(lead: readonly TextLine[], room: number, sizes: Sizes): readonly TextLine[] {
  const rows = lead.filter(({ isTable }) => isTable === true).slice(1, -1);
  const others = lead.filter((line) => !rows.includes(line));
  if (rows.length === 0 || sum(lead.map((line) => sizes.line(line))) <= room) return lead;
  const left = room - sum(others.map((line) => sizes.line(line))) - sizes.line(omittedRows(rows.length));
  const kept = countFitting(
    rows.map((line) => sizes.line(line)),
    left,
  );
  const leftOut = new Set(rows.slice(kept));
  return lead.flatMap((line) => {
    if (!leftOut.has(line)) return [line];
    return line === rows.at(-1) ? [omittedRows(leftOut.size)] : [];
  });
}

function omittedRows(count: number): TextLine {
  return { ...ourLine(`and ${count} more rows`), isTable: true };
}

function omitted(count: number): TextLine {
  return ourLine(`${count} more lines are not shown here.`);
}

/** The number of first sizes that fit into the room. */
function countFitting(sizes: readonly number[], room: number): number {
  let left = room;
  const firstOver = sizes.findIndex((size) => (left -= size) < 0);
  return firstOver === -1 ? sizes.length : firstOver;
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, number) => total + number, 0);
}
