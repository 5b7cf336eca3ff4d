// A row of `expect`.
import { parseAt } from '../../config/issues.ts';
import { hintFor } from '../../config/values/nearest.ts';
import { quote } from '../../config/values/scalars.ts';
import { type Path, isMap } from '../../config/yaml/written.ts';
import { showDuration } from '../../lib/clock.ts';
import type { Expected, Wanted, WrittenMoment } from '../model.ts';
import { ExpectShape, type WrittenTest } from './shape.ts';
import type { TestFile } from './test-file.ts';

interface Row {
  readonly written: unknown;
  readonly path: Path;
  /** The name of the rule or of the report, and its alerts. */
  readonly of: { readonly rule: string; readonly alerts: readonly string[] };
  readonly test: Pick<WrittenTest, 'start' | 'saw'>;
  readonly polls: readonly WrittenMoment[];
}

/** The row, or null if a part of it is wrong; the problems are added to the file. */
export function readExpectation(file: TestFile, { written, path, of, test, polls }: Row): Expected | null {
  const parsed = parseAt(ExpectShape, written, { source: file.source, path });
  if ('problems' in parsed) return file.add(parsed.problems);
  const { alert, state, severity, title, text, fields, to, group } = parsed.value;
  const at = test.start + parsed.value.at;
  const poll = polls.find((one) => one.at === at);
  const { rule, alerts: ids } = of;
  if (!ids.includes(alert))
    return file.complain([...path, 'alert'], {
      message: `${rule} has no alert ${quote(alert)}`,
      hint: hintFor(alert, ids),
    });
  if (poll === undefined && polls.length > 0 && polls.length === test.saw.length)
    return file.complain([...path, 'at'], {
      message: 'there is no poll at this time, and nothing is said between polls',
      hint: `Polls: ${polls.map(({ offset }) => offset).join(', ')}.`,
    });
  return {
    at,
    offset: poll?.offset ?? showDuration(parsed.value.at),
    line: file.source.lineOf([...path, 'at']),
    alert,
    state,
    severity: severity ?? null,
    title: wanted(title),
    text: wanted(text),
    fields: leaves(fields ?? {}, []),
    to: to ?? null,
    group: group ?? null,
  };
}

function wanted(written: string | { contains: string } | undefined): Wanted | null {
  if (written === undefined) return null;
  return typeof written === 'string' ? { exactly: written } : written;
}

function leaves(
  written: Readonly<Record<string, unknown>>,
  above: readonly string[],
): (readonly [string, string | null])[] {
  return Object.entries(written).flatMap(([name, value]) => {
    const path = [...above, name];
    if (isMap(value)) return leaves(value, path);
    if (Array.isArray(value)) return leaves(Object.fromEntries(value.entries()), path);
    return [[path.join('.'), value === 'null' ? null : String(value)] as const];
  });
}
