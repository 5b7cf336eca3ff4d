// The JSON-RPC: calls of contracts, their storage and balances, and logs, posted one by one or as an array.
import { answer, isRow, type SandboxAnswer, type JsonRow } from '../answer.ts';
import { isAddress } from '../chain/keys.ts';
import type { World } from '../world.ts';
import { callContract, storageAt } from './contracts.ts';
import { getLogs } from './get-logs.ts';

const MOST_CALLS = 5;

/** `text`: the body of the request. */
export function answerRpc(world: World, text: string): SandboxAnswer {
  const body = parsed(text);
  if (body === undefined) return answer(400, { error: 'Invalid JSON' });
  if (!Array.isArray(body)) return answer(200, answerCall(world, body));
  if (body.length > MOST_CALLS) return answer(413, { error: `Payload Too Large. Max batch size is ${MOST_CALLS}` });
  return answer(
    200,
    body.map((call: unknown) => answerCall(world, call)),
  );
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

type Outcome = { readonly result: string | readonly JsonRow[] } | { readonly error: unknown };

function answerCall(world: World, call: unknown): JsonRow {
  const { id = null, method, params } = isRow(call) ? call : {};
  return { jsonrpc: '2.0', id, ...outcomeOf(world, method, Array.isArray(params) ? params : []) };
}

function outcomeOf(world: World, method: unknown, params: readonly unknown[]): Outcome {
  switch (method) {
    case 'eth_blockNumber':
      return { result: hex(world.head()) };
    case 'eth_call':
      return atBlock(world, params[1], (at) => call(at, params[0]));
    case 'eth_getBalance':
      return atBlock(world, params[1], (at) => ofAddress(at, params[0], (target) => hex(at.coin(target) ?? 0n)));
    case 'eth_getStorageAt':
      return atBlock(world, params[2], (at) =>
        ofAddress(at, params[0], (target) => storageAt(at, target, String(params[1]).toLowerCase())),
      );
    case 'eth_getLogs':
      return logsOf(world, params[0]);
    default:
      return refused(world);
  }
}

/** Releases up to 11 refuse with a text, later ones with an object. */
function refused({ dialect }: World): Outcome {
  return { error: dialect.isSince('12') ? { code: -32601, message: 'Method not found' } : 'Action not found.' };
}

function atBlock(world: World, tag: unknown, read: (at: World) => Outcome): Outcome {
  if (tag === undefined || tag === 'latest' || tag === 'pending') return read(world);
  const height = typeof tag === 'string' && /^0x[0-9a-f]{1,12}$/i.test(tag) ? Number(tag) : Infinity;
  if (height > world.head()) return { error: { code: -32000, message: 'header not found' } };
  return read(world.behind(world.head() - height));
}

function ofAddress(world: World, target: unknown, read: (target: string) => string): Outcome {
  if (typeof target !== 'string' || !isAddress(target)) return badParameters(world);
  return { result: read(target) };
}

function logsOf(world: World, filter: unknown): Outcome {
  const result = getLogs(world, filter);
  return result === undefined ? badParameters(world, 'invalid params') : { result };
}

function badParameters({ dialect }: World, text = 'Invalid address'): Outcome {
  return { error: dialect.isSince('12') ? { code: -32602, message: 'Invalid params' } : text };
}

function call(world: World, transaction: unknown): Outcome {
  const { to, input } = isRow(transaction) ? transaction : {};
  if (typeof to !== 'string' || !isAddress(to) || typeof input !== 'string') return badParameters(world);
  const { hasCode, result } = callContract(world, to, input);
  if (result !== null || !hasCode) return { result: result ?? '0x' };
  const code = world.dialect.isSince('9') ? 3 : -32000;
  return { error: { code, message: 'execution reverted', data: '0x' } };
}

function hex(value: number | bigint): string {
  return `0x${value.toString(16)}`;
}
