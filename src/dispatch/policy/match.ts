// Matches alerts against routes, silences and inhibitions. Uses plain text search and no regular expressions, because
// people write the patterns and values, and no input may make the search slow.
import type { Labels, Matcher } from '../model.ts';

/**
 * True if the labels match every entry of the matcher. A pattern must match the whole value: `*` matches any text, also
 * an empty one, and all other letters match themselves, in the same case. A list matches if any of its patterns does. A
 * leading `!` negates; in a negated list it stands before every pattern. A missing label matches only negations.
 *
 * matches({ team: ['treasury', 'vault-*'], severity: '!critical' }, { team: 'vault-2', severity: 'info' }) // true
 * matches({ severity: '!critical' }, {}) // true
 * matches({ severity: '*' }, {}) // false
 */
export function matches(matcher: Matcher, labels: Labels): boolean {
  // Called millions of times when many alerts fire, so it makes no list of entries.
  for (const label in matcher) {
    const wanted = matcher[label] ?? [];
    if (!fitsAny(wanted, Object.hasOwn(labels, label) ? labels[label] : undefined)) return false;
  }
  return true;
}

function fitsAny(wanted: string | readonly string[], value: string | undefined): boolean {
  if (typeof wanted === 'string') return fits(wanted, value);
  // In a negated list every pattern begins with `!`. The list matches if the value matches none of the texts after `!`.
  const isNegated = wanted[0]?.startsWith('!') ?? false;
  return isNegated ? wanted.every((pattern) => fits(pattern, value)) : wanted.some((pattern) => fits(pattern, value));
}

function fits(pattern: string, value: string | undefined): boolean {
  const isNegated = pattern.startsWith('!');
  return (value !== undefined && fitsGlob(isNegated ? pattern.slice(1) : pattern, value)) !== isNegated;
}

/** Each piece between two `*` takes its first match, without backtracking. */
export function fitsGlob(pattern: string, value: string): boolean {
  const first = pattern.indexOf('*');
  if (first === -1) return pattern === value;
  const last = pattern.lastIndexOf('*');
  if (!value.startsWith(pattern.slice(0, first)) || !value.endsWith(pattern.slice(last + 1))) return false;
  let from = first;
  for (let at = first; at < last;) {
    const next = pattern.indexOf('*', at + 1);
    const found = value.indexOf(pattern.slice(at + 1, next), from);
    if (found === -1) return false;
    from = found + next - at - 1;
    at = next;
  }
  return from + pattern.length - last - 1 <= value.length;
}
