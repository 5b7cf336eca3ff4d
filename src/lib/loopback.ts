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

/** Whether it is a literal address of a private or link-local network, where metadata services are: `10.0.0.1`, `fe80::1`. */
export function isPrivate(host: string): boolean {
  const version = isIP(host);
  return version !== 0 && PRIVATE.check(host, version === 4 ? 'ipv4' : 'ipv6');
}

const PRIVATE = new BlockList();
for (const [network, prefix] of [
  ['10.0.0.0', 8],
  ['172.16.0.0', 12],
  ['192.168.0.0', 16],
  ['169.254.0.0', 16],
] as const)
  PRIVATE.addSubnet(network, prefix, 'ipv4');
PRIVATE.addSubnet('fc00::', 7, 'ipv6');
PRIVATE.addSubnet('fe80::', 10, 'ipv6');
