// A report: one message on a schedule about the values of several watches. It sends no requests: it reads the memories
// of its watches.
import type { AlertId, Labels, Severity, WatchId } from '../model/ids.ts';
import type { WindowSpan } from '../model/watch/condition.ts';
import { showCron } from '../model/watch/schedule.ts';
import type { Schedule, Watch } from '../model/watch/watch.ts';

export interface Report {
  readonly id: string;
  /** Its state and its messages are stored under this id. */
  readonly watchId: WatchId;
  /** `rules/treasury.yaml:40` */
  readonly source: string;
  readonly schedule: Extract<Schedule, { type: 'cron' }>;
  readonly members: readonly Watch[];
  readonly values: readonly ReportValue[];
  /** The field that is added up; null if nothing is added up. */
  readonly total: string | null;
  readonly severity: Severity;
  readonly labels: Labels;
  readonly notify: readonly string[];
  /** The explorers of its members: `ethereum`, `base, ethereum`. */
  readonly explorer: string;
  /** The zone of the times in its messages. */
  readonly zone: string;
}

/** `change`: the relative change of the total, or of the kind's measure, in the last `ms` milliseconds. */
export type ReportValue =
  | { readonly type: 'field'; readonly path: string }
  | { readonly type: 'change'; readonly name: string; readonly ms: number };

/** The interval of the check for due reports. If several times of a report are within it, only one is sent. */
export const REPORT_LOOK_MS = 10_000;

export const REPORT_KIND = 'report';
/** The alert of every report. */
export const REPORT_ALERT: AlertId = 'report';

/** Ids of the watches of rules have more parts. */
export function reportWatchId(id: string): WatchId {
  return `${REPORT_KIND}/${id}`;
}

/** The parts of a report that decide its content, its times and its recipients. */
export function outlineOfReport({ schedule, members, ...report }: Report) {
  return { ...report, cron: showCron(schedule), members: members.map(({ id }) => id), source: null };
}

/** The time for a value of which a report reads only the present one: it needs no history. */
const NOW_MS = 1;

/** The samples that a watch keeps for a report. */
export function spansOf({ values, total }: Pick<Report, 'values' | 'total'>, { kind }: Watch): readonly WindowSpan[] {
  const measured = kind.while?.measured ?? null;
  const changes = values.flatMap((value) => (value.type === 'change' ? value.ms : []));
  const fields = values.flatMap((value) => (value.type === 'field' ? value.path : []));
  const now = [...fields, total, measured].flatMap((path) => (path === null ? [] : { path, ms: NOW_MS }));
  const path = total ?? measured;
  return [...now, ...(path === null ? [] : changes.map((ms) => ({ path, ms })))];
}
