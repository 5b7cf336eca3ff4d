// What follows from a change that an operator made, whichever engine keeps it.
import type { JournalEntry } from '../core/journal/entry.ts';
import { ackLine, channelLine, givenUpLine, pauseLine, sampleLine, silenceLine } from '../core/journal/operator.ts';
import type { Silence } from '../dispatch/model.ts';
import type { Instant } from '../lib/clock.ts';
import type { OperatorChange, Intervention, SampleTry, StoredAck, Unchanged } from './contract/operators.ts';

/** What people did is kept for so much longer than what was sent. */
export const KEPT_LONGER_MS = 60 * 86_400_000;

/** Something that has the key of the request as its id. */
export function makes({ type }: Intervention): boolean {
  return type === 'pause' || type === 'silence' || type === 'ack';
}

export function silenceOr(silence: Silence | Unchanged): OperatorChange | Unchanged {
  return typeof silence === 'string' ? silence : { type: 'silence', silence };
}

export function ackOr(ack: StoredAck | Unchanged): OperatorChange | Unchanged {
  return typeof ack === 'string' ? ack : { type: 'ack', ack };
}

/** Who is told, and when, is decided otherwise than before. */
export function decidesMessages({ type }: OperatorChange): boolean {
  return type === 'pause' || type === 'silence' || type === 'ack';
}

export function lineOf(changed: OperatorChange, actor: string, at: Instant): JournalEntry {
  switch (changed.type) {
    case 'pause':
      return pauseLine(changed.pause, actor, at);
    case 'silence':
      return silenceLine(changed.silence, actor, at);
    case 'ack':
      return ackLine(changed.ack, actor, at);
    case 'delivery':
      return givenUpLine(changed, actor, at);
    case 'channel':
      return channelLine(changed.channel, changed.deliveries, actor, at);
    case 'sample':
      return sampleLine(changed.channel, changed.tries.map(sampleText).join('; '), actor, at);
  }
}

function sampleText({ recipient, outcome, answer }: SampleTry): string {
  return `${recipient}: ${outcome}: ${answer}`;
}
