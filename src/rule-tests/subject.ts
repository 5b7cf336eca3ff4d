import { REPORT_ALERT } from '../core/reports/model.ts';
import type { RuleTest } from './model.ts';

export interface TestSubject {
  readonly type: 'watch' | 'report';
  /** `coins[treasury]` */
  readonly name: string;
  readonly rule: string;
  /** `rules/treasury.yaml:17` */
  readonly source: string;
  /** The ids of its alerts. */
  readonly alerts: readonly string[];
}

/** The watch or the report that a test is about. */
export function subjectOf(test: RuleTest): TestSubject {
  if ('report' in test) {
    const { id, source } = test.report;
    return { type: 'report', name: id, rule: id, source, alerts: [REPORT_ALERT] };
  }
  const { name, rule, source, alerts } = test.watch;
  return { type: 'watch', name, rule, source, alerts: alerts.map(({ id }) => id) };
}
