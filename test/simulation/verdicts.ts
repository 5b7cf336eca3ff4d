// What both oracles find in a run, and what of it is known.
import type { FaultKind } from './faults/kinds.ts';
import type { History, Logs, Verdict } from './model.ts';
import { OPEN, type OpenEntry } from './open.ts';
import { judge } from './oracle/judge.ts';
import { judgePeople } from './people/judge.ts';
import type { PeopleVerdict } from './people/verdict.ts';
import { REFERENCES } from './reference-rules.ts';

export interface Found {
  /** In the order of time. */
  readonly unknown: readonly (Verdict | PeopleVerdict)[];
  /** How many verdicts each entry of the open list covers. */
  readonly open: ReadonlyMap<OpenEntry, number>;
}

/** Who is told is judged only where nothing else is wrong: what was decided wrongly would be told rightly. */
export function verdictsOf(logs: Logs): Found {
  const open = new Map<OpenEntry, number>();
  const ofAlerts = judge(logs, REFERENCES).filter((verdict) => {
    const entry = OPEN.find((one) => one.oracle === 'alerts' && one.covers(verdict));
    return isUnknown(entry, open);
  });
  if (ofAlerts.length > 0) return { unknown: ofAlerts, open };
  const ofPeople = judgePeople(logs.people).filter((verdict) => {
    const entry = OPEN.find((one) => one.oracle === 'people' && one.covers(verdict));
    return isUnknown(entry, open);
  });
  return { unknown: ofPeople, open };
}

function isUnknown(entry: OpenEntry | undefined, open: Map<OpenEntry, number>): boolean {
  if (entry !== undefined) open.set(entry, (open.get(entry) ?? 0) + 1);
  return entry === undefined;
}

/** Entries that this history is there to meet, and did not. `under`: the kinds that it was drawn from; null: all. */
export function outdatedIn(
  { seed, days }: Pick<History, 'seed' | 'days'>,
  under: readonly FaultKind[] | null,
  open: Found['open'],
): OpenEntry[] {
  const kinds = String(under);
  return OPEN.filter(
    (entry) =>
      entry.met?.seed === seed && entry.met.days <= days && String(entry.met.under) === kinds && !open.has(entry),
  );
}
