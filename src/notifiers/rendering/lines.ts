// A message as lines, for chats and pagers: what each of them makes of a line is its own affair, what is said, in which
// order, and what is left out where room is short is here.
import type { Message } from '../../core/model/delivery.ts';
import type { Row } from './facts.ts';
import { rowText, toMailContent } from './mail.ts';
import { firedFor, ours, pagesOf } from './wording.ts';

export interface Line {
  readonly text: string;
  /** A stranger's text is in it, defanged. Chats that make markup of some words must not look for any here. */
  readonly strange: boolean;
}

/** In the order in which it is read. */
export interface Lines {
  /** `[CRITICAL] Treasury USDC is low` */
  readonly headline: string;
  /** The rule's own text. */
  readonly text: readonly Line[];
  /** Whole web addresses, without characters that end one in markup. */
  readonly links: readonly string[];
  /** `balance: 940,000 (was 2,000,000.5)` */
  readonly facts: readonly Line[];
}

const LONGEST_HEADLINE = 300;
const LONGEST_LINE = 400;
const LONGEST_LINK = 300;
const MOST_LINKS = 3;

export function toLines(message: Message): Lines {
  const { text, values, about, notes } = toMailContent(message);
  const strange = message.text.some((segment) => 'untrusted' in segment);
  return {
    headline: headlineOf(message),
    text: text.map((line) => ({ text: cut(line, LONGEST_LINE), strange })),
    links: linksOf(message),
    facts: [...[...values, ...about].map(factOf), ...notes.map(ourLine)],
  };
}

/** `[RESOLVED after 12m5s] Treasury USDC is low` */
function headlineOf(message: Message): string {
  return cut(`[${tagOf(message)}] ${ours(message.title)}`, LONGEST_HEADLINE);
}

function tagOf(message: Message): string {
  const severity = message.severity.toUpperCase();
  switch (message.type) {
    case 'alert.event':
    case 'alert.firing':
    case 'alert.summary':
      return severity;
    case 'alert.resolved':
      return `RESOLVED after ${firedFor(message) ?? 'a while'}`;
    case 'alert.retracted':
      return 'RETRACTED';
    case 'alert.corrected':
      return 'CORRECTED';
    case 'alert.reinstated':
      return 'REINSTATED';
  }
}

function linksOf(message: Message): string[] {
  return pagesOf(message).map(withoutMarkup).filter(isShort).slice(0, MOST_LINKS);
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

function ourLine(text: string): Line {
  return { text, strange: false };
}

function cut(text: string, most: number): string {
  return text.length <= most ? text : `${text.slice(0, most - 1).replace(/[\ud800-\udbff]$/, '')}\u2026`;
}

/**
 * What of it fits into `most`, where `sizeOf` says what a line takes once it is encoded, its line end included. The
 * headline and the links always stay; facts go first, from the last one on, then text. What went is counted.
 */
export function fitted(lines: Lines, most: number, sizeOf: (text: string, isLink: boolean) => number): Lines {
  const { headline, text, links, facts } = lines;
  const fixed = sizeOf(headline, false) + sum(links.map((link) => sizeOf(link, true)));
  const sizes = [...text, ...facts].map((line) => sizeOf(line.text, false));
  if (fixed + sum(sizes) <= most) return lines;
  const kept = countFitting(sizes, most - fixed - sizeOf(omitted(sizes.length), false));
  return {
    headline,
    links,
    text: text.slice(0, kept),
    facts: [...facts.slice(0, Math.max(kept - text.length, 0)), ourLine(omitted(sizes.length - kept))],
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
