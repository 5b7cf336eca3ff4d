// Answers to calls of contracts that fail: one of a request, or all of them.
import { replyOf, type SandboxReply } from '../../../src/sandbox/answer.ts';
import type { ApiAnswer } from '../../../src/sandbox/api.ts';
import type { READ_KINDS } from './kinds.ts';

type Kind = (typeof READ_KINDS)[number];

interface Called {
  readonly jsonrpc: string;
  readonly id: number;
  readonly result?: string;
}

/** `amount`: which call is meant, where it is one. */
export function failCalls(kind: Kind, amount: number, right: ApiAnswer): SandboxReply {
  const { headers } = right;
  if (kind === 'too-many-calls') return replyOf({ status: 413, headers, body: { error: 'Payload Too Large' } });
  const all = right.again();
  if (!Array.isArray(all)) return right;
  const body = (all as readonly Called[]).map((one, place) =>
    isMeant(kind, amount, place, all.length) ? spoilt(kind, one) : one,
  );
  return replyOf({ status: right.status, headers, body });
}

/** The newest block stands first. It is meant only by the kind that is there for it. */
function isMeant(kind: Kind, amount: number, place: number, count: number): boolean {
  if (kind === 'no-block') return place === 0;
  if (kind === 'node-fails') return place > 0;
  return place > 0 && place === 1 + (amount % Math.max(count - 1, 1));
}

function spoilt(kind: Exclude<Kind, 'too-many-calls'>, { result = '', ...call }: Called): unknown {
  switch (kind) {
    case 'call-reverts':
      return { ...call, error: { code: 3, message: 'execution reverted', data: '0x' } };
    case 'call-refused':
      return { ...call, error: { code: -32601, message: 'Method not found' } };
    case 'odd-length':
      return { ...call, result: `0x0${result.slice(2)}` };
    case 'nothing-returned':
      return { ...call, result: '0x' };
    case 'node-fails':
    case 'no-block':
      return { ...call, error: { code: -32000, message: 'missing trie node' } };
  }
}
