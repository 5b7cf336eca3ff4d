// The scam tokens that accounts received: they are counted, and not listed.
import type { Memory } from '../../core/model/memory.ts';
import type { Watch } from '../../core/model/watch/watch.ts';
import { subjectOf } from '../alerts/cards.ts';
import type { AccountList, AccountRow } from '../shapes/accounts.ts';
import type { WatchFacts } from './watch-facts.ts';

/** Scam tokens of these accounts, for accounts whose tokens are watched. */
export function scamsAt(facts: readonly WatchFacts[], accounts: readonly AccountRow[]): AccountList['scams'] {
  const shown = new Set(accounts.map(({ of }) => `${of.explorer} ${of.address}`));
  return facts.flatMap(({ watch, memory }) => {
    if (watch.kind.scams === undefined || memory === null) return [];
    const of = subjectOf(watch);
    if (of === null || !shown.has(`${of.explorer} ${of.address}`)) return [];
    const count = scamsIn(watch, memory);
    return count === 0 ? [] : [{ of, watch: watch.name, count }];
  });
}

function scamsIn({ kind }: Watch, memory: Memory): number {
  const state = kind.state.safeParse(memory.state);
  return state.success ? (kind.scams?.(state.data) ?? 0) : 0;
}
