// Which alerts a route, a silence or an inhibition is about. Plain text search, no regular expressions: the patterns and
// the values come from people, and neither may cost time that nobody expects.
import type { Labels, Matcher } from './model.ts';

/**
 * Whether the labels fit every line of the matcher. A pattern fits the whole value: `*` is any text, also none, and all
 * else stands for itself, in its own case. A list means any of its patterns. A leading `!` negates the whole, of a list
 * too: there it stands before every pattern. A label that is missing fits a negation and nothing else.
 *
 * matches({ team: ['treasury', 'vault-*'], severity: '!critical' }, { team: 'vault-2', severity: 'info' }) // true
 * matches({ severity: '!critical' }, {}) // true
 * matches({ severity: '*' }, {}) // false
 */
export function matches(matcher: Matcher, labels: Labels): boolean {
  return Object.entries(matcher).every(([label, wanted]) =>
    fitsAny(wanted, Object.hasOwn(labels, label) ? labels[label] : undefined),
  );
}

function fitsAny(wanted: string | readonly string[], value: string | undefined): boolean {
  const negated = isNegated(wanted);
  const patterns = typeof wanted === 'string' ? [wanted] : wanted;
  const fits =
    value !== undefined && patterns.some((pattern) => fitsGlob(negated ? withoutMark(pattern) : pattern, value));
  return fits !== negated;
}

function isNegated(wanted: string | readonly string[]): boolean {
  const first = typeof wanted === 'string' ? wanted : wanted[0];
  return first?.startsWith('!') ?? false;
}

function withoutMark(pattern: string): string {
  return pattern.startsWith('!') ? pattern.slice(1) : pattern;
}

/** Each piece between two `*` is taken where it is found first, and never looked for again. */
export function fitsGlob(pattern: string, value: string): boolean {
  if (!pattern.includes('*')) return pattern === value;
  const pieces = pattern.split('*');
  const [head = '', tail = ''] = [pieces.at(0), pieces.at(-1)];
  if (!value.startsWith(head) || !value.endsWith(tail)) return false;
  let from = head.length;
  for (const piece of pieces.slice(1, -1)) {
    const at = value.indexOf(piece, from);
    if (at === -1) return false;
    from = at + piece.length;
  }
  return from + tail.length <= value.length;
}
