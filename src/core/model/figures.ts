// The numbers of a watch's last poll that its conditions read; pages show them for many watches at once. They are
// copied from the reading, so that no row of an answer stays in memory for long.
import { decodeEncoded } from '../values/encoded.ts';
import { exactOf, isRow, namesOf, typeAt, valueAt, type AnyRecord, type Json, type ValueAt } from '../values/fields.ts';
import type { Amount } from '../values/amount.ts';
import type { Instant } from '../../lib/clock.ts';
import type { Snapshot } from './decision.ts';
import type { StoredSnapshot } from './snapshot.ts';
import type { Watch } from './watch/watch.ts';

export interface Figures {
  readonly at: Instant;
  /** The chain's head was stalled. */
  readonly isStale: boolean;
  /** Values by path, without unknown ones. Milliseconds if the field is a duration. */
  readonly values: Readonly<Record<string, Amount>>;
}

const NUMBERS: ReadonlySet<string> = new Set(['amount', 'int', 'double', 'duration']);

/** The paths of numbers that pages show: the numbers in charts, and the value of the measure in dollars. */
export function figurePathsOf(watch: Pick<Watch, 'kind' | 'alerts'>): readonly string[] {
  const { usd, price } = watch.kind.while?.worth ?? {};
  return [...new Set([...chartedPathsOf(watch), usd, price])].filter((path) => path !== undefined);
}

/** The path of the kind's measure, and the paths of numbers that `while` and `until` read. */
export function chartedPathsOf({ kind, alerts }: Pick<Watch, 'kind' | 'alerts'>): readonly string[] {
  if (kind.while === null) return [];
  const conditions = alerts.flatMap((alert) => (alert.type === 'condition' ? [alert.while, alert.until] : []));
  const read = conditions.flatMap((condition) => condition?.reads ?? []);
  const { measured } = kind.while;
  const paths = new Set(measured === null ? read : [measured, ...read]);
  return [...paths].filter((path) => NUMBERS.has(typeAt(kind.fields, path)?.type ?? ''));
}

export function figuresOf(paths: readonly string[], { at, view, isStale }: Snapshot): Figures {
  return { at, isStale, values: numbersOf(paths, (path) => valueAt(view, path)) };
}

/** Like `figuresOf`, from the snapshot that an earlier process stored. */
export function storedFiguresOf(
  table: AnyRecord,
  paths: readonly string[],
  { at, view, isStale }: StoredSnapshot,
): Figures {
  const decode = (path: string): ValueAt => {
    const type = typeAt(table, path);
    const encoded = jsonAt(view, path);
    return type === undefined || encoded === undefined ? undefined : decodeEncoded(type, encoded);
  };
  return { at, isStale, values: numbersOf(paths, decode) };
}

function numbersOf(paths: readonly string[], valueOf: (path: string) => ValueAt): Record<string, Amount> {
  const values: Record<string, Amount> = {};
  for (const path of paths) {
    const value = exactOf(valueOf(path));
    if (value !== undefined) values[path] = value;
  }
  return values;
}

function jsonAt(view: Json, path: string): Json | undefined {
  let value: unknown = view;
  for (const name of namesOf(path)) value = isRow(value) ? value[name] : undefined;
  return value as Json | undefined;
}
