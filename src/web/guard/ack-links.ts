// Links in messages that acknowledge the message's alert. No login is needed, since the link itself grants the right. A
// link contains the id of a delivery and the time until which it is valid, so nothing is stored for it.
import { createHmac, timingSafeEqual } from 'node:crypto';

export const LINKS_ROOT = '/a';

/** The content of a link. */
export interface AckLink {
  readonly delivery: string;
  readonly until: number;
}

const DAY_MS = 86_400_000;
const UNTIL_BYTES = 6;
const SIGNATURE_BYTES = 16;

/**
 * Makes a link that is valid for a day after `at`, the time when the message was composed. Every attempt sends the same
 * link.
 */
export function ackToken(delivery: string, at: number, secret: string): string {
  const until = Buffer.alloc(UNTIL_BYTES);
  until.writeUIntBE(at + DAY_MS, 0, UNTIL_BYTES);
  const said = Buffer.concat([until, Buffer.from(delivery)]);
  return Buffer.concat([signatureOf(said, secret), said]).toString('base64url');
}

/** Null: the link was not signed by this daemon, or has expired. `secrets`: all valid ones. */
export function readAckToken(token: string, secrets: readonly string[], now: number): AckLink | null {
  const bytes = Buffer.from(token, 'base64url');
  // `Buffer` ignores characters outside of the alphabet. The comparison accepts only one text for each token.
  if (bytes.length <= SIGNATURE_BYTES + UNTIL_BYTES || bytes.toString('base64url') !== token) return null;
  const [shown, said] = [bytes.subarray(0, SIGNATURE_BYTES), bytes.subarray(SIGNATURE_BYTES)];
  if (!secrets.some((secret) => timingSafeEqual(shown, signatureOf(said, secret)))) return null;
  const until = said.readUIntBE(0, UNTIL_BYTES);
  return until <= now ? null : { delivery: said.subarray(UNTIL_BYTES).toString(), until };
}

function signatureOf(said: Buffer, secret: string): Buffer {
  return createHmac('sha256', secret).update('ack-link\n').update(said).digest().subarray(0, SIGNATURE_BYTES);
}
