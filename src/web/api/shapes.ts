// Bodies of requests, and of answers: keys are snake_case, times RFC 3339 in UTC.
import { z } from 'zod';
import { showInstant } from '../../lib/clock.ts';
import type { Mistake, Problem } from '../problem.ts';
import { problemOf, type PauseAnswer } from './operation.ts';

const Time = z.iso
  .datetime({ offset: true, error: 'is not a time such as 2026-01-31T12:00:00Z' })
  .transform((text) => Date.parse(text));

const LONGEST_COMMENT = 500;

/** It is shown in terminals, logs and messages. */
const Comment = z
  .string('is missing: say why')
  .trim()
  .min(1, 'is empty: say why')
  .max(LONGEST_COMMENT, `is longer than ${LONGEST_COMMENT} characters`)
  .regex(/^[^\p{Cc}\p{Cf}\p{Cs}\p{Co}\p{Zl}\p{Zp}]*$/u, 'has a line break, a control character or an invisible one');

export const PauseBody = z.strictObject({ until: Time, comment: Comment });
export const NoBody = z.strictObject({});

export function pauseJson({ from, until, ...pause }: PauseAnswer) {
  return { ...pause, from: showInstant(from), until: showInstant(until) };
}

/** The body, or the problem that names each mistake in it. */
export function parseBody<T>(shape: z.ZodType<T>, body: unknown): { readonly body: T } | { readonly problem: Problem } {
  const read = shape.safeParse(body);
  if (read.success) return { body: read.data };
  return { problem: problemOf({ type: 'invalid', mistakes: read.error.issues.flatMap(mistakesOf) }) };
}

function mistakesOf(issue: z.core.$ZodIssue): Mistake[] {
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
