// The `http:` part of the config: where the daemon listens, and who may use its page and its API.
import { isLoopback } from '../../lib/network.ts';
import { readListen } from './listen.ts';
import type { HttpSettings, Operator, PageSettings, ProxySettings } from '../model.ts';
import type { Problem } from '../problem.ts';
import { Secret } from '../values/secret.ts';
import type { SecretReader } from '../values/secrets.ts';
import type { ConfigShape } from '../shape.ts';
import type { Path } from '../yaml/written.ts';
import type { Source } from '../yaml/yaml.ts';

type Written = ReturnType<typeof ConfigShape.parse>['http'];

interface Tools {
  readonly secrets: SecretReader;
  /** The value of `CHAINWARDEN_LISTEN`, which overrides the config. */
  readonly listen: string | undefined;
}

/** The settings, or their problems. */
export function readHttp(
  source: Source,
  written: Written,
  { secrets, listen }: Tools,
): { readonly value: HttpSettings | null; readonly problems: readonly Problem[] } {
  const address = readListen(source, listen, written.listen);
  const operators = readOperators(source, written, secrets);
  const proxy = readProxy(written.proxy, secrets);
  const page = readPage(source, written, address.value);
  const problems = [
    ...address.problems,
    ...page.problems,
    ...publicUrlProblems(source, written.public_url),
    ...linkProblems(source, written),
    ...operators.problems,
    ...proxy.problems,
  ];
  if (address.value === null || problems.length > 0) return { value: null, problems };
  const { public_url: publicUrl = null, links: hasLinks } = written;
  const callers = { operators: operators.found, proxy: proxy.found };
  return { value: { listen: address.value, page: page.value, publicUrl, hasLinks, ...callers }, problems: [] };
}

/**
 * Behind a proxy every caller has an address of this machine. So with `public_url` the page is open only if `read:
 * open` is set.
 */
function readPage(
  source: Source,
  { page: isServed, read, public_url: publicUrl, source_url: sourceUrl }: Written,
  listen: HttpSettings['listen'] | null,
): { readonly value: PageSettings; readonly problems: readonly Problem[] } {
  const isLocal = listen !== null && isLoopback(listen.host);
  const isOpen = read === undefined ? isLocal && publicUrl === undefined : read === 'open';
  const value = { isServed, isOpen, sourceUrl: sourceUrl ?? null };
  if (!isOpen || isLocal || listen === null) return { value, problems: [] };
  const message = `anybody who reaches ${listen.host} could read the page`;
  const hint = 'Write read: operators, or listen on 127.0.0.1.';
  return { value, problems: [source.problem(['http', 'read'], { message, hint })] };
}

/** Pages and links are made from this URL. They are at the root of their host, so the URL has no path. */
function publicUrlProblems(source: Source, url: string | undefined): Problem[] {
  if (url === undefined || new URL(url).pathname === '/') return [];
  const hint = `Write ${new URL(url).origin}`;
  return [source.problem(['http', 'public_url'], { message: 'has a path, and must be the root of its host', hint })];
}

/** Anyone who has a link can use it, so it must not cross a network unencrypted. */
function linkProblems(source: Source, { links, public_url: url }: Written): Problem[] {
  if (!links || url?.startsWith('https:') === true) return [];
  const message = 'needs `public_url` in https: anybody who reads such a link can use it';
  const hint = 'Write public_url: https://chainwarden.example.com, as the proxy in front of the daemon is called.';
  return [source.problem(['http', 'links'], { message, hint })];
}

/** The reserved name of the operator that uses the daemon's token file. */
const LOCAL = 'local';
const SHORTEST_TOKEN = 32;
const HOW_TO_MAKE_ONE = 'Make one with: openssl rand -base64 32';

function readOperators(
  source: Source,
  { operators, proxy }: Written,
  secrets: SecretReader,
): { readonly found: readonly Operator[]; readonly problems: readonly Problem[] } {
  const found: Operator[] = [];
  const problems: Problem[] = [];
  const nameByToken = new Map<string, string>();
  for (const [name, { token, role }] of Object.entries(operators)) {
    const path: Path = ['http', 'operators', name];
    const refuse = (message: string, hint: string): void => {
      problems.push(source.problem([...path], { message, hint }));
    };
    if (name === LOCAL) refuse('local is who uses the token file beside the state file', 'Choose another name.');
    if (token === undefined) {
      if (proxy === undefined) refuse('token is missing', `Write token: { env: NAME }. ${HOW_TO_MAKE_ONE}`);
      found.push({ name, role, token: null });
      continue;
    }
    const read = secrets.read(token, [...path, 'token'], tokenFault);
    if ('missing' in read) {
      problems.push(...secrets.lacking(read.missing));
      continue;
    }
    const other = nameByToken.get(read.text);
    if (other !== undefined) refuse(`has the token of ${other}`, `Give each operator a token. ${HOW_TO_MAKE_ONE}`);
    nameByToken.set(read.text, name);
    found.push({ name, role, token: new Secret(read.text) });
  }
  return { found, problems };
}

function readProxy(
  written: Written['proxy'],
  secrets: SecretReader,
): { readonly found: ProxySettings | null; readonly problems: readonly Problem[] } {
  if (written === undefined) return { found: null, problems: [] };
  const { header, from, secret } = written;
  const read = secrets.read(secret, ['http', 'proxy', 'secret'], tokenFault);
  if ('missing' in read) return { found: null, problems: secrets.lacking(read.missing) };
  return { found: { header, from, secret: new Secret(read.text) }, problems: [] };
}

/** The token travels in a header, and it alone protects the API against guessing. */
function tokenFault(token: string): string | null {
  if (token.length < SHORTEST_TOKEN) return `is shorter than ${SHORTEST_TOKEN} characters`;
  return /^[!-~]+$/.test(token) ? null : 'has a blank, or a character that is not ASCII, in it';
}
