// What somebody sees who followed the link of a message: the alerts that it spoke of, as they are now.
import { headingOf } from '../../core/wording/message-words.ts';
import { showInstant } from '../../lib/clock.ts';
import { singleLine } from '../../lib/untrusted.ts';
import { ackJson } from '../../operators/shapes.ts';
import { episodeName } from '../alerts/episode-name.ts';
import { acksOnOpen } from '../alerts/open-alerts.ts';
import type { LinkedAlert, LinkedMessage } from '../shapes/operators.ts';
import type { QueryContext } from '../view.ts';

/** Null: there is no such delivery, or it is no longer kept. Rejects with a `StorageError`. */
export async function linkedMessage({ store, now }: QueryContext, delivery: string): Promise<LinkedMessage | null> {
  const found = await store.delivery(delivery);
  if (found === null) return null;
  const messages = new Map(found.members.map(({ message }) => [episodeName(message), message]));
  const keys = [...new Set(found.members.map(({ message }) => message.key))];
  const open = new Map((await store.openAlerts({ at: now, keys })).map((row) => [episodeName(row), row]));
  const ackOn = acksOnOpen((await store.policy(now)).acks, now);
  const alerts = [...messages].map(([name, { key, episode, severity, ...message }]): LinkedAlert => {
    const row = open.get(name);
    const ack = row === undefined ? null : ackOn(row);
    return {
      key,
      episode,
      seq: row?.seq ?? null,
      title: row?.title ?? singleLine(headingOf(message)),
      severity,
      since: showInstant(row?.since ?? message.since),
      is_event: message.type === 'alert.event',
      ack: ack && ackJson(ack),
    };
  });
  return { channel: found.channel, recipient: found.recipient, alerts };
}
