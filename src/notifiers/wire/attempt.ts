import type { Attempt } from '../../core/model/delivery.ts';

/** As a header says which try it is: `1`, `2; may be a copy`, `1; unrecorded`. */
export function attemptText({ number, maybeCopy, unrecorded }: Attempt): string {
  const marks = [...(maybeCopy ? ['may be a copy'] : []), ...(unrecorded === true ? ['unrecorded'] : [])];
  return [number, ...marks].join('; ');
}
