import { keccak_256 } from '@noble/hashes/sha3.js';

/** The checksum spelling of an address in any case (EIP-55). */
export function checksummed(address: string): string {
  const digits = address.slice(2).toLowerCase();
  const digest = keccak_256(Buffer.from(digits, 'ascii'));
  const isUpper = (i: number): boolean => (((digest[i >> 1] ?? 0) >> (i % 2 === 0 ? 4 : 0)) & 15) >= 8;
  return `0x${digits.replace(/[a-f]/g, (digit, i: number) => (isUpper(i) ? digit.toUpperCase() : digit))}`;
}
