import { readFileSync } from 'node:fs';

/** The release, as package.json says it: two folders up, from the sources and from `dist` alike. */
export function readVersion(): string {
  const text = readFileSync(new URL('../../package.json', import.meta.url), 'utf8');
  const { version } = JSON.parse(text) as { version: string };
  return version;
}
