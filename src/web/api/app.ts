// The API. A request passes these gates in turn, and the first one that refuses it answers:
//
//   exposure   on a network address, other machines are answered only if operators or a proxy are configured; else 404
//   host       the request names one of the daemon's own host names; else 421
//   identity   the token is valid, or there is none and everybody may read; else 401, and 429 after many wrong tokens
//   role       the caller may make this call; else 403
//   origin     a page of another site cannot have made the request; else 403 or 415
//   key        the request has an `Idempotency-Key`; else 400
//   body       the body is JSON of at most 16 KiB; else 413 or 400
//
// A GET passes only the first four gates; the preview of a silence needs no key. A client that has the last answer gets
// 304 until something changes.
import type { HttpBindings } from '@hono/node-server';
import { z } from 'zod';
import { Hono, type Context, type MiddlewareHandler } from 'hono';
import type { OperatorRequest, PerformAction } from '../../operators/action.ts';
import type { Queries } from '../../query/queries.ts';
import { isLoopback } from '../../lib/network.ts';
import type { Log } from '../../telemetry/log.ts';
import { plainAddress } from '../guard/addresses.ts';
import { LARGEST_BODY, onlyShortBodies } from '../guard/bodies.ts';
import { requestDigest } from '../guard/digest.ts';
import { createAttempts } from '../guard/attempts.ts';
import type { Hosts } from '../guard/hosts.ts';
import {
  ANYBODY,
  createIdentify,
  isReachable,
  isUserName,
  LOCAL,
  type Identity,
  type Callers,
} from '../guard/identity.ts';
import { compressed } from '../gzip.ts';
import { parametersOf } from '../parameters.ts';
import { problemResponse, type ApiProblem } from '../problem.ts';
import { openApiDocument } from './openapi.ts';
import type { ApiRoute, ReadResult, ReadRoute, WriteRoute } from './route.ts';
import { API_ROOT, apiRoutes } from './routes.ts';

export interface ApiOptions {
  readonly callers: Callers;
  /** Carries out the actions that operators request. */
  readonly perform: PerformAction;
  readonly monotonic: () => number;
}

interface Tools extends ApiOptions {
  /** The address that the server listens on. */
  readonly host: string;
  readonly hosts: Hosts;
  readonly queries: Queries;
  /** The daemon's version, for the OpenAPI document. */
  readonly version: string;
  readonly log: Pick<Log, 'warn'> | undefined;
  readonly onRejected: (reason: 'host' | 'token') => void;
}

export type WebEnv = { Bindings: HttpBindings; Variables: { identity: Identity } };
type Handler = MiddlewareHandler<WebEnv>;

/** The caller mounts it at `API_ROOT`. */
export function createApiApp(tools: Tools): Hono<WebEnv> {
  const api = new Hono<WebEnv>();
  api.use(onlyExposed(tools), onlyOwnHosts(tools), onlyKnownCallers(tools), compressed);
  const routes = apiRoutes(tools);
  for (const route of [...routes, documentRoute(routes, tools.version)]) register(api, route, tools);
  api.all('*', () => refuse('not-found', `There is no such call. Those that there are begin with ${API_ROOT}/.`));
  return api;
}

/** Every route checks the caller's role. */
function register(api: Hono<WebEnv>, route: ApiRoute, tools: Tools): void {
  const { path } = route;
  if (route.method === 'get') api.get(path, onlyRole(route), onlyChanged(tools), (c) => read(route, c));
  else api.post(path, onlyRole(route), onlyOwnOrigin, limitBody, (c) => write(route, c));
}

function documentRoute(routes: readonly ApiRoute[], version: string): ReadRoute {
  const about = {
    path: '/openapi.json',
    method: 'get',
    role: 'viewer',
    tag: 'daemon',
    query: null,
    problems: [],
  } as const;
  const summary = 'This document, as OpenAPI 3.1 has it.';
  const route = { ...about, summary, shape: z.looseObject({ openapi: z.string() }) };
  let document: object | null = null;
  const answer = async (): Promise<ReadResult> => {
    document ??= openApiDocument({ routes: [...routes, { ...route, answer }], root: API_ROOT, version });
    return { body: document };
  };
  return { ...route, answer };
}

function refuse(problem: ApiProblem['problem'], detail: string): Response {
  return problemResponse({ problem, detail });
}

/**
 * Without operators or a proxy, only callers on this machine get an answer (in a container: from inside of it). Others
 * get 404, as if there were no API.
 */
function onlyExposed({ host, callers }: Tools): Handler {
  const isExposed = isReachable(host, callers());
  return async (c, next) => {
    if (isExposed || isLoopback(plainAddress(c.env.incoming.socket.remoteAddress))) return next();
    return c.text('not found', 404);
  };
}

function onlyOwnHosts({ hosts, onRejected }: Tools): Handler {
  return async (c, next) => {
    if (hosts.isOurs(c.req.header('host'), plainAddress(c.env.incoming.socket.localAddress))) return next();
    onRejected('host');
    return refuse(
      'unknown-host',
      'Call the daemon by its address, or set http.public_url to the name it is called by.',
    );
  };
}

const WHICH_TOKEN =
  'Send `Authorization: Bearer TOKEN`: the token of an operator, or on the same machine that of the file beside the ' +
  'state file.';

