// The present counts of an alert.
import { mostNeeded } from '../../core/alerts/counts.ts';
import { namesOf } from '../../core/alerts/sentence.ts';
import { talliesAfter, totalsOf } from '../../core/alerts/tallies.ts';
import { itemWords } from '../../core/wording/count-sentence.ts';
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
    of: itemWords({ kind: watch.kind, names: namesOf(watch), alert: rule }, isLeast ? 2 : count),
    window_ms,
    newest: itemText(items.at(-1)),
    items: items.toReversed().map(itemOf),
  };
}

function itemText(item: CountedItem | undefined): CountNow['newest'] {
  return item === undefined || item.place === '' ? [] : [{ text: item.place }];
}

function itemOf({ at, place, page }: CountedItem): CountNow['items'][number] {
  return { at: showInstant(at), place, page_url: page };
}
