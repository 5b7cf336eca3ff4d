// The forms in which a secret may appear in the text of other programs.
import { Buffer } from 'node:buffer';
import { escapeHtml } from './untrusted.ts';

// A shorter secret is replaced only where it is a whole word. Otherwise a password such as "no" would damage every log.
export const SHORTEST_ANYWHERE = 8;
const SHORTEST_IN_BASE64 = 6;
// Shorter paths, such as /api/v2, do not count as secret.
const SHORTEST_PATH = 12;

/** A pattern, and the letters that every match contains. */
export interface Spelling {
  readonly literal: string;
  readonly source: string;
}

export function spellingsOf(secrets: Iterable<string>): Spelling[] {
  const all = [...secrets].flatMap(secretsIn).flatMap((secret) => [...plainIn(secret), ...base64In(secret)]);
  return [...new Map(all.map((spelling) => [spelling.source, spelling])).values()];
}

/**
 * A secret, and the parts of it that a text may quote alone: of a URL, and of a header such as `Basic dXNlcjpwYXNz`.
 */
export function secretsIn(secret: string): string[] {
  return [...new Set([secret, ...guardedIn(secret), ...credentialsIn(secret)])];
}

function credentialsIn(header: string): string[] {
  const [, scheme = '', credentials = ''] = /^([A-Za-z][\w-]*) +([\w.~+/=-]+)$/.exec(header) ?? [];
  if (scheme.toLowerCase() !== 'basic') return credentials === '' ? [] : [credentials];
  const login = Buffer.from(credentials, 'base64').toString('utf8');
  return [credentials, login, login.slice(login.indexOf(':') + 1)].filter((text) => text !== '');
}

/**
 * The parts of a text that give access: the password of a URL, and its path with the query. Any other text counts as a
 * whole.
 *
 * guardedIn('smtp://ops:hunter2@mail.example.com') // ['hunter2']
 */
export function guardedIn(text: string): string[] {
  if (!text.includes('://') || !URL.canParse(text)) return [text];
  const { password, pathname, search } = new URL(text);
  const path = `${pathname}${search}`;
  return [...(password === '' ? [] : [decoded(password)]), ...(path.length < SHORTEST_PATH ? [] : [path])];
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

function plainIn(secret: string): Spelling[] {
  const url = encodeURIComponent(secret.toWellFormed());
  const spellings = [
    secret,
    url,
    url.replace(/%../g, (code) => code.toLowerCase()),
    encodeURI(secret.toWellFormed()),
    new URLSearchParams({ s: secret }).toString().slice(2),
    JSON.stringify(secret).slice(1, -1),
    escapeHtml(secret),
    secret.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;'),
  ];
  return spellings.map((literal) => {
    const source = escapeRegExp(literal);
    return { literal, source: literal.length < SHORTEST_ANYWHERE ? `(?<![\\w-])${source}(?![\\w-])` : source };
  });
}

/**
 * In the base64 of `user:secret`, the secret may start at any of three places in a group of four characters. Groups at
 * its two ends also depend on the neighbours, so the search uses the inner groups only, and the groups beside them are
 * removed too.
 */
function base64In(secret: string): Spelling[] {
  const bytes = Buffer.from(secret, 'utf8');
  return [0, 1, 2].flatMap((shift) => {
    const shifted = Buffer.concat([Buffer.alloc(shift), bytes]);
    const inner = shifted.toString('base64').slice(shift === 0 ? 0 : 4, Math.floor(shifted.length / 3) * 4);
    if (inner.length < SHORTEST_IN_BASE64) return [];
    return [inner, inner.replaceAll('+', '-').replaceAll('/', '_')].map((literal) => ({
      literal,
      source: `[\\w+/-]{0,4}${escapeRegExp(literal)}[\\w+/=-]{0,4}`,
    }));
  });
}

function escapeRegExp(text: string): string {
  return text.replace(/[\\^$.*+?()[\]{}|/]/g, '\\$&');
}
