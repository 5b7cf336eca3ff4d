// Items that are only a claim. Any contract can emit an event that says what another address did, such as a transfer of
// a token that it made up. The claim of a contract that the config does not name is told as such, and counts for nothing. So is an
// event that a named contract lets anybody cause in the name of others.
import type { DetectedEvent } from '../model/detection.ts';
import { readsOfCount, type AlertRule, type CountAlert, type EventAlert, type Watch } from '../model/watch/watch.ts';
import type { Address } from '../values/address.ts';
import type { AnyView } from '../values/fields.ts';

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
