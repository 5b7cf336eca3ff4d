import { parseDocument } from 'yaml';
import type { Path } from '../config/yaml.ts';

/**
 * The JSON of a body that stands in a test file. Everywhere else scalars are text; here JSON's own types count, so the
 * part is read once more, after the file passed every check on its size and depth. Integers of any length stay exact.
 */
export function jsonAt(text: string, path: Path): string {
  const document = parseDocument(text, { schema: 'json', intAsBigInt: true, logLevel: 'silent' });
  const whole: unknown = document.toJS();
  const part = path.reduce<unknown>((at, step) => (at as Record<string | number, unknown> | undefined)?.[step], whole);
  return JSON.stringify(part, (_key, value: unknown) => (typeof value === 'bigint' ? exactly(value) : value));
}

/** Where a number would lose digits, text: the decoder takes both. */
function exactly(value: bigint): number | string {
  return Number.isSafeInteger(Number(value)) ? Number(value) : value.toString();
}
