// The single messages about an alert: about its start, its repeats and its end.
import { nameOfTransition } from '../../core/model/transition.ts';
import type { Message } from '../../core/model/delivery.ts';
import { showInstant } from '../../lib/clock.ts';
import type { Progress } from '../../store/contract/alerts.ts';
import type { MessageAbout, ToldMessage } from '../shapes/common.ts';
import { isToArrive, statusOf } from './recipients.ts';

export function toldIn(progress: readonly Progress[], messages: readonly Message[]): ToldMessage[] {
  const told = progress.filter(isToArrive).map((one) => ({
    about: aboutOf(one, messages),
    decided_at: showInstant(one.delivery.at),
    ...statusOf(one.delivery),
  }));
  return told.toSorted((a, b) => a.decided_at.localeCompare(b.decided_at));
}

export function aboutOf({ seq, delivery: { kind } }: Progress, messages: readonly Message[]): MessageAbout {
  if (kind === 'repeat') return 'repeat';
  if (kind !== 'news') return 'summary';
  const message = messages.find((one) => one.seq === seq);
  return message === undefined ? 'event' : nameOfTransition(message);
}
