// Many messages of one sort at once are told as one, with their exact number and the keys of all of them.
import type { Delivery, Message, MessageType, Summary } from '../model/delivery.ts';
import { idOf } from '../model/identity.ts';
import type { EventAlert } from '../model/watch.ts';
import { deliveriesOf, type Poll } from './alert-evaluation.ts';

/** More keys than this are told in several summaries: their list is what makes a message long. */
export const MOST_KEYS = 10_000;

interface Limit {
  readonly of: MessageType;
  /** So many in one poll of one alert, for one recipient, are told singly. */
  readonly singly: number;
  /** What is told singly where there are more. */
  readonly whenMore: number;
}

// What a person was told before and hears of again is read as a whole; of what is news the first ones show what it is.
const LIMITS: readonly Limit[] = [
  { of: 'alert.event', singly: 50, whenMore: 50 },
  { of: 'alert.retracted', singly: 20, whenMore: 0 },
  { of: 'alert.reinstated', singly: 20, whenMore: 0 },
  { of: 'alert.corrected', singly: 20, whenMore: 0 },
];

const FEWEST_FOLDED = Math.min(...LIMITS.map(({ singly }) => singly));

/** The deliveries of an alert in one poll; where those of one sort are many, summaries in the place of most of them. */
export function foldMany(poll: Poll, alert: EventAlert, deliveries: readonly Delivery[]): readonly Delivery[] {
  if (deliveries.length <= FEWEST_FOLDED) return deliveries;
  const folded = LIMITS.flatMap((limit) => summaries(poll, alert, limit, deliveries));
  const inSummary = new Set(folded.flatMap(({ members }) => members));
  return [...deliveries.filter((one) => !inSummary.has(one)), ...folded.flatMap(({ summary }) => summary)];
}

interface Folded {
  readonly summary: readonly Delivery[];
  readonly members: readonly Delivery[];
}

/** For each recipient who is owed that many. */
function summaries(poll: Poll, alert: EventAlert, limit: Limit, deliveries: readonly Delivery[]): Folded[] {
  const owed = Map.groupBy(
    deliveries.filter(({ message }) => message.type === limit.of),
    ({ channel, recipient }) => JSON.stringify([channel, recipient]),
  );
  return [...owed.values()].flatMap((all) =>
    all.length <= limit.singly
      ? []
      : inPieces(all.slice(limit.whenMore)).map((members) => folded(poll, alert, limit, members)),
  );
}

function inPieces(members: readonly Delivery[]): (readonly Delivery[])[] {
  const pieces = Math.ceil(members.length / MOST_KEYS);
  return Array.from({ length: pieces }, (_, n) => members.slice(n * MOST_KEYS, (n + 1) * MOST_KEYS));
}

function folded({ watch, time }: Poll, alert: EventAlert, limit: Limit, members: readonly Delivery[]): Folded {
  const messages = members.map(({ message }) => message);
  const news = messages.map(({ key, seq }) => `${key} ${seq}`).toSorted();
  const key = idOf(watch.id, alert.id, watch.target.explorer, 'summary', ...news);
  const summary = { of: limit.of, count: members.length, keys: messages.map((message) => message.key) };
  const lines = [sentenceOf(summary, limit), ...titlesOf(messages)];
  const [first] = members;
  if (first === undefined) return { summary: [], members };
  return {
    summary: deliveriesOf([first], summaryMessage(first.message, { key, at: time.at }, summary, lines)),
    members,
  };
}

function sentenceOf({ of, count }: Summary, { whenMore }: Limit): string {
  if (of !== 'alert.event') return `${count} events that were told before are ${wordOf(of)} at once.`;
  return `${count} more events at once, beside the ${whenMore} that are told one by one.`;
}

const MOST_TITLES = 10;

/** The first titles, when they differ between the members. */
function titlesOf(told: readonly Message[]): string[] {
  const titles = [...new Set(told.map(({ title }) => title))];
  return titles.length === 1 ? [] : titles.slice(0, MOST_TITLES);
}

/**
 * Many messages of one alert in one. `member`: any of them, for what they have in common; `key` stands for exactly these;
 * `lines`: what people read.
 */
export function summaryMessage(
  member: Message,
  { key, at }: Pick<Message, 'key' | 'at'>,
  summary: Summary,
  lines: readonly string[],
): Message {
  const what = summary.of === 'alert.event' ? 'events' : wordOf(summary.of);
  return {
    ...member,
    type: 'alert.summary',
    key,
    episode: 1,
    seq: 1,
    at,
    observedAt: at,
    since: at,
    resolvedAt: null,
    reason: null,
    late: false,
    title: `${member.watch} ${member.alert}: ${summary.count} ${what}`,
    text: [{ text: lines.join('\n') }],
    fields: {},
    before: {},
    links: [],
    summary,
  };
}

function wordOf(of: MessageType): string {
  return of.replace('alert.', '');
}
