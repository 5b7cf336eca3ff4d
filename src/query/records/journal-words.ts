// Lines of the journal in words.
import { z } from 'zod';
import type { Segment } from '../../core/model/watch/condition.ts';
import type { Message } from '../../core/model/delivery.ts';
import type { TransitionName } from '../../core/model/transition.ts';
import { headingOf, mainText } from '../../core/wording/words.ts';
import { showMatcher } from '../../dispatch/policy/matcher-text.ts';
import { ACTIONS } from '../../operators/actions.ts';
import { showInZone } from '../../lib/time-zone.ts';
import { singleLine } from '../../lib/untrusted.ts';
import { showRecipient } from '../../rules/describe.ts';
import type { JournalLine } from '../../store/contract/journal.ts';
import type { HistoryEntry } from '../shapes/history.ts';

/** The watch, alert and message that a line is about; null if unknown. */
export interface Referred {
  /** The watch's name. */
  readonly name: string | null;
  readonly alert: string | null;
  /** The message of the notification, or the first message of the delivery. */
  readonly message: Message | null;
  readonly recipient: { readonly channel: string; readonly recipient: string } | null;
  /** The zone in which times are shown. */
  readonly zone: string;
}

const TRANSITIONS = ['event', 'firing', 'resolved', 'retracted', 'corrected', 'reinstated'] as const;

const Change = z.object({ alert: z.string(), what: z.string(), count: z.int(), key: z.string() });

export interface Change extends z.output<typeof Change> {
  /** Null: no message is sent about such a change. */
  readonly transition: TransitionName | null;
}

/** The changes of alerts in a line about a poll or its routing; none in other lines. */
export function changesOf({ kind, data }: JournalLine): readonly Change[] {
  const changes = kind === 'decided' ? DecidedData.safeParse(data).data?.alerts : [Change.safeParse(data).data];
  return (changes ?? []).flatMap((change) => {
    if (change === undefined) return [];
    return [{ ...change, transition: TRANSITIONS.find((one) => one === change.what) ?? null }];
  });
}

const DecidedData = z.object({ alerts: z.array(Change) });

/** The data of a line. Each kind of line has some of these fields. */
const Data = z
  .object({
    to: z.array(z.string()),
    channel: z.string(),
    kind: z.string(),
    count: z.int(),
    why: z.string(),
    attempt: z.int(),
    text: z.string(),
    comment: z.string().nullable(),
    until: z.string(),
    ended: z.literal(true),
    matchers: z.record(z.string(), z.union([z.string(), z.array(z.string())])),
    deliveries: z.int(),
    watches: z.int(),
    version: z.string(),
    baseline: z.int(),
  })
  .partial();
type Data = z.output<typeof Data>;

type Said = Pick<HistoryEntry, 'what' | 'title' | 'how' | 'notified'>;

/**
 * A line in words. `what`: the event, such as `fires`. `title`: the heading of the message, or the matchers of a
 * silence. `how`: details such as the recipient, the reason and the try. `notified`: the channels.
 */
export function sayLine(line: JournalLine, referred: Referred): Said {
  const data = Data.safeParse(line.data).data ?? {};
  const { message } = referred;
  return {
    what: whatOf(line, data),
    title: titleOf(data, message),
    how: [...howOf(line, data, referred)],
    notified: data.to ?? notifiedBy(line, data, referred),
  };
}

/** The title of a line. A line about a silence shows its matchers. */
function titleOf({ matchers }: Data, message: Message | null): string {
  if (message !== null) return singleLine(headingOf(message));
  return matchers === undefined ? '' : singleLine(showMatcher(matchers), LONGEST);
}

function notifiedBy({ kind }: JournalLine, { channel }: Data, { recipient }: Referred): string[] {
  if (kind === 'told' && recipient !== null) return [recipient.channel];
  return channel === undefined ? [] : [channel];
}

function whatOf(line: JournalLine, { ended, kind = 'message' }: Data): string {
  if (line.kind === 'decided' || line.kind === 'routed') {
    const all = changesOf(line).map(({ what }) => CHANGED[what] ?? what);
    return [...new Set(all)].join(', ') || line.kind;
  }
  if (line.kind === 'closed') return kind.replace('_', ' ');
  return (ended === true ? ENDED[line.kind] : undefined) ?? WORDS[line.kind] ?? line.kind;
}

const CHANGED: Readonly<Record<string, string>> = { firing: 'fires', told: 'event' };

const ENDED: Readonly<Record<string, string | undefined>> = Object.fromEntries(
  ACTIONS.map(({ line: { kind, ended } }) => [kind, ended]),
);

const WORDS: Readonly<Record<string, string>> = {
  observed: 'first answer',
  held: 'held back',
  tried: 'not accepted',
  told: 'accepted',
  dead: 'given up',
  config: 'rules loaded',
  start: 'started',
  stop: 'stopped',
  clock: 'clock was set',
  checkpoint: 'older lines dropped',
  ...Object.fromEntries(ACTIONS.map(({ line: { kind, words } }) => [kind, words])),
};

function howOf(line: JournalLine, data: Data, { message, recipient, zone }: Referred): readonly Segment[] {
  if (line.kind === 'routed' && message !== null) return mainText(message)[0] ?? [];
  const parts = [
    ...(recipient === null ? [] : [`to ${showRecipient(recipient)}`]),
    ...(data.matchers === undefined || message === null ? [] : [showMatcher(data.matchers)]),
    ...(data.until === undefined ? [] : [`until ${showInZone(zone, Date.parse(data.until))}`]),
    ...(data.why === undefined ? [] : [data.why]),
    ...(data.attempt === undefined ? [] : [`try ${data.attempt}`]),
    ...(data.deliveries === undefined ? [] : [`${data.deliveries} that waited`]),
    ...(data.watches === undefined ? [] : [counted(data.watches, 'watch', 'watches')]),
    ...(data.version === undefined ? [] : [`release ${data.version}`]),
    ...(data.baseline === undefined ? [] : [counted(data.baseline, 'item', 'items')]),
    ...[data.text, data.comment].filter((text) => text !== undefined && text !== null && text !== ''),
  ];
  return parts.length === 0 ? [] : [{ text: singleLine(parts.join(', '), LONGEST) }];
}

function counted(count: number, one: string, many: string): string {
  return `${count.toLocaleString('en-US')} ${count === 1 ? one : many}`;
}

const LONGEST = 1000;
