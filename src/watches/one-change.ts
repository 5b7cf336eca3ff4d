import type { AnyView } from '../core/values/fields.ts';
import type { Detection } from '../core/model/detection.ts';
import type { EventSpec } from '../core/model/watch/kind.ts';
import type { Instant } from '../lib/clock.ts';
import type { Tracking } from '../core/values/encoded.ts';
import { firstCount, type Values } from './values.ts';

export const CHANGED: EventSpec = {
  doc: 'a field that `if` reads, or that is compared by default, has another value than before',
  inBlocks: false,
};

/** Detection of a kind with a single item: at most one change per poll, and its present values. */
export function oneChange(
  state: Values | null,
  { after, changed }: Tracking,
  { now, at }: { readonly now: AnyView; readonly at: Instant },
): Detection<Values> {
  const before = state?.values ?? null;
  const changes = (state?.changes ?? firstCount(at)) + (changed.length > 0 ? 1 : 0);
  const novelty = changed.length > 0 ? 'new' : 'known';
  const item = { key: `#${changes}`, view: now, happenedAt: null, block: 'nowhere', slot: null } as const;
  const event = { on: 'changed', ...item, novelty, before, changed } as const;
  return {
    state: state !== null && after === state.values ? state : { values: after, changes },
    events: state === null ? [] : [event],
    now,
    before,
    range: null,
    baseline: state === null ? 1 : null,
    notes: [],
    needs: null,
    doubt: null,
    askAgainMs: null,
    dropped: [],
  };
}
