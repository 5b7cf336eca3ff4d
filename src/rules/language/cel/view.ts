// Views as CEL sees them. CEL knows a value's type by its class, so every record type gets a class of its own.
import { evaluate } from '@marcbachmann/cel-js';
import { isView, valueAt, type AnyRecord, type AnyView, type FieldType } from '../../../core/values/fields.ts';
import { spend, spendOnList } from './limits.ts';
import { amountOf, exact, type Numeric } from './numbers.ts';

/** A hash as text, in lower case. */
export class Hash {
  readonly text: string;

  constructor(text: string) {
    this.text = text.toLowerCase();
  }
}

// cel-js does not export its duration class, so it is taken from the result of an expression.
const Duration = (evaluate('duration("0s")') as object).constructor as new (seconds: bigint, nanos: number) => object;

/** The key under which a CEL view keeps the view that it wraps. */
export const VIEW = Symbol('seen');

export interface CelView {
  readonly [VIEW]: AnyView;
}

export type CelViewClass = new (view: AnyView) => CelView;

const classByRecord = new WeakMap<AnyRecord, CelViewClass>();

/** The class of the CEL views of a record type: one class per type. */
export function celViewClassOf(table: AnyRecord): CelViewClass {
  const known = classByRecord.get(table);
  if (known !== undefined) return known;
  class RecordView implements CelView {
    readonly [VIEW]: AnyView;

    constructor(view: AnyView) {
      this[VIEW] = view;
    }
  }
  classByRecord.set(table, RecordView);
  defineFields(RecordView.prototype, table);
  return RecordView;
}

function defineFields(prototype: object, table: AnyRecord): void {
  for (const [name, { type }] of Object.entries(table.fields))
    Object.defineProperty(prototype, name, {
      get(this: CelView): unknown {
        return toCel(type, valueAt(this[VIEW], name));
      },
    });
}

/** Undefined stays undefined. CEL then fails with "no such key", and the condition becomes unknown. */
function toCel(type: FieldType, value: unknown): unknown {
  if (value === undefined) return undefined;
  switch (type.type) {
    case 'int':
    case 'double':
      return exact(value as Numeric);
    case 'hash':
      return new Hash(value as string);
    case 'duration':
      return toDuration(value as number);
    case 'json':
      return plainData(value);
    case 'list':
      return items(type.of, value as unknown[]);
    case 'record':
      return isView(value) ? new (celViewClassOf(type.record))(value) : undefined;
    default:
      return value;
  }
}

function items(of: FieldType, list: readonly unknown[]): unknown[] {
  spendOnList(list.length);
  return list.map((item) => toCel(of, item)).filter((item) => item !== undefined);
}

function toDuration(ms: number): object {
  const seconds = Math.floor(ms / 1000);
  return new Duration(BigInt(seconds), Math.round((ms - seconds * 1000) * 1_000_000));
}

function plainData(value: unknown): unknown {
  spend(1);
  if (typeof value === 'number') return amountOf(String(value));
  if (Array.isArray(value)) {
    spendOnList(value.length);
    return value.map(plainData);
  }
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, part]) => [name, plainData(part)]));
}
