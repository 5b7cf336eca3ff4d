import { parseDocument } from 'yaml';
import type { Path } from '../../config/yaml/written.ts';

/**
 * The JSON of a body that is written in a test file; undefined when it is none. Elsewhere scalars are read as text, but
 * here the types of JSON count, so this part of the file is parsed again. By then the file has passed the checks of its
 * size and depth. Integers of any length stay exact.
 */
export function jsonAt(text: string, path: Path): string | undefined {
  try {
    const document = parseDocument(text, { schema: 'json', intAsBigInt: true, logLevel: 'silent' });
    const whole: unknown = document.toJS();
    return JSON.stringify(path.reduce(partOf, whole), (_key, value: unknown) =>
      typeof value === 'bigint' ? exactly(value) : value,
    );
  } catch {
    return undefined; // For example, the part has too many aliases.
  }
}

function partOf(whole: unknown, step: string | number): unknown {
  return typeof whole === 'object' && whole !== null ? Reflect.get(whole, step) : undefined;
}

/** A number that would lose digits becomes text: the decoder accepts both. */
function exactly(value: bigint): number | string {
  return Number.isSafeInteger(Number(value)) ? Number(value) : value.toString();
}