/** Tokens are too long to guess. The limit bounds the cost of wrong tokens; a caller with a valid token never waits. */
function onlyKnownCallers({ log, monotonic, onRejected, callers }: Tools): Handler {
  const identify = createIdentify(callers);
  const attempts = createAttempts(monotonic);
  return async (c, next) => {
    const peer = plainAddress(c.env.incoming.socket.remoteAddress);
    const caller = identify({ peer, header: (name) => c.req.header(name) });
    if ('name' in caller) {
      c.set('identity', caller);
      return next();
    }
    if (!caller.isGuess) return refuse('not-authenticated', WHICH_TOKEN);
    onRejected('token');
    const { count, waitMs } = attempts.failed(peer);
    if (count === 1) log?.warn('web:wrong-token', { peer });
    if (waitMs === null) return refuse('not-authenticated', WHICH_TOKEN);
    const detail = 'Wait a minute, then use a valid token.';
    return problemResponse({ problem: 'too-many-attempts', detail, retryAfter: Math.ceil(waitMs / 1000) });
  };
}

function onlyRole({ role }: ApiRoute): Handler {
  return async (c, next) => {
    const identity = c.get('identity');
    if (role === 'viewer' || identity.role === 'operator') return next();
    if (identity === ANYBODY) return refuse('not-authenticated', WHICH_TOKEN);
    return refuse('not-allowed', `${identity.name} may only read: this takes the role operator (http.operators).`);
  };
}

/** A page of another site can send this header and this type only after a preflight request, which is never granted. */
const onlyOwnOrigin: Handler = async (c, next) => {
  const site = c.req.header('sec-fetch-site') ?? 'none';
  if (c.req.header('x-chainwarden-request') !== '1' || !['none', 'same-origin'].includes(site))
    return refuse('not-allowed', 'Send the header `X-Chainwarden-Request: 1`, from no other site.');
  const type = (c.req.header('content-type') ?? '').split(';')[0]?.trim().toLowerCase();
  if (type !== 'application/json') return refuse('not-json', 'Send the header `Content-Type: application/json`.');
  return next();
};

const limitBody = onlyShortBodies(() => refuse('too-large', `A body has at most ${LARGEST_BODY / 1024} KiB.`));

/** Answers 304 if nothing has changed. Callers with the same role get the same answer until the edition changes. */
function onlyChanged({ queries }: Tools): Handler {
  return async (c, next) => {
    const edition = await queries.edition().catch(() => null);
    // If the state cannot be read, the route answers with that problem.
    if (edition === null) return next();
    const tag = `"${edition}-${c.get('identity').role}"`;
    if (isNamed(c.req.header('if-none-match'), tag)) return c.body(null, 304, { ETag: tag });
    await next();
    if (c.res.status === 200) c.header('ETag', tag);
    return undefined;
  };
}

/** RFC 9110, section 13.1.2. A tag that a proxy has marked as weak counts as equal. */
function isNamed(header = '', tag: string): boolean {
  return header.split(',').some((one) => one.trim().replace(/^W\//, '') === tag);
}

async function read(route: ReadRoute, c: Context<WebEnv>): Promise<Response> {
  const ended = await route.answer({
    parameter: (name) => c.req.param(name) ?? '',
    query: parametersOf(c.req.queries()),
  });
  if ('problem' in ended) return problemResponse(ended.problem);
  const { body } = ended;
  if (typeof body === 'object') return c.json(body);
  return c.body(body, 200, { 'Content-Type': route.type ?? 'text/plain' });
}

async function write(route: WriteRoute, c: Context<WebEnv>): Promise<Response> {
  const text = await c.req.text();
  const sent = requestOf(c, text, route);
  if (sent === null) return refuse('invalid-request', HEADERS_NEEDED);
  const body = jsonOf(text);
  if (body === undefined) return refuse('invalid-request', 'The body is not valid JSON.');
  const ended = await route.answer({ parameter: (name) => c.req.param(name) ?? '', body, request: sent });
  if ('problem' in ended) return problemResponse(ended.problem);
  const { body: answer, location } = ended;
  return c.json(answer, route.status, location === undefined ? {} : { Location: `${API_ROOT}${location}` });
}

const HEADERS_NEEDED =
  'Send the header `Idempotency-Key`: 1 to 64 letters, digits or any of _ . ~ : - (`X-Chainwarden-Actor` may have 1 to 64 ' +
  'letters, digits or any of _ . @ + -)';

/**
 * All administrators of the machine share the token file, so a caller with its token may give a name in a header. Null:
 * the name is not valid.
 */
function actorOf(c: Context<WebEnv>): string | null {
  const { name } = c.get('identity');
  const as = c.req.header('x-chainwarden-actor');
  if (name !== LOCAL || as === undefined) return name;
  return isUserName(as) ? `${LOCAL}:${as}` : null;
}

function requestOf(
  c: Context<WebEnv>,
  body: string,
  { isChange }: Pick<WriteRoute, 'isChange'>,
): OperatorRequest | null {
  const key = c.req.header('idempotency-key') ?? '';
  if (isChange && !/^[\w.~:-]{1,64}$/.test(key)) return null;
  const actor = actorOf(c);
  if (actor === null) return null;
  const asked = requestDigest(actor, c.req.path, body);
  return { key, asked, actor };
}

/** Undefined: the body is not JSON. An empty body counts as `{}`, so calls without parameters need none. */
function jsonOf(text: string): unknown {
  if (text === '') return {};
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
