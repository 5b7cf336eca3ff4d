// Checks, before the first attempt of a message that had to wait, if all its alerts may still be sent. Alerts that a
// silence, a mute window or another open alert holds back by now are removed from it, and decided again. A message that
// was attempted stays unchanged.
import { isHoldSummary } from '../../core/model/delivery.ts';
import { heldAmong } from '../../dispatch/first-try.ts';
import { PAST_SILENCES_MS } from '../../dispatch/policy/holds.ts';
import type { DecidingRules } from '../../dispatch/rounds/due-round.ts';
import type { Clock } from '../../lib/clock.ts';
import type { Claimed } from '../../store/contract/deliveries.ts';
import type { Store } from '../../store/contract/store.ts';

/** False: alerts were removed from the message, so this claim must not be sent. */
export type MayGo = (claimed: Claimed) => Promise<boolean>;

export interface FirstTriesOptions {
  readonly store: Pick<Store, 'readFirstTry' | 'putBack'>;
  /** The rules in force. */
  readonly rules: () => DecidingRules;
  /** Called when alerts were removed from a message and must be decided again. */
  readonly onPutBack: () => void;
  readonly clock: Pick<Clock, 'now'>;
}

/** A message that was closed so recently is not checked: a hold that starts this soon may come too late for it. */
const UNDER_WAY_MS = 10_000;
/** The most members in one transaction. The rest of a larger message is found at its next claim. */
const MOST_PUT_BACK = 500;

export function createFirstTries({ store, rules, onPutBack, clock }: FirstTriesOptions): MayGo {
  function hasWaited({ delivery: { kind, at }, attempt, isOutOfTurn, maybeCopy }: Claimed): boolean {
    const isFirst = attempt === 1 && !isOutOfTurn && !maybeCopy;
    return isFirst && !isHoldSummary(kind) && clock.now() - at > UNDER_WAY_MS;
  }

  return async (claimed) => {
    if (!hasWaited(claimed)) return true;
    const {
      delivery: { id },
      attempt,
    } = claimed;
    const [at, inForce] = [clock.now(), rules()];
    const query = { silencesSince: at - PAST_SILENCES_MS, withSources: inForce.inhibit.length > 0 };
    const held = heldAmong(await store.readFirstTry(id, query), inForce, at);
    if (held.length === 0) return true;
    if ((await store.putBack({ id, attempt }, held.slice(0, MOST_PUT_BACK), at)) === 'superseded') return true;
    onPutBack();
    return false;
  };
}
