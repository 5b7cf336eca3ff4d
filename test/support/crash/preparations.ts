// What lies in the state file of a daemon that is about to be killed.
import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { systemClock } from '../../../src/lib/clock.ts';
import { openSqliteStore } from '../../../src/store/sqlite/open.ts';
import { backupState } from '../../../src/store/open.ts';
import type { Store } from '../../../src/store/contract/store.ts';
import { damagePages } from '../../store/damage.ts';
import type { Scene } from './scene.ts';
import { fenceOf } from '../store/fences.ts';
import { operate } from '../store/operate.ts';

const DAY_MS = 86_400_000;

async function into({ stateFile }: Scene, write: (store: Store, now: number) => Promise<unknown>): Promise<void> {
  await using store = await openSqliteStore({ file: stateFile });
  await write(store, systemClock.now());
}

/** Lines of the journal that are to be dropped behind a checkpoint. */
export function oldJournal(scene: Scene): Promise<void> {
  return into(scene, async (store, now) => {
    const fence = fenceOf(store, 'service:test');
    const line = { at: now - 100 * DAY_MS, kind: 'config', subject: 'daemon', actor: 'daemon', data: null } as const;
    await store.record([line, line]);
    while (await store.chainJournal(500, fence));
  });
}

let silences = 0;

/** Silences that ended while no daemon ran, of which people are to be told. */
export function endedSilences(scene: Scene): Promise<void> {
  return into(scene, async (store, now) => {
    for (let n = 0; n < 2; n += 1) {
      silences += 1;
      const comment = `quiet-${silences};`;
      scene.owe(comment, ['ops']);
      const span = { from: now - 60_000, until: now - 1000, untilResolved: false };
      await operate(
        store,
        { type: 'silence', matchers: { watch: 'spare-*' }, ...span, comment },
        { key: comment.replace(';', ''), asked: comment, actor: 'alice' },
        { at: now - 60_000 },
      );
    }
  });
}

/** A backup of what there was when nothing was owed, and damage in the middle of the file. */
export async function damage({ stateFile: file }: Scene): Promise<void> {
  const directory = join(dirname(file), 'backups');
  if (!existsSync(directory))
    await backupState({ file, maxBytes: Infinity, backup: { directory, keep: 3 } }, systemClock.now());
  damagePages(file);
}
