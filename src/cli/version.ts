import { readFileSync } from 'node:fs';

/** The release as package.json names it. The file is two folders up, both from the sources and from `dist`. */
export function readVersion(): string {
  const text = readFileSync(new URL('../../package.json', import.meta.url), 'utf8');
  const { version } = JSON.parse(text) as { version: string };
  return version;
}
