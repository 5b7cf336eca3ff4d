// The quality of a poll's data, independent of alerts.
import type { DataState, Memory } from './memory.ts';
import type { MissReason, Observation } from './observation.ts';

/** `isStale`: the chain's head stands still. `isKnown`: the watched thing itself was there. */
export function dataStateOf(
  observation: Observation,
  { isStale, isKnown }: { readonly isStale: boolean; readonly isKnown: boolean },
): DataState {
  if (observation.type === 'missed') return MISSED[observation.reason] ?? 'error';
  if (observation.partial !== null) return 'partial';
  if (isStale) return 'stale';
  return isKnown ? 'ok' : 'nodata';
}

const MISSED: Partial<Record<MissReason, DataState>> = {
  'not-found': 'nodata',
  'rate-limited': 'throttled',
  'out-of-credits': 'throttled',
};

/** The same object as before while the state stays. `coveredUntil`: of the poll before. */
export function dataSince(
  { data: before, coveredUntil }: Pick<Memory, 'data' | 'coveredUntil'>,
  state: DataState,
  at: number,
): Memory['data'] {
  if (before?.state === state) return before;
  const lastOk = before === null ? at : before.state === 'ok' ? coveredUntil : before.lastOk;
  return { state, since: at, lastOk: state === 'ok' ? null : lastOk };
}
