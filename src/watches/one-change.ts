import type { AnyView } from '../core/fields.ts';
import type { Noticed } from '../core/kind.ts';
import type { Instant } from '../core/model.ts';
import type { Tracking } from '../core/tracked.ts';
import { firstCount, type Values } from './values.ts';

/** What a kind that looks at one thing notices: at most one change a poll, and the thing as it is now. */
export function oneChange(
  state: Values | null,
  { after, changed }: Tracking,
  { now, at }: { readonly now: AnyView; readonly at: Instant },
): Noticed<Values> {
  const before = state?.values ?? null;
  const changes = (state?.changes ?? firstCount(at)) + (changed.length > 0 ? 1 : 0);
  const standing = changed.length > 0 ? 'fresh' : 'known';
  const item = { key: `#${changes}`, view: now, happenedAt: null, block: 'nowhere' } as const;
  const event = { on: 'changed', ...item, standing, before, changed } as const;
  return {
    state: state !== null && after === state.values ? state : { values: after, changes },
    events: state === null ? [] : [event],
    now,
    before,
    range: null,
    baseline: state === null ? 1 : null,
    notes: [],
    needs: null,
  };
}
