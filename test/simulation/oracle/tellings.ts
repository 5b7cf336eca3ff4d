// What each recipient was told of each alert, in the order in which it was owed.
import type { Logs, Owed, Taken, Telling } from '../model.ts';

/** A line of a message, when it was first taken over. */
export interface Told {
  readonly message: Taken;
  /** Among all that were taken over: several may be at one instant. */
  readonly place: number;
  readonly as: Telling['as'];
}

/** Something that was owed about an alert to one recipient. */
export interface Item {
  readonly owed: Owed;
  /** As news, or as what is over already; by the messages in which it was. */
  readonly told: readonly Told[];
  /** It was still to be told at the end. */
  readonly isWaiting: boolean;
}

/** From a begin to its end, or to the end of the history. */
export interface Episode {
  readonly begin: Item;
  /** What else happened between them. */
  readonly updates: readonly Item[];
  readonly end: Item | null;
}

/** One alert and one recipient. */
export interface Thread {
  readonly recipient: string;
  readonly items: readonly Item[];
  readonly episodes: readonly Episode[];
  /** Told again, as still so; each message once. */
  readonly repeats: readonly (Told & { readonly of: Item })[];
}

export function threadsOf({ owed, taken, stillOwed }: Logs): Thread[] {
  const toldById = toldByOwed(taken);
  const toldOf = ({ id, recipient }: Owed): readonly Told[] =>
    (toldById.get(id) ?? []).filter(({ message }) => message.recipient === recipient);
  const threads = Map.groupBy(owed, ({ recipient, key }) => `${recipient} ${key}`);
  return [...threads.values()].map((all) => {
    const items = all.map((one): Item => {
      const told = toldOf(one).filter(({ as }) => as !== 'repeat');
      return { owed: one, told, isWaiting: stillOwed.has(one.id) };
    });
    const repeats = items.flatMap((of) =>
      toldOf(of.owed).flatMap((told) => (told.as === 'repeat' ? [{ ...told, of }] : [])),
    );
    return { recipient: all[0]?.recipient ?? '', items, episodes: episodesOf(items), repeats };
  });
}

/** By the id of what was owed. */
function toldByOwed(taken: readonly Taken[]): Map<string, Told[]> {
  const told = new Map<string, Told[]>();
  const seen = new Set<string>();
  for (const [place, message] of taken.entries()) {
    if (seen.has(message.id)) continue;
    seen.add(message.id);
    for (const { owed, as } of message.tells) {
      const lines = told.get(owed);
      if (lines === undefined) told.set(owed, [{ message, place, as }]);
      else lines.push({ message, place, as });
    }
  }
  return told;
}

const BEGINS: ReadonlySet<string> = new Set(['alert.event', 'alert.firing', 'alert.reinstated']);
const ENDS: ReadonlySet<string> = new Set(['alert.resolved', 'alert.retracted']);

/** An end without a begin, and a correction of what is over, belong to none. */
function episodesOf(items: readonly Item[]): Episode[] {
  const episodes: { begin: Item; updates: Item[]; end: Item | null }[] = [];
  for (const item of items) {
    const last = episodes.at(-1);
    const open = last?.end === null ? last : undefined;
    const { type } = item.owed;
    if (ENDS.has(type)) {
      if (open !== undefined) open.end = item;
    } else if (open !== undefined) open.updates.push(item);
    else if (BEGINS.has(type)) episodes.push({ begin: item, updates: [], end: null });
  }
  return episodes;
}

export function isTold({ told }: Item): boolean {
  return told.length > 0;
}
