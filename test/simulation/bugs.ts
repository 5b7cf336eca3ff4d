// Bugs that are put into a copy of the sources on purpose, one at a time. A simulation that does not notice one has a
// hole.
import { spawn } from 'node:child_process';
import { cpSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import type { FaultKind } from './faults/kinds.ts';
import type { Check } from './model.ts';
import type { PeopleCheck } from './people/verdict.ts';

export interface Edit {
  readonly file: string;
  /** Stands in the file once. */
  readonly find: string;
  readonly replace: string;
}

export interface Bug {
  readonly edits: readonly Edit[];
}

/** Noticed by the oracle. */
export interface SimulatedBug extends Bug {
  /** What the oracle must call it. */
  readonly caughtAs: readonly (Check | PeopleCheck)[];
  /** The faults under which it shows, where those are rare among all others; left out: every kind. */
  readonly under?: readonly FaultKind[];
}

/** Of the connection itself, which the simulation replaces. */
export interface WireBug extends Bug {
  readonly tests: string;
  /** The name of the test that must fail. */
  readonly caughtBy: string;
}

export const BUGS: Readonly<Record<string, SimulatedBug>> = {
  'bare high-water mark': {
    edits: [
      {
        file: 'src/watches/list-state.ts',
        find: `  return key === undefined || isFromBefore(known, position) || known.blockByKey.has(key);`,
        replace: `  const highest = Math.max(known.floor, ...known.blockByKey.values());
  return key === undefined || isFromBefore({ ...known, floor: highest }, position) || known.blockByKey.has(key);`,
      },
    ],
    caughtAs: ['lost'],
  },
  'resolve on error': {
    edits: [
      {
        file: 'src/core/alerts/conditions/condition-state.ts',
        find: `  const output = compare(truths, before);
  if (output === 'unknown')`,
        replace: `  const compared = compare(truths, before);
  const output = compared === 'unknown' ? false : compared;
  if (compared === 'unknown' && time.at < 0)`,
      },
    ],
    caughtAs: ['falsely-resolved'],
  },
  // The version stays that of the store: else the next commit is superseded, and the memory read again.
  'cursor before commit': {
    edits: [
      {
        file: 'src/engine/polling/poller.ts',
        find: `    await recovery.commit(decided);`,
        replace: `    held.replace(watch, { ...decided.decision.memory, version: decided.decision.expects });
    await recovery.commit(decided);`,
      },
    ],
    caughtAs: ['lost'],
    under: ['commit-refused'],
  },
  'empty on error': {
    edits: [
      {
        file: 'src/watches/newest-first-list.ts',
        find: `  const page = await read.page(question, null);`,
        replace: `  const page = await read.page(question, null).catch(() => ({ rows: [], next: null, content: {} }));`,
      },
      {
        file: 'src/explorer/reading/paging.ts',
        find: `await Promise.resolve(asked).catch((error: unknown) => missedPage(error, at));`,
        replace: `await Promise.resolve(asked).catch(() => ({ rows: [], next: null }));`,
      },
      // Three empty readings are asked for: most errors are over by then.
      {
        file: 'src/watches/lists/emptied.ts',
        find: `const READINGS_NEEDED = 3;`,
        replace: `const READINGS_NEEDED = 1;`,
      },
    ],
    caughtAs: ['invented', 'wrongly-retracted'],
    under: ['server-error', 'unavailable', 'truncated'],
  },
  'no sweep': {
    edits: [
      {
        file: 'src/watches/lists/sweep.ts',
        find: `  return open === null && hour !== now;`,
        replace: `  return false;`,
      },
    ],
    caughtAs: ['lost'],
  },
  'a gap ignored': {
    edits: [
      {
        file: 'src/watches/lists/older-rows.ts',
        find: `  return gaps.filter(({ to }) => to > floor);`,
        replace: `  return [];`,
      },
      {
        file: 'src/watches/lists/coverage.ts',
        find: `[...gaps.map((gap) => unreadOf(gap, floor)), ...beyondLookBack(state)]`,
        replace: `beyondLookBack(state)`,
      },
    ],
    caughtAs: ['unnamed-gap'],
  },
  'a max_pages gap dropped': {
    edits: [
      {
        file: 'src/watches/lists/detection.ts',
        find: `  if (stopped === null) return gaps;`,
        replace: `  if (stopped === null || stopped.why.endsWith('pages read')) return gaps;`,
      },
    ],
    caughtAs: ['unnamed-gap'],
  },
  'floor 0 at an empty baseline': {
    edits: [
      {
        file: 'src/watches/lists/detection.ts',
        find: `  const floor = isPlaced ? highest : typeof chain === 'object' ? chain.head : 0;`,
        replace: `  const floor = isPlaced ? highest : 0;`,
      },
    ],
    caughtAs: ['invented'],
  },
  'absence above the head believed': {
    edits: [
      {
        file: 'src/core/alerts/events/event-sighting.ts',
        find: `  if (to !== null && block <= to)`,
        replace: `  if (to !== null)`,
      },
    ],
    caughtAs: ['wrongly-retracted'],
  },
  'superseded not healed': {
    edits: [
      {
        file: 'src/engine/polling/commit-recovery.ts',
        find: `        if (end !== 'superseded') return;`,
        replace: `        if (end !== 'superseded' || decisions > 0) return;`,
      },
    ],
    caughtAs: ['lost'],
    under: ['commit-superseded'],
  },
  'windows drop ties': {
    edits: [
      {
        file: 'src/core/windows/stored-window.ts',
        find: `  if (runs.at(-1)?.value.equals(run.value) === true) runs.pop();`,
        replace: `  if (runs.at(-1)?.value.equals(run.value) === true) return;`,
      },
    ],
    caughtAs: ['invented', 'lost'],
  },
  '`until` while pending': {
    edits: [
      {
        file: 'src/core/alerts/conditions/condition-state.ts',
        find: ` || state === 'pending') return false;`,
        replace: `) return false;`,
      },
    ],
    caughtAs: ['invented'],
  },
  'told again after an hour': {
    edits: [
      {
        file: 'src/dispatch/group.ts',
        find: `const REPEAT_MS = 4 * 3_600_000;`,
        replace: `const REPEAT_MS = 3_600_000;`,
      },
    ],
    caughtAs: ['repeat-wrong'],
  },
  'later ones sent before earlier ones': {
    edits: [
      {
        file: 'src/store/tables/deliveries/deliveries.ts',
        find: 'AND ${RULE_HAS_ROOM} AND ${FIRST_OF_ITS_ALERT}`;',
        replace: 'AND ${RULE_HAS_ROOM}`;',
      },
    ],
    caughtAs: ['stale', 'invented'],
    under: ['sink-5xx', 'sink-4xx', 'slow-sink'],
  },
  'an untold member left out of a summary': {
    edits: [
      {
        file: 'src/dispatch/summaries.ts',
        find: `  const lines = counted.flatMap(({ one }) => one.next.lines);`,
        replace: `  const lines = counted.slice(0, Math.max(1, counted.length - 1)).flatMap(({ one }) => one.next.lines);`,
      },
    ],
    caughtAs: ['summary-wrong', 'unsent'],
  },
  'a repeat to an acknowledged target': {
    edits: [
      {
        file: 'src/dispatch/policy/holds.ts',
        find: `    holdOfAck(context, member) ??
    unpolled`,
        replace: `    unpolled`,
      },
    ],
    caughtAs: ['repeat-wrong', 'against-a-hold'],
  },
  'an end to who was never sent the begin': {
    edits: [
      {
        file: 'src/dispatch/owed.ts',
        find: `    owed.dropped ??= 'not-told';
    return;
  }
  // What is owed`,
        replace: `    owed.items.push({ ...one, from: one.seq, as: 'news', isEnd: true });
    return;
  }
  // What is owed`,
      },
      {
        file: 'src/dispatch/owing.ts',
        find: `  return begun !== null && (isEnd(transition)`,
        replace: `  return (begun !== null || isEnd(transition)) && (isEnd(transition)`,
      },
    ],
    caughtAs: ['invented'],
  },
  'a failover that skips events': {
    edits: [
      {
        file: 'src/dispatch/rounds/call-round.ts',
        find: `    ...called.failover.flatMap(`,
        replace: `    ...(alert.isEvent ? [] : called.failover).flatMap(`,
      },
    ],
    caughtAs: ['step-wrong', 'unsent'],
  },
};

const WIRE_TESTS = 'test/explorer/http/failures.test.ts';

export const WIRE_BUGS: Readonly<Record<string, WireBug>> = {
  'redirects followed': {
    edits: [
      {
        file: 'src/explorer/http/exchange.ts',
        find: `    hasAnswer = true;
`,
        replace: `    hasAnswer = true;
    if (answer.headers.location !== undefined) {
      resolve(exchange({ ...options, url: new URL(answer.headers.location, url) }));
      return;
    }
`,
      },
    ],
    tests: WIRE_TESTS,
    caughtBy: 'a redirect is named, not followed',
  },
  'timer cleared at the headers': {
    edits: [
      {
        file: 'src/explorer/http/exchange.ts',
        find: `    hasAnswer = true;
`,
        replace: `    hasAnswer = true;
    cancelDeadline();
`,
      },
    ],
    tests: WIRE_TESTS,
    caughtBy: 'a body that drips is cut off by the one deadline, and its connection closed',
  },
};

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

function edited(name: string, edits: readonly Edit[]): ReadonlyMap<string, string> {
  const texts = new Map<string, string>();
  for (const edit of edits)
    texts.set(edit.file, patched(texts.get(edit.file) ?? readFileSync(edit.file, 'utf8'), name, edit));
  return texts;
}

function bugNamed(name: string): Bug {
  const bug = new Map<string, Bug>([...Object.entries(BUGS), ...Object.entries(WIRE_BUGS)]).get(name);
  if (bug === undefined) throw new Error(`no bug "${name}": there are ${Object.keys(BUGS).join(', ')}`);
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
