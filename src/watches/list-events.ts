import type { Fields, View } from '../core/values/fields.ts';
import type { DetectedEvent, Detection } from '../core/model/detection.ts';
import { mapInSteps, type Steps } from '../lib/steps.ts';
import type { EventSpec } from '../core/model/watch/kind.ts';
import type { ListState } from './list-state.ts';
import type { NewRows } from './lists/detection.ts';

/** The event of every list that grows at its head. */
export const NEW_ROW: EventSpec = { doc: 'an item that was not there before', inBlocks: true };

/** Makes one event of each row. The kind sets `now`, which `while` needs. */
export function* eventsOf<F extends Fields>(
  list: NewRows<F>,
  toEvent: (row: View<F>, novelty: DetectedEvent['novelty']) => DetectedEvent,
): Steps<Detection<ListState>> {
  const events = [
    ...(yield* mapInSteps(list.baseline ?? [], (row) => toEvent(row, 'baseline'))),
    ...(yield* mapInSteps(list.fresh, (row) => toEvent(row, 'new'))),
    ...(yield* mapInSteps(list.changed, ({ row, paths }) => ({ ...toEvent(row, 'changed'), changed: paths }))),
    ...(yield* mapInSteps(list.known, (row) => toEvent(row, 'known'))),
  ];
  return {
    state: list.state,
    events,
    now: null,
    before: null,
    range: list.range,
    baseline: list.baseline?.length ?? null,
    notes: notesOf(list),
    needs: list.needs,
    doubt: list.doubt,
    askAgainMs: list.askAgainMs,
    dropped: [],
  };
}

function notesOf<F extends Fields>({ nameless, silentUpTo }: NewRows<F>): string[] {
  return [
    ...(nameless === 0 ? [] : [`${nameless} rows without a usable hash or block were passed over`]),
    ...(silentUpTo === null ? [] : [`all listed items are old, no message is sent up to block ${silentUpTo}`]),
  ];
}
