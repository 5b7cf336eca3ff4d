import { parseDocument } from 'yaml';
import type { Path } from '../../config/yaml/written.ts';

/**
 * The JSON of a body that stands in a test file; undefined when it is none. Everywhere else scalars are text; here
 * JSON's own types count, so the part is read once more, after the file passed every check on its size and depth.
 * Integers of any length stay exact.
 */
export function jsonAt(text: string, path: Path): string | undefined {
  try {
    const document = parseDocument(text, { schema: 'json', intAsBigInt: true, logLevel: 'silent' });
    const whole: unknown = document.toJS();
    return JSON.stringify(path.reduce(partOf, whole), (_key, value: unknown) =>
      typeof value === 'bigint' ? exactly(value) : value,
    );
  } catch {
    return undefined; // Such as too many aliases.
  }
}

function partOf(whole: unknown, step: string | number): unknown {
  return typeof whole === 'object' && whole !== null ? Reflect.get(whole, step) : undefined;
}

/** Where a number would lose digits, text: the decoder takes both. */
function exactly(value: bigint): number | string {
  return Number.isSafeInteger(Number(value)) ? Number(value) : value.toString();
}
