// Bodies and queries of requests, parsed by their shapes.
import type { z } from 'zod';
import type { RequestMistake } from '../../operators/action.ts';
import { problemOf, type ApiProblem } from '../problem.ts';

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
