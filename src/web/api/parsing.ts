// Bodies and queries of requests, parsed by their shapes.
import type { z } from 'zod';
import type { RequestMistake } from '../../operators/action.ts';
import type { Parameters } from '../parameters.ts';
import { problemOf, type ApiProblem } from '../problem.ts';

/** The body, or the problem that names each mistake in it. */
export function parseBody<T>(
  shape: z.ZodType<T>,
  body: unknown,
): { readonly body: T } | { readonly problem: ApiProblem } {
  const read = shape.safeParse(body, { error: words });
  if (read.success) return { body: read.data };
  return { problem: problemOf({ type: 'invalid', mistakes: read.error.issues.flatMap(mistakesOf) }) };
}

/** The parameters of a query, or the problem that names each mistake in them. */
export function parseQuery<Q extends z.ZodObject>(
  shape: Q,
  given: Parameters,
): { readonly query: z.output<Q> } | { readonly problem: ApiProblem } {
  const read = shape.safeParse(given, {
    error: (issue) => (isRepeated(issue) ? 'is given more than once' : words(issue)),
  });
  if (read.success) return { query: read.data };
  return { problem: problemOf({ type: 'invalid', mistakes: read.error.issues.flatMap(mistakesOf) }) };
}

function isRepeated({ code, input }: z.core.$ZodRawIssue): boolean {
  return Array.isArray(input) && (code === 'invalid_type' || code === 'invalid_value');
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

/** The text for a mistake if the shape has no message for it. Undefined means the text of the library. */
function words(issue: z.core.$ZodRawIssue): string | undefined {
  switch (issue.code) {
    case 'invalid_value':
      return `is none of ${issue.values.join(', ')}`;
    case 'too_small':
      return issue.origin === 'string' ? 'is too short' : `is less than ${issue.minimum}`;
    case 'too_big':
      return issue.origin === 'string' ? `is longer than ${issue.maximum} characters` : `is more than ${issue.maximum}`;
    case 'invalid_type':
      return issue.input === undefined ? 'is missing' : `is no ${TYPE_WORDS[issue.expected] ?? issue.expected}`;
    default:
      return undefined;
  }
}

const TYPE_WORDS: Readonly<Record<string, string>> = { int: 'whole number', string: 'text' };

/** RFC 6901, section 3. A key is text of the client, so at most 40 characters of it are shown. */
function escaped(key: string): string {
  return key.slice(0, 40).replaceAll('~', '~0').replaceAll('/', '~1');
}
