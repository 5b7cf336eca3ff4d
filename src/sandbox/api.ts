// The API of the specification as a function from a request to an answer. No sockets here.
import type { Clock } from '../lib/clock.ts';
import {
  answer,
  notFound,
  replyOf,
  type SandboxAnswer,
  type SandboxPage,
  type SandboxReply,
  type JsonRow,
} from './answer.ts';
import { isAddress } from './chain/keys.ts';
import type { DrawnFaults } from './faults/drawn.ts';
import { listAccountCalls } from './lists/account-calls.ts';
import { listAddressLogs } from './lists/address-logs.ts';
import { listAddressTokens } from './lists/address-tokens.ts';
import { listBlocks } from './lists/blocks.ts';
import { listLogs } from './lists/logs.ts';
import { findMined, isHash, renderTransaction } from './lists/one-transaction.ts';
import { listStateChanges } from './lists/state-changes.ts';
import { listInternalTransactions } from './lists/internal-transactions.ts';
import { listAddressTransfers, listTokenTransfers } from './lists/token-transfers.ts';
import { listAddressTransactions, listTransactions } from './lists/transactions.ts';
import { createMeter, type Admission, type Credits, type Left, type Meter } from './limits.ts';
import { toListRequest, type ListRequest } from './lists/page.ts';
import { createParamsReader } from './params.ts';
import type { SandboxOperation } from './operations.ts';
import { tooManyRequests, unknownPath, wrongParameters } from './releases/refusals.ts';
import { repeatKeys } from './releases/repeated-keys.ts';
import type { Dialect } from './releases/dialect.ts';
import { renderAddress } from './render/address.ts';
import { answerRpc } from './rpc/rpc.ts';
import { renderSmartContract } from './render/smart-contract.ts';
import { renderToken } from './render/token.ts';
import { refuseStranger, type SandboxRoute } from './routes.ts';
import type { World } from './world.ts';

export interface ApiRequest {
  readonly route: SandboxRoute;
  readonly authorization: string | undefined;
  /** True if the header or the cookie asks for scam tokens too. */
  readonly showScam: boolean;
  /** The body of a POST; left out for a GET. */
  readonly body?: string;
}

export interface ApiAnswer extends SandboxReply {
  /** Makes the body again, for a caller that changes it. */
  readonly again: () => unknown;
}

export interface Api {
  ask(request: ApiRequest): ApiAnswer;
}

export interface SandboxApiOptions {
  readonly world: World;
  readonly drawn: DrawnFaults;
  readonly clock: Clock;
  readonly requestsPerSecond: number;
  readonly credits: Credits;
}

const CREDITS = 20;
/** Prices that differ from the usual one. */
const DEAR = new Map<SandboxOperation, number>([
  ['address-internal-transactions', 40],
  ['address-token-transfers', 30],
  ['token-transfers', 30],
  ['address-logs', 30],
  ['state-changes', 30],
]);

export function createApi({ world, drawn, clock, requestsPerSecond, credits }: SandboxApiOptions): Api {
  const { dialect } = world;
  const meters = {
    multichain: createMeter({
      clock,
      requestsPerSecond,
      credits,
      headers: (left) => multichainHeaders(dialect, left),
    }),
    instance: createMeter({
      clock,
      requestsPerSecond,
      credits: null,
      headers: (left) => instanceHeaders(dialect, left),
    }),
  };
  const answerCache = createAnswerCache(world, drawn);
  return {
    ask(request) {
      const { route } = request;
      const refused = refuseStranger(route, request.authorization, dialect);
      if (refused !== undefined) return ready(() => refused);
      const { operation, form } = route;
      if (operation === null) return ready(() => unknownPath(dialect, form));
      const admission = admit(meters[form], operation);
      if (admission.refused !== null) return ready(() => refuse(dialect, form, admission));
      const reply = answerCache(operation, request);
      return { ...reply, headers: { ...reply.headers, ...admission.headers } };
    },
  };
}

type LimitHeaders = Readonly<Record<string, string>>;

/** Specification 8: integers, the reset in milliseconds. In practice credits are a decimal. */
function multichainHeaders({ release }: Dialect, left: Left): LimitHeaders {
  return { ...rateHeaders(left), 'x-credits-remaining': `${left.credits}${release === null ? '' : '.0'}` };
}

/** By the specification, the per-instance form has no such headers. */
function instanceHeaders({ reportsLimits }: Dialect, left: Left): LimitHeaders {
  return reportsLimits ? { ...rateHeaders(left), 'bypass-429-option': 'no_bypass' } : {};
}

function rateHeaders({ limit, requests, resetMs }: Left): LimitHeaders {
  return {
    'x-ratelimit-limit': String(limit),
    'x-ratelimit-remaining': String(requests),
    'x-ratelimit-reset': String(resetMs),
  };
}

