// Bodies of requests, and of answers: keys are snake_case, times RFC 3339 in UTC.
import { z } from 'zod';
import { showInstant } from '../../lib/clock.ts';
import type { RequestMistake, ApiProblem } from '../problem.ts';
import { problemOf, type AckAnswer, type PauseAnswer, type SilenceAnswer } from './operation.ts';

const Time = z.iso
  .datetime({ offset: true, error: 'is not a time such as 2026-01-31T12:00:00Z' })
  .transform((text) => Date.parse(text));

const LONGEST_COMMENT = 500;

const PRINTABLE = /^[^\p{Cc}\p{Cf}\p{Cs}\p{Co}\p{Zl}\p{Zp}]*$/u;
const UNPRINTABLE = 'has a line break, a control character or an invisible one';

/** It is shown in terminals, logs and messages. */
const Comment = z
  .string('is missing: say why')
  .trim()
  .min(1, 'is empty: say why')
  .max(LONGEST_COMMENT, `is longer than ${LONGEST_COMMENT} characters`)
  .regex(PRINTABLE, UNPRINTABLE);

export const PauseBody = z.strictObject({ until: Time, comment: Comment });
export const NoBody = z.strictObject({});

const LONGEST_PATTERN = 200;
const MOST_PATTERNS = 100;
const MOST_LABELS = 20;

const NO_PATTERN = `is not a pattern of 1 to ${LONGEST_PATTERN} visible characters, or a list of up to ${MOST_PATTERNS}`;
const Pattern = z.string(NO_PATTERN).min(1, NO_PATTERN).max(LONGEST_PATTERN, NO_PATTERN).regex(PRINTABLE, NO_PATTERN);
const List = z.array(Pattern).min(1, NO_PATTERN).max(MOST_PATTERNS, NO_PATTERN);
const Patterns = z.union([Pattern, List], NO_PATTERN);
const Matchers = z
  .record(z.string().regex(/^[A-Za-z_]\w{0,99}$/), Patterns, {
    error: ({ code }) =>
      code === 'invalid_key'
        ? 'is not the name of a label'
        : 'are not patterns by label, such as { "watch": "treasury" }',
  })
  .refine((matchers) => Object.keys(matchers).length <= MOST_LABELS, `have more than ${MOST_LABELS} labels`);

export const PreviewBody = z.strictObject({ matchers: Matchers });
export const SilenceBody = z
  .strictObject({
    matchers: Matchers,
    from: Time.optional(),
    until: Time,
    until_resolved: z.boolean().default(false),
    comment: Comment,
    confirm: z.boolean().default(false),
  })
  .transform(({ from = null, until_resolved: untilResolved, ...draft }) => ({ ...draft, from, untilResolved }));
export const ExtendBody = z.strictObject({ until: Time });
export const AckBody = z
  .strictObject({ seq: z.int('is not a whole number').positive(), until: Time.optional(), comment: Comment.optional() })
  .transform(({ seq, until = null, comment = null }) => ({ seq, until, comment }));

export function pauseJson({ from, until, ...pause }: PauseAnswer) {
  return { ...pause, from: showInstant(from), until: showInstant(until) };
}

export function silenceJson({ from, until, untilResolved, ...silence }: SilenceAnswer) {
  const { id, matchers, actor, comment, version } = silence;
  const times = { from: showInstant(from), until: showInstant(until), until_resolved: untilResolved };
  return { id, matchers, ...times, actor, comment, version };
}

export function ackJson({ at, until, ...ack }: AckAnswer) {
  const { id, key, episode, seq, actor, comment } = ack;
  return { id, key, episode, seq, actor, comment, at: showInstant(at), until: showInstant(until) };
}

/** The body, or the problem that names each mistake in it. */
export function parseBody<T>(
  shape: z.ZodType<T>,
  body: unknown,
): { readonly body: T } | { readonly problem: ApiProblem } {
  const read = shape.safeParse(body);
  if (read.success) return { body: read.data };
  return { problem: problemOf({ type: 'invalid', mistakes: read.error.issues.flatMap(mistakesOf) }) };
}

/** The parameters of a query, or the problem that names each mistake in them. An empty one is left out. */
export function parseQuery<Q extends z.ZodObject>(
  shape: Q,
  given: Readonly<Record<string, string>>,
): { readonly query: z.output<Q> } | { readonly problem: ApiProblem } {
  const read = shape.safeParse(Object.fromEntries(Object.entries(given).filter(([, text]) => text !== '')));
  if (read.success) return { query: read.data };
  return { problem: problemOf({ type: 'invalid', mistakes: read.error.issues.flatMap(mistakesOf) }) };
}

function mistakesOf(issue: z.core.$ZodIssue): RequestMistake[] {
  const at = (path: readonly PropertyKey[]): string => path.map((part) => `/${escaped(String(part))}`).join('');
  if (issue.code === 'unrecognized_keys')
    return issue.keys.slice(0, MOST_KEYS).map((key) => ({ pointer: at([...issue.path, key]), detail: 'is not known' }));
  if (issue.code === 'invalid_type' && issue.path.length === 0)
    return [{ pointer: '', detail: 'the body must be an object' }];
  return [{ pointer: at(issue.path), detail: issue.message }];
}

const MOST_KEYS = 10;

/** RFC 6901, section 3. A key is the client's own text, and is shown in part. */
function escaped(key: string): string {
  return key.slice(0, 40).replaceAll('~', '~0').replaceAll('/', '~1');
}
