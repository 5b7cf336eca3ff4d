// Silences and pauses of operators: present, future and past ones.
import type { Silence } from '../../dispatch/model.ts';
import { showInstant, type Instant } from '../../lib/clock.ts';
import type { SilenceLists, SilenceRow } from '../shapes/operators.ts';
import type { QueryContext } from '../view.ts';

const MOST_ENDED = 100;

/** Active silences, the next to end first; past ones, the last ended first. Rejects with a `StorageError`. */
export async function silences({ store, now }: QueryContext): Promise<SilenceLists> {
  const held = await store.heldBySilence();
  const all = (await store.silences()).toSorted((a, b) => a.until - b.until);
  const isOver = ({ until }: Silence): boolean => until <= now;
  return {
    active: all.filter((one) => !isOver(one)).map((one) => rowOf(one, now, held)),
    ended: all
      .filter(isOver)
      .toReversed()
      .slice(0, MOST_ENDED)
      .map((one) => rowOf(one, now, held)),
  };
}

/** Null: there is none. Rejects with a `StorageError`. */
export async function silence({ store, now }: QueryContext, id: string): Promise<SilenceRow | null> {
  const found = (await store.silences()).find((one) => one.id === id);
  return found === undefined ? null : rowOf(found, now, await store.heldBySilence());
}

function rowOf(silence: Silence, now: Instant, held: ReadonlyMap<string, number>): SilenceRow {
  const { id, kind, matchers, from, until, untilResolved, actor, comment } = silence;
  const state = until <= now ? 'ended' : from > now ? 'scheduled' : 'active';
  return {
    id,
    kind,
    state,
    matchers: Object.fromEntries(
      Object.entries(matchers).map(([label, patterns]) => [
        label,
        typeof patterns === 'string' ? patterns : [...patterns],
      ]),
    ),
    from: showInstant(from),
    until: showInstant(until),
    until_resolved: untilResolved,
    actor,
    comment,
    held: state === 'ended' || kind === 'pause' ? null : (held.get(id) ?? 0),
  };
}
