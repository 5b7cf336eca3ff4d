// A test of a watch in a test file: its watch, its polls and its expectations.
import { parseAt, parseEach } from '../../config/issues.ts';
import { hintFor } from '../../config/values/nearest.ts';
import { quote } from '../../config/values/scalars.ts';
import type { Path } from '../../config/yaml/written.ts';
import type { Watch } from '../../core/model/watch/watch.ts';
import type { Expected, WatchTest, WrittenMoment, WrittenPoll } from '../model.ts';
import { readExpectation } from './expectation.ts';
import { readRow } from './rows.ts';
import { TestShape, type WrittenTest } from './shape.ts';
import type { TestFile } from './test-file.ts';
import { addressNames, type TestedWatch, type TestedWatches } from './watches.ts';

/** Reads one test; null if there is no watch of this name. Problems are added to the file. */
export function readWatchTest(
  file: TestFile,
  written: unknown,
  path: Path,
  { watches, config }: Pick<TestedWatches, 'watches' | 'config'>,
): WatchTest | null {
  const test = readShape(file, written, path);
  if (test.watch === '') return null;
  const watch = pickWatch(file, test.watch, [...path, 'watch'], watches);
  if (watch === null) return null;
  const tested: TestedWatch = { file, watch, config };
  const polls = readPolls(tested, test, path);
  checkBaseline(tested, test, path);
  return {
    file: file.source.file,
    line: file.source.lineOf([...path, 'name']),
    name: test.name,
    watch,
    routes: config?.routes ?? [],
    isWithoutBaseline: test.baseline === 'none',
    polls,
    expected: readExpected(file, {
      test,
      path,
      polls,
      of: { rule: watch.rule, alerts: watch.alerts.map(({ id }) => id) },
    }),
    addressOf: addressNames(tested),
  };
}

/** If the shape of the test is wrong, each part is read by itself, so that the right parts are checked too. */
function readShape(file: TestFile, written: unknown, path: Path): WrittenTest {
  const parsed = parseAt(TestShape, written, { source: file.source, path });
  if ('value' in parsed) return parsed.value;
  file.add(parsed.problems);
  return { ...NOTHING_WRITTEN, ...parseEach(TestShape, written) };
}

const NOTHING_WRITTEN: WrittenTest = { name: '', watch: '', start: 0, saw: [], expect: [] };

function readPolls(tested: TestedWatch, test: WrittenTest, path: Path): WrittenPoll[] {
  const polls = test.saw.flatMap(
    (row, i) => readRow(tested, { written: row, path: [...path, 'saw', i], startedAt: test.start }) ?? [],
  );
  complainOfOrder(tested.file, test.saw, { moments: polls, path });
  return polls;
}

/**
 * Each row must be later than the row before. `moments` contains no row with a problem, so the order is checked only if
 * all rows are correct.
 */
export function complainOfOrder(
  file: TestFile,
  saw: readonly unknown[],
  { moments, path }: { readonly moments: readonly WrittenMoment[]; readonly path: Path },
): void {
  if (moments.length < saw.length) return;
  for (const [i, { at }] of moments.entries())
    if (i > 0 && at <= (moments[i - 1]?.at ?? 0))
      file.complain([...path, 'saw', i, 'at'], { message: 'is not later than the poll before' });
}

/** `of`: the rule or the report that sends the expected messages. */
export function readExpected(
  file: TestFile,
  {
    test,
    path,
    ...row
  }: Omit<Parameters<typeof readExpectation>[1], 'written' | 'test'> & {
    readonly test: Pick<WrittenTest, 'start' | 'saw' | 'expect'>;
  },
): Expected[] {
  const expected = test.expect.flatMap(
    (written, i) => readExpectation(file, { ...row, written, path: [...path, 'expect', i], test }) ?? [],
  );
  for (const [i, { at }] of expected.entries())
    if (at < (expected[i - 1]?.at ?? 0))
      file.complain([...path, 'expect', i, 'at'], {
        message: 'is before the row above',
        hint: 'Write them in order of time.',
      });
  return expected;
}

function pickWatch(file: TestFile, name: string, path: Path, watches: readonly Watch[]): Watch | null {
  const found = watches.filter((watch) => watch.name === name || watch.rule === name);
  const [watch] = found;
  if (watch === undefined) {
    const known = watches.flatMap((one) => [one.name, one.rule]);
    return file.complain(path, { message: `no watch ${quote(name)}`, hint: hintFor(name, new Set(known)) });
  }
  const instances = found.slice(0, MOST_LISTED).map((one) => one.name);
  return found.length === 1
    ? watch
    : file.complain(path, {
        message: `${quote(name)} has ${found.length} instances`,
        hint: `Name one: ${instances.join(', ')}${found.length > instances.length ? ', ...' : ''}.`,
      });
}

const MOST_LISTED = 10;

function checkBaseline({ file, watch: { kind } }: TestedWatch, { baseline }: WrittenTest, path: Path): void {
  if (baseline === 'none' && kind.script.rows === null)
    file.complain([...path, 'baseline'], {
      message: `${kind.name} sees no list that could be empty`,
      hint: 'Its first known values are the baseline. Remove it.',
    });
}
