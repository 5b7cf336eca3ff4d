// The present counts of an alert.
import { mostNeeded, subjectOfCount } from '../../core/alerts/counts.ts';
import { namesOf } from '../../core/alerts/sentence.ts';
import { talliesAfter, totalsOf } from '../../core/alerts/tallies.ts';
import { sortWords } from '../../core/wording/count-sentence.ts';
import type { CountedItem, GroupState } from '../../core/model/memory.ts';
import type { CountAlert, Watch } from '../../core/model/watch/watch.ts';
import { showInstant, type Instant } from '../../lib/clock.ts';
import type { CountNow } from '../shapes/common.ts';

export function countNow(watch: Watch, rule: CountAlert, group: GroupState, at: Instant): CountNow {
  const { fires } = rule;
  const { matches, tallies, items } = group;
  const window_ms = fires.type === 'none-for' ? fires.ms : fires.withinMs;
  const isSummed = fires.type === 'sum' || fires.type === 'ratio';
  const count = isSummed
    ? totalsOf(talliesAfter(tallies, at - window_ms), at).items
    : matches.filter((one) => one > at - window_ms && one <= at).length;
  const isLeast = !isSummed && count >= mostNeeded(rule);
  return {
    count,
    is_least: isLeast,
    limit: fires.type === 'at-least' ? fires.count : null,
    of: sortOf(watch, rule, { group, count, isLeast, at }),
    window_ms,
    newest: itemText(items.at(-1)),
    items: items.toReversed().map(itemOf),
  };
}

interface CountedGroup {
  readonly group: GroupState;
  readonly count: number;
  readonly isLeast: boolean;
  readonly at: Instant;
}

/** The words for the counted items, such as `failed vault calls`. */
function sortOf(watch: Watch, rule: CountAlert, { group, count, isLeast, at }: CountedGroup): string {
  const { view } = subjectOfCount(watch, rule, group, at).context;
  const { noun } = sortWords({ kind: watch.kind, names: namesOf(watch), view, alert: rule });
  return count === 1 && !isLeast ? noun : `${noun}s`;
}

function itemText(item: CountedItem | undefined): CountNow['newest'] {
  return item === undefined || item.place === '' ? [] : [{ text: item.place }];
}

function itemOf({ at, place, page }: CountedItem): CountNow['items'][number] {
  return { at: showInstant(at), place, page_url: page };
}
