// The columns of a report, and the one that is added up.
import { hintFor } from '../../config/values/nearest.ts';
import { quote } from '../../config/values/scalars.ts';
import type { Watch } from '../../core/model/watch/watch.ts';
import { assetOf } from '../../core/reports/message.ts';
import type { Report, ReportValue } from '../../core/reports/model.ts';
import { typeAt, type AnyRecord, type FieldType } from '../../core/values/fields.ts';
import { parseDuration } from '../../lib/durations.ts';
import { WINDOW_NAME } from '../language/words.ts';
import type { WrittenReport } from '../schema/shape.ts';
import { windowComplaint } from '../compile/alert-form.ts';
import type { Compiling } from '../compile/model.ts';
import { itemPath } from '../compile/named-channels.ts';

type Complain = Compiling['complain'];

/** Null: there is a problem. */
export function valuesOf(
  { values, total }: WrittenReport,
  members: readonly Watch[],
  complain: Complain,
): readonly ReportValue[] | null {
  const compiled = values.map((written, i) => {
    const path = itemPath('values', values, i);
    const reader = new ValueReader(members, total, (at) => {
      complain(path, at);
    });
    if (values.indexOf(written) !== i) return reader.complain({ message: `${quote(written)} is there already` });
    return reader.read(written);
  });
  const known = compiled.flatMap((value) => value ?? []);
  return known.length === values.length ? known : null;
}

const VALUE = /^([\w.]+)(?:\s*\|\s*(\w+))?$/;
const SHAPE = 'Write a field such as balance, or change_7d | percent.';

class ValueReader {
  readonly #members: readonly Watch[];
  readonly #total: string | undefined;
  readonly #complain: (at: Parameters<Complain>[1]) => void;

  constructor(members: readonly Watch[], total: string | undefined, complain: (at: Parameters<Complain>[1]) => void) {
    this.#members = members;
    this.#total = total;
    this.#complain = complain;
  }

  complain(at: Parameters<Complain>[1]): null {
    this.#complain(at);
    return null;
  }

  read(written: string): ReportValue | null {
    const [, name, filter] = VALUE.exec(written.trim()) ?? [];
    if (name === undefined) return this.complain({ message: `${quote(written)} is more than a field`, hint: SHAPE });
    const [, measure, span = ''] = WINDOW_NAME.exec(name) ?? [];
    const ms = parseDuration(span);
    if (measure === undefined || ms === undefined) return this.#field(name, filter);
    if (measure !== 'change')
      return this.complain({ message: `a report has no ${measure}`, hint: `Write change_${span} | percent.` });
    if (filter !== undefined && filter !== 'percent')
      return this.complain({ message: `${quote(filter)} is no filter of a change`, hint: `Write ${name} | percent.` });
    return this.#change(name, ms);
  }

  #field(path: string, filter: string | undefined): ReportValue | null {
    if (filter !== undefined)
      return this.complain({ message: `a field of a report has no filter`, hint: `Write ${path}.` });
    return this.#isKnown(path) ? { type: 'field', path } : null;
  }

  #change(name: string, ms: number): ReportValue | null {
    const plain = this.#members.find(({ kind }) => (kind.while?.measured ?? null) === null);
    if (this.#total === undefined && plain !== undefined)
      return this.complain({
        message: `${quote(name)} is the change of the total or of the value that a watch measures, and ${plain.kind.name} measures nothing`,
        hint: 'Write total: and the field that is added up.',
      });
    for (const { schedule } of this.#members) {
      const complaint = windowComplaint(ms, schedule.intervalMs);
      if (complaint !== undefined) return this.complain(complaint);
    }
    return { type: 'change', name, ms };
  }

  /** Every watch has to have the field, and it has to be a number. */
  #isKnown(path: string): boolean {
    for (const { kind, name } of this.#members) {
      const legal = numbersOf(kind);
      if (legal.includes(path)) continue;
      const isField = typeAt(kind.fields, path) !== undefined;
      this.complain({
        message: isField
          ? `${path} of ${kind.name} is no number that is known of the watch as a whole`
          : `no field ${quote(path)} in ${kind.name}, the kind of ${name}`,
        hint: hintFor(path, legal),
      });
      return false;
    }
    return true;
  }
}

const NUMBERS: ReadonlySet<FieldType['type']> = new Set(['amount', 'int', 'double']);

/** The paths of the numbers among the present values of a kind. */
function numbersOf({ fields, while: values }: Watch['kind']): readonly string[] {
  const all = Object.keys(fields.fields).flatMap((name) => [name, ...inside(fields, name)]);
  const numbers = all.filter((path) => NUMBERS.has(typeAt(fields, path)?.type ?? 'json'));
  const { only } = values ?? {};
  return only === undefined ? numbers : numbers.filter((path) => only.includes(path));
}

function inside(fields: AnyRecord, name: string): string[] {
  const type = typeAt(fields, name);
  return type?.type === 'record' ? Object.keys(type.record.fields).map((one) => `${name}.${one}`) : [];
}

/** Null: there is a problem. */
export function totalOf(
  { total }: WrittenReport,
  { values, members }: Pick<Report, 'values' | 'members'>,
  complain: Complain,
): { readonly path: string | null } | null {
  if (total === undefined) return { path: null };
  const columns = values.flatMap((value) => (value.type === 'field' ? value.path : []));
  const legal = columns.filter((path) => members.every((watch) => isSummable(watch, path)));
  const refused = (message: string, hint: string | undefined): null => {
    complain(['total'], { message, hint });
    return null;
  };
  if (!columns.includes(total))
    return refused(`${quote(total)} is none of the values`, hintFor(total, legal) ?? 'Write it among values, too.');
  if (!legal.includes(total))
    return refused(
      `${total} is no amount of coins, tokens or dollars, so it has no sum`,
      legal.length === 0 ? 'Remove total.' : `Possible: ${legal.join(', ')}.`,
    );
  const assets = [...new Set(members.map((watch) => unitOf(watch, total)))];
  if (assets.length > 1)
    return refused(
      `${assets.slice(0, 2).join(' and ')} cannot be added up`,
      'Add up dollars, as total: balance_usd, or write a report for each asset.',
    );
  return { path: total };
}

/**
 * Amounts of coins, tokens and dollars can be added up. A field with the unit `plain` may be a price, and cannot. The
 * measured field of a kind with a worth can always be added up.
 */
function isSummable({ kind }: Watch, path: string): boolean {
  const type = typeAt(kind.fields, path);
  if (kind.while?.worth !== undefined && path === kind.while.measured) return true;
  return type?.type === 'amount' && type.unit !== 'plain' && type.unit !== 'gwei';
}

/** The unit of an amount: `USD`, or the asset of the watch. */
function unitOf(watch: Watch, path: string): string {
  const type = typeAt(watch.kind.fields, path);
  return type?.type === 'amount' && type.unit === 'usd' ? 'USD' : (assetOf(watch) ?? watch.name);
}
