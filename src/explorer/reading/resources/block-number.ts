/** Blocks are compared as numbers: what is beyond exact ones is no block, and would stand above all others for ever. */
export function blockNumber(raw: unknown): unknown {
  const isNumeric = typeof raw === 'number' || typeof raw === 'string';
  return isNumeric && Number.isSafeInteger(Number(raw)) ? raw : undefined;
}
