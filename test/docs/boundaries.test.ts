// Who may import whom. The offending line is shown.
import { expect, test } from '@jest/globals';
import { importsOf, parse, parseSources, type Import } from '../support/syntax.ts';

/**
 * Rooms by what they may import; `type` stands for rooms of which only types may be named. A room that is not imported any
 * more leaves the table.
 */
const MAY: Readonly<Record<string, { readonly all: readonly string[]; readonly type?: readonly string[] }>> = {
  lib: { all: [] },
  core: { all: ['lib'] },
  telemetry: { all: ['core', 'lib'], type: ['cluster'] },
  dispatch: { all: ['core', 'lib'] },
  explorer: { all: ['core', 'lib'], type: ['telemetry'] },
  store: { all: ['core', 'lib'], type: ['dispatch', 'telemetry'] },
  cluster: { all: ['core', 'lib'], type: ['store', 'telemetry'] },
  notifiers: { all: ['core', 'lib'], type: ['dispatch'] },
  sandbox: { all: ['lib'] },
  watches: { all: ['core', 'lib', 'explorer'] },
  config: { all: ['core', 'lib', 'notifiers'], type: ['dispatch'] },
  rules: { all: ['core', 'lib', 'config', 'dispatch'], type: ['notifiers'] },
  'rule-tests': { all: ['config', 'core', 'dispatch', 'engine', 'explorer', 'lib', 'notifiers', 'rules', 'watches'] },
  explain: { all: ['config', 'core', 'dispatch', 'lib', 'rules'], type: ['store'] },
  plan: { all: ['config', 'core', 'dispatch', 'lib', 'rules'], type: ['store'] },
  engine: { all: ['core', 'dispatch', 'lib'], type: ['cluster', 'store', 'notifiers', 'explorer', 'telemetry'] },
  operators: { all: ['config', 'core', 'dispatch', 'lib', 'rules', 'store'] },
  query: {
    all: ['config', 'core', 'dispatch', 'explain', 'lib', 'operators', 'rules'],
    type: ['cluster', 'engine', 'store'],
  },
  recording: { all: ['core', 'lib', 'store'], type: ['engine', 'telemetry'] },
  replay: { all: ['core', 'engine', 'explorer', 'lib', 'recording'], type: ['telemetry'] },
  web: { all: ['lib', 'operators', 'query'], type: ['telemetry'] },
  app: {
    all: [
      'cluster',
      'config',
      'core',
      'dispatch',
      'engine',
      'explorer',
      'lib',
      'notifiers',
      'operators',
      'plan',
      'query',
      'rules',
      'sandbox',
      'store',
      'watches',
      'web',
    ],
    type: ['recording', 'telemetry'],
  },
  cli: {
    all: [
      'app',
      'config',
      'core',
      'dispatch',
      'explain',
      'lib',
      'notifiers',
      'operators',
      'plan',
      'query',
      'recording',
      'replay',
      'rules',
      'sandbox',
      'store',
      'telemetry',
      'rule-tests',
      'watches',
      'web',
    ],
  },
};

test('the parts of a daemon are named in its composition root alone: other rooms take the members that they call', () => {
  const offending = roomImports.filter(
    ({ from, room, path }) => room === 'app' && path === 'parts.ts' && from !== 'app',
  );
  expect(offending.map(({ shown }) => shown)).toEqual([]);
});

/** What watches may know of the explorer: requests as data and what rows say, never the client. */
const REQUESTS_AS_DATA = ['operations', 'reading/head', 'reading/resources', 'reading/paging'];

interface RoomImport {
  /** `src/rules/load.ts: import { x } from '../core/y.ts';` */
  readonly shown: string;
  readonly from: string;
  readonly room: string;
  /** Of the imported file, from its room. */
  readonly path: string;
  readonly isType: boolean;
}

const imports = [...parseSources()].flatMap(([file, source]) => importsOf(file, source));
const roomImports = imports.flatMap(roomImportOf);

