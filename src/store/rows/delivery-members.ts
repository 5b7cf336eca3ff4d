// What a delivery speaks of, as it comes out of the storage.
import { MOST_LISTED, type Delivery } from '../../core/model/delivery.ts';
import type { Row } from './rows.ts';
import { memberOf, moreOf } from './delivery-rows.ts';
import { StorageError } from '../store.ts';

/**
 * The members that the message lists, from the first `MOST_LISTED` + 1 rows, and the others, counted. Where some cannot be
 * read, the others are told; throws a StorageError where none can.
 */
export function membersIn(
  id: string,
  listed: readonly Row[],
  rest: () => readonly Row[],
): Pick<Delivery, 'members' | 'more'> {
  const [members, failures] = partition(listed.slice(0, MOST_LISTED).map((row) => attempt(() => memberOf(row))));
  const [first, ...others] = members;
  if (first === undefined)
    throw failures[0] ?? new StorageError(`the stored delivery ${id} speaks of nothing that is kept`);
  return { members: [first, ...others], more: listed.length > MOST_LISTED ? rest().map(moreOf) : [] };
}

type Tried<T> = { readonly value: T } | { readonly error: StorageError };

function attempt<T>(work: () => T): Tried<T> {
  try {
    return { value: work() };
  } catch (error) {
    if (error instanceof StorageError) return { error };
    throw error;
  }
}

function partition<T>(all: readonly Tried<T>[]): [T[], StorageError[]] {
  return [
    all.flatMap((one) => ('value' in one ? [one.value] : [])),
    all.flatMap((one) => ('error' in one ? [one.error] : [])),
  ];
}
