/**
 * Blocks are compared as numbers. A number that is not exact counts as unknown: otherwise it could be above all real
 * blocks for ever.
 */
export function blockNumber(raw: unknown): unknown {
  const isNumeric = typeof raw === 'number' || typeof raw === 'string';
  return isNumeric && Number.isSafeInteger(Number(raw)) ? raw : undefined;
}
