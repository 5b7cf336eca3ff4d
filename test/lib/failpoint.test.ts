// Where the daemon may be killed is one list, and every step that keeps or sends something is on it. The tests that kill it
// (test/acceptance/crash*) go through the list, so a step that is missing there would never be tried.
import { expect, test } from '@jest/globals';
import ts from 'typescript';
import { MOMENTS, STEPS } from '../../src/lib/failpoint.ts';
import { nodesIn, parseSources } from '../support/syntax.ts';

interface Call {
  readonly file: string;
  /** What is called, as it is written: `store.commit`. */
  readonly callee: string;
  readonly args: readonly ts.Expression[];
}

const calls: readonly Call[] = [...parseSources()].flatMap(([file, source]) =>
  nodesIn(source)
    .filter(ts.isCallExpression)
    .map(({ expression, arguments: args }) => ({
      file,
      callee: expression.getText(),
      args: [...args],
    })),
);

const callsOf = (callee: RegExp): readonly Call[] => calls.filter((call) => callee.test(call.callee));
const filesOf = (found: readonly Call[]): string[] => [...new Set(found.map(({ file }) => file))].toSorted();

/** Commands change a database beside the daemon, where a step of the list may be taken again. */
const COMMANDS = ['src/store/copy.ts'];

/** Before a large delivery is settled, its pages are: further transactions of the same step. */
const PAGES = 'src/store/large-deliveries.ts';

/** The names that these calls are given; what is no plain text is shown as code. */
const namesIn = (found: readonly Call[], argument: number): string[] =>
  found.map(({ args }) => {
    const name = args[argument];
    return name !== undefined && ts.isStringLiteral(name) ? name.text : `code: ${name?.getText() ?? ''}`;
  });

/** What writes are made of hands its own step on. */
const PASSED_ON = /^code: (?:step$|sql$|[({])/;

test('each step of the list is a transaction of the store, and each transaction is a step', () => {
  const written = callsOf(/(?:^|\.)(?:write|writeUnder|writeRound)$/).filter(
    ({ file }) => file.startsWith('src/store/') && !COMMANDS.includes(file),
  );
  const named = namesIn(written, 0).filter((name) => !PASSED_ON.test(name));
  expect([...new Set(named)].toSorted()).toEqual(Object.keys(STEPS).toSorted());
  // The process that opens a state takes it over, which a replica does shard by shard, a command forgets a watch, and who
  // leaves changes the state as an operator does. What is left of plans is kept when coverage is.
  // A claim that was kept unnoticed is taken back before the next one.
  const inSeveral = named.filter((name, at) => named.indexOf(name) !== at);
  expect(new Set(inSeveral)).toEqual(
    new Set(['claim', 'cover', 'forget', 'intervene', 'move-clock', 'settle', 'take-over']),
  );
});

test('nothing else in the sources begins a transaction', () => {
  // The recording is a file of its own.
  expect(filesOf(callsOf(/^inTransaction$/))).toEqual([
    'src/recording/schema.ts',
    'src/recording/writer.ts',
    'src/store/postgres/driver.ts',
  ]);
  const begun = callsOf(/\.exec$/).filter(({ args }) => /BEGIN|COMMIT/.test(args[0]?.getText() ?? ''));
  // The recording is a file of its own, snapshots write nothing, and the lock is a file without rows.
  expect(filesOf(begun)).toEqual([
    'src/recording/schema.ts',
    'src/store/sqlite/connections.ts',
    'src/store/sqlite/files/lock.ts',
  ]);
});

test('the pages of a large delivery are settled in the step that settles it', () => {
  const inPages = callsOf(/^write$/).filter(({ file }) => file === PAGES);
  expect(namesIn(inPages, 0)).toEqual(['settle']);
});

test('each moment of the list is marked in one place', () => {
  const marked = namesIn(callsOf(/^failpoint$/), 0).filter((name) => !name.startsWith('code: `${step}.'));
  expect(marked.toSorted()).toEqual(Object.keys(MOMENTS).toSorted());
});

test('nothing is sent, shown or changed by an operator but past a moment of the list', () => {
  // Commands that send a test message keep nothing.
  expect(filesOf(callsOf(/^(?:notifier|sender)\.send$/))).toEqual([
    'src/app/runtime/channels.ts',
    'src/app/runtime/wrapped-notifiers.ts',
    'src/cli/daemon/notify-test.ts',
    'src/engine/sending/attempt.ts',
  ]);
  expect(filesOf(callsOf(/mirror\.show$/))).toEqual([
    'src/app/runtime/wrapped-notifiers.ts',
    'src/engine/sending/mirror.ts',
  ]);
  expect(filesOf(callsOf(/\.(?:postJson|exchange)$/)).filter((file) => !file.startsWith('src/notifiers/'))).toEqual([
    'src/app/heartbeat.ts',
  ]);
  // Explorers are only asked, so is the server of the state, and commands are no part of the daemon. What leaves through
  // another library would have to be marked there.
  const leaving = callsOf(/^(?:client\.stream|connection\.send|net\.connect|https?\.request|fetch)$/);
  expect(filesOf(leaving).filter((file) => !/^src\/(?:explorer|cli|store)\//.test(file))).toEqual([
    'src/notifiers/wire/connect.ts',
    'src/notifiers/wire/post-json.ts',
    'src/notifiers/wire/smtp.ts',
  ]);
  expect(filesOf(callsOf(/store\.operate$/))).toEqual(['src/operators/apply.ts']);
});

test('in the daemon that is shipped none of it does anything', () => {
  const source = parseSources('src/lib/failpoint.ts').get('src/lib/failpoint.ts');
  const [body, ...others] = source === undefined ? [] : nodesIn(source).filter(ts.isFunctionDeclaration);
  expect([body?.name?.text, body?.body?.statements.length, others.length]).toEqual(['failpoint', 0, 0]);
});
