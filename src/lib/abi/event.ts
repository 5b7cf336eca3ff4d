// Reads the arguments of an event from its topics and its data.
import { decodeArguments, decodeExactly, type AbiValue } from './decode.ts';
import type { AbiType, EventArgument } from './types.ts';

/** A log as bytes. The first topic names the event. */
export interface LogBytes {
  readonly topics: readonly Uint8Array[];
  readonly data: Uint8Array;
}

/**
 * The values of the arguments, in order; null if the log does not fit them exactly. An indexed text, list or tuple is
 * its hash: the log does not have the value.
 */
export function decodeEvent(args: readonly EventArgument[], { topics, data }: LogBytes): readonly AbiValue[] | null {
  const indexed = args.filter(({ isIndexed }) => isIndexed);
  if (topics.length !== 1 + indexed.length) return null;
  const inData = decodeExactly(
    args.filter(({ isIndexed }) => !isIndexed),
    data,
  );
  const inTopics = indexed.map(({ name, type }, i) => {
    const word = topics[i + 1];
    return word === undefined ? null : (decodeArguments([{ name, type: topicType(type) }], word)?.[0] ?? null);
  });
  if (inData === null) return null;
  const [fromTopics, fromData] = [inTopics.values(), inData.values()];
  const values = args.map(({ isIndexed }) => (isIndexed ? fromTopics : fromData).next().value ?? null);
  return allOf(values);
}

/** The type of an argument as a topic has it. */
export function topicType(type: AbiType): AbiType {
  const isValue = ['integer', 'address', 'bool', 'fixed-bytes'].includes(type.type);
  return isValue ? type : { type: 'fixed-bytes', size: 32 };
}

function allOf(values: readonly (AbiValue | null)[]): readonly AbiValue[] | null {
  return values.every((value) => value !== null) ? values : null;
}

/** Longer lists of arguments are not tried in every layout. */
const MOST_TRIED = 12;

/**
 * The first topic does not show which arguments are indexed. So all layouts of `args` are tried, whichever of them are
 * written as indexed. Returns the layout that the log fits; null if no layout fits, or more than one.
 */
export function layoutOf(args: readonly EventArgument[], log: LogBytes): readonly EventArgument[] | null {
  if (args.length > MOST_TRIED) return null;
  const fitting = choicesOf(args.length, log.topics.length - 1)
    .map((indexed) => args.map((argument, i) => ({ ...argument, isIndexed: indexed.has(i) })))
    .filter((layout) => decodeEvent(layout, log) !== null);
  return fitting.length === 1 ? (fitting[0] ?? null) : null;
}

/** All sets of `count` numbers below `size`. */
function choicesOf(size: number, count: number): readonly ReadonlySet<number>[] {
  if (count === 0) return [new Set()];
  return Array.from({ length: size }, (_, last) => last).flatMap((last) =>
    choicesOf(last, count - 1).map((others) => new Set([...others, last])),
  );
}
