// Log of changed watches. A reader of ten thousand watches reads only those that changed since its mark.
import type { WatchId } from '../../core/model/ids.ts';

export interface ChangesSince {
  /** The argument of the next call. */
  readonly mark: number;
  /** Null: any watch may have changed. */
  readonly ids: readonly WatchId[] | null;
}

export interface ChangedWatches {
  note(id: WatchId): void;
  /** Any watch may have changed. */
  noteAll(): void;
  /** Since the mark of an earlier answer; 0: since ever. */
  readonly since: (mark: number) => ChangesSince;
}

/** More are not kept: looking at all costs no more then. */
const MOST = 2000;

export function createChangedWatches(): ChangedWatches {
  let ids: WatchId[] = [];
  /** The mark of the first of them. */
  let first = 1;
  return {
    note(id) {
      ids.push(id);
      if (ids.length < 2 * MOST) return;
      first += MOST;
      ids = ids.slice(MOST);
    },
    noteAll() {
      first += ids.length + 1;
      ids = [];
    },
    since: (mark) => ({ mark: first + ids.length, ids: mark < first ? null : ids.slice(mark - first) }),
  };
}
