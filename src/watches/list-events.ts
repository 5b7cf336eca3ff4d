import type { Fields, View } from '../core/fields.ts';
import type { Noted, Noticed } from '../core/kind.ts';
import type { ListState } from './list-state.ts';
import type { NewRows } from './seen.ts';

/** What a list notices: one event per row. What `while` looks at is the kind's own. */
export function eventsOf<F extends Fields>(
  list: NewRows<F>,
  note: (row: View<F>, standing: Noted['standing']) => Noted,
): Noticed<ListState> {
  const events = [
    ...(list.baseline ?? []).map((row) => note(row, 'baseline')),
    ...list.fresh.map((row) => note(row, 'fresh')),
    ...list.known.map((row) => note(row, 'known')),
  ];
  return {
    state: list.state,
    events,
    now: null,
    before: null,
    range: list.range,
    baseline: list.baseline?.length ?? null,
    notes: notesOf(list),
    needs: null,
  };
}

function notesOf<F extends Fields>({ nameless, silentUpTo }: NewRows<F>): string[] {
  return [
    ...(nameless === 0 ? [] : [`${nameless} rows without a usable hash or block were passed over`]),
    ...(silentUpTo === null ? [] : [`all that is listed is old, nothing is told up to block ${silentUpTo}`]),
  ];
}
