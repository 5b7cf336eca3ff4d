import { z } from 'zod';
import type { Cap } from '../dispatch/model.ts';
import type { AnyNotifier } from '../notifiers/notifier.ts';
import type { Channel } from './model.ts';
import { parseAt } from './issues.ts';
import { hintFor } from './values/nearest.ts';
import type { Problem } from './problem.ts';
import { integer, quote } from './values/scalars.ts';
import type { SecretReader } from './values/secrets.ts';
import { SecretText } from './shape.ts';
import { type Path, isMap } from './yaml/written.ts';
import type { Source } from './yaml/yaml.ts';

/**
 * The shape of `cap`. Every channel accepts it besides the keys of its type, except channels that only show open
 * alerts.
 */
export const CapShape = z
  .strictObject({
    per_hour: integer(1, 100_000, 'messages to one recipient in any hour').default(30),
    burst: integer(1, 100_000, 'messages to one recipient in any ten minutes').default(10),
  })
  .meta({ description: 'most messages to one recipient; what is over that goes out in one summary per ten minutes' });

interface Given {
  readonly source: Source;
  readonly name: string;
  readonly written: unknown;
  readonly secrets: SecretReader;
  readonly notifiers: readonly AnyNotifier[];
}

/** Reads one channel. The schema of its type checks all keys but `type` and `cap`, after the secrets are inserted. */
export function readChannel(given: Given): { value: Channel | null; problems: readonly Problem[] } {
  const { source, name, written, notifiers } = given;
  const path = ['channels', name];
  const types = notifiers.map(({ type }) => type);
  if (!isMap(written))
    return { value: null, problems: [source.problem(path, { message: 'must be a map of keys and values' })] };
  const { type, cap: writtenCap, ...keys } = written;
  if (typeof type !== 'string')
    return {
      value: null,
      problems: [source.problem(path, { message: 'type is missing', hint: `Possible: ${types.join(', ')}.` })],
    };
  const notifier = notifiers.find((one) => one.type === type);
  if (notifier === undefined) {
    const hint = hintFor(type, types);
    return {
      value: null,
      problems: [source.problem([...path, 'type'], { message: `no channel type ${quote(type)}`, hint })],
    };
  }
  if (writtenCap !== undefined && notifier.mirror !== undefined) {
    const message = `${quote(type)} is shown what is open at every refresh, and has no cap`;
    return { value: null, problems: [source.problem([...path, 'cap'], { message })] };
  }
  const cap = readCap(writtenCap, source, path);
  if ('problems' in cap) return { value: null, problems: cap.problems };
  const found: Found = { missing: [], secrets: [] };
  const filled = fill(keys, path, { ...given, notifier }, found);
  const channel = { name, type, path, notifier, cap: cap.value, missing: found.missing };
  if (found.missing.length > 0) return { value: { ...channel, to: undefined, secrets: found.secrets }, problems: [] };
  const parsed = parseAt(strict(notifier.config), filled, { source, path, moreKeys: ['type', 'cap'] });
  if ('problems' in parsed) return { value: null, problems: parsed.problems };
  return { value: { ...channel, to: parsed.value, secrets: found.secrets }, problems: [] };
}

function readCap(
  written: unknown,
  source: Source,
  path: Path,
): { value: Cap | null } | { problems: readonly Problem[] } {
  if (written === undefined) return { value: null };
  const parsed = parseAt(CapShape, written, { source, path: [...path, 'cap'] });
  if ('problems' in parsed) return parsed;
  return { value: { perHour: parsed.value.per_hour, burst: parsed.value.burst } };
}

interface Found {
  readonly missing: Problem[];
  readonly secrets: string[];
}

/** The channel's keys with every secret inserted. The notifier declares which keys may be secrets. */
function fill(
  keys: Readonly<Record<string, unknown>>,
  path: Path,
  given: Given & { notifier: AnyNotifier },
  found: Found,
) {
  const entries = Object.entries(keys).map(([key, written]) => {
    const secret = given.notifier.secrets.includes(key) ? SecretText.safeParse(written) : undefined;
    return [key, secret?.success === true ? reveal(secret.data, [...path, key], given, found) : written] as const;
  });
  return Object.fromEntries(entries);
}

function reveal(written: SecretText, path: Path, { secrets }: Given, found: Found): string {
  const read = secrets.read(written, path);
  if ('text' in read) {
    found.secrets.push(read.text);
    return read.text;
  }
  found.missing.push(read.missing);
  return '';
}

/** A key that a notifier's schema does not have is a mistake, whether or not the schema is strict. */
export function strict(schema: z.ZodType): z.ZodType {
  return schema instanceof z.ZodObject ? schema.strict() : schema;
}
