import { createHash } from 'node:crypto';

/** A hash of a request and its caller. A repeated request has the same hash. */
export function requestDigest(...said: readonly unknown[]): string {
  return createHash('sha256').update(JSON.stringify(said)).digest('base64url');
}
