// A marker that a daemon leaves when its state is lost, so that the next one reports the loss.
import { rmSync } from 'node:fs';
import { dirname } from 'node:path';
import { readRegularFile, writeRegularFile } from '../../../lib/files/regular-file.ts';

/** Beside the file, and beside its directory in case that is gone too. */
function markersOf(file: string): readonly string[] {
  return [`${file}.lost`, `${dirname(file)}.lost`];
}

/** Never throws: it is the last thing that is tried. */
export function leaveMarker(file: string, text: string): void {
  // First without anything in it, which a full disk takes as well.
  const left = markersOf(file).find((marker) => isWritten(marker, ''));
  if (left !== undefined) isWritten(left, `${text}\n`);
}

function isWritten(file: string, text: string): boolean {
  try {
    writeRegularFile(file, text);
    return true;
  } catch {
    return false;
  }
}

const LARGEST = 64 * 1024;

/** Reads and removes the marker; null: there is none. */
export function takeMarker(file: string): string | null {
  let said: string | null = null;
  for (const marker of markersOf(file)) {
    try {
      said ??=
        readRegularFile(marker, { maxBytes: LARGEST }).trim() || `${file} was deleted or replaced while the daemon ran`;
      rmSync(marker);
    } catch {
      // No marker is the normal case.
    }
  }
  return said;
}
