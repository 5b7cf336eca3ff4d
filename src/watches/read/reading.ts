// One reading of a watch: its values, and the reasons why some names have no value.
import { typeAt, valueAt, type AnyRecord, type AnyView, type RawRow } from '../../core/values/fields.ts';
import { Missed, Postponed, type Read } from '../../core/model/watch/question.ts';
import type { Target } from '../../core/model/watch/target.ts';
import { askAll, decimalsIn, valueOf, type Answers, type Lack, type ValueOf } from './answers.ts';
import { askValues, type AskedBefore, type WayOfAsking } from './asking.ts';
import { decimalsRequests, tokensIn, unitsOf } from './calls.ts';
import type { ReadOptions } from './option.ts';

export interface ReadReading {
  readonly view: AnyView;
  /** The names without a value. */
  readonly lacks: Readonly<Record<string, Lack>>;
  /** The block of the values: the newest one of the replica that is furthest behind; null: unknown. */
  readonly block: number | null;
  /** True if the answer to the request for the number of the block does not contain it. */
  readonly isUndated: boolean;
  /** The newest block of any replica that answered; null: unknown. */
  readonly newest: number | null;
  /** The newest block of the chain, which is above the others if the values are read below it; null: unknown. */
  readonly head: number | null;
  /** The decimals of tokens, by their addresses. */
  readonly decimals: Readonly<Record<string, number>>;
  readonly way: WayOfAsking;
}

interface KnownBefore extends AskedBefore {
  readonly decimals: Readonly<Record<string, number>>;
}

/** `before`: from earlier readings. The decimals of tokens are asked once. */
export async function readContract(
  record: AnyRecord,
  target: Target<ReadOptions>,
  before: KnownBefore | null,
  read: Read,
): Promise<ReadReading> {
  const { explorer, options, coin } = target;
  const { answers, place, way } = await askValues(target, before, read);
  const known = before?.decimals ?? {};
  const unknown = tokensIn(target).filter((token) => !Object.hasOwn(known, token));
  const decimals = { ...known, ...(await decimalsOf(explorer, unknown, read)) };
  const values = Object.entries(options.read).map(([name, spec]) => {
    const units = unitsOf(spec, target.address);
    const value = valueOf({ spec, units }, answers.get(name), (token) => decimals[token]);
    return { name, ...value, isReverted: isReverted(value) };
  });
  const row: RawRow = {
    ...Object.fromEntries(values.map(({ name, raw }) => [name, raw ?? null])),
    reverted: Object.fromEntries(values.map((value) => [value.name, value.isReverted])),
    block_number: place.block,
  };
  const view = record.read(row, { coin: coin.decimals });
  if (view === undefined) throw new TypeError('a reading is an object');
  const lacks = Object.fromEntries(values.flatMap(({ name, lack }) => (lack === null ? [] : [[name, lack]])));
  return { view, lacks, ...place, isUndated: place.block === null, decimals, way };
}

/**
 * The decimals of the tokens that answer. The next poll requests the others. A missing answer does not end the poll,
 * since values without units do not need decimals.
 */
async function decimalsOf(
  explorer: string,
  tokens: readonly string[],
  read: Read,
): Promise<Readonly<Record<string, number>>> {
  try {
    const answers: Answers = new Map(
      (await askAll(decimalsRequests(explorer, tokens), read)).flatMap((part) => [...part]),
    );
    const found = tokens.flatMap((token) => {
      const decimals = decimalsIn(answers.get(token));
      return decimals === undefined ? [] : [[token, decimals] as const];
    });
    return Object.fromEntries(found);
  } catch (error) {
    if (error instanceof Missed || error instanceof Postponed) return {};
    throw error;
  }
}

/** Null if unknown, as with an answer that cannot be read: nobody knows whether the contract has answered. */
function isReverted({ lack }: ValueOf): boolean | null {
  if (lack === 'reverted') return true;
  return lack === null || lack === 'no-decimals' ? false : null;
}

/** The reading that a rule test writes. A name that it leaves out has no value. */
export function writtenReading(record: AnyRecord, names: readonly string[], view: AnyView): ReadReading {
  const missing = names.filter((name) => valueAt(view, name) === undefined);
  const isReverted = (name: string): boolean => valueAt(view, `reverted.${name}`) === true;
  const reverted = typeAt(record, 'reverted');
  if (reverted?.type !== 'record') throw new TypeError('every reading says what reverts');
  // A call that reverts returns nothing.
  const values = Object.fromEntries(names.filter(isReverted).map((name) => [name, undefined]));
  const said = names.flatMap((name) =>
    isReverted(name) || !missing.includes(name) ? [[name, isReverted(name)] as const] : [],
  );
  const height = valueAt(view, 'block_number');
  const block = typeof height === 'bigint' ? Number(height) : null;
  return {
    view: record.over(view, { ...values, reverted: reverted.record.make(Object.fromEntries(said)) }),
    lacks: Object.fromEntries(
      names
        .filter((name) => isReverted(name) || missing.includes(name))
        .map((name): [string, Lack] => [name, isReverted(name) ? 'reverted' : 'failed']),
    ),
    block,
    isUndated: false,
    newest: block,
    head: block,
    decimals: {},
    way: 'as-planned',
  };
}
