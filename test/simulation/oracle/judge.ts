// The oracle: a pure function from what happened to what was wrong with it.
import type { Logs, References, Verdict } from '../model.ts';
import { judgeConditions } from './conditions.ts';
import { judgeDeliveries } from './deliveries.ts';
import { judgeEvents } from './events.ts';
import { evidenceOf } from './evidence.ts';
import { judgeGaps } from './gaps.ts';
import { judgePeople } from './people.ts';
import { judgeReorganisations } from './reorganisations.ts';
import { judgeRetractions } from './retractions.ts';
import { judgeSpending } from './spending.ts';
import { judgeChanges, judgeHoldings } from './values.ts';

const JUDGES = [
  judgeEvents,
  judgeRetractions,
  judgeConditions,
  judgeChanges,
  judgeHoldings,
  judgeReorganisations,
  judgeGaps,
  judgeDeliveries,
  judgePeople,
  judgeSpending,
];

/** In the order of time. */
export function judge(logs: Logs, references: References): Verdict[] {
  const evidence = evidenceOf(logs, references);
  return JUDGES.flatMap((of) => of(evidence)).toSorted((a, b) => a.at - b.at);
}
