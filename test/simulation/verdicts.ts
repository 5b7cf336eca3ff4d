// What both oracles find in a run, and what of it is known.
import type { FaultKind } from './faults/kinds.ts';
import type { History, Logs, References, Verdict, Watched } from './model.ts';
import type { OpenEntry } from './open/entry.ts';
import { OF_ALERTS, OF_PEOPLE, OPEN } from './open/list.ts';
import { judge } from './oracle/judge.ts';
import { judgePeople } from './people/judge.ts';
import type { PeopleVerdict } from './people/verdict.ts';
import { CONTRACT_REFERENCES } from './contract-references.ts';
import { REFERENCES } from './reference-rules.ts';

const REFERENCES_OF: Readonly<Record<Watched, References>> = { accounts: REFERENCES, contracts: CONTRACT_REFERENCES };

export interface Found {
  /** In the order of time. */
  readonly unknown: readonly (Verdict | PeopleVerdict)[];
  /** How many verdicts each entry of the open list covers. */
  readonly open: ReadonlyMap<OpenEntry, number>;
}

/** Who is told is judged only where nothing else is wrong: what was decided wrongly would be told rightly. */
export function verdictsOf(logs: Logs): Found {
  const ofAlerts = foundOfAlerts(logs);
  if (ofAlerts.unknown.length > 0) return ofAlerts;
  const { unknown, open } = foundOfPeople(logs);
  return { unknown, open: new Map([...ofAlerts.open, ...open]) };
}

/** By the oracle for alerts alone. */
export function foundOfAlerts(logs: Logs): Found {
  return sorted(judge(logs, REFERENCES_OF[logs.watched]), OF_ALERTS);
}

/** By the oracle for people alone. */
export function foundOfPeople({ people }: Logs): Found {
  return sorted(judgePeople(people), OF_PEOPLE);
}

type Covering<V> = OpenEntry & { readonly covers: (verdict: V) => boolean };

function sorted<V extends Verdict | PeopleVerdict>(verdicts: readonly V[], entries: readonly Covering<V>[]): Found {
  const open = new Map<OpenEntry, number>();
  const unknown = verdicts.filter((verdict) => {
    const entry = entries.find((one) => one.covers(verdict));
    if (entry !== undefined) open.set(entry, (open.get(entry) ?? 0) + 1);
    return entry === undefined;
  });
  return { unknown, open };
}

/** Entries that this history is there to meet, and did not. `under`: the kinds that it was drawn from; null: all. */
export function outdatedIn(
  { seed, days }: Pick<History, 'seed' | 'days'>,
  under: readonly FaultKind[] | null,
  open: Found['open'],
): OpenEntry[] {
  const kinds = String(under);
  return OPEN.filter(({ met }) => met?.seed === seed && met.days <= days && String(met.under ?? null) === kinds).filter(
    (entry) => !open.has(entry),
  );
}
