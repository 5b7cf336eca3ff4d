// What a daemon leaves behind whose state is lost, so that the next one does not begin in silence.
import { rmSync } from 'node:fs';
import { dirname } from 'node:path';
import { readRegularFile, writeRegularFile } from '../../../lib/files/regular-file.ts';

/** Beside the file; where its directory is gone too, beside that. */
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

/** What the marker says, and takes it away; null where there is none. */
export function takeMarker(file: string): string | null {
  let said: string | null = null;
  for (const marker of markersOf(file)) {
    try {
      said ??=
        readRegularFile(marker, { maxBytes: LARGEST }).trim() || `${file} was deleted or replaced while the daemon ran`;
      rmSync(marker);
    } catch {
      // There is none, which is as it should be.
    }
  }
  return said;
}
