// The API of the specification as a function from a request to an answer. No sockets here.
import type { Clock } from '../lib/clock.ts';
import { answer, notFound, replyOf, unprocessable, type Answer, type Page, type Reply, type Row } from './answer.ts';
import { isAddress } from './chain/keys.ts';
import { listAddressTokens } from './lists/address-tokens.ts';
import { listBlocks } from './lists/blocks.ts';
import { listInternalTransactions } from './lists/internal-transactions.ts';
import { listAddressTransactions, listTransactions } from './lists/transactions.ts';
import { createMeter, type Admission, type Limits, type Meter } from './limits.ts';
import { checkParams, type Operation } from './params.ts';
import { renderAddress } from './render/rows.ts';
import { refuseStranger, type Route } from './routes.ts';
import type { World } from './world.ts';

export interface ApiRequest {
  readonly route: Route;
  readonly authorization: string | undefined;
  /** Whether the header or the cookie asks for scam tokens as well. */
  readonly showScam: boolean;
}

export interface ApiAnswer extends Reply {
  /** Makes the body once more, for whoever wants to change it. */
  readonly again: () => unknown;
}

export interface Api {
  ask(request: ApiRequest): ApiAnswer;
}

const CREDITS = 20;
/** Prices that differ from the usual one. */
const DEAR = new Map<Operation, number>([['address-internal-transactions', 40]]);

export function createApi(world: World, clock: Clock, limits: Limits): Api {
  const meters = {
    multichain: createMeter(clock, limits, true),
    instance: createMeter(clock, limits, false),
  };
  const answerCache = createAnswerCache(world);
  return {
    ask(request) {
      const { route } = request;
      const refused = refuseStranger(route, request.authorization);
      if (refused !== undefined) return ready(() => refused);
      const { operation } = route;
      if (operation === null) return ready(notFound);
      const admission = admit(meters[route.form], operation);
      if (admission.refused !== null) return ready(() => refuse(route, admission));
      const reply = answerCache(operation, request);
      return { ...reply, headers: { ...reply.headers, ...admission.headers } };
    },
  };
}

function admit(meter: Meter, operation: Operation): Admission {
  return meter.admit(DEAR.get(operation) ?? CREDITS);
}

function refuse({ form }: Route, { refused, headers }: Admission): Answer {
  if (refused === 'credits') return answer(402, { error: 'Out of credits' }, headers);
  const body = form === 'instance' ? { message: 'Too many requests' } : { error: 'Too many requests' };
  return answer(429, body, headers);
}

const MOST_CACHED = 128;

/** Answers stay good until the head or something that the control API touches moves. */
function createAnswerCache(world: World): (operation: Operation, request: ApiRequest) => ApiAnswer {
  const shelf = new Map<string, ApiAnswer>();
  let as = '';
  return (operation, request) => {
    const now = `${world.head()} ${world.overlay.version}`;
    if (now !== as || shelf.size >= MOST_CACHED) shelf.clear();
    as = now;
    const key = keyOf(request);
    const found = shelf.get(key);
    if (found !== undefined) return found;
    const reply = ready(() => perform(world, operation, request));
    shelf.set(key, reply);
    return reply;
  };
}

/** Keeps the text alone: the objects that it was made from are many, and only a fault asks for them again. */
function ready(make: () => Answer): ApiAnswer {
  return { ...replyOf(make()), again: () => make().body };
}

/** The API key changes nothing about the answer. */
function keyOf({ route: { path, params }, showScam }: ApiRequest): string {
  const asked = [...params].filter(([name]) => name !== 'apikey' && name !== 'key');
  return JSON.stringify([path, showScam, asked]);
}

function perform(world: World, operation: Operation, { route, showScam }: ApiRequest): Answer {
  const { address, params } = route;
  const problems = checkParams(operation, params);
  if (address !== '' && !isAddress(address)) problems.unshift({ parameter: 'address_hash', detail: BAD_ADDRESS });
  if (problems.length > 0) return unprocessable(problems);
  const body = read(world, operation, route, showScam);
  return body === undefined ? notFound() : answer(200, body);
}

const BAD_ADDRESS = 'Invalid format. Expected ~r/^0x([A-Fa-f0-9]{40})$/';

function read(world: World, operation: Operation, route: Route, showScam: boolean): Page | Row | undefined {
  const { address, params } = route;
  switch (operation) {
    case 'token':
      return readToken(world, address);
    case 'address':
      return renderAddress(world, address);
    case 'address-tokens':
      return listAddressTokens(world, address, params, showScam);
    case 'address-internal-transactions':
      return listInternalTransactions(world, address, params);
    case 'address-transactions':
      return listAddressTransactions(world, address, params);
    case 'transactions':
      return listTransactions(world, params);
    case 'blocks':
      return listBlocks(world, params);
  }
}

function readToken(world: World, address: string): Row | undefined {
  const token = world.tokens.find(address);
  return token === undefined ? undefined : { ...world.tokens.view(token, world.head()) };
}
