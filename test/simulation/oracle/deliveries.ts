// What the daemon owes is taken over by everyone it is owed to, once.
import type { Taken, Verdict } from '../model.ts';
import type { Evidence } from './evidence.ts';

export function judgeDeliveries({ logs: { owed, taken, stillOwed, cancelled } }: Evidence): Verdict[] {
  const takenById = Map.groupBy(taken, ({ id }) => id);
  const owedById = new Map(owed.map((one) => [one.id, one]));
  return [...owedById.values()].flatMap(({ id, at, watch, alert, type, recipient }): Verdict[] => {
    const copies = takenById.get(id) ?? [];
    if (copies.length === 0 && cancelled.has(id)) return [];
    const of = `${alert} ${type} to ${recipient}`;
    if (copies.length === 0 && !stillOwed.has(id))
      return [{ check: 'lost', at, watch, what: `${of} is owed no more, and was never taken over` }];
    const again = copies.find((copy, n) => n > 0 && wasKnown(copies[n - 1], copy));
    return again === undefined
      ? []
      : [{ check: 'doubled', at: again.at, watch, what: `${of} was sent again after it was taken over` }];
  });
}

function wasKnown(before: Taken | undefined, copy: Taken): boolean {
  return before !== undefined && before.knownAt !== null && before.knownAt < copy.at;
}
