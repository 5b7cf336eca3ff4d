// The file beside the token of this machine that holds the anchor of the journal.
import { readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { parseAnchor, showAnchor, type JournalAnchor } from '../../core/journal/chain.ts';
import type { KeptAnchor } from '../../engine/upkeep/kept-anchor.ts';

/** `anchorFileOf('/data/state.db') // '/data/state.db.anchor'` */
export function anchorFileOf(stateFile: string): string {
  return `${stateFile}.anchor`;
}

export function createAnchorFile(stateFile: string): KeptAnchor {
  const file = anchorFileOf(stateFile);
  return {
    read: () => readAnchor(file),
    write(anchor) {
      // Under a name of its own first: a crash leaves the former one.
      rmSync(`${file}.new`, { force: true });
      writeFileSync(`${file}.new`, anchor === null ? '' : `${showAnchor(anchor)}\n`, { flag: 'wx', mode: 0o600 });
      renameSync(`${file}.new`, file);
    },
  };
}

/** Null: there is no file, or nothing in it. Throws where it cannot be read. */
export function readAnchor(file: string): JournalAnchor | null {
  try {
    return parseAnchor(readFileSync(file, 'utf8'));
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return null;
    throw error;
  }
}
