// The sentence of an `on: schedule` alert: the present values, one line for each.
import { quotable } from '../../lib/untrusted.ts';
import type { EvaluationContext, Segment } from '../model/watch/condition.ts';
import type { AnyKind } from '../model/watch/kind.ts';
import type { ScheduledReport } from '../model/watch/watch.ts';
import type { WordingContext, Sentence } from '../model/watch/wording.ts';
import { ownValue } from './values.ts';
import { showPath } from './words.ts';

export interface ReportOccasion extends WordingContext {
  readonly kind: AnyKind;
  readonly context: EvaluationContext;
  readonly report: ScheduledReport;
}

const MOST_TEXT = 120;

/** `report: treasury USDC 970,030`; with several values each has a line of its own. */
export function reportSentence(occasion: ReportOccasion): Sentence {
  const { kind, names, report, context } = occasion;
  const [first = ''] = report.values[0]?.template.reads ?? [];
  const measured = ownValue(occasion, first) ?? null;
  const title = measured === null ? kind.wording.thing(names) : `${kind.wording.value(occasion, first)} ${measured}`;
  const lines = report.values.map(({ name, template }): readonly Segment[] => [
    { text: `${showPath(name)}: ` },
    ...template.render(context, names.zone).map(shortened),
  ]);
  return { title: `report: ${title}`, detail: null, measured, lines };
}

function shortened(segment: Segment): Segment {
  return 'text' in segment ? segment : { untrusted: quotable(segment.untrusted, MOST_TEXT) };
}
