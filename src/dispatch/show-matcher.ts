import type { Matcher } from './model.ts';

/** `watch=usdc-*, severity=!critical`; of an empty one `everything`. */
export function showMatcher(matcher: Matcher): string {
  const parts = Object.entries(matcher).map(
    ([label, wanted]) => `${label}=${typeof wanted === 'string' ? wanted : wanted.join('|')}`,
  );
  return parts.length === 0 ? 'everything' : parts.join(', ');
}
