// The instance of the built-in watch for the daily report. Its memory holds the sums since the last report.
import type { Segment } from '../../core/model/watch/condition.ts';
import { NOTHING_DETECTED, type DetectedEvent } from '../../core/model/detection.ts';
import { BUILT_IN, BUILT_IN_RULE, type WatchId } from '../../core/model/ids.ts';
import type { Watch } from '../../core/model/watch/watch.ts';
import { RecordType } from '../../core/values/record-type.ts';
import { builtInKind, builtInWatch, says } from './built-in.ts';
import { DayTally } from './day-tally.ts';
import { inOneStep } from '../../lib/steps.ts';

export const REPORT_WATCH: WatchId = `${BUILT_IN_RULE}/daily-report`;

export interface ReportSight {
  readonly tally: DayTally;
  /** A report that is due; null: none yet. */
  readonly report: { readonly title: string; readonly text: readonly Segment[] } | null;
}

const NoFields = new RecordType('NoFields', {});

const reportKind = builtInKind<DayTally, ReportSight | null>({
  fields: NoFields,
  events: { due: { doc: 'the report of a day is due', inBlocks: false } },
  while: null,
  state: DayTally,
  shown: [],
  nothing: null,
  detect(_target, state, seen) {
    if (seen === null) return inOneStep({ ...NOTHING_DETECTED, state });
    const { tally, report } = seen;
    return inOneStep({ ...NOTHING_DETECTED, state: tally, events: report === null ? [] : [dueEvent(tally.day)] });
  },
});

/** The key is the day, so each recipient gets one message a day. */
function dueEvent(day: string): DetectedEvent {
  const item = { key: day, view: NoFields.make({}), happenedAt: null, block: 'nowhere', slot: null } as const;
  return { on: 'due', ...item, novelty: 'new', before: null, changed: [] };
}

export function reportWatch(
  { report }: Pick<ReportSight, 'report'>,
  { notify, zone }: { readonly notify: readonly string[]; readonly zone: string },
  intervalMs: number,
): Watch {
  return builtInWatch({
    id: REPORT_WATCH,
    kind: reportKind,
    explorer: null,
    intervalMs,
    zone,
    alert: {
      type: 'event',
      id: 'daily-report',
      severity: 'info',
      labels: {},
      notify,
      title: report === null ? null : says([{ text: report.title }]),
      text: report === null ? null : says(report.text),
      runbook: null,
      source: BUILT_IN,
      on: 'due',
      if: null,
      confirmations: 0,
      provisional: false,
      report: null,
    },
  });
}
