// Answers that fail: by their status, on the wire, or in what they say.
import { RequestFault } from '../../../src/explorer/http/fault.ts';
import { replyOf, type SandboxReply } from '../../../src/sandbox/answer.ts';
import type { ApiAnswer } from '../../../src/sandbox/api.ts';
import { spoil, type Spoiling } from '../../../src/sandbox/faults/content.ts';
import { failWithStatus } from '../../../src/sandbox/faults/status.ts';
import type { VirtualTime } from '../machine/clock.ts';
import type { PlannedFault } from '../model.ts';
import { PATHS } from '../rules.ts';
import { failCalls } from './calls.ts';
import { CONTENT_KINDS, PLAN_KINDS, READ_KINDS, STATUS_KINDS, WIRE_KINDS } from './kinds.ts';

type Kinds<List extends readonly string[]> = List[number];

const ALL = [...STATUS_KINDS, ...PLAN_KINDS, ...WIRE_KINDS, ...CONTENT_KINDS, ...READ_KINDS] as const;
export const ANSWER_KINDS = new Set(ALL);

export interface Struck {
  readonly fault: PlannedFault;
  readonly path: string;
  readonly spoiling: Spoiling;
  readonly time: VirtualTime;
  /** Of the daemon's own clock: some limiters name a time of day. */
  readonly leftMs: number;
}

/** What comes instead of the right answer. Throws what the transport would throw. */
export async function fail(struck: Struck): Promise<SandboxReply> {
  const { fault, spoiling } = struck;
  const kind = fault.kind as Kinds<typeof ALL>;
  if (isOneOf(WIRE_KINDS, kind)) return failOnWire(kind, struck);
  if (isOneOf(PLAN_KINDS, kind)) return refuse(kind, fault, spoiling.right, struck.time.now());
  if (isOneOf(READ_KINDS, kind)) return failCalls(kind, fault.amount, spoiling.right);
  if (isOneOf(STATUS_KINDS, kind)) {
    const limits = kind === 'rate-limited' ? { resetMs: fault.amount } : {};
    return failWithStatus(kind, { fault: kind, times: 1, ...limits }, spoiling.right);
  }
  if (kind === 'empty-cursor') return withBody(spoiling.right, (body) => ({ ...body, next_page_params: {} }));
  if (kind === 'missing-field') return withoutField(spoiling.right, struck.path);
  return spoil(kind, spoiling);
}

function isOneOf<List extends readonly string[]>(list: List, kind: string): kind is List[number] {
  return list.includes(kind);
}

const HEADERS_MS = 10_000;

async function failOnWire(kind: Kinds<typeof WIRE_KINDS>, { path, time, leftMs }: Struck): Promise<never> {
  switch (kind) {
    case 'truncated':
      throw new RequestFault('truncated', `${path}: the answer broke off`, { retry: 'soon' });
    case 'cut':
      throw new RequestFault('network', `${path}: no connection (ECONNRESET)`, { retry: 'now' });
    case 'oversized':
      throw new RequestFault('too-large', `${path}: the answer is larger than 8388608 bytes`);
    case 'slow-headers':
      await time.sleep(Math.min(HEADERS_MS, leftMs));
      throw new RequestFault('timeout', `${path}: no answer in time`);
    case 'slow-body':
      await time.sleep(leftMs);
      throw new RequestFault('timeout', `${path}: the answer was not complete in time`);
    case 'dns':
      throw new RequestFault('dns', `${path}: the name of the host does not resolve (ENOTFOUND)`);
    case 'tls':
      throw new RequestFault('tls', `${path}: the certificate is not acceptable (CERT_HAS_EXPIRED)`);
    case 'refused':
      throw new RequestFault('network', `${path}: no connection (ECONNREFUSED)`);
  }
}

function refuse(kind: Kinds<typeof PLAN_KINDS>, { amount }: PlannedFault, right: ApiAnswer, at: number): SandboxReply {
  const { headers } = right;
  switch (kind) {
    case 'spurious-402':
      return replyOf({ status: 402, headers, body: { error: 'Out of credits' } });
    case 'spurious-401':
      return replyOf({ status: 401, headers, body: { error: 'Unauthorized' } });
    case 'drained':
      return { ...right, headers: { ...headers, 'x-ratelimit-remaining': '0', 'x-ratelimit-reset': String(amount) } };
    case 'reset-dialect': {
      const seconds = String(Math.ceil((at + amount) / 1000));
      const other = { 'x-ratelimit-remaining': '0', 'x-ratelimit-reset': seconds };
      return { ...right, headers: { ...headers, ...other } };
    }
  }
}

type Body = Readonly<Record<string, unknown>>;

/** A page that is changed; any other answer stays right. */
function withBody(right: ApiAnswer, change: (body: Body) => unknown): SandboxReply {
  const body = right.again();
  const isPage = typeof body === 'object' && body !== null && 'items' in body && 'next_page_params' in body;
  if (!isPage || body.next_page_params === null) return right;
  return replyOf({ status: right.status, headers: right.headers, body: change({ ...body }) });
}

/** Of each row of a list, by the end of its path. */
const FIELD_BY_LIST = {
  'internal-transactions': 'success',
  transactions: 'value',
  tokens: 'value',
  blocks: 'timestamp',
};

/** Of a list, a field of each row; of an account, its balance. */
function withoutField(right: ApiAnswer, path: string): SandboxReply {
  if (path === PATHS.coin) return replyOf({ ...right, body: without(right.again() as Body, 'coin_balance') });
  const list = path.slice(path.lastIndexOf('/') + 1);
  const field = Object.hasOwn(FIELD_BY_LIST, list) ? FIELD_BY_LIST[list as keyof typeof FIELD_BY_LIST] : '';
  return withBody(right, (body) => {
    const items = (body['items'] as readonly Body[]).map((row) => without(row, field));
    return { ...body, items };
  });
}

function without(body: Body, field: string): Body {
  return Object.fromEntries(Object.entries(body).filter(([name]) => name !== field));
}
