// Which of the planned faults strikes now. A fault strikes from its moment on, until its time or its number is up.
import type { Instant, PlannedFault } from '../model.ts';
import type { FaultKind } from './kinds.ts';

export interface FaultField {
  /** The first one of these kinds that lasts at that moment; it is not used up. */
  readonly lasting: (kinds: ReadonlySet<FaultKind>, at: Instant) => PlannedFault | null;
  /** The same, of those that concern the path alone. */
  readonly lastingAt: (kinds: ReadonlySet<FaultKind>, at: Instant, path: string) => PlannedFault | null;
  /** The first one of these kinds that concerns the path, used up by one. */
  readonly strike: (kinds: ReadonlySet<FaultKind>, at: Instant, path: string | null) => PlannedFault | null;
}

export function createFaultField(planned: readonly PlannedFault[]): FaultField {
  const coming = planned.toSorted((a, b) => b.at - a.at);
  let present: { readonly fault: PlannedFault; left: number }[] = [];

  function moveTo(at: Instant): void {
    for (let next = coming.at(-1); next !== undefined && next.at <= at; next = coming.at(-1)) {
      coming.pop();
      present.push({ fault: next, left: next.times });
    }
    present = present.filter(({ fault }) => at < fault.at + fault.ms);
  }

  return {
    lasting(kinds, at) {
      moveTo(at);
      return present.find(({ fault }) => kinds.has(fault.kind))?.fault ?? null;
    },
    lastingAt(kinds, at, path) {
      moveTo(at);
      return present.find(({ fault }) => kinds.has(fault.kind) && fault.path === path)?.fault ?? null;
    },
    strike(kinds, at, path) {
      moveTo(at);
      const found = present.find(
        ({ fault, left }) => kinds.has(fault.kind) && left > 0 && (fault.path === null || fault.path === path),
      );
      if (found === undefined) return null;
      found.left -= 1;
      return found.fault;
    },
  };
}