/** Files that lie in no room, such as `src/main.ts`, may import what they like. */
function roomImportOf({ file, target, text, isType }: Import): RoomImport[] {
  const [, from = '', inRoom] = file.split('/');
  const [, room = '', ...path] = target?.split('/') ?? [];
  if (inRoom === undefined || path.length === 0) return [];
  return [{ shown: `${file}: ${text}`, from, room, path: path.join('/'), isType }];
}

/** Imports that the table does not allow, and all of a room that is not in it. */
function offendingIn(found: readonly RoomImport[]): string[] {
  const offending = found.filter(({ from, room, isType }) => {
    const may = MAY[from];
    if (may === undefined) return true;
    return room !== from && !may.all.includes(room) && !(isType && may.type?.includes(room) === true);
  });
  return offending.map(({ shown }) => shown);
}

test('rooms import only what they may', () => {
  expect(roomImports.length).toBeGreaterThan(1000);
  expect(offendingIn(roomImports)).toEqual([]);
});

test.each([
  ['src/lib/a.ts', "import { x } from '../core/b.ts';"],
  ['src/store/sqlite/a.ts', "import { x } from '../../dispatch/b.ts';"],
  ['src/store/a.ts', "import type { X } from '../engine/b.ts';"],
  ['src/core/a.ts', "const x = await import('../store/b.ts');"],
  ['src/unlisted/a.ts', "import { x } from '../lib/b.ts';"],
])('finds that %s must not say: %s', (file, text) => {
  expect(offendingIn(importsOf(file, parse(file, text)).flatMap(roomImportOf))).toHaveLength(1);
});

test.each([
  ['src/core/a.ts', "import { x } from '../lib/b.ts';"],
  ['src/core/model/a.ts', "import { x } from '../b.ts';"],
  ['src/store/a.ts', "import type { X } from '../dispatch/b.ts';"],
  ['src/core/a.ts', "import { z } from 'zod';"],
  ['src/main.ts', "import { x } from './app/b.ts';"],
])('passes that %s says: %s', (file, text) => {
  expect(offendingIn(importsOf(file, parse(file, text)).flatMap(roomImportOf))).toEqual([]);
});

test('watches know requests as data, never the client', () => {
  const offending = roomImports.filter(
    ({ from, room, path }) =>
      from === 'watches' &&
      room === 'explorer' &&
      !REQUESTS_AS_DATA.some((part) => path === `${part}.ts` || path.startsWith(`${part}/`)),
  );
  expect(offending.map(({ shown }) => shown)).toEqual([]);
});

/** What recordings, which are SQLite files whatever keeps the state, share with the engine. */
const OF_ANY_SQLITE_FILE = 'sqlite/database.ts';

test('an engine of the store is known to the store alone: readers go through the contract', () => {
  const offending = roomImports.filter(
    ({ from, room, path }) =>
      room === 'store' &&
      from !== 'store' &&
      /^(?:sqlite|postgres)\//.test(path) &&
      !(from === 'recording' && path === OF_ANY_SQLITE_FILE),
  );
  expect(offending.map(({ shown }) => shown)).toEqual([]);
});

test('packages have one host each', () => {
  const hosts: Readonly<Record<string, RegExp>> = {
    got: /^src\/notifiers\//,
    nodemailer: /^src\/notifiers\//,
    'node:sqlite': /^src\/(store|recording)\//,
    'prom-client': /^src\/telemetry\//,
    pino: /^src\/telemetry\//,
    hono: /^src\/web\//,
    commander: /^src\/cli\//,
    'node-cron': /^src\/(engine\/scheduling\/when-due|rules\/)/,
  };
  const offending = imports.filter(({ file, specifier }) => hosts[specifier]?.test(file) === false);
  expect(offending.map(({ file, text }) => `${file}: ${text}`)).toEqual([]);
});
