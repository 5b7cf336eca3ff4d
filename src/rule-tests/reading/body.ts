import { parseDocument } from 'yaml';
import type { Path } from '../../config/yaml/written.ts';

/**
 * Returns the body at `path` of a test file as JSON; undefined if that is impossible. The rest of a test file is read
 * with all scalars as text, but a body needs the types of JSON, so the text is parsed a second time here. Its size and
 * depth were checked before. Integers of any length stay exact.
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
