// The names of an alert: its ids and labels, and whether it is only a claim.
import { createHash } from 'node:crypto';
import type { Address } from '../../values/address.ts';
import type { AnyView } from '../../values/fields.ts';
import type { Message } from '../delivery.ts';
import type { DetectedEvent } from '../detection.ts';
import type { Labels } from '../ids.ts';
import { type AlertRule, type CountAlert, type EventAlert, readsOfCount, type Watch } from './watch.ts';

// Ids are hashes of content, never of randomness or time: the same input gives the same id.

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

// Labels of an alert: those that the program gives, and those of its rule. They are the same for every message of an
// alert.

/** Labels that the program gives an alert. A rule may not set one of these names. */
export const GIVEN_LABELS = ['watch', 'alert', 'kind', 'severity', 'explorer', 'of', 'token', 'claim'] as const;

type Labelled = Pick<Watch, 'rule' | 'kind' | 'target' | 'of' | 'token'>;

/**
 * Labels of the program and of the rule. `watch` is the id of the rule, so all watches of a rule have the same value.
 * `of` and `token` are the name that the config gives the address, else the address in lower case; they are missing if
 * there is no address. `claim` is `true` for an item that is only a claim, else missing.
 *
 * labelsOf(watch, alert) // { team: 'payments', watch: 'coins', alert: 'low', kind: 'balance', severity: 'critical', ... }
 */
export function labelsOf(
  watch: Labelled,
  alert: Pick<AlertRule, 'id' | 'severity' | 'labels'> & Pick<EventAlert, 'isClaim'>,
): Labels {
  return {
    ...alert.labels,
    ...labelsOfWatch(watch),
    alert: alert.id,
    kind: watch.kind.name,
    severity: alert.severity,
    ...(alert.isClaim === true ? CLAIM : {}),
  };
}

const CLAIM = { claim: 'true' } as const;

export function isOfClaim(labels: Labels): boolean {
  return labels['claim'] === CLAIM.claim;
}

/** The labels that all alerts of the watch share, and no alert of another watch has. */
export function labelsOfWatch({ rule, target, of, token }: Omit<Labelled, 'kind'>): Labels {
  return {
    watch: rule,
    explorer: target.explorer,
    ...(of === null ? {} : { of: nameOf(of) }),
    ...(token === null ? {} : { token: nameOf(token) }),
  };
}

/**
 * The labels of an alert whose rule was removed, from its last message: without written labels, and with the address of
 * a token.
 */
export function labelsOfMessage({ watch, alert, kind, severity, explorer, of, token }: Message): Labels {
  const rule = watch.replace(/\[.*$/s, '');
  return {
    watch: rule,
    alert,
    kind,
    severity,
    explorer,
    ...(of === null ? {} : { of: nameOf(of) }),
    ...(token === null ? {} : { token: token.address.toLowerCase() }),
  };
}

function nameOf({ name, address }: { readonly name: string | null; readonly address: string }): string {
  return name ?? address.toLowerCase();
}

// Items that are only a claim. Any contract can emit an event that says what another address did, such as a transfer of
// a token that it made up. If the config does not name the contract, the item is sent as a claim, and no alert counts
// it. The same holds for an event of a named contract if anybody can cause this event in the name of others.

/** The contract that alone says that the item happened; null if the item is no claim. */
export function claimantOf(watch: Watch, alert: AlertRule, view: AnyView): Address | null {
  if (watch.kind.claimantOf === undefined || alert.type === 'condition') return null;
  const reads = alert.type === 'count' ? readsOfCount(alert) : (alert.if?.reads ?? []);
  return watch.kind.claimantOf(watch.target, view, { reads, known: watch.nameOf });
}

/** The items that a count may count. */
export function withoutClaims(
  watch: Watch,
  alert: CountAlert,
  events: readonly DetectedEvent[],
): readonly DetectedEvent[] {
  if (watch.kind.claimantOf === undefined) return events;
  return events.filter(({ view }) => claimantOf(watch, alert, view) === null);
}

/** The rule by which a claim is told: at most a warning. */
export function claimRule(alert: EventAlert, isClaim: boolean): EventAlert {
  return isClaim ? (alert.asClaim ?? alert) : alert;
}
