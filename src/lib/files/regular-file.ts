// Reads and writes files that people name. Only regular files are allowed: a FIFO blocks the process, and a device has
// no end.
import {
  closeSync,
  constants,
  fstatSync,
  ftruncateSync,
  openSync,
  readSync,
  realpathSync,
  statSync,
  writeFileSync,
  type Stats,
} from 'node:fs';
import { platform } from 'node:process';

/**
 * Thrown for a path that must not be read or written. The text names the reason: `it is a FIFO, and only regular files
 * are read`.
 */
export class FileRefused extends Error {
  override readonly name = 'FileRefused';
}

const KIB = 1024;

export interface ReadBounds {
  readonly maxBytes: number;
  /** Returns the reason why a file must not be read, given its real path behind all links; null if it may be read. */
  readonly refusal?: ((realPath: string) => string | null) | undefined;
}

/** The text of a regular file. Throws a `FileRefused`, or the error of the system. */
export function readRegularFile(path: string, { maxBytes, refusal }: ReadBounds): string {
  // The file is checked after it was opened, so that nobody can exchange it in between.
  const fd = refusal === undefined ? openSync(path, TO_READ) : openChecked(path, refusal);
  try {
    const stats = fstatSync(fd);
    if (!stats.isFile()) throw new FileRefused(`it is ${nameOf(stats)}, and only regular files are read`);
    const bytes = readAtMost(fd, maxBytes + 1);
    if (bytes.length > maxBytes) throw new FileRefused(`it is larger than ${showSize(maxBytes)}`);
    return bytes.toString('utf8');
  } finally {
    closeSync(fd);
  }
}

const TO_READ = constants.O_RDONLY | constants.O_NONBLOCK;
const MOST_TRIES = 3;

/**
 * Opens exactly the file that `refusal` has checked. If the path leads to another file by then, as when an update
 * replaces a link, the new file is checked, `MOST_TRIES` times at most.
 */
function openChecked(path: string, refusal: NonNullable<ReadBounds['refusal']>): number {
  for (let tries = 0; tries < MOST_TRIES; tries += 1) {
    const real = realpathSync(path);
    const why = refusal(real);
    if (why !== null) throw new FileRefused(why);
    const fd = openIfSame(path, real);
    if (fd !== null) return fd;
  }
  throw new FileRefused('it was replaced while it was read');
}

/** Null if `path` no longer leads to the file `real`. */
function openIfSame(path: string, real: string): number | null {
  let fd: number;
  try {
    fd = openSync(real, TO_READ | constants.O_NOFOLLOW);
  } catch (error) {
    if (realpathSync(path) === real) throw error;
    return null;
  }
  const { dev, ino } = fstatSync(fd);
  const now = statSync(path, { throwIfNoEntry: false });
  if (realpathSync(path) === real && now?.dev === dev && now.ino === ino) return fd;
  closeSync(fd);
  return null;
}

const TO_WRITE = constants.O_WRONLY | constants.O_CREAT | constants.O_NONBLOCK | constants.O_NOFOLLOW;

/**
 * Writes a regular file, or replaces its content. Throws a `FileRefused` if the path is a link, or the error of the
 * system.
 */
export function writeRegularFile(path: string, text: string): void {
  const fd = openToWrite(path);
  try {
    const stats = fstatSync(fd);
    if (!stats.isFile()) throw new FileRefused(`it is ${nameOf(stats)}, and only regular files are written`);
    ftruncateSync(fd);
    writeFileSync(fd, text);
  } finally {
    closeSync(fd);
  }
}

function openToWrite(path: string): number {
  try {
    return openSync(path, TO_WRITE, 0o666);
  } catch (error) {
    const code = typeof error === 'object' && error !== null && 'code' in error ? String(error.code) : '';
    const why = UNWRITABLE[code];
    throw why === undefined ? error : new FileRefused(why, { cause: error });
  }
}

const UNWRITABLE: Readonly<Record<string, string>> = {
  ELOOP: 'it is a link, and links are not followed',
  EISDIR: 'it is a directory, and only regular files are written',
  ENXIO: 'it is a FIFO, a socket or a device, and only regular files are written',
};

/** True if the file's rights let every user of the machine read it. False if the rights cannot be read. */
export function isReadableByAll(path: string): boolean {
  // On Windows, Node makes up the rights, so they prove nothing.
  if (platform === 'win32') return false;
  const stats = statSync(path, { throwIfNoEntry: false });
  return stats !== undefined && (stats.mode & constants.S_IROTH) !== 0;
}

function nameOf(stats: Stats): string {
  if (stats.isDirectory()) return 'a directory';
  if (stats.isFIFO()) return 'a FIFO';
  return stats.isSocket() ? 'a socket' : 'a device';
}

const PIECE = 64 * KIB;

/** The file is read in pieces, since the reported size may be 0, as below /proc, or may change during reading. */
function readAtMost(fd: number, most: number): Buffer {
  const pieces: Buffer[] = [];
  for (let left = most; left > 0;) {
    const piece = Buffer.allocUnsafe(Math.min(PIECE, left));
    const read = readSync(fd, piece);
    if (read === 0) break;
    pieces.push(piece.subarray(0, read));
    left -= read;
  }
  return Buffer.concat(pieces);
}

function showSize(bytes: number): string {
  return bytes < KIB * KIB ? `${bytes / KIB} KiB` : `${bytes / (KIB * KIB)} MiB`;
}
