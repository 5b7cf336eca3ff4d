// What a daemon leaves behind whose state is lost, so that the next one does not begin in silence.
import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';

/** Beside the file; where its directory is gone too, beside that. */
function markersOf(file: string): readonly string[] {
  return [`${file}.lost`, `${dirname(file)}.lost`];
}

/** Never throws: it is the last thing that is tried. */
export function leaveMarker(file: string, text: string): void {
  for (const marker of markersOf(file)) {
    try {
      // First without anything in it, which a full disk takes as well.
      writeFileSync(marker, '', { mode: 0o600, flag: 'wx' });
      writeFileSync(marker, `${text}\n`);
      return;
    } catch {
      // The next place.
    }
  }
}

/** What the marker says, and takes it away; null where there is none. */
export function takeMarker(file: string): string | null {
  let said: string | null = null;
  for (const marker of markersOf(file)) {
    try {
      said ??= readFileSync(marker, 'utf8').trim();
      rmSync(marker);
    } catch {
      // There is none, which is as it should be.
    }
  }
  return said;
}
