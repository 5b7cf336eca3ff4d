import type { ApiAnswer } from '../api.ts';
import { answer, notFound, replyOf, unprocessable, type SandboxAnswer, type SandboxReply } from '../answer.ts';
import type { ContentFaultName, SandboxFault, FaultName, WireFaultName } from './fault.ts';

type StatusFaultName = Exclude<FaultName, ContentFaultName | WireFaultName>;

const HTML_TYPE = 'text/html; charset=utf-8';

/** An answer in place of the right one. The headers of limits do not change. */
export function failWithStatus(name: StatusFaultName, fault: SandboxFault, right: ApiAnswer): SandboxReply {
  if (name === 'unavailable') return html(503, 'Service temporarily unavailable');
  if (name === 'blocked') return html(403, 'Checking your browser', { 'cf-mitigated': 'challenge' });
  if (name === 'html') return html(200, 'Welcome');
  return replyOf(answerFor(name, fault, right.headers));
}

function answerFor(
  name: Exclude<StatusFaultName, 'unavailable' | 'blocked' | 'html'>,
  fault: SandboxFault,
  headers: SandboxAnswer['headers'],
): SandboxAnswer {
  switch (name) {
    case 'rate-limited':
      return answer(429, { error: 'Too many requests' }, { ...headers, ...limitHeaders(fault) });
    case 'server-error':
      return answer(500, 'Internal server error', headers);
    case 'bad-gateway':
      return answer(502, { error: 'Bad gateway', source: 'upstream' }, headers);
    case 'unauthorized':
      return answer(401, { error: 'Unauthorized' }, headers);
    case 'out-of-credits':
      return answer(402, { error: 'Out of credits' }, { ...headers, 'x-credits-remaining': '0' });
    case 'not-found':
      return { ...notFound(), headers };
    case 'unprocessable':
      return { ...unprocessable([{ parameter: 'type', detail: 'Unexpected field: type' }]), headers };
    case 'redirect':
      return answer(302, null, { location: fault.location ?? 'http://127.0.0.1:9/' });
  }
}

function limitHeaders({ retryAfter, resetMs }: SandboxFault): Record<string, string> {
  return {
    ...(retryAfter === undefined ? {} : { 'retry-after': String(retryAfter) }),
    ...(resetMs === undefined ? {} : { 'x-ratelimit-reset': String(resetMs) }),
  };
}

function html(status: number, title: string, headers: Record<string, string> = {}): SandboxReply {
  const text = `<!DOCTYPE html><html><head><title>${title}</title></head><body><h1>${title}</h1></body></html>`;
  return { status, headers: { ...headers, 'content-type': HTML_TYPE }, text };
}
