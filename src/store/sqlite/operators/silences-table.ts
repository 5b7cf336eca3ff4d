// What operators have silenced and paused.
import type { DatabaseSync } from 'node:sqlite';
import type { Pause } from '../../../core/model/watch/pause.ts';
import type { Matcher, Silence } from '../../../dispatch/model.ts';
import type { Instant } from '../../../lib/clock.ts';
import type { Announceable } from '../../interventions.ts';
import { announceableOf, pauseOf, silenceOf } from '../../rows/operator-rows.ts';
import { readable } from '../../rows/rows.ts';

type Written = Omit<Silence, 'kind' | 'version'>;

/** The statements on `silences`. None of them opens a transaction. */
export interface SilencesTable {
  hasId(id: string): boolean;
  silence(silence: Written, at: Instant): Silence;
  /** Sets the end of one that is not over. */
  end(id: string, until: Instant, at: Instant): Silence | 'not-found' | 'is-over';
  /** A pause of the same name that is in force ends with it. */
  pause(pause: Pause, matchers: Matcher): void;
  /** Null: none of that name is in force. */
  endPause(watch: string, at: Instant): Pause | null;
  /** Those that are not over, or whose end nobody was told of. */
  announceable(at: Instant): Announceable[];
  announced(id: string, at: Instant): void;
  prune(endedBefore: Instant): void;
}

const COLUMNS = 'id, kind, name, matchers, starts_at, ends_at, until_resolved, actor, comment, version';

export function createSilencesTable(db: DatabaseSync): SilencesTable {
  const find = db.prepare(`SELECT ${COLUMNS} FROM silences WHERE id = ?`);
  const insert = db.prepare(`
    INSERT INTO silences (id, kind, name, matchers, starts_at, ends_at, until_resolved, actor, comment, announced_at)
    VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`);
  const pausesOf = db.prepare(`SELECT ${COLUMNS} FROM silences WHERE kind = 'pause' AND name = ? AND ends_at > ?`);
  const end = db.prepare('UPDATE silences SET ends_at = ?, announced_at = ?, version = version + 1 WHERE id = ?');
  const announceable = db.prepare(
    `SELECT ${COLUMNS}, announced_at FROM silences WHERE ends_at > ? OR announced_at < ends_at ORDER BY starts_at, id`,
  );
  const announced = db.prepare('UPDATE silences SET announced_at = ? WHERE id = ?');
  const prune = db.prepare('DELETE FROM silences WHERE ends_at < ?');

  function endPause(watch: string, at: Instant): Pause | null {
    const ended = readable(pausesOf.all(watch, at), pauseOf);
    for (const { id } of ended) end.run(at, at, id);
    const [pause] = ended;
    return pause === undefined ? null : { ...pause, until: at };
  }

  function add(kind: Silence['kind'], row: Written & { readonly name: string | null; readonly at: Instant }): void {
    const { name, at, id, matchers, from, until, untilResolved, actor, comment } = row;
    const text = JSON.stringify(matchers);
    insert.run(id, kind, name, text, from, until, untilResolved ? 1 : 0, actor, comment, at);
  }

  return {
    hasId: (id) => find.get(id) !== undefined,
    silence(silence, at) {
      add('silence', { ...silence, name: null, at });
      return { ...silence, kind: 'silence', version: 1 };
    },
    end(id, until, at) {
      const row = find.get(id);
      const [found] = row?.['kind'] === 'silence' ? readable([row], silenceOf) : [];
      if (found === undefined) return 'not-found';
      if (found.until <= at) return 'is-over';
      end.run(until, at, id);
      return { ...found, until, version: found.version + 1 };
    },
    pause(pause, matchers) {
      endPause(pause.watch, pause.from);
      add('pause', { ...pause, name: pause.watch, matchers, untilResolved: false, at: pause.from });
    },
    endPause,
    announceable: (at) => readable(announceable.all(at), announceableOf),
    announced(id, at) {
      announced.run(at, id);
    },
    prune(endedBefore) {
      prune.run(endedBefore);
    },
  };
}

/** For who reads every silence and pause. */
export const SILENCES = `SELECT ${COLUMNS} FROM silences ORDER BY starts_at, id`;

/**
 * Pauses that were asked for and are not forgotten yet, over or not. One that cannot be read is left out: its watch is
 * polled, which is the safe side.
 */
export function createPausesView(db: DatabaseSync): () => Pause[] {
  const all = db.prepare(`SELECT ${COLUMNS} FROM silences WHERE kind = 'pause' ORDER BY starts_at, id`);
  return () => readable(all.all(), pauseOf);
}

/** Silences and pauses that are not over. One that cannot be read is left out: what it would hold back is sent. */
export function createSilencesView(db: DatabaseSync): (at: Instant) => Silence[] {
  const lasting = db.prepare(`SELECT ${COLUMNS} FROM silences WHERE ends_at > ? ORDER BY starts_at, id`);
  return (at) => readable(lasting.all(at), silenceOf);
}
