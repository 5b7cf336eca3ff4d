// Folds many messages of one type at once into a summary, with their exact number and all of their keys.
import type { Message, MessageType, DeliverySummary } from '../model/delivery.ts';
import { idOf } from '../model/watch/identity.ts';
import { headingOf } from '../wording/words.ts';
import type { Segment } from '../model/watch/condition.ts';
import type { Transition } from '../model/transition.ts';
import type { EventAlert } from '../model/watch/watch.ts';
import { transitionOf, type AlertPoll } from './alert-evaluation.ts';

/** More keys than this go into several summaries: the list of keys makes a message long. */
export const MOST_KEYS = 10_000;

interface Limit {
  readonly of: MessageType;
  /** Up to this many of one alert in one poll are sent singly. */
  readonly singly: number;
  /** The number that is sent singly if there are more. */
  readonly whenMore: number;
}

// Follow-ups about known events may all go into a summary. For new events, the first ones are sent singly, to show what
// happened.
const LIMITS: readonly Limit[] = [
  { of: 'alert.event', singly: 50, whenMore: 50 },
  { of: 'alert.retracted', singly: 20, whenMore: 0 },
  { of: 'alert.reinstated', singly: 20, whenMore: 0 },
  { of: 'alert.corrected', singly: 20, whenMore: 0 },
];

/** Anybody can make claims, as many as he likes. */
export const CLAIM_LIMITS: readonly Limit[] = LIMITS.map((limit) =>
  limit.of === 'alert.event' ? { ...limit, singly: 1, whenMore: 1 } : limit,
);

/** The transitions of an alert in one poll. Many transitions of one sort are mostly replaced by summaries. */
export function foldMany(
  poll: AlertPoll,
  alert: EventAlert,
  transitions: readonly Transition[],
  limits = LIMITS,
): readonly Transition[] {
  if (transitions.length <= Math.min(...limits.map(({ singly }) => singly))) return transitions;
  const folded = limits.flatMap((limit) => summaries(poll, alert, limit, transitions));
  const inSummary = new Set(folded.flatMap(({ members }) => members));
  const messages = folded.map(({ summary }) => transitionOf(poll, alert, summary));
  return [...transitions.filter(({ message }) => !inSummary.has(message)), ...messages];
}

interface Folded {
  readonly summary: Message;
  readonly members: readonly Message[];
}

function summaries(poll: AlertPoll, alert: EventAlert, limit: Limit, transitions: readonly Transition[]): Folded[] {
  const all = transitions.map(({ message }) => message).filter(({ type }) => type === limit.of);
  if (all.length <= limit.singly) return [];
  return inPieces(all.slice(limit.whenMore)).flatMap((members) => folded(poll, alert, limit, members));
}

function inPieces(members: readonly Message[]): (readonly Message[])[] {
  const pieces = Math.ceil(members.length / MOST_KEYS);
  return Array.from({ length: pieces }, (_, n) => members.slice(n * MOST_KEYS, (n + 1) * MOST_KEYS));
}

function folded({ watch, time }: AlertPoll, alert: EventAlert, limit: Limit, messages: readonly Message[]): Folded[] {
  const [first] = messages;
  if (first === undefined) return [];
  const news = messages.map(({ key, seq }) => `${key} ${seq}`).toSorted();
  const key = idOf(watch.id, alert.id, watch.target.explorer, 'summary', ...news);
  const summary = { of: limit.of, count: messages.length, keys: messages.map((message) => message.key) };
  const more = limit.whenMore > 0 ? 'more ' : '';
  const noun: SummaryWords['noun'] = alert.isClaim === true ? 'claims' : 'events';
  const words = { noun, more, when: ' in one poll', why: sentenceOf(summary, limit, noun), list: listOf(messages) };
  return [{ summary: summaryMessage(first, { key, at: time.at }, summary, words), members: messages }];
}

function sentenceOf({ of, count }: DeliverySummary, { whenMore }: Limit, noun: string): string {
  if (of !== 'alert.event') return `${count} ${noun} that were sent before are ${wordOf(of)} at once.`;
  const beside = whenMore === 1 ? 'the one that is sent' : `the ${whenMore} that are sent one by one`;
  return `${count} more ${noun} at once, beside ${beside}.`;
}

const MOST_LISTED = 50;

/**
 * One line per member, with its page if it has one. Equal lines appear once; the members that are left out are counted.
 */
function listOf(told: readonly Message[]): readonly Segment[] {
  const rest = told.length - MOST_LISTED;
  const lines = new Map(told.slice(0, MOST_LISTED).map((one) => [JSON.stringify(memberLine(one)), memberLine(one)]));
  return [...[...lines.values()].flat(), ...(rest > 0 ? [{ text: `${rest} more are not listed here.` }] : [])];
}

function memberLine(member: Message): readonly Segment[] {
  const {
    lines: [first = []],
    links: [link],
  } = member;
  const heading = headingOf(member);
  const page = link === undefined ? '' : ` ${link}`;
  return first.length === 0
    ? [{ text: `${heading}${page}\n` }]
    : [{ text: `${heading} - ` }, ...first, { text: `${page}\n` }];
}

interface SummaryWords {
  readonly noun: 'events' | 'claims';
  /** `more ` if other messages are sent singly. */
  readonly more: string;
  /** ` in one poll` */
  readonly when: string;
  readonly why: string;
  /** The members, by lines. */
  readonly list: readonly Segment[];
}

/**
 * One message for many messages of an alert. `member`: any of them, for the common fields; `key` identifies exactly
 * this set.
 */
export function summaryMessage(
  member: Message,
  { key, at }: Pick<Message, 'key' | 'at'>,
  summary: DeliverySummary,
  { noun, more, when, why, list }: SummaryWords,
): Message {
  const turn = summary.of === 'alert.event' ? '' : ` ${wordOf(summary.of)}`;
  return {
    ...member,
    type: 'alert.summary',
    key,
    episode: 1,
    seq: 1,
    at,
    observedAt: at,
    since: at,
    firedAt: null,
    resolvedAt: null,
    reason: null,
    late: false,
    title: `${summary.count} ${more}${member.alert} ${noun} of ${member.watch}${turn}${when}`,
    detail: null,
    measured: null,
    lines: why === '' ? [] : [[{ text: why }]],
    text: list,
    fields: {},
    before: {},
    links: [],
    summary,
  };
}

function wordOf(of: MessageType): string {
  return of.replace('alert.', '');
}
