// The refusals of requests. The specification has 404 and 422; releases, and the proxy of the multichain form in front
// of them, have messages of their own.
import { answer, notFound, unprocessable, type SandboxAnswer, type Invalid } from '../answer.ts';
import type { Dialect } from './dialect.ts';

type Form = 'multichain' | 'instance';

export function unknownChain({ release }: Dialect): SandboxAnswer {
  return release === null ? notFound() : answer(404, { error: 'Network not supported', source: 'internal' });
}

export function unknownPath({ release }: Dialect, form: Form): SandboxAnswer {
  if (release === null) return notFound();
  if (form === 'instance') return answer(400, { message: 'Unknown API v2 action' });
  return answer(404, { error: 'Not found', source: 'internal' });
}

export function tooManyRequests({ tooMany }: Dialect, form: Form, headers: SandboxAnswer['headers']): SandboxAnswer {
  const body = form === 'instance' ? { message: tooMany } : { error: 'Too many requests' };
  return answer(429, body, headers);
}

/** An operation that checks no parameters refuses only a malformed address. */
export function wrongParameters(isStrict: boolean, problems: readonly Invalid[]): SandboxAnswer {
  return isStrict ? unprocessable(problems) : answer(422, { message: 'Invalid parameter(s)' });
}
