// The events of a watch, the newest first.
import { nameOfTransition } from '../../core/model/transition.ts';
import type { Message } from '../../core/model/delivery.ts';
import { explorerLinks, headingOf } from '../../core/wording/words.ts';
import { showInstant } from '../../lib/clock.ts';
import { singleLine } from '../../lib/untrusted.ts';
import type { ItemRow } from '../shapes/alerts.ts';
import type { QueryContext } from '../view.ts';
import { firstLine } from './cards.ts';
import { episodeName } from './episode-name.ts';

const MOST_MESSAGES = 100;
export const MOST_ITEMS = 20;

export async function itemsOf({ store }: QueryContext, watch: string): Promise<ItemRow[]> {
  return itemsIn(await store.messagesOf(watch, MOST_MESSAGES)).slice(0, MOST_ITEMS);
}

/** The events that messages of one watch are about. `messages`: the newest first. */
export function itemsIn(messages: readonly Message[]): ItemRow[] {
  return [...Map.groupBy(messages, episodeName).values()].flatMap(itemOf);
}

/**
 * `messages`: those about one event, the newest first. A corrected event is shown with its corrected values, a
 * retracted one with its last values. Empty if they are not about an event.
 */
function itemOf(messages: readonly Message[]): ItemRow[] {
  const [newest] = messages;
  const told = messages.find((one) => nameOfTransition(one) !== 'retracted') ?? newest;
  if (newest === undefined || told === undefined || !messages.some((one) => one.type === 'alert.event')) return [];
  return [
    {
      key: told.key,
      episode: told.episode,
      at: showInstant(told.since),
      alert: told.alert,
      severity: told.severity,
      title: singleLine(headingOf(told)),
      detail: firstLine(told),
      links: explorerLinks(told),
      is_retracted: nameOfTransition(newest) === 'retracted',
    },
  ];
}
