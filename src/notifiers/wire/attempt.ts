import type { Attempt } from '../../core/model/delivery.ts';

/** As a header says which try it is: `1`, `2; may be a copy`. */
export function attemptText({ number, maybeCopy }: Attempt): string {
  return maybeCopy ? `${number}; may be a copy` : String(number);
}
