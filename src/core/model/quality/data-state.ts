// The quality of a poll's data, independent of alerts.
import type { DataSince, DataState, Memory } from '../memory.ts';
import { NO_SENDERS, type SenderSightings } from './contract-senders.ts';
import type { MissReason, Observation } from '../observation.ts';

/** Facts about a poll's data that the observation itself does not show. */
interface Worth {
  /** The chain's head is stalled. */
  readonly isStale: boolean;
  /** The answer contains the watched thing itself. */
  readonly isKnown: boolean;
  /** A field that a condition reads is no longer sent. */
  readonly lacksField: boolean;
}

export function dataStateOf(observation: Observation, { isStale, isKnown, lacksField }: Worth): DataState {
  if (observation.type === 'missed') return MISSED[observation.reason] ?? 'error';
  if (observation.partial !== null) return 'partial';
  if (isStale) return 'stale';
  if (!isKnown) return 'nodata';
  return lacksField ? 'blind-field' : 'ok';
}

const MISSED: Partial<Record<MissReason, DataState>> = {
  'not-found': 'nodata',
  'rate-limited': 'throttled',
  'out-of-credits': 'throttled',
  plan: 'throttled',
};

/** The same object as before if nothing differs. `coveredUntil`: when the previous usable answer was processed. */
export function dataSince(
  { data: before, coveredUntil }: Pick<Memory, 'data' | 'coveredUntil'>,
  { state, fields, senders }: Pick<DataSince, 'state' | 'fields'> & { readonly senders: SenderSightings },
  at: number,
): DataSince {
  const shown = senders === NO_SENDERS ? {} : { senders };
  if (before?.state === state) {
    const isSame = before.fields === fields && (before.senders ?? NO_SENDERS) === senders;
    return isSame ? before : { state, since: before.since, lastOk: before.lastOk, fields, ...shown };
  }
  const lastOk = before === null ? at : before.state === 'ok' ? coveredUntil : before.lastOk;
  return { state, since: at, lastOk: state === 'ok' ? null : lastOk, fields, ...shown };
}
