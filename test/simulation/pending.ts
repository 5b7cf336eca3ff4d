// Fault kinds and checks that runs leave out until they are asked for (`--all`). Each leaves with the change that mends
// the code under test, or the oracle.
import { FAULT_KINDS, type Check, type FaultKind, type Verdict } from './model.ts';

/** Kinds that are drawn only when they are asked for. */
export const PENDING_FAULTS: Readonly<Partial<Record<FaultKind, string>>> = {};

interface PendingCheck {
  readonly check: Check;
  readonly watch: string;
  readonly why: string;
}

const PENDING_CHECKS: readonly PendingCheck[] = [];

export const KINDS: readonly FaultKind[] = FAULT_KINDS.filter((kind) => PENDING_FAULTS[kind] === undefined);

export function isPending({ check, watch }: Verdict): boolean {
  return PENDING_CHECKS.some((pending) => pending.check === check && pending.watch === watch);
}
