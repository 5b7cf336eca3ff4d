// The oracle: a pure function from what happened to what was wrong with it.
import type { Logs, References, Verdict } from '../model.ts';
import { judgeBlindness } from './blindness.ts';
import { judgeCode } from './code.ts';
import { judgeConditions } from './conditions.ts';
import { judgeCounts } from './counts.ts';
import { judgeDepartures } from './departures.ts';
import { judgeEvents } from './events.ts';
import { evidenceOf } from './evidence.ts';
import { judgeGaps } from './gaps.ts';
import { judgeReads } from './reads.ts';
import { judgeReorganisations } from './reorganisations.ts';
import { judgeReports } from './reports.ts';
import { judgeRetractions } from './retractions.ts';
import { judgeRows } from './rows.ts';
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
  judgeDepartures,
  judgeReports,
  judgeCounts,
  judgeBlindness,
  judgeCode,
  judgeRows,
  judgeReads,
  judgeSpending,
];

/** In the order of time. */
export function judge(logs: Logs, references: References): Verdict[] {
  const evidence = evidenceOf(logs, references);
  return JUDGES.flatMap((of) => of(evidence)).toSorted((a, b) => a.at - b.at);
}