function admit(meter: Meter, operation: SandboxOperation): Admission {
  return meter.admit(DEAR.get(operation) ?? CREDITS);
}

function refuse(dialect: Dialect, form: SandboxRoute['form'], { refused, headers }: Admission): SandboxAnswer {
  if (refused === 'credits') return answer(402, { error: 'Out of credits' }, headers);
  return tooManyRequests(dialect, form, headers);
}

const MOST_CACHED = 128;

/** Answers stay valid until the head, or data of the control API, change. */
function createAnswerCache(
  world: World,
  drawn: DrawnFaults,
): (operation: SandboxOperation, request: ApiRequest) => ApiAnswer {
  const answerByKey = new Map<string, ApiAnswer>();
  const perform = createPerformer(world, drawn);
  let as = '';
  return (operation, request) => {
    const now = `${world.head()} ${world.overlay.version}`;
    if (now !== as || answerByKey.size >= MOST_CACHED) answerByKey.clear();
    as = now;
    const key = keyOf(request, world.dialect);
    const found = answerByKey.get(key);
    if (found !== undefined) return found;
    const right = ready(() => perform(operation, request));
    const repeats = right.status === 200 && world.dialect.repeatsKeys.includes(operation);
    const reply = repeats ? { ...right, ...repeatKeys(right, request.route.params) } : right;
    answerByKey.set(key, reply);
    return reply;
  };
}

/** Keeps only the text: the objects take more memory, and only a fault needs them again. */
function ready(make: () => SandboxAnswer): ApiAnswer {
  return { ...replyOf(make()), again: () => make().body };
}

/** If cursors echo nothing, the API key does not affect the answer. */
function keyOf({ route: { path, params }, showScam, body }: ApiRequest, { echoes }: Dialect): string {
  const isKey = (name: string): boolean => name === 'apikey' || name === 'key';
  const asked = [...params].filter(([name]) => echoes.length > 0 || !isKey(name));
  return JSON.stringify([path, showScam, asked, body]);
}

function createPerformer(
  world: World,
  drawn: DrawnFaults,
): (operation: SandboxOperation, request: ApiRequest) => SandboxAnswer {
  const { dialect } = world;
  const readParams = createParamsReader(dialect);
  const lagOf = (operation: SandboxOperation): number =>
    world.overlay.lags.get(operation) ?? drawn.lagOf(operation, world.head());
  return (operation, { route, showScam, body: posted = '' }) => {
    if (operation === 'eth-rpc') return answerRpc(world.behind(lagOf(operation)), posted);
    if (operation === 'get-logs') return answer(200, listLogs(world.behind(lagOf(operation)), route.params));
    if (operation === 'tx-list-internal')
      return answer(200, listAccountCalls(world.behind(lagOf(operation)), route.params));
    const { params, problems } = readParams(operation, route.params);
    const isLegal = operation === 'transaction' || operation === 'state-changes' ? isHash : isAddress;
    const isMalformed = route.address !== '' && !isLegal(route.address);
    const all = isMalformed ? [{ parameter: 'address_hash', detail: BAD_ADDRESS }, ...problems] : problems;
    if (all.length > 0) return wrongParameters(dialect.isStrict(operation), all);
    const request = toListRequest(world, params, route.params);
    const body = read(world.behind(lagOf(operation)), operation, { address: route.address, request, showScam });
    return body === undefined ? notFound() : answer(200, body);
  };
}

const BAD_ADDRESS = 'Invalid format. Expected ~r/^0x([A-Fa-f0-9]{40})$/';

interface Asked {
  readonly address: string;
  readonly request: ListRequest;
  readonly showScam: boolean;
}

function read(
  world: World,
  operation: Exclude<SandboxOperation, 'get-logs' | 'tx-list-internal' | 'eth-rpc'>,
  { address, request, showScam }: Asked,
): SandboxPage | JsonRow | undefined {
  switch (operation) {
    case 'token':
      return readToken(world, address);
    case 'address':
      return renderAddress(world, address);
    case 'smart-contract':
      return renderSmartContract(world, address);
    case 'address-tokens':
      return listAddressTokens(world, address, request, showScam);
    case 'address-internal-transactions':
      return listInternalTransactions(world, address, request);
    case 'address-token-transfers':
      return listAddressTransfers(world, address, request);
    case 'token-transfers':
      return listTokenTransfers(world, address, request);
    case 'address-logs':
      return listAddressLogs(world, address, request);
    case 'address-transactions':
      return listAddressTransactions(world, address, request);
    case 'transactions':
      return listTransactions(world, request);
    case 'transaction':
      return renderTransaction(world, address);
    case 'state-changes':
      return renderTransaction(world, address) && listStateChanges(world, findMined(world, address));
    case 'blocks':
      return listBlocks(world, request);
  }
}

function readToken(world: World, address: string): JsonRow | undefined {
  const token = world.tokens.find(address);
  return token === undefined ? undefined : renderToken(world, token);
}
