import type { MissReason } from '../../core/model/observation.ts';
import { Missed } from '../../core/model/watch/question.ts';

/**
 * When a retry can help: `now` after a connection that died before it answered; `soon` after a server error;
 * `after-reset` when the budget allows it; `no` if the same question would get the same answer.
 */
export type Retry = 'now' | 'soon' | 'after-reset' | 'no';

/** A `Missed` with the kind of retry that can help. */
export class RequestFault extends Missed {
  readonly retry: Retry;
  /** True if no answer came: the name did not resolve, there was no connection, or it was closed without a byte. */
  readonly isUnreached: boolean;

  constructor(
    reason: MissReason,
    detail: string,
    { retry = 'no', retryAfterMs = null, isUnreached = false }: FaultOptions = {},
  ) {
    super(reason, detail, retryAfterMs);
    this.retry = retry;
    this.isUnreached = isUnreached;
  }
}

interface FaultOptions {
  readonly retry?: Retry;
  readonly retryAfterMs?: number | null;
  readonly isUnreached?: boolean;
}
