// Facts in the state about a watch that is no longer in the rules.
import type { Message } from '../../core/model/delivery.ts';
import { showInstant } from '../../lib/clock.ts';
import type { Gone } from '../shapes/alerts.ts';
import { decided } from './timeline.ts';
import type { QueryContext } from '../view.ts';

const MOST_MESSAGES = 100;

/** Null: the state has no message of a watch with this name. */
export async function goneWatch({ store }: QueryContext, name: string): Promise<Gone | null> {
  return goneOf(await store.messagesOf(name, MOST_MESSAGES));
}

/** `messages`: the newest first. */
export function goneOf(messages: readonly Message[]): Gone | null {
  const [newest] = messages;
  return newest === undefined ? null : { since: showInstant(newest.at), history: messages.map(decided) };
}
