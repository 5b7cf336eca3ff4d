import { parseDocument } from 'yaml';
import type { Path } from '../../config/yaml/written.ts';

/**
 * Returns the body at `path` of a test file as JSON; undefined if the body cannot be read. In the rest of a test file
 * all scalars are text, but a body needs the types of JSON, so this function parses the file a second time. The size
 * and the depth of the file were checked before. Integers of any length stay exact.
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
