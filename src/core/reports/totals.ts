// The sum of a report, and its changes. A change contains only members that were known both at its start and at its
// end.
import { distinctBalances } from '../model/distinct-balances.ts';
import { Amount } from '../values/amount.ts';
import type { Report } from './model.ts';
import type { MemberReading } from './reading.ts';

/** `part`: the change divided by the former value; null if the former value was 0 and the present one is not. */
export interface PartChange {
  readonly part: Amount | null;
}

/** `change`: undefined if no member is known at both ends. */
export interface TotalChange {
  readonly name: string;
  readonly ms: number;
  readonly change: PartChange | undefined;
  /** Members that are known now, and were not known at the start of the change. */
  readonly without: readonly MemberReading[];
}

export interface ReportTotals {
  /** Each balance once. */
  readonly members: readonly MemberReading[];
  /** Members whose balance is counted through another one. */
  readonly copies: readonly (readonly [copy: MemberReading, counted: MemberReading])[];
  readonly known: readonly MemberReading[];
  /** Undefined if nothing is added up, or if no value is known. */
  readonly sum: Amount | undefined;
  readonly changes: readonly TotalChange[];
}

export function totalsOf({ total, values }: Report, all: readonly MemberReading[]): ReportTotals {
  const best = new Map(distinctBalances(all).map((one) => [one.key, one]));
  const members = all.filter((one) => best.get(one.key) === one);
  const known = members.filter(({ amount }) => amount !== undefined);
  return {
    members,
    copies: all.flatMap((one) => {
      const counted = best.get(one.key);
      return counted === undefined || counted === one ? [] : [[one, counted] as const];
    }),
    known,
    sum: total === null ? undefined : sumOf(known.flatMap(({ amount }) => amount ?? [])),
    changes:
      total === null
        ? []
        : values.flatMap((value) =>
            value.type === 'change' ? { name: value.name, ms: value.ms, ...changeOf(known, value.ms) } : [],
          ),
  };
}

function changeOf(known: readonly MemberReading[], ms: number): Pick<TotalChange, 'change' | 'without'> {
  const ends = known.flatMap((one) => {
    const changed = one.changed(ms);
    return changed === undefined ? [] : { one, ...changed };
  });
  const both = new Set(ends.map(({ one }) => one));
  const [now, then] = [sumOf(ends.map((end) => end.now)), sumOf(ends.map((end) => end.then))];
  return { change: changeBetween(now, then), without: known.filter((one) => !both.has(one)) };
}

/** Undefined: one of them is unknown. */
export function changeBetween(now: Amount | undefined, then: Amount | undefined): PartChange | undefined {
  if (now === undefined || then === undefined) return undefined;
  const delta = now.minus(then);
  if (delta.digits === 0n) return { part: ZERO };
  return { part: then.digits === 0n ? null : delta.dividedBy(then) };
}

function sumOf(amounts: readonly Amount[]): Amount | undefined {
  return amounts.length === 0 ? undefined : amounts.reduce((sum, one) => sum.plus(one), ZERO);
}

const ZERO = new Amount(0n, 0);
