// The host names that the daemon answers to. If it answered to any name, a page of another site could reach it under a
// foreign name (DNS rebinding).
import { createHmac } from 'node:crypto';
import { isIP } from 'node:net';
import { hostNameOf, isLoopback, LOOPBACK_NAMES } from '../../lib/network.ts';

export interface HostOptions {
  /** The address that the server listens on. */
  readonly host: string;
  /** The daemon's URL for other machines. */
  readonly publicUrl: string | null;
  /** A host name that only this daemon has; null: there is none. */
  readonly ownName?: () => string | null;
}

export interface Hosts {
  /**
   * True if metrics and health are answered under this name. A daemon bound to the network answers under any name,
   * since a scraper may use any name for a container. If there are operators, metrics still need a token.
   */
  isKnown(host: string | undefined): boolean;
  /**
   * True if API, pages and links are answered under this name: a name of the daemon, or `address`, the local address of
   * the connection.
   */
  isOurs(host: string | undefined, address: string): boolean;
}

export function createHosts({ host, publicUrl, ownName = () => null }: HostOptions): Hosts {
  const known = new Set([...LOOPBACK_NAMES, inUrl(host).toLowerCase()]);
  if (publicUrl !== null) known.add(new URL(publicUrl).hostname);
  const isNamed = (name: string): boolean => known.has(name) || name === ownName();
  return {
    isKnown: (name) => !isLoopback(host) || isNamed(hostNameOf(name)),
    // A foreign name can be made to lead here, an address cannot, so the connection's own address is accepted.
    isOurs: (name, address) => isNamed(hostNameOf(name)) || hostNameOf(name) === inUrl(address),
  };
}

/**
 * Browsers send a cookie of 127.0.0.1 to every port there, and so to programs of other users. A cookie for a secret
 * name is sent only to this daemon, since the name is derived from its token. Every name below `localhost` leads to a
 * loopback address.
 */
export function ownNameOf(localToken: string): string {
  return `${createHmac('sha256', localToken).update('name of the page').digest('hex').slice(0, 20)}.localhost`;
}

/** `inUrl('::1') // '[::1]'` */
export function inUrl(host: string): string {
  return isIP(host) === 6 ? `[${host}]` : host;
}
