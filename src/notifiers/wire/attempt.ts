import type { Attempt } from '../../core/model/delivery.ts';

/** A header that shows the number of the attempt: `1`, `2; may be a copy`, `1; unrecorded`. */
export function attemptText({ number, maybeCopy, unrecorded }: Attempt): string {
  const marks = [...(maybeCopy ? ['may be a copy'] : []), ...(unrecorded === true ? ['unrecorded'] : [])];
  return [number, ...marks].join('; ');
}
