// The message that later ones about the same alert change or answer, and its receipt, as which it is remembered.
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
import { isAboutOne } from '../rendering/delivery-content.ts';
import { toLines, type AllLines } from '../rendering/lines.ts';
import type { ReceiverAnswer } from './answers.ts';

export interface Root {
  /** Where the config said to post it: it is of no use where the config says otherwise now. */
  readonly place: string;
  /** What the service calls the message. */
  readonly id: string;
  /** What the service calls the channel or thread that it stands in; null = as the config does. */
  readonly inside: string | null;
  /** It speaks of several alerts, so that it is not changed for one of them. */
  readonly isShared: boolean;
}

const Stored = z.tuple([z.string(), z.string(), z.string().nullable(), z.boolean()]);
const MOST_BYTES = 512;

/** Null: there is none, or it stands elsewhere. A summary of what was held back is about nothing that is going on. */
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

/** Of a message that was posted; null where the service did not say what it calls it. */
export function newRoot(
  delivery: Delivery,
  posted: Pick<Root, 'place' | 'inside'> & { id?: string | undefined },
): Root | null {
  const { place, inside, id } = posted;
  if (id === undefined || isHoldSummary(delivery.kind)) return null;
  return { place, id, inside, isShared: !isAboutOne(delivery) };
}

/** Undefined: there is none, or it is too long to be kept. */
export function receiptOf(root: Root | null): Receipt | undefined {
  if (root === null) return undefined;
  const receipt = JSON.stringify([root.place, root.id, root.inside, root.isShared]);
  return Buffer.byteLength(receipt) <= MOST_BYTES ? receipt : undefined;
}

/** Changes the message where it is about the alert of this delivery and no other; null where it is not. */
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

/** The first message about an alert that is told again in one about several. */
export interface OwnMessage {
  readonly root: Root;
  /** The news of that alert alone. */
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

/** Brings each up to date. A service that does not answer is not waited for ten times. */
export async function changeOwn(
  own: readonly OwnMessage[],
  change: (one: OwnMessage) => Promise<ReceiverAnswer | Outcome>,
): Promise<void> {
  for (const one of own) if ((await change(one)).type !== 'answered') return;
}

/** The new words of the message. A second change of it is no copy. Nobody acknowledges what is over. */
export function upToDate(delivery: Delivery, { ackUrl, pageOf }: Attempt): AllLines {
  const ack = ackUrl === undefined || delivery.members.every(isEnd) ? {} : { ackUrl };
  return toLines(delivery, { maybeCopy: false, ...ack, ...(pageOf && { pageOf }) });
}

export function isEnd({ message: { type } }: DeliveryMember): boolean {
  return type === 'alert.resolved' || type === 'alert.retracted';
}
