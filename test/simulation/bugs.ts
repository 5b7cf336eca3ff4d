// Bugs that are put into a copy of the sources on purpose, one at a time. A simulation that does not notice one has a
// hole.
import { spawn } from 'node:child_process';
import { cpSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import type { Check } from './model.ts';

export interface Bug {
  readonly file: string;
  /** Stands in the file once. */
  readonly find: string;
  readonly replace: string;
  /** What the oracle must call it. */
  readonly caughtAs: readonly Check[];
}

export const BUGS: Readonly<Record<string, Bug>> = {
  'bare high-water mark': {
    file: 'src/watches/list-state.ts',
    find: `  return key === undefined || isFromBefore(known, position) || known.blockByKey.has(key);`,
    replace: `  const highest = Math.max(known.floor, ...known.blockByKey.values());
  return key === undefined || isFromBefore({ ...known, floor: highest }, position) || known.blockByKey.has(key);`,
    caughtAs: ['lost'],
  },
  'resolve on error': {
    file: 'src/core/alerts/condition-state.ts',
    find: `  const output = compare(truths, before);
  if (output === 'unknown')`,
    replace: `  const compared = compare(truths, before);
  const output = compared === 'unknown' ? false : compared;
  if (compared === 'unknown' && time.at < 0)`,
    caughtAs: ['falsely-resolved'],
  },
  '`until` while pending': {
    file: 'src/core/alerts/condition-state.ts',
    find: ` || state === 'pending') return false;`,
    replace: `) return false;`,
    caughtAs: ['invented'],
  },
};

const COPIED = ['src', 'test', 'package.json', 'tsconfig.json', 'jest.config.mjs'];

export interface Copy extends Disposable {
  readonly folder: string;
}

/** The sources with a bug in them. Throws where the place of the bug cannot be found. */
export function copyWith(name: string): Copy {
  const bug = bugNamed(name);
  const folder = mkdtempSync(join(tmpdir(), 'chainwarden-bug-'));
  for (const path of COPIED) cpSync(path, join(folder, path), { recursive: true });
  symlinkSync(resolve('node_modules'), join(folder, 'node_modules'));
  const file = join(folder, bug.file);
  writeFileSync(file, patched(readFileSync(file, 'utf8'), name, bug));
  return {
    folder,
    [Symbol.dispose]() {
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

export function bugNamed(name: string): Bug {
  const bug = Object.hasOwn(BUGS, name) ? BUGS[name] : undefined;
  if (bug === undefined) throw new Error(`no bug "${name}": there are ${Object.keys(BUGS).join(', ')}`);
  return bug;
}

export function patched(text: string, name: string, { file, find, replace }: Bug): string {
  const places = text.split(find).length - 1;
  if (places !== 1)
    throw new Error(`the bug "${name}" finds its place ${places} times in ${file}: mend it in test/simulation/bugs.ts`);
  return text.replace(find, () => replace);
}

export interface Ended {
  readonly code: number;
  readonly out: string;
}

/** Runs a program of this Node in a folder. */
export function runIn(folder: string, args: readonly string[]): Promise<Ended> {
  const child = spawn(process.execPath, ['--no-warnings', ...args], { cwd: folder, stdio: ['ignore', 'pipe', 'pipe'] });
  const out: string[] = [];
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding('utf8').on('data', (text: string) => out.push(text));
  return new Promise((done, failed) => {
    child.once('error', failed);
    child.once('close', (code) => {
      done({ code: code ?? 1, out: out.join('') });
    });
  });
}
