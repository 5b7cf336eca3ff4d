// What the state file says of the daemon itself, by name: its owner, how often it changed hands, what it
// runs, and how often operators changed who is told.
import type { DatabaseSync } from 'node:sqlite';
import type { Json } from '../../core/values/fields.ts';

type Name = 'owner' | 'epoch' | 'running' | 'troubles' | 'probe' | 'policy' | 'links';

export interface Facts {
  /** Null when nothing was written under that name. */
  read(name: Name): string | null;
  /** The same as JSON; null too when it is none. */
  json(name: Name): Json;
  write(name: Name, value: string): void;
}

export function createFacts(db: DatabaseSync): Facts {
  const get = db.prepare('SELECT value FROM facts WHERE name = ?');
  const read = (name: Name): string | null => {
    const value = get.get(name)?.['value'];
    return typeof value === 'string' ? value : null;
  };
  return {
    read,
    json(name) {
      try {
        return JSON.parse(read(name) ?? 'null') as Json;
      } catch {
        return null;
      }
    },
    write(name, value) {
      db.prepare('INSERT OR REPLACE INTO facts (name, value) VALUES (?, ?)').run(name, value);
    },
  };
}
