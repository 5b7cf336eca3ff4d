// Parts of requests and answers that several actions share. Keys are snake_case, times RFC 3339 in UTC.
import { z } from 'zod';
import { Count, Time } from '../core/values/answer-shapes.ts';
import { showInstant, type Instant } from '../lib/clock.ts';
import type { StoredAck } from '../store/contract/operators.ts';
import type { ActionBy, RequestMistake } from './action.ts';

/** A time in a request. */
export const WrittenTime = z.iso
  .datetime({ offset: true, error: 'is not a time such as 2026-01-31T12:00:00Z' })
  .transform((text) => Date.parse(text));

const LONGEST_COMMENT = 500;

const PRINTABLE = /^[^\p{Cc}\p{Cf}\p{Cs}\p{Co}\p{Zl}\p{Zp}]*$/u;
const UNPRINTABLE = 'has a line break, a control character or an invisible one';

/** The comment is shown in terminals, logs and messages, so it must be printable. */
export const Comment = z
  .string('is missing: say why')
  .trim()
  .min(1, 'is empty: say why')
  .max(LONGEST_COMMENT, `is longer than ${LONGEST_COMMENT} characters`)
  .regex(PRINTABLE, UNPRINTABLE);

export const NoBody = z.strictObject({});

const LONGEST_PATTERN = 200;
const MOST_PATTERNS = 100;
const MOST_LABELS = 20;

const NO_PATTERN = `is not a pattern of 1 to ${LONGEST_PATTERN} visible characters, or a list of up to ${MOST_PATTERNS}`;
const Pattern = z.string(NO_PATTERN).min(1, NO_PATTERN).max(LONGEST_PATTERN, NO_PATTERN).regex(PRINTABLE, NO_PATTERN);
const List = z.array(Pattern).min(1, NO_PATTERN).max(MOST_PATTERNS, NO_PATTERN);
const Patterns = z.union([Pattern, List], NO_PATTERN);

/** Patterns by label. */
export const Matchers = z
  .record(z.string().regex(/^[A-Za-z_]\w{0,99}$/), Patterns, {
    error: ({ code }) =>
      code === 'invalid_key'
        ? 'is not the name of a label'
        : 'are not patterns by label, such as { "watch": "treasury" }',
  })
  .refine((matchers) => Object.keys(matchers).length <= MOST_LABELS, `have more than ${MOST_LABELS} labels`);

export const PreviewBody = z.strictObject({ matchers: Matchers });

export const AckShape = z
  .strictObject({
    id: z.string(),
    key: z.string(),
    episode: Count,
    seq: Count.describe('The newest transition that the operator saw.'),
    actor: z.string(),
    comment: z.string().nullable(),
    at: Time,
    until: Time,
  })
  .meta({ id: 'Ack', description: 'An acknowledgement of one episode of an alert.' });
export type AckShape = z.output<typeof AckShape>;

export function ackJson({ id, key, episode, seq, actor, comment, at, until }: StoredAck): AckShape {
  return { id, key, episode, seq, actor, comment, at: showInstant(at), until: showInstant(until) };
}

/**
 * The end of a silence, a pause or an acknowledgement, for its line in the journal. If the end has passed, the action
 * itself ended it.
 */
export function endIn(until: Instant, { at }: ActionBy): { readonly until: string } | { readonly ended: true } {
  return until > at ? { until: showInstant(until) } : { ended: true };
}

export const DAY_MS = 86_400_000;

/** The mistakes in an end time: it has passed, or is more than `longestMs` away. */
export function untilMistakes(until: Instant, { now, longestMs }: { now: Instant; longestMs: number }) {
  const mistake = (detail: string): RequestMistake => ({ pointer: '/until', detail });
  if (until <= now) return [mistake(`has passed: it is ${showInstant(now)} now`)];
  if (until - now <= longestMs) return [];
  const longest = longestMs === DAY_MS ? '24 hours' : `${longestMs / DAY_MS} days`;
  return [mistake(`is more than ${longest} away`)];
}
