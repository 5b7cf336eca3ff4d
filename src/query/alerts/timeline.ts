// The events of one episode of an alert, in order: decisions, results of each message, and actions of operators.
import { z } from 'zod';
import { nameOfTransition } from '../../core/model/transition.ts';
import type { Message } from '../../core/model/delivery.ts';
import { headingOf } from '../../core/wording/words.ts';
import { showInstant } from '../../lib/clock.ts';
import { singleLine } from '../../lib/untrusted.ts';
import type { EpisodeName, Progress } from '../../store/contract/alerts.ts';
import type { JournalLine } from '../../store/contract/journal.ts';
import { episodeIn } from './episodes.ts';
import { aboutOf } from './told.ts';
import type { TimelineEntry } from '../shapes/alerts.ts';
import type { QueryContext } from '../view.ts';

const MOST_LINES = 1000;
const MOST_PENDING_MS = 86_400_000;

export interface EpisodeFacts extends EpisodeName {
  /** The oldest first; at least one. */
  readonly messages: readonly Message[];
  readonly watch: string;
}

export async function timelineOf(
  view: QueryContext,
  facts: EpisodeFacts,
  progress: readonly Progress[],
): Promise<TimelineEntry[]> {
  const { store } = view;
  const deliveries = new Map(progress.map((one) => [one.delivery.id, one]));
  const tries =
    deliveries.size === 0 ? [] : await store.history({ subjects: [...deliveries.keys()], limit: MOST_LINES });
  const own = await store.history({ subjects: [facts.key], limit: MOST_LINES });
  const entries = [
    ...facts.messages.map(decided),
    ...(await pendingOf(view, facts)),
    ...folded(tries.toReversed().flatMap((line) => triedOf(line, deliveries.get(line.subject), facts.messages))),
    ...own.toReversed().flatMap((line) => actedOf(line, facts)),
  ];
  return entries.toSorted((a, b) => a.at.localeCompare(b.at));
}

const BLANK = { detail: null, actor: null, recipient: null, about: null, tries: null, until: null } as const;

/** The entry of a transition, with the text of its message. */
export function decided(message: Message): TimelineEntry {
  const transition = nameOfTransition(message);
  const kind = transition === 'firing' ? 'fires' : transition;
  const [line] = message.lines;
  const heading = singleLine(headingOf(message));
  const text = line === undefined ? [{ text: heading }] : [{ text: `${heading}. ` }, ...line];
  const detail = message.reason === null ? null : singleLine(message.reason);
  return { ...BLANK, at: showInstant(message.at), kind, text, detail };
}

/** The entry of the time when the condition became true; none if it did not have to hold for a while. */
async function pendingOf({ store }: QueryContext, { messages, watch }: EpisodeFacts): Promise<TimelineEntry[]> {
  const [first] = messages;
  if (first === undefined || nameOfTransition(first) !== 'firing') return [];
  const since = first.at - MOST_PENDING_MS;
  const lines = await store.history({ subjects: [watch], since, limit: MOST_LINES });
  const line = lines.find(({ at, data }) => at <= first.at && says(data, first.alert, 'pending'));
  return line === undefined ? [] : [{ ...BLANK, at: showInstant(line.at), kind: 'pending', text: [] }];
}

const Decided = z.object({ alerts: z.array(z.object({ alert: z.string(), what: z.string() })) });

function says(data: unknown, alert: string, what: string): boolean {
  return Decided.safeParse(data).data?.alerts.some((one) => one.alert === alert && one.what === what) ?? false;
}

const Tried = z.object({ text: z.string() });
const KINDS: Readonly<Record<string, TimelineEntry['kind']>> = {
  told: 'accepted',
  tried: 'not-accepted',
  dead: 'given-up',
};

interface Try {
  readonly delivery: string;
  readonly entry: TimelineEntry;
}

function triedOf(
  { at, kind, subject, data }: JournalLine,
  of: Progress | undefined,
  messages: readonly Message[],
): Try[] {
  const is = KINDS[kind];
  if (is === undefined || of === undefined) return [];
  const { channel, recipient } = of.delivery;
  const detail = singleLine(Tried.safeParse(data).data?.text ?? '');
  const about = { recipient: { channel, recipient }, about: aboutOf(of, messages), tries: 1 };
  return [{ delivery: subject, entry: { ...BLANK, at: showInstant(at), kind: is, text: [], detail, ...about } }];
}

/** Joins consecutive tries of one message with equal answers to one entry. */
function folded(tries: readonly Try[]): TimelineEntry[] {
  const last = new Map<string, TimelineEntry>();
  const kept: TimelineEntry[] = [];
  for (const { delivery, entry } of tries) {
    const before = last.get(delivery);
    if (before !== undefined && before.kind === entry.kind && before.detail === entry.detail) {
      before.tries = (before.tries ?? 1) + 1;
      before.until = entry.at;
      continue;
    }
    const own = { ...entry };
    last.set(delivery, own);
    kept.push(own);
  }
  return kept;
}

const Acted = z.object({
  comment: z.string().nullable().optional(),
  until: z.iso.datetime().optional(),
  ended: z.boolean().optional(),
  why: z.string().optional(),
  channel: z.string().optional(),
});

/** Actions of operators on the alert, and the silences or pauses that held its messages back. */
function actedOf({ at, kind, actor, data }: JournalLine, { episode }: EpisodeName): TimelineEntry[] {
  const read = Acted.safeParse(data).data ?? {};
  const entry = { ...BLANK, at: showInstant(at), until: read.until ?? null };
  if (kind === 'ack' && episodeIn(data) === episode) {
    const text = read.ended === true ? [{ text: 'The acknowledgement was ended.' }] : [];
    return [{ ...entry, kind: 'acknowledged', text, actor, detail: read.comment ?? null }];
  }
  if (kind !== 'held' && kind !== 'released') return [];
  return [
    { ...entry, kind, text: [], detail: [read.why, read.channel].filter((part) => part !== undefined).join(', ') },
  ];
}
