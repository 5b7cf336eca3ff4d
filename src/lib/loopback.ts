import { isIP } from 'node:net';

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
