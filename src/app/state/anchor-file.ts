// The file with the anchor of the journal. It is beside the state file, like the token of this machine.
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
      // The anchor is written to a second file first, so that a crash leaves the previous one.
      rmSync(`${file}.new`, { force: true });
      writeFileSync(`${file}.new`, anchor === null ? '' : `${showAnchor(anchor)}\n`, { flag: 'wx', mode: 0o600 });
      renameSync(`${file}.new`, file);
    },
  };
}

/** Null if there is no file, or if it is empty. Throws if it cannot be read. */
export function readAnchor(file: string): JournalAnchor | null {
  try {
    return parseAnchor(readFileSync(file, 'utf8'));
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return null;
    throw error;
  }
}
