// The lines of the journal for what operators changed.
import { showInstant, type Instant } from '../../lib/clock.ts';
import type { Pause } from '../model/watch/pause.ts';
import type { Json } from '../values/fields.ts';
import type { JournalEntry } from './entry.ts';

/** A pause that begins, or that somebody ended: then its end is `at`. */
export function pauseLine({ id, watch, until, comment }: Pause, actor: string, at: Instant): JournalEntry {
  const data = { id, comment, ...endOf(until, at) };
  return { at, kind: 'pause', subject: watch, actor, data };
}

interface Silence {
  readonly id: string;
  readonly matchers: Json;
  readonly from: Instant;
  readonly until: Instant;
  readonly untilResolved: boolean;
  readonly comment: string;
}

/** A silence that is made or extended, or that somebody ended: then its end is `at`. */
export function silenceLine(silence: Silence, actor: string, at: Instant): JournalEntry {
  const { id, matchers, from, until, untilResolved, comment } = silence;
  const data = {
    comment,
    matchers,
    ...(from > at ? { from: showInstant(from) } : {}),
    ...endOf(until, at),
    ...(untilResolved ? { until_resolved: true } : {}),
  };
  return { at, kind: 'silence', subject: id, actor, data };
}

interface Ack {
  readonly id: string;
  readonly key: string;
  readonly episode: number;
  readonly seq: number;
  readonly comment: string | null;
  readonly until: Instant;
}

/** An acknowledgement, or its end: then its end is `at`. */
export function ackLine({ id, key, episode, seq, comment, until }: Ack, actor: string, at: Instant): JournalEntry {
  const data = { id, episode, seq, comment, ...endOf(until, at) };
  return { at, kind: 'ack', subject: key, actor, data };
}

/** A delivery that was given up, and is due again or counted no more among those. */
export function givenUpLine(
  { id, state, ...to }: { id: string; channel: string; recipient: string; state: 'owed' | 'dismissed' },
  actor: string,
  at: Instant,
): JournalEntry {
  const data = { channel: to.channel, recipient: to.recipient };
  return { at, kind: state === 'owed' ? 'retried' : 'dismissed', subject: id, actor, data };
}

/** Whatever waits on a channel is due now. */
export function channelLine(channel: string, deliveries: number, actor: string, at: Instant): JournalEntry {
  return { at, kind: 'retried', subject: `channel:${channel}`, actor, data: { deliveries } };
}

/** A sample was sent to all recipients of a channel; `text` says how each try ended. */
export function sampleLine(channel: string, text: string, actor: string, at: Instant): JournalEntry {
  return { at, kind: 'sampled', subject: `channel:${channel}`, actor, data: { channel, text } };
}

function endOf(until: Instant, at: Instant): { readonly until: string } | { readonly ended: true } {
  return until > at ? { until: showInstant(until) } : { ended: true };
}
