import { realpathSync } from 'node:fs';
import { isAbsolute, relative, sep } from 'node:path';

/** Whether the path lies below the directory, by its real path: neither `..` nor a link leads out. */
export function isInside(directory: string, path: string): boolean {
  try {
    return isBelow(directory, realpathSync(path));
  } catch {
    return true; // The file cannot be read either, so the later read reports the error.
  }
}

/** Like `isInside`, for a path that is a real path already. Throws the error of the system about the directory. */
export function isBelow(directory: string, realPath: string): boolean {
  const way = relative(realpathSync(directory), realPath);
  return way !== '' && way !== '..' && !way.startsWith(`..${sep}`) && !isAbsolute(way);
}
