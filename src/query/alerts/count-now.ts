// What an alert counts now.
import { subjectOfCount } from '../../core/alerts/counts.ts';
import { namesOf } from '../../core/alerts/sentence.ts';
import { talliesAfter, totalsOf } from '../../core/alerts/tallies.ts';
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
  return {
    count,
    limit: fires.type === 'at-least' ? fires.count : null,
    of: sortOf(watch, rule, { group, count, at }),
    window_ms,
    newest: itemText(items.at(-1)),
    items: items.toReversed().map(itemOf),
  };
}

interface CountedGroup {
  readonly group: GroupState;
  readonly count: number;
  readonly at: Instant;
}

/** `failed vault calls`; of a part of all, the sort of all. */
function sortOf(watch: Watch, rule: CountAlert, { group, count, at }: CountedGroup): string {
  const { fields, wording } = watch.kind;
  const view = rule.fires.type === 'ratio' ? fields.make({}) : subjectOfCount(watch, rule, group, at).context.view;
  const { noun } = wording.items(namesOf(watch), view);
  return count === 1 ? noun : `${noun}s`;
}

function itemText(item: CountedItem | undefined): CountNow['newest'] {
  return item === undefined || item.place === '' ? [] : [{ text: item.place }];
}

function itemOf({ at, place, page }: CountedItem): CountNow['items'][number] {
  return { at: showInstant(at), place, page_url: page };
}
