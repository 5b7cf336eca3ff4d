// Matchers as people write and read them on one line: `watch=coins,vault-* severity!=info`.
import type { Matcher } from '../model.ts';

/** The labels with their patterns, or the complaint about the first wrong text. */
export function parseMatcher(texts: readonly string[]): { readonly matcher: Matcher } | { readonly complaint: string } {
  const matcher: Record<string, string | readonly string[]> = {};
  for (const text of texts) {
    const [, label, isNegated, values] = /^([^=!\s]+)(!?)=(.+)$/s.exec(text) ?? [];
    if (label === undefined || values === undefined)
      return { complaint: `"${text}" is not a label and its value, such as watch=treasury or severity!=info` };
    if (Object.hasOwn(matcher, label))
      return { complaint: `${label} is there twice: write ${label}=a,b for any of them` };
    const patterns = values.split(',').map((one) => (isNegated === '!' ? `!${one}` : one));
    const [only = ''] = patterns;
    matcher[label] = patterns.length === 1 ? only : patterns;
  }
  return { matcher };
}

/** `watch=coins,vault-* severity!=info`; `all alerts` without any label. */
export function showMatcher(matcher: Matcher): string {
  const parts = Object.entries(matcher).map(([label, patterns]) => showPatterns(label, [patterns].flat()));
  return parts.length === 0 ? 'all alerts' : parts.join(' ');
}

function showPatterns(label: string, patterns: readonly string[]): string {
  const isNegated = patterns.every((pattern) => pattern.startsWith('!'));
  const shown = patterns.map((pattern) => quoted(isNegated ? pattern.slice(1) : pattern));
  return `${label}${isNegated ? '!' : ''}=${shown.join(',')}`;
}

function quoted(pattern: string): string {
  return /[\s,"]/.test(pattern) ? JSON.stringify(pattern) : pattern;
}
