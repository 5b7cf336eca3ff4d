// The key `where`: values of indexed arguments. The explorer sends only events that have them.
import { z } from 'zod';
import { eventOf } from '../../core/events/catalogue.ts';
import { withTopicTypes } from '../../core/events/event-data.ts';
import { Address, shortHex } from '../../core/values/address.ts';
import type { ResolvedOptions } from '../../core/model/watch/kind.ts';
import type { Target } from '../../core/model/watch/target.ts';
import { eventTopicOf, type EventSignature } from '../../lib/abi/signature.ts';
import type { AbiType } from '../../lib/abi/types.ts';
import { remembered } from '../../lib/remembered.ts';
import type { SignatureOption } from '../signatures/signature-option.ts';
import { wordOfText } from './topic-words.ts';

/** The values of each argument, as texts: names of the config until they are resolved. */
export type Where = Readonly<Record<string, readonly string[]>>;

export interface EventOptions {
  readonly abi?: readonly string[] | undefined;
  readonly events: readonly SignatureOption[];
  readonly units?: Readonly<Record<string, number>> | undefined;
  readonly where?: Where | undefined;
}

const MOST_QUESTIONS = 10;
/** With `rpc: true`, which saves most of them: so many are asked where it is refused. */
const MOST_SAVED = 32;
/** The largest number of values in one question. */
const MOST_VALUES = 16;
const NAME = /^[A-Za-z_]\w*$/;

export const whereOption = z
  .record(z.string(), z.union([z.string(), z.array(z.string()).min(1, 'names no value')]))
  .transform((written): Where =>
    Object.fromEntries(
      Object.entries(written).map(([name, value]) => [name, typeof value === 'string' ? [value] : value]),
    ),
  )
  .optional()
  .describe('Values of indexed arguments: only events that have them are read.');

/** For `superRefine` of the options. */
export function checkWhere({ events, where = {} }: EventOptions, context: z.RefinementCtx): void {
  const signatures = events.map(({ signature }) => eventOf(signature));
  const legal = namesOfAll(signatures);
  for (const [name, values] of Object.entries(where)) {
    const lacking = signatures.find(({ args }) => !args.some((one) => one.name === name && one.isIndexed));
    if (lacking !== undefined) {
      const message = lacking.args.some((one) => one.name === name)
        ? `${name} is not indexed in ${lacking.name}, so the explorer cannot go by it`
        : lacking.topic === undefined
          ? `${lacking.name} has no argument ${name}`
          : `${shortHex(lacking.topic)} is a topic, so its event has no argument ${name}`;
      context.addIssue({ code: 'custom', path: ['where', name], message, params: { written: name, legal } });
      continue;
    }
    const type = typeOf(signatures, name);
    for (const [i, text] of values.entries()) {
      if (type === undefined || (type.type === 'address' && NAME.test(text)) || wordOfText(type, text) !== null)
        continue;
      const path = ['where', name, ...(values.length > 1 ? [i] : [])];
      context.addIssue({ code: 'custom', path, message: `${JSON.stringify(text)} is no value of ${name}` });
    }
  }
}

/** The indexed arguments that every event has. */
function namesOfAll(signatures: readonly EventSignature[]): readonly string[] {
  const [first, ...others] = signatures.map(({ args }) => args.filter((one) => one.isIndexed).map(({ name }) => name));
  return (first ?? []).filter((name) => others.every((names) => names.includes(name)));
}

function typeOf(signatures: readonly EventSignature[], name: string): AbiType | undefined {
  return signatures.flatMap(({ args }) => withTopicTypes(args)).find((one) => one.name === name)?.type;
}

