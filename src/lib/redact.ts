import { Buffer } from 'node:buffer';
import { escapeHtml } from './untrusted.ts';

/** Takes secrets out of text by their value, wherever the text came from and however it spells them. */
export interface Redactor {
  readonly redact: (text: string) => string;
  readonly add: (secrets: readonly string[]) => void;
}

const REDACTED = '[redacted]';

// A shorter secret is taken out only where it stands alone: otherwise a password such as "no" would eat every log.
const SHORTEST_ANYWHERE = 8;
const SHORTEST_IN_BASE64 = 6;
// Shorter paths, such as /api/v2, are nobody's secret.
const SHORTEST_PATH = 12;

export function createRedactor(secrets: readonly string[] = []): Redactor {
  const known = new Set<string>();
  let spellings: readonly Spelling[] = [];
  let pattern = NOTHING;

  function add(more: readonly string[]): void {
    for (const secret of more) if (secret !== '') known.add(secret);
    // Longest first: of a secret and of what it is a part of, the whole is taken out.
    spellings = spellingsOf(known).sort((a, b) => b.literal.length - a.literal.length);
    pattern = spellings.length === 0 ? NOTHING : new RegExp(spellings.map(({ source }) => source).join('|'), 'g');
  }

  add(secrets);
  return {
    add,
    // Nearly no text holds a secret: looking for the bare letters costs a tenth of the pattern.
    redact: (text) =>
      spellings.some(({ literal }) => text.includes(literal)) ? text.replace(pattern, REDACTED) : text,
  };
}

const NOTHING = /(?!)/g;

/** A pattern, and the letters without which it cannot match. */
interface Spelling {
  readonly literal: string;
  readonly source: string;
}

function spellingsOf(secrets: Iterable<string>): Spelling[] {
  const all = [...secrets].flatMap(secretsIn).flatMap((secret) => [...plainIn(secret), ...base64In(secret)]);
  return [...new Map(all.map((spelling) => [spelling.source, spelling])).values()];
}

/** A secret, and when it is a URL the parts of it that libraries quote alone. */
function secretsIn(secret: string): string[] {
  const guarded = guardedIn(secret);
  return guarded.includes(secret) ? [secret] : [secret, ...guarded];
}

/**
 * What of a text may open something: of a URL its password, and its path with the query; else the text itself.
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
 * In the base64 of `user:secret` the secret may start at any of three places of a group of four characters. What it
 * shares with its neighbours differs, so only its inner groups are looked for, and the groups beside them go too.
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
