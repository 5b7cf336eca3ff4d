import { createHash } from 'node:crypto';

/** Of who asks for what: a request that is repeated has the same one. */
export function requestDigest(...said: readonly unknown[]): string {
  return createHash('sha256').update(JSON.stringify(said)).digest('base64url');
}
