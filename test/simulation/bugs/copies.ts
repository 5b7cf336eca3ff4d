// Copies of the sources with a bug in them, and programs that run there.
import { spawn } from 'node:child_process';
import { cpSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import type { Bug, Edit } from './bug.ts';
import { BUGS_OF_ALERTS } from './of-alerts.ts';
import { BUGS_OF_CONTRACTS } from './of-contracts.ts';
import { BUGS_OF_PEOPLE, RARE_BUGS_OF_PEOPLE } from './of-people.ts';
import { BUGS_OF_PLANS } from './of-plans.ts';
import { WIRE_BUGS } from './of-the-wire.ts';

const BUGS: ReadonlyMap<string, Bug> = new Map<string, Bug>(
  [BUGS_OF_ALERTS, BUGS_OF_CONTRACTS, BUGS_OF_PEOPLE, RARE_BUGS_OF_PEOPLE, BUGS_OF_PLANS, WIRE_BUGS].flatMap((some) =>
    Object.entries(some),
  ),
);

/** Of all bugs. */
export const BUG_NAMES: readonly string[] = [...BUGS.keys()];

const COPIED = ['src', 'test', 'package.json', 'tsconfig.json', 'jest.config.mjs'];

export interface Copy extends Disposable {
  readonly folder: string;
}

/** The sources with a bug in them. Throws where the place of the bug cannot be found. */
export function copyWith(name: string): Copy {
  return copyEdited(name, bugNamed(name).edits);
}

/** The sources with these edits. `name` is for messages. */
export function copyEdited(name: string, edits: readonly Edit[]): Copy {
  const folder = mkdtempSync(join(tmpdir(), 'chainwarden-bug-'));
  for (const path of COPIED) cpSync(path, join(folder, path), { recursive: true });
  symlinkSync(resolve('node_modules'), join(folder, 'node_modules'));
  for (const [file, text] of edited(name, edits)) writeFileSync(join(folder, file), text);
  return {
    folder,
    [Symbol.dispose]() {
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

/** The files that a bug changes, by their paths, as it leaves them. Throws where its place cannot be found. */
export function filesWith(name: string): ReadonlyMap<string, string> {
  return edited(name, bugNamed(name).edits);
}

/** The files that the edits change, by their paths, as they leave them. Throws where a place cannot be found. */
export function edited(name: string, edits: readonly Edit[]): ReadonlyMap<string, string> {
  const texts = new Map<string, string>();
  for (const edit of edits)
    texts.set(edit.file, patched(texts.get(edit.file) ?? readFileSync(edit.file, 'utf8'), name, edit));
  return texts;
}

function bugNamed(name: string): Bug {
  const bug = BUGS.get(name);
  if (bug === undefined) throw new Error(`no bug "${name}": there are ${BUG_NAMES.join(', ')}`);
  return bug;
}

function patched(text: string, name: string, { file, find, replace }: Edit): string {
  const places = text.split(find).length - 1;
  if (places !== 1)
    throw new Error(
      `the bug "${name}" finds its place ${places} times in ${file}: mend it where its edits are written`,
    );
  return text.replace(find, () => replace);
}

export interface Ended {
  readonly code: number;
  readonly out: string;
}

// A simulation makes much that does not live long: with less room than this a tenth of its time goes to collecting it.
const FLAGS = ['--no-warnings', '--max-semi-space-size=64'];

/** Runs a program of this Node in a folder. */
export function runIn(folder: string, args: readonly string[]): Promise<Ended> {
  const child = spawn(process.execPath, [...FLAGS, ...args], { cwd: folder, stdio: ['ignore', 'pipe', 'pipe'] });
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
