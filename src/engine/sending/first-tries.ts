// Before a message that had to wait has its first try: checks whether all of it may still be sent. Alerts that a
// silence, a mute window or an open alert holds by now are removed from it, and are decided again. A message that was
// tried stays unchanged.
import { isHoldSummary } from '../../core/model/delivery.ts';
import { heldAmong } from '../../dispatch/first-try.ts';
import { PAST_SILENCES_MS } from '../../dispatch/policy/holds.ts';
import type { DecidingRules } from '../../dispatch/rounds/due-round.ts';
import type { Clock } from '../../lib/clock.ts';
import type { Claimed } from '../../store/contract/deliveries.ts';
import type { Store } from '../../store/contract/store.ts';

/** False: it was put back, and must not be sent. */
export type MayGo = (claimed: Claimed) => Promise<boolean>;

export interface FirstTriesOptions {
  readonly store: Pick<Store, 'readFirstTry' | 'putBack'>;
  /** In force now. */
  readonly rules: () => DecidingRules;
  /** Alerts left a message, and are to be decided. */
  readonly onPutBack: () => void;
  readonly clock: Pick<Clock, 'now'>;
}

/** A hold that begins so soon after the message was closed may come too late for it. */
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
