// Which host names the daemon answers to. A page in a browser could reach it under a name of its own (DNS rebinding).
import { isIP } from 'node:net';
import { hostNameOf, isLoopback, LOOPBACK_NAMES } from '../../lib/network/loopback.ts';

export interface HostOptions {
  /** That is listened on. */
  readonly host: string;
  /** How the daemon is called from elsewhere. */
  readonly publicUrl: string | null;
}

export interface Hosts {
  /**
   * Metrics and health: bound to the network, whoever scrapes a container may call it by any name, and there is nothing
   * else to see.
   */
  isKnown(host: string | undefined): boolean;
  /** The API: by no other name than its own, wherever it is bound. `address`: at which it was reached. */
  isOurs(host: string | undefined, address: string): boolean;
}

export function createHosts({ host, publicUrl }: HostOptions): Hosts {
  const known = new Set([...LOOPBACK_NAMES, inUrl(host).toLowerCase()]);
  if (publicUrl !== null) known.add(new URL(publicUrl).hostname);
  return {
    isKnown: (name) => !isLoopback(host) || known.has(hostNameOf(name)),
    // An address cannot be made to lead elsewhere, as a name can.
    isOurs: (name, address) => known.has(hostNameOf(name)) || hostNameOf(name) === inUrl(address),
  };
}

/** `inUrl('::1') // '[::1]'` */
export function inUrl(host: string): string {
  return isIP(host) === 6 ? `[${host}]` : host;
}
