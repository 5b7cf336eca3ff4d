// A test of a report in a test file: each row has the polls of some of its watches.
import { parseAt } from '../../config/issues.ts';
import { hintFor } from '../../config/values/nearest.ts';
import { quote } from '../../config/values/scalars.ts';
import { isMap, type Path } from '../../config/yaml/written.ts';
import { REPORT_ALERT, type Report } from '../../core/reports/model.ts';
import { showDuration, type Instant } from '../../lib/clock.ts';
import type { ReportRow, ReportTest } from '../model.ts';
import { readRow } from './rows.ts';
import { ReportRowShape, ReportTestShape, type WrittenReportTest } from './shape.ts';
import type { TestFile } from './test-file.ts';
import { complainOfOrder, readExpected } from './watch-test.ts';
import { addressNames, type TestedWatch, type TestedWatches } from './watches.ts';

/** True if the test is of a report. */
export function namesReport(written: unknown): boolean {
  return isMap(written) && written['report'] !== undefined;
}

/** Reads one test; null if it has a problem. Problems are added to the file. */
export function readReportTest(
  file: TestFile,
  written: unknown,
  path: Path,
  { reports, config }: Pick<TestedWatches, 'reports' | 'config'>,
): ReportTest | null {
  const parsed = parseAt(ReportTestShape, written, { source: file.source, path });
  if ('problems' in parsed) return file.add(parsed.problems);
  const test = parsed.value;
  const ids = reports.map(({ id }) => id);
  const report = reports.find(({ id }) => id === test.report);
  const [watch] = report?.members ?? [];
  if (report === undefined || watch === undefined)
    return file.complain([...path, 'report'], {
      message: `no report ${quote(test.report)}`,
      hint: hintFor(test.report, ids),
    });
  const rows = readRows(file, { test, path, report, config });
  return {
    file: file.source.file,
    line: file.source.lineOf([...path, 'name']),
    name: test.name,
    report,
    routes: config?.routes ?? [],
    rows,
    expected: readExpected(file, { test, path, polls: rows, of: { rule: report.id, alerts: [REPORT_ALERT] } }),
    addressOf: addressNames({ config, watch }),
  };
}

interface Rows extends Pick<TestedWatches, 'config'> {
  readonly test: WrittenReportTest;
  readonly path: Path;
  readonly report: Report;
}

function readRows(file: TestFile, rows: Rows): ReportRow[] {
  const { test, path } = rows;
  const moments = test.saw.flatMap((row, i) => readMoment(file, row, { ...rows, path: [...path, 'saw', i] }) ?? []);
  complainOfOrder(file, test.saw, { moments, path });
  return moments;
}

/** Null: a part of it is wrong. */
function readMoment(file: TestFile, written: unknown, { test, path, report, config }: Rows): ReportRow | null {
  if (!isMap(written)) return file.complain(path, { message: 'a row is a map of watches and what they saw' });
  const parsed = parseAt(ReportRowShape, written, { source: file.source, path });
  if ('problems' in parsed) return file.add(parsed.problems);
  const { at: offset = '', ...seen } = written;
  const polls = Object.entries(seen).flatMap(([name, values]) => {
    const row = { written: values, offset, path: [...path, name], startedAt: test.start };
    const poll = readPoll({ file, config, report }, name, row);
    return poll === null ? [] : [poll];
  });
  if (polls.length < Object.keys(seen).length) return null;
  return {
    at: test.start + parsed.value.at,
    offset: typeof offset === 'string' ? offset : showDuration(parsed.value.at),
    shown: polls.map(({ watch, poll }) => `${watch.name} ${poll.shown}`).join('; ') || 'nothing',
    polls,
  };
}

interface SeenByWatch {
  readonly written: unknown;
  /** The time of the poll, as written. */
  readonly offset: unknown;
  readonly path: Path;
  readonly startedAt: Instant;
}

/** Null: a part of it is wrong. */
function readPoll(
  { file, config, report }: Pick<TestedWatch, 'file' | 'config'> & Pick<ReportTest, 'report'>,
  name: string,
  { written, offset, ...row }: SeenByWatch,
): ReportRow['polls'][number] | null {
  const watch = report.members.find((one) => one.name === name);
  if (watch === undefined)
    return file.complain(row.path, {
      message: `${report.id} has no watch ${quote(name)}`,
      hint: hintFor(
        name,
        report.members.map((one) => one.name),
      ),
    });
  if (!isMap(written)) return file.complain(row.path, { message: 'must be a map of fields and values' });
  const poll = readRow({ file, watch, config }, { ...row, written: { at: offset, ...written } });
  return poll === null ? null : { watch, poll };
}
