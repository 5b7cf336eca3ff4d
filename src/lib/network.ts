import { BlockList, isIP } from 'node:net';

/** Whether a host name or address, without brackets, can only be this machine: `localhost`, `::1`, `127.0.0.1`. */
export function isLoopback(host: string): boolean {
  return host === 'localhost' || host === '::1' || (isIP(host) === 4 && host.startsWith('127.'));
}

/** Names in the Host header of requests from this machine to itself. */
export const LOOPBACK_NAMES = ['127.0.0.1', 'localhost', '[::1]'];

/** The name in a Host header without the port, which differs behind a tunnel: `hostNameOf('[::1]:9797') // '[::1]'`. */
export function hostNameOf(header = ''): string {
  return header.toLowerCase().replace(/:\d*$/, '');
}

/** The host of a URL without the brackets of IPv6: `bareHost('[::1]') // '::1'`. */
export function bareHost(hostname: string): string {
  return hostname.replace(/^\[|\]$/g, '');
}

/**
 * Whether the host is a literal address that only neighbours on the same link reach; metadata services have such
 * addresses.
 */
export function isLinkLocal(host: string): boolean {
  const version = isIP(host);
  return version !== 0 && LINK_LOCAL.check(host, version === 4 ? 'ipv4' : 'ipv6');
}

const LINK_LOCAL = new BlockList();
LINK_LOCAL.addSubnet('169.254.0.0', 16, 'ipv4');
LINK_LOCAL.addSubnet('fe80::', 10, 'ipv6');

// Networks as people write them: `10.0.0.0/8`, or a bare address.

export function isNetwork(text: string): boolean {
  const [address = '', prefix, more] = text.split('/');
  const version = address.includes('%') ? 0 : isIP(address);
  const isPrefix = prefix === undefined || (/^\d{1,3}$/.test(prefix) && Number(prefix) <= (version === 4 ? 32 : 128));
  return version !== 0 && isPrefix && more === undefined;
}

/** `network`: a text that `isNetwork` accepts. */
export function addNetwork(list: BlockList, network: string): void {
  const [address = '', prefix] = network.split('/');
  const family = isIP(address) === 4 ? 'ipv4' : 'ipv6';
  list.addSubnet(address, Number(prefix ?? (family === 'ipv4' ? 32 : 128)), family);
}

export function isIn(list: BlockList, address: string): boolean {
  return list.check(address, isIP(address) === 4 ? 'ipv4' : 'ipv6');
}
