// The present counts of an alert.
import { mostNeeded } from '../../core/alerts/count-window.ts';
import { subjectOfCountNow } from '../../core/alerts/counts.ts';
import { namesOf } from '../../core/alerts/sentence.ts';
import { talliesAfter, totalsOf } from '../../core/alerts/tallies.ts';
import { IN_A_ROW, itemWords } from '../../core/wording/count-sentence.ts';
import type { CountedItem, GroupState } from '../../core/model/memory.ts';
import type { CountAlert, Watch } from '../../core/model/watch/watch.ts';
import { showInstant, type Instant } from '../../lib/clock.ts';
import type { CountNow } from '../shapes/common.ts';

export function countNow(watch: Watch, rule: CountAlert, group: GroupState, at: Instant): CountNow {
  const { fires } = rule;
  const { count, isLeast, items } = countedNow(watch, rule, group, at);
  const how = fires.type === 'in-a-row' ? IN_A_ROW : '';
  return {
    count,
    is_least: isLeast,
    limit: fires.type === 'at-least' || fires.type === 'in-a-row' ? fires.count : null,
    of: itemWords({ kind: watch.kind, names: namesOf(watch), alert: rule }, isLeast ? 2 : count, how),
    window_ms: windowOf(fires),
    newest: itemText(items.at(0)),
    items: items.map(itemOf),
  };
}

/** Null: the alert counts however long it takes. */
function windowOf(fires: CountAlert['fires']): number | null {
  if (fires.type === 'in-a-row') return null;
  return fires.type === 'none-for' ? fires.ms : fires.withinMs;
}

/** `items`: the newest first. */
function countedNow(
  watch: Watch,
  rule: CountAlert,
  group: GroupState,
  at: Instant,
): { readonly count: number; readonly isLeast: boolean; readonly items: readonly CountedItem[] } {
  const { fires } = rule;
  if (fires.type === 'in-a-row') {
    const { count, isLeast, items } = subjectOfCountNow(watch, rule, group, at).counted;
    return { count: count ?? 0, isLeast, items };
  }
  const { matches, tallies } = group;
  const items = group.items.toReversed();
  const from = at - (windowOf(fires) ?? 0);
  if (fires.type === 'sum' || fires.type === 'ratio')
    return { count: totalsOf(talliesAfter(tallies, from), at).items, isLeast: false, items };
  const count = matches.filter((one) => one > from && one <= at).length;
  return { count, isLeast: count >= mostNeeded(rule), items };
}

function itemText(item: CountedItem | undefined): CountNow['newest'] {
  return item === undefined || item.place === '' ? [] : [{ text: item.place }];
}

function itemOf({ at, place, page }: CountedItem): CountNow['items'][number] {
  return { at: showInstant(at), place, page_url: page };
}
