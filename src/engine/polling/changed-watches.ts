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
  /** Notes that any watch may have changed. */
  noteAll(): void;
  /** The changes since the mark of an earlier call; 0: there was no earlier call. */
  readonly since: (mark: number) => ChangesSince;
}

/** At least this many changes are kept. Reading all watches costs no more than reading more changes than that. */
const MOST = 2000;

export function createChangedWatches(): ChangedWatches {
  let ids: WatchId[] = [];
  /** The mark of the first entry of `ids`. */
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
