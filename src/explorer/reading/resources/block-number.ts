/** Blocks are compared as numbers: what is beyond exact ones is no block, and would stand above all others for ever. */
export function blockNumber(raw: unknown): unknown {
  return Number.isSafeInteger(Number(raw)) ? raw : undefined;
}
