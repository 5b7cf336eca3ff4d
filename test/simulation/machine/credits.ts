// The books of the explorer: what is left of the plan, which others may spend as well. They go by the true time.
import { OPERATIONS } from '../../../src/explorer/operations.ts';
import { createFaultField } from '../faults/field.ts';
import type { FaultKind } from '../faults/kinds.ts';
import type { Instant, PlannedFault } from '../model.ts';

export interface Credits {
  /** What the header says after a request. `isUnpaid`: nothing was left for it. */
  readonly ask: (
    path: string,
    at: Instant,
    isCharged: boolean,
  ) => { readonly says: number; readonly isUnpaid: boolean };
}

/** A day. */
export const CREDITS = 100_000;
const DAY_MS = 86_400_000;
const WRONG_HEADER: ReadonlySet<FaultKind> = new Set(['wrong-header']);
const WRONG_PRICE: ReadonlySet<FaultKind> = new Set(['wrong-price']);

export function createCredits(faults: readonly PlannedFault[]): Credits {
  const field = createFaultField(faults);
  const foreign = faults.filter(({ kind }) => kind === 'foreign');
  const late = faults.filter(({ kind }) => kind === 'late-reset');
  let from: Instant = -Infinity;
  let spent = 0;

  function turn(at: Instant): void {
    const midnight = at - (at % DAY_MS);
    const lateMs = Math.max(0, ...late.filter((one) => isOfMidnight(one, midnight)).map(({ ms }) => ms));
    if (at < midnight + lateMs || from >= midnight) return;
    from = midnight + lateMs;
    spent = 0;
  }

  return {
    ask(path, at, isCharged) {
      turn(at);
      const price = (priceOf(path) * (field.lasting(WRONG_PRICE, at)?.amount ?? 100)) / 100;
      const taken = foreign.reduce((sum, one) => sum + takenBy(one, from, at), 0);
      const left = CREDITS - spent - taken;
      const isUnpaid = left < price;
      if (isCharged && !isUnpaid) spent += price;
      const wrong = field.strike(WRONG_HEADER, at, path);
      return { says: wrong?.amount ?? Math.round(CREDITS - spent - taken), isUnpaid };
    },
  };
}

/** The next one after the fault. */
function isOfMidnight({ at }: PlannedFault, midnight: Instant): boolean {
  return at < midnight && midnight - at <= DAY_MS;
}

/** Evenly as long as it lasts, of the period alone. */
function takenBy({ at, ms, amount }: PlannedFault, from: Instant, now: Instant): number {
  const within = Math.min(now, at + ms) - Math.max(from, at);
  return (amount * Math.max(0, within)) / ms;
}

function priceOf(path: string): number {
  const shape = path.replace(/0x[0-9a-f]{40}/i, '{hash}');
  const operation = OPERATIONS.find((one) => one.path === shape);
  if (operation === undefined) throw new Error(`no operation asks ${path}`);
  return operation.credits;
}
