// The event of a log: its name and its arguments, from its topics and its data. Explorers write both in several ways.
import { LARGEST_DATA, type AbiValue } from '../../lib/abi/decode.ts';
import { decodeEvent, layoutOf, topicType, type LogBytes } from '../../lib/abi/event.ts';
import { eventTopicOf } from '../../lib/abi/signature.ts';
import type { Argument, EventArgument } from '../../lib/abi/types.ts';
import type { RawRow } from '../values/fields.ts';
import { knownLayouts, type NamedEvent } from './catalogue.ts';

const TOPIC = /^0x[0-9a-f]{64}$/i;
const BYTES = /^0x(?:[0-9a-f]{2})*$/i;

/** The topics in lower case, without the empty places that some answers have; undefined if one is malformed. */
export function topicsIn({ topics }: RawRow): readonly string[] | undefined {
  if (!Array.isArray(topics)) return undefined;
  const given = topics.filter((topic: unknown) => topic !== null);
  const written = given.flatMap((topic: unknown) =>
    typeof topic === 'string' && TOPIC.test(topic) ? [topic.toLowerCase()] : [],
  );
  return written.length === given.length ? written : undefined;
}

/** The data in lower case; undefined if it is malformed. */
export function dataIn({ data }: RawRow): string | undefined {
  return typeof data === 'string' && BYTES.test(data) ? data.toLowerCase() : undefined;
}

/** `values`: null if the log does not fit the event. */
export interface DecodedLog {
  readonly event: NamedEvent;
  readonly args: readonly Argument[];
  readonly values: readonly AbiValue[] | null;
}

export type DecodeLog = (row: RawRow) => DecodedLog | undefined;

/** Decodes a log as one of `events`; undefined if the log is of another event. Each row is decoded once. */
export function createLogDecoder(events: readonly NamedEvent[]): DecodeLog {
  const byTopic = Map.groupBy(events, ({ signature }) => eventTopicOf(signature));
  const decoded = new WeakMap<RawRow, { readonly log: DecodedLog | undefined }>();
  return (row) => {
    const known = decoded.get(row);
    if (known !== undefined) return known.log;
    const topics = topicsIn(row) ?? [];
    const log = decodeAs(byTopic.get(topics[0] ?? '') ?? [], row, topics);
    decoded.set(row, { log });
    return log;
  };
}

/**
 * Contracts differ in the arguments that they index, and the first topic does not show which ones they are. So several
 * layouts are tried: first those of `events`, then known ones of other contracts. If none of them fits, all layouts are
 * tried, and the result counts if exactly one fits.
 */
function decodeAs(events: readonly NamedEvent[], row: RawRow, topics: readonly string[]): DecodedLog | undefined {
  const [first] = events;
  if (first === undefined) return undefined;
  if (first.signature.topic !== undefined) return { event: first, args: [], values: [] };
  const log = bytesOf(row, topics);
  if (log === null) return { event: first, args: first.signature.args, values: null };
  const known = knownLayouts(topics[0] ?? '');
  const written = events.map((event) => [event, event.signature.args] as const);
  const others = events.flatMap((event) => known.map(({ args }) => [event, indexedAs(event, args)] as const));
  for (const [event, args] of [...written, ...others]) {
    const values = decodeEvent(args, log);
    if (values !== null) return { event, args: withTopicTypes(args), values };
  }
  const only = layoutOf(first.signature.args, log);
  return only === null
    ? { event: first, args: first.signature.args, values: null }
    : { event: first, args: withTopicTypes(only), values: decodeEvent(only, log) };
}

function indexedAs({ signature }: NamedEvent, layout: readonly EventArgument[]): readonly EventArgument[] {
  return signature.args.map((argument, i) => ({ ...argument, isIndexed: layout[i]?.isIndexed === true }));
}

/** The arguments with the types of their decoded values, which differ for some indexed arguments. */
export function withTopicTypes(args: readonly EventArgument[]): readonly EventArgument[] {
  return args.map((one) => (one.isIndexed ? { ...one, type: topicType(one.type) } : one));
}

function bytesOf(row: RawRow, topics: readonly string[]): LogBytes | null {
  const data = dataIn(row);
  if (data === undefined || data.length > 2 + LARGEST_DATA * 2) return null;
  return { topics: topics.map(bytes), data: bytes(data) };
}

function bytes(hex: string): Uint8Array {
  return Buffer.from(hex.slice(2), 'hex');
}
