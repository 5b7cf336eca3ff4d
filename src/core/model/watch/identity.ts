// Ids are hashes of content, never of randomness or time: the same input gives the same id.
import { createHash } from 'node:crypto';
import type { Watch } from './watch.ts';

const VERSION = 'v1';
const ID_LENGTH = 26;
const BASE32 = 'abcdefghijklmnopqrstuvwxyz234567';

/** 26 characters of base32 (130 bits of SHA-256) over the parts. */
export function idOf(...parts: readonly (string | number)[]): string {
  const digest = createHash('sha256')
    .update([VERSION, ...parts].join('\u001f'))
    .digest();
  return base32(digest).slice(0, ID_LENGTH);
}

/** A stable number in [0, 1) from content: phases and jitter. */
export function fractionOf(...parts: readonly (string | number)[]): number {
  const digest = createHash('sha256').update(parts.join('\u001f')).digest();
  return digest.readUInt32BE(0) / 2 ** 32;
}

/** An event's key: stable over restarts, polls and re-mining. */
export function eventKey(watch: Watch, alert: string, findingKey: string): string {
  return idOf(watch.id, alert, watch.target.explorer, findingKey);
}

const SCHEDULE = 'schedule ';

/** The key of the report of one due time. */
export function scheduleKey(due: number): string {
  return `${SCHEDULE}${due}`;
}

/** The due time in the key of a report; null if the key is not one of a report. */
export function dueOf(key: string): number | null {
  return key.startsWith(SCHEDULE) ? Number(key.slice(SCHEDULE.length)) : null;
}

/** A condition's key: stable over restarts, polls and episodes. `group`: the group of a count; '' = the only one. */
export function conditionKey(
  watch: Watch,
  alert: string,
  { born, group }: { readonly born: number; readonly group: string },
): string {
  return idOf(watch.id, alert, watch.target.explorer, 'condition', born, ...(group === '' ? [] : [group]));
}

/** The idempotency key of a message for one recipient, the same on every attempt. */
export function deliveryId(
  key: string,
  transition: { readonly episode: number; readonly seq: number },
  to: { readonly channel: string; readonly recipient: string },
): string {
  return idOf(key, transition.episode, transition.seq, to.channel, to.recipient);
}

function base32(bytes: Uint8Array): string {
  let bits = 0;
  let value = 0;
  let text = '';
  for (const byte of bytes) {
    value = ((value << 8) | byte) & 0xfff;
    bits += 8;
    for (; bits >= 5; bits -= 5) text += BASE32.charAt((value >> (bits - 5)) & 31);
  }
  return text;
}
