// Identifies callers by a bearer token, or by the header of a proxy that proves itself with a secret.
import { createHash, timingSafeEqual } from 'node:crypto';
import { BlockList, isIP } from 'node:net';
import { addNetwork, isIn, isLoopback } from '../../lib/network.ts';

/** An `operator` may make changes, a `viewer` may only read. */
export type Role = 'viewer' | 'operator';

/** An identified caller. */
export interface Identity {
  readonly name: string;
  readonly role: Role;
}

export interface TokenHolder extends Identity {
  /** Null: the user has no token, and is identified only by the proxy. */
  readonly token: string | null;
}

export interface TrustedProxy {
  /** The header that names the user. */
  readonly header: string;
  /** The addresses and networks from which the proxy calls. */
  readonly from: readonly string[];
  /** The secret that the proxy sends in `PROXY_SECRET`. */
  readonly secret: string;
}

export interface IdentityOptions {
  readonly operators: readonly TokenHolder[];
  /** The token of the file beside the state file. A caller on this machine with this token is an operator. */
  readonly localToken: string | null;
  readonly proxy: TrustedProxy | null;
  /** True if every caller may read without a token. */
  readonly isOpen: boolean;
}

/** The callers of the config in force: the same object until a reload. */
export type Callers = () => IdentityOptions;

/** Returns a value made from the callers; it is made again after a reload. */
export function followCallers<T>(callers: Callers, make: (options: IdentityOptions) => T): () => T {
  let made: { readonly of: IdentityOptions; readonly value: T } | null = null;
  return () => {
    const of = callers();
    if (made?.of !== of) made = { of, value: make(of) };
    return made.value;
  };
}

/** The request data that identify a caller. */
export interface Caller {
  /** The address of the other end of the connection. */
  readonly peer: string;
  readonly header: (name: string) => string | undefined;
}

/** `isGuess`: the caller is unknown and sent a wrong token or secret. */
export type Identified = Identity | { readonly isGuess: boolean };

const PROXY_SECRET = 'x-chainwarden-proxy-secret';
/** The name of a caller with the token of the file. */
export const LOCAL = 'local';

/** A caller without a token, if everybody may read. */
export const ANYBODY: Identity = { name: 'anybody', role: 'viewer' };

interface Exposure {
  readonly operators: readonly unknown[];
  readonly proxy: object | null;
}

/**
 * True if the API answers all machines that reach the server, and if pages are served. On a network address this needs
 * operators or a proxy, since callers must be identified.
 */
export function isReachable(host: string, { operators, proxy }: Exposure): boolean {
  return isLoopback(host) || operators.length > 0 || proxy !== null;
}

export function createIdentify(callers: Callers): (caller: Caller) => Identified {
  const inForce = followCallers(callers, identifierOf);
  return (caller) => inForce()(caller);
}

function identifierOf(options: IdentityOptions): (caller: Caller) => Identified {
  const byToken = createTokens(options);
  const byProxy = createProxyUsers(options);
  return (caller) => {
    const authorization = caller.header('authorization');
    const isGuess = authorization !== undefined || caller.header(PROXY_SECRET) !== undefined;
    const token = /^Bearer ([!-~]{1,4096})$/i.exec(authorization ?? '')?.[1];
    const known = byProxy(caller) ?? (token === undefined ? null : byToken(token, caller.peer));
    return known ?? (options.isOpen && !isGuess ? ANYBODY : { isGuess });
  };
}

/** Null: the token is unknown, or is not valid from that address. */
export function createTokens({
  operators,
  localToken,
}: IdentityOptions): (token: string, peer: string) => Identity | null {
  const known = operators.flatMap(({ name, role, token }) =>
    token === null ? [] : [{ name, role, digest: digestOf(token), isLocalOnly: false }],
  );
  if (localToken !== null)
    known.push({ name: LOCAL, role: 'operator', digest: digestOf(localToken), isLocalOnly: true });
  return (token, peer) => {
    const digest = digestOf(token);
    // All tokens are compared, and all digests have the same length, so the time taken reveals nothing about any token.
    const [found] = known.filter((one) => timingSafeEqual(one.digest, digest));
    if (found === undefined || (found.isLocalOnly && !isLoopback(peer))) return null;
    return { name: found.name, role: found.role };
  };
}

/**
 * Identifies users by the proxy's header. Users who are not listed as operators may read. Null: the request does not
 * come from the proxy, or the name is not valid.
 */
export function createProxyUsers({ operators, proxy }: IdentityOptions): (caller: Caller) => Identity | null {
  if (proxy === null) return () => null;
  const roleByName = new Map(operators.map(({ name, role }) => [name, role]));
  const networks = new BlockList();
  for (const network of proxy.from) addNetwork(networks, network);
  const secret = digestOf(proxy.secret);
  return ({ peer, header }) => {
    const shown = digestOf(header(PROXY_SECRET) ?? '');
    if (isIP(peer) === 0 || !isIn(networks, peer) || !timingSafeEqual(shown, secret)) return null;
    const name = header(proxy.header) ?? '';
    // `local` is reserved for callers with the token of the file.
    if (!isUserName(name) || name === LOCAL) return null;
    return { name, role: roleByName.get(name) ?? 'viewer' };
  };
}

/** True if the name may appear in the record of actions. */
export function isUserName(name: string): boolean {
  return /^[\w.@+-]{1,64}$/.test(name);
}

function digestOf(token: string): Buffer {
  return createHash('sha256').update(token).digest();
}
