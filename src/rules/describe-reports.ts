// The lines of `check` for reports.
import { showCron } from '../core/model/watch/schedule.ts';
import { REPORT_ALERT, type Report } from '../core/reports/model.ts';
import type { Route } from '../dispatch/model.ts';
import { routingOf } from '../dispatch/policy/match.ts';
import { inColumns } from '../lib/columns.ts';
import { targetsText } from './describe-targets.ts';

/** `weekly  report of 3 watches  cron 0 8 * * 1 Europe/Berlin  asks nothing  0 requests, 0 credits a day` */
export function describeReports(reports: readonly Report[]): readonly string[] {
  return inColumns(
    reports.map(({ id, members, schedule }) => [
      id,
      `report of ${members.length} ${members.length === 1 ? 'watch' : 'watches'}`,
      `cron ${showCron(schedule)}`,
      'asks nothing',
      '0 requests, 0 credits a day',
    ]),
  );
}

/** `weekly/report  info  notifies ops` */
export function describeReportTargets(reports: readonly Report[], routes: readonly Route[]): readonly string[] {
  return inColumns(
    reports.map(({ id, severity, labels, notify }) => [
      `${id}/${REPORT_ALERT}`,
      severity,
      targetsText({ severity }, routingOf(routes, notify, labels)),
    ]),
  );
}
