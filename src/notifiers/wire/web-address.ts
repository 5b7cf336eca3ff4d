// Addresses that channels post to. They often hold a secret, so the program shows only their host.
import { bareHost, isLoopback } from '../../lib/network.ts';

/** `http:` or `https:` and a host, in visible ASCII. */
export function isWebAddress(text: string): boolean {
  const url = /^https?:\/\/[\u0021-\u007e]+$/i.test(text) ? URL.parse(text) : null;
  return url !== null && url.hostname !== '';
}

/** The message about a refused address. */
export const WEB_ADDRESS = 'must be an http: or https: address such as https://hooks.example.com/alerts';

/** `hooks.example.com`, `::1`: the name or the bare address; empty if the text is no web address. */
export function hostOf(address: string): string {
  return bareHost(URL.parse(address)?.hostname ?? '');
}

/** Warnings at load. */
export function addressWarnings(address: string): string[] {
  const isPlain = new URL(address).protocol === 'http:' && !isLoopback(hostOf(address));
  return isPlain ? ['calls cross the network without encryption: use https:'] : [];
}

// A shorter secret is not redacted: this would hide ordinary words, and protect nothing.
const SHORTEST_SECRET = 4;

/** Every part of an address that may be secret: all parts except the host. */
export function secretsOf(address: string): string[] {
  const url = new URL(address);
  const path = url.pathname.length > 1 ? [url.pathname, url.pathname + url.search] : [];
  const segments = url.pathname.split('/').filter((segment) => segment.length >= 8);
  const login = [url.username, url.password];
  const all = [address, url.href, ...path, ...segments, url.search, ...url.searchParams.values(), ...login];
  return all.filter((secret) => secret.length >= SHORTEST_SECRET);
}
