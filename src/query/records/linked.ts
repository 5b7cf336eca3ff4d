// What somebody sees who followed the link of a message: the alerts that it spoke of, as they are now.
import { headingOf } from '../../core/wording/message-words.ts';
import { showInstant } from '../../lib/clock.ts';
import { singleLine } from '../../lib/untrusted.ts';
import type { StoredAck } from '../../store/interventions.ts';
import type { LinkedAlert, LinkedMessage } from '../shapes/operators.ts';
import type { View } from '../view.ts';

/** Null: there is no such delivery, or it is no longer kept. Rejects with a `StorageError`. */
export async function linkedMessage({ store, now }: View, delivery: string): Promise<LinkedMessage | null> {
  const found = await store.delivery(delivery);
  if (found === null) return null;
  const messages = new Map(found.members.map(({ message }) => [nameOf(message), message]));
  const keys = [...new Set(found.members.map(({ message }) => message.key))];
  const open = new Map((await store.openAlerts({ at: now, keys })).map((row) => [nameOf(row), row]));
  const acks = new Map((await store.policy(now)).acks.map((ack) => [nameOf(ack), ack]));
  const alerts = [...messages].map(([name, { key, episode, severity, ...message }]): LinkedAlert => {
    const row = open.get(name);
    return {
      key,
      episode,
      seq: row?.seq ?? null,
      title: row?.title ?? singleLine(headingOf(message)),
      severity,
      since: showInstant(row?.since ?? message.since),
      ack: ackOf(acks.get(name)),
    };
  });
  return { channel: found.channel, recipient: found.recipient, alerts };
}

function ackOf(ack: StoredAck | undefined): LinkedAlert['ack'] {
  return ack === undefined ? null : { by: ack.actor, at: showInstant(ack.at), until: showInstant(ack.until) };
}

function nameOf({ key, episode }: { readonly key: string; readonly episode: number }): string {
  return JSON.stringify([key, episode]);
}
