// Limits the addresses that channels may connect to. Without limits, a manipulated config or name server could make the
// daemon post to services of its own network, or read the metadata that a cloud keeps for its machines. Public
// addresses are open; loopback, private, link-local and other special ones need the channel's `allow`. The address of
// the connection itself is checked, because a name may lead elsewhere a second later.
import dns from 'node:dns';
import { BlockList, isIP, type LookupFunction } from 'node:net';
import { z } from 'zod';
import { addNetwork, bareHost, isIn, isLoopback, isNetwork } from '../../lib/network.ts';

/** The `code` of the error when a connection is refused. */
export const EGRESS_REFUSED = 'ERR_EGRESS_REFUSED';

export interface Egress {
  /** The reason why a connection to an address is refused; null if it is allowed, and for names. */
  readonly refusalOf: (host: string) => string | null;
  /** Resolves a name to its permitted addresses; fails if none is left. */
  readonly lookup: LookupFunction;
}

export function createEgress(allow: readonly string[], resolve: typeof dns.lookup = dns.lookup): Egress {
  const allowed = new BlockList();
  for (const network of allow) addNetwork(allowed, network);

  function refusalOf(address: string): string | null {
    if (isIP(address) === 0 || isIn(allowed, address)) return null;
    const what = specialOf(address);
    return what === null ? null : `${address} is ${what}, and \`allow\` of this channel does not name it`;
  }

  const lookup: LookupFunction = (name, options, done) => {
    resolve(name, { ...options, all: true }, (error, found) => {
      if (error !== null) {
        done(error, '');
        return;
      }
      const open = found.filter(({ address }) => refusalOf(address) === null);
      const [first] = open;
      if (first === undefined) done(refusedName(name, refusalOf(found[0]?.address ?? '')), '');
      else if (options.all === true) done(null, open);
      else done(null, first.address, first.family);
    });
  };
  return { refusalOf, lookup };
}

function refusedName(name: string, why: string | null): NodeJS.ErrnoException {
  return Object.assign(new Error(`${name} leads to an address inside: ${why ?? 'it has none'}`), {
    code: EGRESS_REFUSED,
  });
}

/** The key `allow` of a channel: networks and addresses. */
export const Allow = z
  .array(z.string().refine(isNetwork, 'must be a network such as 10.0.0.0/8, or an address'))
  .default([])
  .meta({
    description:
      'Loopback, private and link-local networks that this channel may reach, such as `127.0.0.0/8`. Public addresses ' +
      'need no mention.',
    examples: [['127.0.0.0/8']],
  });

/** Refuses a channel whose `key` contains a bare address, or `localhost`, that `allow` does not name. */
export function mustBeAllowed<T extends { readonly allow: readonly string[] }>(
  key: string,
  hostIn: (channel: T) => string | undefined,
): (channel: T, context: z.RefinementCtx<T>) => void {
  return (channel, context) => {
    const host = hostIn(channel);
    // A mistake in `allow` itself has its own message.
    const fault = host === undefined || !channel.allow.every(isNetwork) ? null : hostFault(host, channel.allow);
    if (fault !== null) context.addIssue({ code: 'custom', path: [key], message: fault, input: undefined });
  };
}

/** The reason why a host of the config is refused, with the line that would allow it; null if it is allowed. */
function hostFault(host: string, allow: readonly string[]): string | null {
  const isName = /^(?:.+\.)?localhost\.?$/i.test(host);
  const { refusalOf } = createEgress(allow);
  if (isName ? LOOPBACK.some((address) => refusalOf(address) === null) : refusalOf(host) === null) return null;
  const line = isName ? '127.0.0.0/8' : isIP(host) === 4 ? `${host}/32` : `'${host}/128'`;
  const what = isName ? 'this machine' : (specialOf(host) ?? '');
  return `${host} is ${what}, which a channel reaches only where it is allowed: add \`allow: [${line}]\` to it`;
}

const LOOPBACK = ['127.0.0.1', '::1'];

/** `a loopback address`; null for public ones. */
function specialOf(address: string): string | null {
  return SPECIAL.find(({ networks }) => isIn(networks, address))?.what ?? null;
}

interface Special {
  readonly what: string;
  readonly networks: BlockList;
}

// The special-purpose registries of IANA (RFC 6890), without those for documentation. 100.64.0.0/10 contains a metadata
// service as well, and so does fd00::/8.
const SPECIAL: readonly Special[] = [
  special('a loopback address', ['127.0.0.0/8', '::1/128']),
  special('a link-local address, where clouds keep what only their machines should read', [
    '169.254.0.0/16',
    'fe80::/10',
    // A virtual machine of Azure reaches its host at this address.
    '168.63.129.16/32',
  ]),
  special('an address of a private network', [
    '10.0.0.0/8',
    '100.64.0.0/10',
    '172.16.0.0/12',
    '192.168.0.0/16',
    'fc00::/7',
    'fec0::/10',
    '64:ff9b:1::/48',
  ]),
  special('no address of a single machine', [
    '0.0.0.0/8',
    '192.0.0.0/24',
    '198.18.0.0/15',
    '224.0.0.0/4',
    '240.0.0.0/4',
    '::/128',
    'ff00::/8',
    '100::/64',
    '2001::/32',
  ]),
];

function special(what: string, networks: readonly string[]): Special {
  const list = new BlockList();
  for (const network of networks.flatMap((one) => [one, ...embedded(one)])) addNetwork(list, network);
  return { what, networks: list };
}

// An IPv4 address inside one of IPv6: compatible, translated (RFC 6052, RFC 2765) and 6to4 (RFC 3056). Node itself
// handles the mapped form, ::ffff:127.0.0.1.
function embedded(network: string): string[] {
  const [address = '', prefix = ''] = network.split('/');
  if (isIP(address) !== 4) return [];
  const hex = address.split('.').map((byte) => Number(byte).toString(16).padStart(2, '0'));
  const [a = '', b = '', c = '', d = ''] = hex;
  const bits = Number(prefix);
  return [
    `::${address}/${96 + bits}`,
    `64:ff9b::${address}/${96 + bits}`,
    `::ffff:0:${address}/${96 + bits}`,
    `2002:${a}${b}:${c}${d}::/${16 + bits}`,
  ];
}

// Addresses that channels post to. They often hold a secret, so the program shows only their host.

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
