// Whether the host of an explorer answers anything, as the requests of one process have shown. A refusal is an answer.

/** Times are of the monotonic clock of the process, in milliseconds. */
export type Reachability =
  | { readonly type: 'unknown' }
  /** The last request was answered, at that time. */
  | { readonly type: 'reached'; readonly at: number }
  /** No request since `since` was answered. The last one failed at `at`. */
  | { readonly type: 'unreached'; readonly since: number; readonly at: number };

/** All requests must fail for this long: one lost packet must not make a process give up its work. */
const CUT_OFF_MS = 30_000;
const RECENT_MS = 30_000;

export function reachabilityAfter(before: Reachability, end: 'answered' | 'unreached', at: number): Reachability {
  if (end === 'answered') return { type: 'reached', at };
  return { type: 'unreached', since: before.type === 'unreached' ? before.since : at, at };
}

/** True if all requests within at least 30 seconds failed below HTTP. */
export function isCutOff(reachability: Reachability): boolean {
  return reachability.type === 'unreached' && reachability.at - reachability.since >= CUT_OFF_MS;
}

/** True if the last request was answered, within the last 30 seconds and after `since`. */
export function isReached(reachability: Reachability, now: number, since = -Infinity): boolean {
  return reachability.type === 'reached' && now - reachability.at <= RECENT_MS && reachability.at > since;
}
