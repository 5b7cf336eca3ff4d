// The present state of a message's alerts, for a person who follows the message's link.
import type { Message } from '../../core/model/delivery.ts';
import { headingOf, runbookOf } from '../../core/wording/words.ts';
import { showInstant } from '../../lib/clock.ts';
import { singleLine } from '../../lib/untrusted.ts';
import { ackJson } from '../../operators/shapes.ts';
import { openMeasure, subjectOf } from '../alerts/cards.ts';
import { episodeName } from '../alerts/episode-name.ts';
import { acksOnOpen, ruledOf } from '../alerts/open-alerts.ts';
import { titlesOf } from '../alerts/titles.ts';
import type { LinkedAlert, LinkedMessage } from '../shapes/operators.ts';
import type { QueryContext } from '../view.ts';
import { byId } from '../watch-by-id.ts';

/** Null if the delivery never existed or is no longer stored. Rejects with a `StorageError`. */
export async function linkedMessage(view: QueryContext, delivery: string): Promise<LinkedMessage | null> {
  const { store, runtime, now } = view;
  const found = await store.delivery(delivery);
  if (found === null) return null;
  const messages = new Map(found.members.map(({ message }) => [episodeName(message), message]));
  const keys = [...new Set(found.members.map(({ message }) => message.key))];
  const watchById = byId(runtime.watches());
  const rows = (await store.openAlerts({ at: now, keys })).map((row) => ruledOf(row, watchById));
  const open = new Map(rows.map((one) => [episodeName(one.row), one]));
  const titleOf = await titlesOf(view, rows);
  const ackOn = acksOnOpen((await store.policy(now)).acks, now);
  const linkedAlert = async ([name, message]: readonly [string, Message]): Promise<LinkedAlert> => {
    const { key, episode, severity } = message;
    const one = open.get(name);
    const row = one?.row;
    const ack = row === undefined ? null : ackOn(row);
    return {
      key,
      episode,
      seq: row?.seq ?? null,
      title: one === undefined ? singleLine(headingOf(message)) : titleOf(one),
      severity,
      since: showInstant(row?.since ?? message.since),
      is_event: message.type === 'alert.event',
      watch: message.watch,
      alert: message.alert,
      runbook: runbookOf(message),
      of: one?.watch ? subjectOf(one.watch) : null,
      measure: one === undefined ? null : await openMeasure(view, one),
      ack: ack && ackJson(ack),
    };
  };
  const alerts = await Promise.all([...messages].map(linkedAlert));
  return { channel: found.channel, recipient: found.recipient, alerts };
}
