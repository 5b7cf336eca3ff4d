// Problems of unknown keys, with a hint at the key that was probably meant, or at the file where the key belongs.
import { restOf, type Problem } from './problem.ts';
import { ConfigShape } from './shape.ts';
import { hintFor } from './values/nearest.ts';
import { quote } from './values/scalars.ts';
import { NO_COLON } from './yaml/syntax-words.ts';
import { isMap, type Path, type WrittenMap } from './yaml/written.ts';
import type { Source } from './yaml/yaml.ts';

/** Keys that later releases may have. They are reported as not supported yet, not as misspelt. */
const NOT_YET = new Set(['silence']);

export function isNotYet(name: string): boolean {
  return NOT_YET.has(name);
}

/** The top-level keys of files, with the file where each belongs. */
const FILE_OF = new Map([
  ...['defaults', 'watches'].map((key) => [key, 'a file of rules'] as const),
  ...Object.keys(ConfigShape.shape).map((key) => [key, 'the config'] as const),
]);

/** Keys that belong to routes. A rule with one of them gets a hint. */
const OF_ROUTES = new Set([
  'group_by',
  'group_wait',
  'group_interval',
  'repeat',
  'require_ack',
  'escalate',
  'failover',
  'mute',
]);

/** Words that other tools use for a key. If a word fits several keys of a map, the first key is suggested. */
const WORDS_FOR: Readonly<Record<string, readonly string[]>> = {
  alerts: ['alert', 'rules', 'triggers'],
  while: ['when', 'condition', 'expr', 'expression', 'threshold', 'trigger'],
  if: ['where', 'filter'],
  on: ['event', 'events'],
  every: ['interval', 'period', 'frequency', 'poll'],
  of: ['address', 'addresses', 'account', 'target', 'wallet'],
  severity: ['level', 'priority'],
  title: ['subject', 'summary'],
  text: ['message', 'body', 'description'],
  notify: ['channel', 'channels', 'receiver', 'receivers', 'to', 'send'],
  for: ['duration', 'hold'],
  id: ['name', 'alert'],
  kind: ['type', 'watch'],
  base_url: ['url', 'endpoint', 'instance_url'],
  instance_url: ['url', 'endpoint', 'base_url'],
  api_key: ['key', 'apikey', 'token'],
  url: ['webhook', 'webhook_url', 'endpoint'],
  smtp: ['host', 'server', 'url'],
  listen: ['port', 'host', 'bind'],
};

/**
 * Problems of the first unknown keys of a map, and the number of the others. The search for a similar key is slow, so
 * it is made for the first keys only.
 */
export function unknownKeys(
  source: Source,
  path: Path,
  keys: readonly string[],
  legal: readonly string[],
): readonly Problem[] {
  const shown = keys.slice(0, MOST_UNKNOWN).map((key) => unknownKey(source, path, key, legal));
  const more = keys.length - shown.length;
  return more === 0 ? shown : [...shown, restOf(source.file, more)];
}

const MOST_UNKNOWN = 100;

/** An unknown key, with the one that was probably meant. */
export function unknownKey(source: Source, path: Path, key: string, legal: readonly string[]): Problem {
  if (isNotYet(key)) return source.problem(path, { key, message: `${quote(key)} is not supported yet` });
  if (path[0] === 'watches' && OF_ROUTES.has(key))
    return source.problem(path, { key, message: `${quote(key)} is a key of routes`, hint: 'Write it in the config.' });
  const file = path.length === 0 ? FILE_OF.get(key) : undefined;
  if (file !== undefined)
    return source.problem(path, { key, message: `${quote(key)} is a key of ${file}`, hint: placeHint(key, legal) });
  const glued = /^([\w-]{1,64})[:=]/.exec(key)?.[1];
  if (glued !== undefined)
    return source.problem(path, {
      ...NO_COLON,
      key,
      hint: `Write "${glued}: ".`,
    });
  const hint = isIdAsKey(source, path, key, legal)
    ? `Write id: ${key}, and beside it the keys that stand below it.`
    : meantBy(key, legal);
  return source.problem(path, { key, message: `unknown key ${quote(key)}`, hint });
}

/** True for `- low:` with the keys of the alert below it, written in place of `- id: low`. */
function isIdAsKey({ value }: Source, path: Path, key: string, legal: readonly string[]): boolean {
  const map = path.reduce<unknown>((part, step) => (part as WrittenMap | undefined)?.[step], value);
  return legal.includes('id') && isMap(map) && !('id' in map) && isMap(map[key]);
}

function placeHint(key: string, legal: readonly string[]): string {
  const isInRules = key === 'rules' && legal.includes('watches');
  return isInRules ? 'In a file of rules the list is called watches.' : 'Write it there.';
}

function meantBy(key: string, legal: readonly string[]): string | undefined {
  const names = legal.filter((name) => name !== '');
  const [meant] = Object.entries(WORDS_FOR).find(([name, words]) => names.includes(name) && words.includes(key)) ?? [];
  return meant === undefined ? hintFor(key, names) : `Did you mean ${meant}?`;
}
