// Chooses the events of a poll that get details, and makes their messages.
import { type DetailLine, MOST_DETAILED, noDetails, type WantedDetails, withDetails } from '../model/details.ts';
import { type Message, RANK_OF } from '../model/delivery.ts';
import { awaitsDetails, type Transition } from '../model/transition.ts';
import type { Read } from '../model/watch/question.ts';
import type { AlertRule, Watch } from '../model/watch/watch.ts';
import { namesOf } from './sentence.ts';

/** Null if the message gets no details. Only the first message of an event gets some. */
export function wantedDetails(
  { kind }: Pick<Watch, 'kind'>,
  alert: AlertRule,
  { type, fields }: Message,
): WantedDetails | null {
  const parts = alert.type === 'event' ? (alert.enrich ?? []) : [];
  if (type !== 'alert.event' || parts.length === 0 || kind.details === undefined) return null;
  const hash = fields[kind.details.transaction];
  const isKnown = typeof hash === 'object' && 'text' in hash;
  return { transaction: isKnown ? hash.text : null, parts };
}

/** An event that waits for details. `transaction`: the hash; or the reason why it is not looked up. */
export interface DetailedEvent {
  readonly message: Message;
  readonly parts: WantedDetails['parts'];
  readonly transaction: string | { readonly none: string };
}

/** The most severe first, and claims last, since anybody can make them. */
export function eventsToDetail(transitions: readonly Transition[]): readonly DetailedEvent[] {
  const taken = new Set<string>();
  const waiting = transitions.filter(awaitsDetails).toSorted((a, b) => rankOf(a) - rankOf(b));
  return waiting.flatMap(({ message, details }) => {
    if (details === undefined) return [];
    const { transaction, parts } = details;
    if (transaction === null) return [{ message, parts, transaction: { none: 'its transaction is not known' } }];
    if (taken.size < MOST_DETAILED) taken.add(transaction);
    return [{ message, parts, transaction: taken.has(transaction) ? transaction : { none: TOO_MANY } }];
  });
}

const TOO_MANY = `only ${MOST_DETAILED} transactions of a poll are looked up`;

function rankOf({ message: { severity, isClaim } }: Transition): number {
  return RANK_OF[severity] + (isClaim === true ? 0.5 : 0);
}

/** Asks for the details. Throws errors that end a poll. */
export async function readDetails(watch: Watch, event: DetailedEvent, read: Read): Promise<Message> {
  return withDetails(event.message, await linesOf(watch, event, read));
}

async function linesOf(
  watch: Watch,
  { transaction, parts }: DetailedEvent,
  read: Read,
): Promise<readonly DetailLine[]> {
  if (typeof transaction !== 'string') return [noDetails(transaction.none)];
  const { kind, target } = watch;
  return kind.details?.read({ target, names: namesOf(watch), transaction, parts }, read) ?? [];
}

/** The transitions with the details that `read` gives them. */
export async function withReadDetails(
  watch: Watch,
  transitions: readonly Transition[],
  read: Read,
): Promise<readonly Transition[]> {
  const detailed = new Map<Message, Message>();
  for (const event of eventsToDetail(transitions)) detailed.set(event.message, await readDetails(watch, event, read));
  return transitions.map((one) => ({ ...one, message: detailed.get(one.message) ?? one.message }));
}
