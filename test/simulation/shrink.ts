// The shortest history that still fails in the same way: fewer days first, then fewer faults, by halves.
import { DAY_MS } from './life.ts';
import { START } from './history.ts';
import type { History, PlannedFault, Verdict } from './model.ts';
import type { PeopleVerdict } from './people/verdict.ts';

/** By either oracle. */
type AnyVerdict = Pick<Verdict | PeopleVerdict, 'check' | 'at' | 'watch' | 'what'>;

/** The first verdict of a history; null = nothing is wrong with it. */
export type Fails = (history: History) => Promise<AnyVerdict | null>;

export interface Shrunk {
  readonly history: History;
  readonly verdict: AnyVerdict;
}

/** `first`: what is wrong with `history`. */
export async function shrink(history: History, first: AnyVerdict, fails: Fails): Promise<Shrunk> {
  const isSame = (verdict: AnyVerdict | null): verdict is AnyVerdict =>
    verdict !== null && verdict.check === first.check && verdict.watch === first.watch;
  const days = Math.min(history.days, Math.ceil((first.at - START) / DAY_MS));
  const before = history.faults.filter(({ at }) => at <= first.at);
  let best: Shrunk = { history: { ...history, days, faults: before }, verdict: first };
  for (let pieces = 2, size = Infinity; size > 1; pieces *= 2) {
    size = Math.ceil(best.history.faults.length / pieces);
    for (const faults of without(best.history.faults, size)) {
      const shorter = { ...best.history, faults: faults.filter((fault) => best.history.faults.includes(fault)) };
      if (shorter.faults.length === best.history.faults.length) continue;
      const verdict = await fails(shorter);
      if (isSame(verdict)) best = { history: shorter, verdict };
    }
  }
  return best;
}

/** The faults with one piece of that size missing, for each piece. */
function without(faults: readonly PlannedFault[], size: number): PlannedFault[][] {
  return Array.from({ length: Math.ceil(faults.length / size) }, (_, n) =>
    faults.filter((_fault, place) => Math.floor(place / size) !== n),
  );
}