/** Puts addresses in place of names. */
export function resolveWhere<E extends EventOptions>(
  options: E,
  addressesOf: (name: string) => readonly Address[] | undefined,
  { rpc, hasAddress }: Pick<Target, 'rpc'> & { readonly hasAddress: boolean },
): ResolvedOptions<E> {
  const { where } = options;
  if (where === undefined) return { options, mistakes: [] };
  const mistakes: ResolvedOptions<E>['mistakes'][number][] = [];
  const resolved = Object.entries(where).map(([name, values]) => {
    const found = values.flatMap((text, i): readonly string[] => {
      if (!NAME.test(text) || /^(?:true|false)$/.test(text)) return [text];
      const addresses = addressesOf(text);
      if (addresses === undefined)
        mistakes.push({
          path: ['where', name, ...(values.length > 1 ? [i] : [])],
          message: `no address ${JSON.stringify(text)}`,
          written: text,
        });
      return addresses?.map(({ key }) => key) ?? [];
    });
    return [name, [...new Set(found)]] as const;
  });
  const named = { ...options, where: Object.fromEntries(resolved) };
  const count = askedTopics(named).length;
  const most = rpc === true && hasAddress && topicLists(named) !== null ? MOST_SAVED : MOST_QUESTIONS;
  if (count > most)
    mistakes.push({
      path: ['where'],
      message: `asks ${count} questions a poll, and at most ${most} are possible`,
      hint: 'Make several watches, or compare the argument in if.',
    });
  return { options: named, mistakes };
}

/** True if values of an address are named. */
export function namesAddress({ events, where = {} }: EventOptions): boolean {
  const signatures = events.map(({ signature }) => eventOf(signature));
  return Object.keys(where).some((name) => typeOf(signatures, name)?.type === 'address');
}

/** The topics of each question: one for each event and each choice of values. Null: any topic. */
export const askedTopics = remembered(topicsAskedBy);

function topicsAskedBy({ events, where = {} }: EventOptions): readonly (readonly (string | null)[])[] {
  const asked = events.flatMap(({ signature: text }) => {
    const signature = eventOf(text);
    const words = withTopicTypes(signature.args)
      .filter(({ isIndexed }) => isIndexed)
      .map(({ name, type }) =>
        (where[name] ?? [null]).map((value) => (value === null ? null : wordOfText(type, value))),
      );
    return choicesOf([[eventTopicOf(signature)], ...words]).map(withoutEnd);
  });
  return [...new Map(asked.map((topics) => [topics.join(), topics])).values()];
}

/**
 * The same with all values of the first indexed argument in one question, at most 16; null if that saves nothing, or if
 * `where` names another argument.
 */
export const topicLists = remembered((options: EventOptions): readonly TopicLists[] | null => {
  const asked = askedTopics(options);
  const pairs = asked.flatMap(([event, value, ...others]) =>
    typeof event === 'string' && typeof value === 'string' && others.length === 0 ? [{ event, value }] : [],
  );
  const valuesByEvent = Map.groupBy(pairs, ({ event }) => event);
  const isSaving = pairs.length === asked.length && valuesByEvent.size < asked.length;
  if (!isSaving || [...valuesByEvent.values()].some(({ length }) => length > MOST_VALUES)) return null;
  return [...valuesByEvent].map(([event, values]) => [event, values.map(({ value }) => value)]);
});

/** The topic of an event, and the values of its first indexed argument. */
type TopicLists = readonly [event: string, values: readonly string[]];

/** All lists that have one of the values at each place. */
function choicesOf(places: readonly (readonly (string | null)[])[]): readonly (readonly (string | null)[])[] {
  return places.reduce<readonly (readonly (string | null)[])[]>(
    (lists, values) => lists.flatMap((list) => values.map((value) => [...list, value])),
    [[]],
  );
}

/** Without the places behind the last topic. */
function withoutEnd(topics: readonly (string | null)[]): readonly (string | null)[] {
  return topics.slice(0, topics.findLastIndex((topic) => topic !== null) + 1);
}

/** The topics that each argument may have, for rows that have arguments and no topics. */
export const wordsOf = remembered(({ events, where = {} }: EventOptions): ReadonlyMap<string, ReadonlySet<string>> => {
  const signatures = events.map(({ signature }) => eventOf(signature));
  return new Map(
    Object.entries(where).map(([name, values]) => {
      const type = typeOf(signatures, name);
      return [name, new Set(values.flatMap((text) => (type === undefined ? [] : (wordOfText(type, text) ?? []))))];
    }),
  );
});
