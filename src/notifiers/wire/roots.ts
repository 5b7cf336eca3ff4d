// The root of an alert: the message that later messages change or answer. It is stored as a receipt.
import { z } from 'zod';
import {
  isHoldSummary,
  type Attempt,
  type Delivery,
  type DeliveryMember,
  type Outcome,
  type Receipt,
} from '../../core/model/delivery.ts';
import { failpoint } from '../../lib/failpoint.ts';
import { isAboutOne } from '../rendering/wording.ts';
import { toLines, type AllLines } from '../rendering/lines.ts';
import type { ReceiverAnswer } from './answers.ts';

export interface Root {
  /** The place in the config at the time of posting. With another place in the config the root is not used. */
  readonly place: string;
  /** The service's id of the message. */
  readonly id: string;
  /** The service's id of the channel or thread of the message; null = as in the config. */
  readonly inside: string | null;
  /** True if the message is about several alerts, so that it is not changed for one of them. */
  readonly isShared: boolean;
}

const Stored = z.tuple([z.string(), z.string(), z.string().nullable(), z.boolean()]);
const MOST_BYTES = 512;

/**
 * Null if there is no root, or if it is in another place. A summary of held back alerts is not about an open alert, so
 * it has none.
 */
export function rootOf({ kind }: Delivery, { receipt }: Pick<Attempt, 'receipt'>, place: string): Root | null {
  if (receipt === null || isHoldSummary(kind)) return null;
  const { data } = Stored.safeParse(parsed(receipt));
  if (data === undefined || data[0] !== place) return null;
  return { place, id: data[1], inside: data[2], isShared: data[3] };
}

function parsed(receipt: Receipt): unknown {
  try {
    return JSON.parse(receipt);
  } catch {
    return null;
  }
}

/** The root of a posted message; null if the service did not name its id. */
export function newRoot(
  delivery: Delivery,
  posted: Pick<Root, 'place' | 'inside'> & { id?: string | undefined },
): Root | null {
  const { place, inside, id } = posted;
  if (id === undefined || isHoldSummary(delivery.kind)) return null;
  return { place, id, inside, isShared: !isAboutOne(delivery) };
}

/** Undefined: there is no root, or it is too long to be stored. */
export function receiptOf(root: Root | null): Receipt | undefined {
  if (root === null) return undefined;
  const receipt = JSON.stringify([root.place, root.id, root.inside, root.isShared]);
  return Buffer.byteLength(receipt) <= MOST_BYTES ? receipt : undefined;
}

/**
 * Changes the root if it is about the alert of this delivery and no other one. Resolves with null if it was not
 * changed.
 */
export async function changeRoot<T>(
  root: Root | null,
  delivery: Delivery,
  change: (root: Root) => Promise<T>,
): Promise<T | null> {
  if (root === null || !isOwn(root, delivery)) return null;
  const end = await change(root);
  failpoint('chat.edited');
  return end;
}

function isOwn({ isShared }: Root, delivery: Delivery): boolean {
  return !isShared && isAboutOne(delivery);
}

/** The first message about an alert that is now part of a message about several. */
export interface OwnMessage {
  readonly root: Root;
  /** The delivery with only the members of that alert. */
  readonly delivery: Delivery;
}

const MOST_CHANGED = 10;

export function ownMessages(delivery: Delivery, attempt: Attempt, place: string): OwnMessage[] {
  const byKey = new Map(delivery.members.map((member) => [member.message.key, member]));
  const own = [...byKey].flatMap(([key, member]): OwnMessage[] => {
    const receipt = attempt.ownReceipts?.get(key) ?? null;
    const root = rootOf(delivery, { receipt }, place);
    return root === null || root.isShared ? [] : [{ root, delivery: { ...delivery, members: [member], more: [] } }];
  });
  return own.slice(0, MOST_CHANGED);
}

/**
 * Brings each message up to date. If the service does not answer one change, the rest is skipped, because each change
 * would wait for the time limit.
 */
export async function changeOwn(
  own: readonly OwnMessage[],
  change: (one: OwnMessage) => Promise<ReceiverAnswer | Outcome>,
): Promise<void> {
  for (const one of own) if ((await change(one)).type !== 'answered') return;
}

/**
 * The new text of a message that is edited. It does not warn of a copy, since a repeated edit makes none. An ended
 * alert has no link to acknowledge it.
 */
export function upToDate(delivery: Delivery, { ackUrl, pageOf }: Attempt): AllLines {
  const ack = ackUrl === undefined || delivery.members.every(isEnd) ? {} : { ackUrl };
  return toLines(delivery, { maybeCopy: false, ...ack, ...(pageOf && { pageOf }) });
}

export function isEnd({ message: { type } }: DeliveryMember): boolean {
  return type === 'alert.resolved' || type === 'alert.retracted';
}
