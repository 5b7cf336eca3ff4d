/** Blocks are compared as numbers. A number that is not exact is no block: it would be above all others for ever. */
export function blockNumber(raw: unknown): unknown {
  const isNumeric = typeof raw === 'number' || typeof raw === 'string';
  return isNumeric && Number.isSafeInteger(Number(raw)) ? raw : undefined;
}
