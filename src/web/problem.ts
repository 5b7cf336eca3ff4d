// Errors of the API in the form of RFC 9457: what is wrong, and in `detail` what to do.
import type { ActionRefusal, RequestMistake } from '../operators/action.ts';

/** Every problem that the API answers with. `type` in the answer is `/about#NAME`. */
export const PROBLEMS = {
  'invalid-request': { status: 400, title: 'The request is not as it must be' },
  'not-authenticated': { status: 401, title: 'No valid token' },
  'not-allowed': { status: 403, title: 'Not allowed' },
  'not-found': { status: 404, title: 'There is no such thing' },
  'wrong-method': { status: 405, title: 'The address takes another method' },
  'key-taken': { status: 409, title: 'The key was used for another request' },
  'confirm-needed': { status: 409, title: 'It has to be confirmed' },
  'is-over': { status: 409, title: 'It is over' },
  'stale-seq': { status: 409, title: 'The alert has changed meanwhile' },
  'already-acknowledged': { status: 409, title: 'Somebody has it in hand' },
  'not-given-up': { status: 409, title: 'The delivery was not given up' },
  'later-sent': { status: 409, title: 'A later message was sent' },
  'not-named': { status: 409, title: 'The recipient is not in the config' },
  gone: { status: 410, title: 'It is no longer there' },
  'too-large': { status: 413, title: 'The body is too large' },
  'not-json': { status: 415, title: 'The body is not JSON' },
  'unknown-host': { status: 421, title: 'The host name is not known here' },
  'too-many-attempts': { status: 429, title: 'Too many wrong tokens' },
  'internal-error': { status: 500, title: 'The daemon failed' },
  'not-storable': { status: 503, title: 'Nothing can be stored now' },
} as const;

export type ProblemName = keyof typeof PROBLEMS;

export interface ApiProblem {
  readonly problem: ProblemName;
  /** Advice for the caller. It contains no secret, and only facts that the caller may read. */
  readonly detail: string;
  readonly mistakes?: readonly RequestMistake[];
  /** Seconds after which another try may succeed. */
  readonly retryAfter?: number;
  /** Members of the answer besides those of every problem. */
  readonly more?: object;
}

const RETRY_STORAGE_S = 30;

/** The problem of an action that was refused. */
export function problemOf(why: ActionRefusal): ApiProblem {
  switch (why.type) {
    case 'invalid':
      return {
        problem: 'invalid-request',
        detail: why.mistakes.map(({ pointer, detail }) => `${pointer.slice(1)} ${detail}`).join('; '),
        mistakes: why.mistakes,
      };
    case 'not-storable':
      return { problem: why.type, detail: why.detail, retryAfter: RETRY_STORAGE_S };
    default:
      return { problem: why.type, detail: why.detail };
  }
}

/** `instance` identifies the log line of an unexpected error. */
export function problemResponse(
  { problem, detail, mistakes, retryAfter, more }: ApiProblem,
  instance?: string,
): Response {
  const { status, title } = PROBLEMS[problem];
  const type = `/about#${problem}`;
  const body = {
    type,
    title,
    status,
    detail,
    ...(instance && { instance }),
    ...(mistakes && { problems: mistakes }),
    ...more,
  };
  const headers = new Headers({ 'Content-Type': 'application/problem+json' });
  if (retryAfter !== undefined) headers.set('Retry-After', String(retryAfter));
  if (status === 401) headers.set('WWW-Authenticate', 'Bearer');
  return new Response(JSON.stringify(body), { status, headers });
}
