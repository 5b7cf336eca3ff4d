import { realpathSync } from 'node:fs';
import { isAbsolute, relative, sep } from 'node:path';

/** Whether the path lies below the directory, by its real path: neither `..` nor a link leads out. */
export function isInside(directory: string, path: string): boolean {
  try {
    const way = relative(realpathSync(directory), realpathSync(path));
    return way !== '' && way !== '..' && !way.startsWith(`..${sep}`) && !isAbsolute(way);
  } catch {
    return true; // It cannot be read either, which the reader says.
  }
}
