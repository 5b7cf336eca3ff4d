import { showInstant } from '../../lib/clock.ts';
import type { StoredAck } from '../../store/contract/operators.ts';
import type { AckShape } from '../shapes/alerts.ts';

export function ackJson({ id, key, episode, seq, actor, comment, at, until }: StoredAck): AckShape {
  return { id, key, episode, seq, actor, comment, at: showInstant(at), until: showInstant(until) };
}
