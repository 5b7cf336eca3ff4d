// The delivery status of an alert's messages: one line for each recipient.
import { showInstant } from '../../lib/clock.ts';
import { singleLine } from '../../lib/untrusted.ts';
import type { StoredDelivery } from '../../store/contract/deliveries.ts';
import type { EpisodeName, HeldMessage, Progress } from '../../store/contract/alerts.ts';
import type { RecipientStatus } from '../shapes/common.ts';
import type { QueryContext } from '../view.ts';
import { episodeName } from './episode-name.ts';

/** The server's last answer in one line; null: there was no attempt yet. */
export function answerOf({ outcome }: Pick<StoredDelivery, 'outcome'>): string | null {
  return outcome === null ? null : singleLine(outcome.text);
}

/** Finds the statuses by key and episode of an alert. */
export type StatusOf = (of: EpisodeName) => RecipientStatus[];

export async function recipientsOf({ store }: QueryContext, of: readonly EpisodeName[]): Promise<StatusOf> {
  const names = of.map(({ key, episode }) => ({ key, episode }));
  const progress = Map.groupBy((await store.progress(names)).filter(isToArrive), episodeName);
  const held = Map.groupBy(await store.heldBack(names), ({ key }) => key);
  return (one) => statusesOf(progress.get(episodeName(one)) ?? [], held.get(one.key) ?? []);
}

/** False: the delivery was withdrawn, since another message replaced it or it was no longer needed. */
export function isToArrive({ delivery: { state } }: Progress): boolean {
  return state !== 'merged' && state !== 'cancelled';
}

/**
 * One status for each recipient, sorted by channel and recipient: that of a pending message if there is one, else that
 * of the newest. A recipient is `held` if all messages to it were held back.
 */
function statusesOf(progress: readonly Progress[], held: readonly HeldMessage[]): RecipientStatus[] {
  const byRecipient = Map.groupBy(progress, ({ delivery }) => placeOf(delivery));
  const sent = [...byRecipient.values()].flatMap((all) => {
    const one = all.findLast(({ delivery }) => stateOf(delivery) === 'owed') ?? all.at(-1);
    return one === undefined ? [] : [statusOf(one.delivery)];
  });
  const waiting = held.filter((one) => !byRecipient.has(placeOf(one)));
  return [...sent, ...waiting.map(heldStatus)].toSorted((a, b) => (placeOf(a) < placeOf(b) ? -1 : 1));
}

function placeOf({ channel, recipient }: { readonly channel: string; readonly recipient: string }): string {
  return JSON.stringify([channel, recipient]);
}

function stateOf({ state }: Pick<StoredDelivery, 'state'>): 'accepted' | 'owed' | 'given-up' {
  if (state === 'sent') return 'accepted';
  return state === 'dead' ? 'given-up' : 'owed';
}

const NOT_NAMED = 'the config does not name this recipient any more';

export function statusOf(delivery: Omit<StoredDelivery, 'members' | 'more'>): RecipientStatus {
  const { channel, recipient, attempt, dueAt, settledAt, isNamed } = delivery;
  const state = stateOf(delivery);
  if (state === 'owed' && !isNamed)
    return { channel, recipient, state: 'held', accepted_at: null, tries: attempt, next_try: null, answer: NOT_NAMED };
  return {
    channel,
    recipient,
    state,
    accepted_at: state === 'accepted' && settledAt !== null ? showInstant(settledAt) : null,
    tries: attempt,
    next_try: state === 'owed' ? showInstant(dueAt) : null,
    answer: answerOf(delivery),
  };
}

function heldStatus({ channel, recipient, why }: HeldMessage): RecipientStatus {
  return { channel, recipient, state: 'held', accepted_at: null, tries: 0, next_try: null, answer: why };
}
