import { isIP } from 'node:net';

/** Whether a host name or address, without brackets, can only be this machine: `localhost`, `::1`, `127.0.0.1`. */
export function isLoopback(host: string): boolean {
  return host === 'localhost' || host === '::1' || (isIP(host) === 4 && host.startsWith('127.'));
}
