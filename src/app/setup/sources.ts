// The files that a load read (config, rules and secrets), each with its state at that time, to compare with the present
// state. Polling detects every change of a file, however it is made. Watching directories would miss a replaced
// directory or link (as Kubernetes updates a ConfigMap), secrets in other directories, and changes on a network file
// system.
import { statSync, type BigIntStats } from 'node:fs';
import { glob, stat } from 'node:fs/promises';
import type { ReadFile } from '../../config/model.ts';
import { listFiles, type ListFiles } from '../../rules/read.ts';

export interface Sources {
  readonly readFile: ReadFile;
  readonly listFiles: ListFiles;
  /** Starts a load: files of earlier loads no longer count. */
  begin(): void;
  /** The state of the files that the last load read, as a text to compare. */
  loaded(): string;
  /**
   * The present state of the same files. If this text equals that of `loaded`, a load would read the same content.
   * Never rejects.
   */
  current(): Promise<string>;
}

export function createSources(readFile: ReadFile): Sources {
  const stateByPath = new Map<string, string>();
  const listByPattern = new Map<
    string,
    { readonly pattern: string; readonly directory: string; readonly found: string }
  >();

  return {
    readFile(path, bounds) {
      // The state is taken before reading, so that a change in between is found at the next check.
      stateByPath.set(path, stateOf(path));
      return readFile(path, bounds);
    },
    listFiles(pattern, directory) {
      const found = listFiles(pattern, directory);
      listByPattern.set(`${directory}\n${pattern}`, { pattern, directory, found: shown(found) });
      return found;
    },
    begin() {
      stateByPath.clear();
      listByPattern.clear();
    },
    loaded: () => [...[...listByPattern.values()].map(({ found }) => found), ...stateByPath.values()].join('\n'),
    async current() {
      const states: string[] = [];
      // The files are checked one after the other, since a hanging network file system must not block all threads of
      // the pool.
      for (const { pattern, directory } of [...listByPattern.values()])
        states.push(await listedNow(pattern, directory));
      for (const path of [...stateByPath.keys()]) states.push(await stateNow(path));
      return states.join('\n');
    },
  };
}

function stateOf(path: string): string {
  try {
    return describe(statSync(path, { bigint: true }));
  } catch (error) {
    return codeOf(error);
  }
}

async function stateNow(path: string): Promise<string> {
  try {
    return describe(await stat(path, { bigint: true }));
  } catch (error) {
    return codeOf(error);
  }
}

async function listedNow(pattern: string, directory: string): Promise<string> {
  try {
    return shown(await Array.fromAsync(glob(pattern, { cwd: directory })));
  } catch (error) {
    return codeOf(error);
  }
}

function shown(paths: readonly string[]): string {
  return JSON.stringify(paths.toSorted());
}

/** The state of the file itself, behind all links. */
function describe({ dev, ino, size, mtimeNs, ctimeNs }: BigIntStats): string {
  return [dev, ino, size, mtimeNs, ctimeNs].join(' ');
}

function codeOf(error: unknown): string {
  return error instanceof Error && 'code' in error ? String(error.code) : 'unreadable';
}
