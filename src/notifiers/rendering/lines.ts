// A message as lines, for chats and pagers: what each of them makes of a line is its own affair, what is said, in which
// order, and what is left out where room is short is here.
import type { Message } from '../../core/model/delivery.ts';
import type { Row } from './facts.ts';
import { ourLine, rowText, toMailContent, type TextLine } from './mail.ts';
import { pagesOf, runbookOf, subjectOf } from './wording.ts';

/** Where a stranger's text is in it, defanged, chats that make markup of some words must not look for any. */
export type Line = TextLine;

/** In the order in which it is read. */
export interface Lines {
  /** `[CRITICAL] treasury USDC 970,030, below 1,000,000` */
  readonly headline: string;
  /** The value before, the threshold, why it is told. */
  readonly lead: readonly Line[];
  /** Whole web addresses, without characters that end one in markup; the runbook first. */
  readonly links: readonly string[];
  /** Which of the links is the runbook; null = none. */
  readonly runbook: string | null;
  /** The rule's own text. */
  readonly text: readonly Line[];
  /** `balance: 940,000 (was 2,000,000.5)` */
  readonly facts: readonly Line[];
}

const LONGEST_HEADLINE = 300;
const LONGEST_LINE = 400;
const LONGEST_LINK = 300;
const MOST_LINKS = 3;

export function toLines(message: Message): Lines {
  const { lead, text, values, about, notes } = toMailContent(message);
  const short = (line: Line): Line => ({ ...line, text: cut(line.text, LONGEST_LINE) });
  return {
    headline: cut(subjectOf(message), LONGEST_HEADLINE),
    lead: lead.map(short),
    links: linksOf(message),
    runbook: runbookIn(message),
    text: text.map(short),
    facts: [...[...values, ...about].map(factOf), ...notes.map(ourLine)],
  };
}

function linksOf(message: Message): string[] {
  return pagesOf(message).map(withoutMarkup).filter(isShort).slice(0, MOST_LINKS);
}

function runbookIn(message: Message): string | null {
  const runbook = runbookOf(message);
  return runbook === null ? null : withoutMarkup(runbook);
}

// Characters that end an address in one markup or another, percent-encoded: the address stays the same.
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

function factOf(row: Row): Line {
  const strange = !OUR_LABEL.test(row.label) || row.value.some((piece) => piece.strange);
  return { text: cut(rowText(row), LONGEST_LINE), strange };
}

// Labels come from our tables; should one ever not, it is a stranger's.
const OUR_LABEL = /^[\w ]+$/;

function cut(text: string, most: number): string {
  return text.length <= most ? text : `${text.slice(0, most - 1).replace(/[\ud800-\udbff]$/, '')}\u2026`;
}

/**
 * What of it fits into `most`, where `sizeOf` says what a line takes once it is encoded, its line end included. The
 * headline and the links always stay; facts go first, from the last one on, then text, then the first lines. What went is
 * counted.
 */
export function fitted(lines: Lines, most: number, sizeOf: (text: string, isLink: boolean) => number): Lines {
  const { headline, lead, links, text, facts } = lines;
  const fixed = sizeOf(headline, false) + sum(links.map((link) => sizeOf(link, true)));
  const sizes = [...lead, ...text, ...facts].map((line) => sizeOf(line.text, false));
  if (fixed + sum(sizes) <= most) return lines;
  const kept = countFitting(sizes, most - fixed - sizeOf(omitted(sizes.length), false));
  const first = <T>(all: readonly T[], before: number): readonly T[] => all.slice(0, Math.max(kept - before, 0));
  return {
    ...lines,
    lead: first(lead, 0),
    text: first(text, lead.length),
    facts: [...first(facts, lead.length + text.length), ourLine(omitted(sizes.length - kept))],
  };
}

function omitted(count: number): string {
  return `${count} more lines are not shown here.`;
}

/** How many of the first take no more than the room. */
function countFitting(sizes: readonly number[], room: number): number {
  let left = room;
  const firstOver = sizes.findIndex((size) => (left -= size) < 0);
  return firstOver === -1 ? sizes.length : firstOver;
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, number) => total + number, 0);
}
