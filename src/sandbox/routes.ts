// Maps the path of a request to its operation.
import { API_KEY, CHAIN_ID } from './names.ts';
import { answer, type SandboxAnswer } from './answer.ts';
import type { SandboxOperation } from './operations.ts';
import type { Params } from './params.ts';
import type { Dialect } from './releases/dialect.ts';
import { unknownChain } from './releases/refusals.ts';

export interface SandboxRoute {
  readonly form: 'multichain' | 'instance';
  readonly chainId: string | null;
  /** The path behind `/api/v2/`, without a slash at the end. */
  readonly path: string;
  readonly operation: SandboxOperation | null;
  /** The address as the client wrote it, not checked yet. */
  readonly address: string;
  readonly params: Params;
}

const API_PATH = /^(?:\/([^/]{1,64}))?\/api\/v2\/(.{1,300}?)\/?$/;

/** The Etherscan-style API: at `/api` or `/CHAIN/api`, or at `/v2/api` with the chain as a parameter. */
const ETHERSCAN_PATH = /^(?:\/([^/]{1,64}))?\/api\/?$/;

/** The JSON-RPC of the per-instance form, and of the multichain form. */
const RPC_PATH = /^(?:\/api\/eth-rpc|\/([^/]{1,64})\/json-rpc)\/?$/;

/** Undefined for a path that is not of the API. If a parameter is given twice, the last value counts. */
export function parseRoute(target: string): SandboxRoute | undefined {
  const [path, query] = splitOnce(target, '?');
  const match = API_PATH.exec(path);
  if (match === null) return rpcRoute(path, query) ?? etherscanRoute(path, new Map(new URLSearchParams(query)));
  const [, chainId, rest = ''] = match;
  const params = new Map(new URLSearchParams(query));
  const form = chainId === undefined ? 'instance' : 'multichain';
  return { form, chainId: chainId ?? null, path: rest, params, ...operationOf(rest) };
}

function rpcRoute(path: string, query: string): SandboxRoute | undefined {
  const match = RPC_PATH.exec(path);
  if (match === null) return undefined;
  const [, chainId] = match;
  const form = chainId === undefined ? 'instance' : 'multichain';
  const params = new Map(new URLSearchParams(query));
  return { form, chainId: chainId ?? null, path: 'eth-rpc', params, operation: 'eth-rpc', address: '' };
}

function etherscanRoute(path: string, params: Params): SandboxRoute | undefined {
  const match = ETHERSCAN_PATH.exec(path);
  if (match === null) return undefined;
  const [, first] = match;
  const chainId = first === 'v2' ? params.get('chain_id') : first;
  const form = first === undefined ? 'instance' : 'multichain';
  const operation = ETHERSCAN_OPERATIONS.get(`${params.get('module') ?? ''}/${params.get('action') ?? ''}`) ?? null;
  return { form, chainId: chainId ?? null, path: 'api', params, operation, address: params.get('address') ?? '' };
}

const ETHERSCAN_OPERATIONS = new Map<string, SandboxOperation>([
  ['logs/getLogs', 'get-logs'],
  ['account/txlistinternal', 'tx-list-internal'],
]);

function splitOnce(text: string, at: string): [string, string] {
  const place = text.indexOf(at);
  return place < 0 ? [text, ''] : [text.slice(0, place), text.slice(place + 1)];
}

function operationOf(path: string): Pick<SandboxRoute, 'operation' | 'address'> {
  const [noun, address = '', list = '', ...more] = path.split('/');
  const operation = more.length > 0 ? undefined : OPERATION_BY_SHAPE.get(shapeOf(noun, address, list));
  return { operation: operation ?? null, address };
}

function shapeOf(noun: string | undefined, address: string, list: string): string {
  return [noun, address === '' ? '' : '*', list].filter((part) => part !== '').join('/');
}

const OPERATION_BY_SHAPE = new Map<string, SandboxOperation>([
  ['tokens/*', 'token'],
  ['addresses/*', 'address'],
  ['smart-contracts/*', 'smart-contract'],
  ['addresses/*/tokens', 'address-tokens'],
  ['addresses/*/internal-transactions', 'address-internal-transactions'],
  ['addresses/*/token-transfers', 'address-token-transfers'],
  ['addresses/*/logs', 'address-logs'],
  ['tokens/*/transfers', 'token-transfers'],
  ['addresses/*/transactions', 'address-transactions'],
  ['transactions', 'transactions'],
  ['transactions/*', 'transaction'],
  ['transactions/*/state-changes', 'state-changes'],
  ['blocks', 'blocks'],
]);

/** The multichain form requires a key and a known chain; the per-instance form requires neither. */
export function refuseStranger(
  route: SandboxRoute,
  authorization: string | undefined,
  dialect: Dialect,
): SandboxAnswer | undefined {
  if (route.form === 'instance') return undefined;
  // The key may be in the header or in the query. A right key in one place is enough, even if the other place has a
  // wrong one.
  const keys = [keyOf(authorization), route.params.get('apikey')].filter((key) => key !== undefined);
  if (keys.length === 0) return answer(402, { error: 'Proceed with API key or make a payment to continue' });
  if (!keys.includes(API_KEY)) return answer(401, { error: 'Unauthorized' });
  return route.chainId === CHAIN_ID ? undefined : unknownChain(dialect);
}

function keyOf(authorization: string | undefined): string | undefined {
  return authorization === undefined ? undefined : authorization.replace(/^bearer\s+/i, '');
}
