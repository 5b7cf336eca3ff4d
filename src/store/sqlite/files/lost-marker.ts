// A marker that a daemon leaves when its state is lost, so that the next one reports the loss.
import { rmSync } from 'node:fs';
import { dirname } from 'node:path';
import { readRegularFile, writeRegularFile } from '../../../lib/files/regular-file.ts';

/** One marker is beside the file, and one beside its directory, in case the directory was deleted too. */
function markersOf(file: string): readonly string[] {
  return [`${file}.lost`, `${dirname(file)}.lost`];
}

/** Never throws, since the caller reports another error already. */
export function leaveMarker(file: string, text: string): void {
  // An empty file comes first, since it can be made on a full disk as well.
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
