// The types of conditions. CEL checks an expression against the table of a kind's record. At run time it gets a view
// that converts the record's values to types of CEL:
//
//   amount, int, double   Amount     one exact number type, so that no sum overflows and no comparison rounds
//   text, word            string
//   hash                  Hash       compared without case, like an address
//   address               Address
//   time, duration        CEL's own timestamp and duration
//   record                a view of the record
//   json                  plain data, its numbers as Amounts
import type { Environment } from '@marcbachmann/cel-js';
import { Address } from '../../../core/values/address.ts';
import { valueAt, type AnyRecord, type AnyView, type FieldType } from '../../../core/values/fields.ts';
import type { EvaluationContext, WindowHistory } from '../../../core/model/watch/condition.ts';
import type { Instant } from '../../../lib/clock.ts';
import { createBase, equalsText, isInTexts } from './base.ts';
import { celViewClassOf, VIEW, type CelView } from './view.ts';
import { BEFORE, HISTORY, MOMENT, RESERVED_NAMES, SELF } from '../words.ts';

const base = createBase();

/** The environment of an expression for one kind: its record types, and names from the config as constants. */
export interface CelEnvironment {
  readonly env: Environment;
  /** The record behind a CEL type name, for "did you mean". */
  readonly records: ReadonlyMap<string, AnyRecord>;
  /** The context for evaluating an expression. */
  bind(context: EvaluationContext): object;
}

export type CelConstant = Address | readonly Address[];

/** `constants`: the names of the config. */
export function createCelEnvironment(
  table: AnyRecord,
  noun: string,
  constants: ReadonlyMap<string, CelConstant>,
): CelEnvironment {
  const env = base.clone();
  const types = new RecordTypes(env);
  const root = types.nameOf(table);
  for (const [name, { type }] of Object.entries(table.fields))
    if (!RESERVED_NAMES.includes(name)) env.registerVariable(name, types.celType(type));
  if (!Object.hasOwn(table.fields, noun)) env.registerVariable(noun, root);
  env.registerVariable(BEFORE, root);
  const groups = new Map<string, readonly Address[]>();
  for (const [name, value] of constants)
    if (value instanceof Address) env.registerConstant(name, 'Address', value);
    else groups.set(name, value);
  // A constant list would have items of any type for CEL, so groups are variables, which keep their type.
  for (const name of groups.keys()) env.registerVariable(name, 'list<Address>');
  return { env, records: types.byName, bind: createBindings(table, noun, groups) };
}

/** The address field for which a record stands in comparisons: `to == vault` compares `to.hash`. */
export function identityOf(table: AnyRecord): string | undefined {
  return ['hash', 'address_hash'].find((name) => table.fields[name]?.type.type === 'address');
}

class RecordTypes {
  readonly byName = new Map<string, AnyRecord>();
  readonly #names = new Map<AnyRecord, string>();
  readonly #env: Environment;

  constructor(env: Environment) {
    this.#env = env;
  }

  /** The CEL type of a record, registered on first use; a record may contain itself. */
  nameOf(table: AnyRecord): string {
    const known = this.#names.get(table);
    if (known !== undefined) return known;
    const plain = `Record${table.name}`;
    const name = this.byName.has(plain) ? `${plain}${this.byName.size}` : plain;
    this.#names.set(table, name);
    this.byName.set(name, table);
    const fields = Object.entries(table.fields).map(([field, { type }]) => [field, this.celType(type)]);
    this.#env.registerType(name, {
      ctor: celViewClassOf(table),
      fields: Object.fromEntries(fields) as Record<string, string>,
    });
    this.#registerIdentity(name, table);
    return name;
  }

  celType(type: FieldType): string {
    switch (type.type) {
      case 'record':
        return this.nameOf(type.record);
      case 'list':
        return `list<${this.celType(type.of)}>`;
      default:
        return CEL_TYPES[type.type];
    }
  }

  #registerIdentity(name: string, table: AnyRecord): void {
    const identity = identityOf(table);
    if (identity === undefined) return;
    const addressOf = (viewClass: CelView): Address => {
      const address = valueAt(viewClass[VIEW], identity);
      if (!(address instanceof Address)) throw new RangeError('address not known');
      return address;
    };
    const env = this.#env;
    env.registerOperator(`${name} == Address: bool`, (a: CelView, b: Address) => addressOf(a).equals(b));
    env.registerOperator(`${name} == ${name}: bool`, (a: CelView, b: CelView) => addressOf(a).equals(addressOf(b)));
    const keyOf = (value: CelView): string => addressOf(value).key;
    env.registerOperator(`${name} == string: bool`, equalsText(keyOf));
    env.registerOperator(`${name} in list<string>: bool`, isInTexts(keyOf));
    env.registerOperator(`${name} in list<Address>: bool`, (a: CelView, list: readonly Address[]) =>
      list.some((b) => addressOf(a).equals(b)),
    );
  }
}

const CEL_TYPES = {
  bool: 'bool',
  int: 'Amount',
  double: 'Amount',
  amount: 'Amount',
  text: 'string',
  word: 'string',
  hash: 'Hash',
  address: 'Address',
  time: 'google.protobuf.Timestamp',
  duration: 'google.protobuf.Duration',
  json: 'dyn',
} as const;

function createBindings(
  table: AnyRecord,
  noun: string,
  groups: ReadonlyMap<string, readonly Address[]>,
): CelEnvironment['bind'] {
  const Root = celViewClassOf(table);
  class Bindings extends Root {
    readonly [BEFORE]: CelView | undefined;
    readonly [HISTORY]: WindowHistory | null;
    readonly [MOMENT]: Instant;
    readonly [SELF]: AnyView;

    constructor({ view, before, history, at }: EvaluationContext) {
      super(view);
      this[BEFORE] = before === null ? undefined : new Root(before);
      this[HISTORY] = history;
      this[MOMENT] = at;
      this[SELF] = view;
    }
  }
  for (const [name, value] of groups) Object.defineProperty(Bindings.prototype, name, { value });
  if (!Object.hasOwn(table.fields, noun))
    Object.defineProperty(Bindings.prototype, noun, {
      get(this: CelView): CelView {
        return new Root(this[VIEW]);
      },
    });
  return (context) => new Bindings(context);
}
