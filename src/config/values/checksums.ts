// Addresses whose letters do not match their checksum (EIP-55): the case of the letters is a digest of the digits, so a
// mistyped digit is found. Addresses in one case have no checksum.
import { checksummed } from '../../lib/abi/checksum.ts';
import type { Problem } from '../problem.ts';
import type { Path, WrittenValue } from '../yaml/written.ts';
import type { Source } from '../yaml/yaml.ts';

const ADDRESS = /(?<![0-9a-zA-Z])0x[0-9a-fA-F]{40}(?![0-9a-zA-Z])/g;
const MOST_WARNINGS = 20;

/**
 * Warnings about addresses in a file that do not match their checksum, also within conditions. After 20 the search
 * ends.
 */
export function checksumWarnings(source: Source): Problem[] {
  const warnings: Problem[] = [];
  const rightByWritten = new Map<string, string>();
  const visit = (written: WrittenValue, path: Path): void => {
    if (warnings.length >= MOST_WARNINGS) return;
    if (typeof written === 'string') warnings.push(...warningsOf(source, written, path, rightByWritten));
    else if (Array.isArray(written)) for (const [i, item] of written.entries()) visit(item, [...path, i]);
    else for (const [key, value] of Object.entries(written)) visit(value, [...path, key]);
  };
  visit(source.value, []);
  return warnings;
}

function warningsOf(source: Source, text: string, path: Path, rightByWritten: Map<string, string>): Problem[] {
  if (!text.includes('0x')) return [];
  return [...text.matchAll(ADDRESS)].flatMap(({ 0: written, index: start }) => {
    if (isInOneCase(written)) return [];
    const right = rightByWritten.get(written) ?? checksummed(written);
    rightByWritten.set(written, right);
    if (right === written) return [];
    const message = 'the upper and lower case of this address does not match its checksum: a digit may be wrong';
    const within = { start, end: start + written.length };
    return [source.problem(path, { message, hint: `If all digits are right, write ${right}.`, within })];
  });
}

function isInOneCase(address: string): boolean {
  const digits = address.slice(2);
  return digits === digits.toLowerCase() || digits === digits.toUpperCase();
}
