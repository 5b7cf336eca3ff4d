import { BlockList, isIP } from 'node:net';

/** Whether a host name or address, without brackets, can only be this machine: `localhost`, `::1`, `127.0.0.1`. */
export function isLoopback(host: string): boolean {
  return host === 'localhost' || host === '::1' || (isIP(host) === 4 && host.startsWith('127.'));
}

/** What a Host header calls this machine, when it is asked by itself. */
export const LOOPBACK_NAMES = ['127.0.0.1', 'localhost', '[::1]'];

/** Of a Host header, without the port, which differs behind a tunnel: `hostNameOf('[::1]:9797') // '[::1]'`. */
export function hostNameOf(header = ''): string {
  return header.toLowerCase().replace(/:\d*$/, '');
}

/** The host of a URL without the brackets of IPv6: `bareHost('[::1]') // '::1'`. */
export function bareHost(hostname: string): string {
  return hostname.replace(/^\[|\]$/g, '');
}

/** Whether it is a literal address of a private or link-local network: `10.0.0.1`, `fe80::1`, `::ffff:10.0.0.1`. */
export function isPrivate(host: string): boolean {
  return isIn(PRIVATE, host) || isLinkLocal(host);
}

/** Whether it is a literal address that only neighbours on the same link reach, where metadata services are. */
export function isLinkLocal(host: string): boolean {
  return isIn(LINK_LOCAL, host);
}

function isIn(networks: BlockList, host: string): boolean {
  const version = isIP(host);
  return version !== 0 && networks.check(host, version === 4 ? 'ipv4' : 'ipv6');
}

// 100.64.0.0 is shared by the customers of a provider, and by metadata services of some clouds.
const PRIVATE = new BlockList();
PRIVATE.addSubnet('10.0.0.0', 8, 'ipv4');
PRIVATE.addSubnet('100.64.0.0', 10, 'ipv4');
PRIVATE.addSubnet('172.16.0.0', 12, 'ipv4');
PRIVATE.addSubnet('192.168.0.0', 16, 'ipv4');
PRIVATE.addSubnet('fc00::', 7, 'ipv6');
const LINK_LOCAL = new BlockList();
LINK_LOCAL.addSubnet('169.254.0.0', 16, 'ipv4');
LINK_LOCAL.addSubnet('fe80::', 10, 'ipv6');
