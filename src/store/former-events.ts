// Events as schema 3 remembered them: with the whole message that told them, and a digest of each value.
import { z } from 'zod';
import { isAddressText } from '../core/values/address.ts';
import { condense } from '../core/values/condensed.ts';
import type { Fact, Message } from '../core/model/delivery.ts';
import type { Json } from '../core/values/fields.ts';
import { idOf } from '../core/model/watch/identity.ts';
import type { EventState } from '../core/model/memory.ts';
import type { Remembered } from '../core/values/tracked.ts';
import { rawText } from '../lib/untrusted.ts';

const count = z.int().nonnegative();

/** What schema 3 and this one have in common. */
export const eventShape = {
  type: z.literal('event'),
  state: z.enum(['observed', 'dropped', 'confirmed', 'suspect', 'retracted']),
  block: z.number().nullable(),
  absent: count,
  seq: count,
};

type Former = Pick<EventState, keyof typeof eventShape> & {
  readonly rev: Readonly<Record<string, string>>;
  readonly message: Message;
};

/** An event of schema 3 in the shape of this one. */
export function formerEvent(message: z.ZodType<Message>): z.ZodType<EventState> {
  const shape = z.object({ ...eventShape, rev: z.record(z.string(), z.string()), message });
  return shape.transform(toEvent);
}

function toEvent({ rev, message, ...same }: Former): EventState {
  return {
    ...same,
    turnedAt: null,
    toldAt: null,
    absentHead: null,
    slot: null,
    retractions: same.state === 'retracted' ? 1 : 0,
    message: same.seq === 0 ? message : null,
    title: message.title,
    since: message.since,
    values: valuesOf(message.fields, rev),
  };
}

/**
 * The values that the message shows. One that was compared is taken only if it has the digest that it had: else it stays
 * unknown, so that no difference in writing it down is told as a correction.
 */
function valuesOf(fields: Message['fields'], rev: Former['rev']): Remembered {
  const values = leaves(fields, []).flatMap(([path, forms]): [string, Json][] => {
    const digest = rev[path];
    const value = digest === undefined ? forms[0] : forms.find((form) => digestOf(form) === digest);
    if (value === undefined) return [];
    return [[path, condense(isAddressText(value) ? (forms[0] ?? value) : value)]];
  });
  return Object.fromEntries(values);
}

function digestOf(value: Json): string {
  return idOf(JSON.stringify(value)).slice(0, 8);
}

type Leaf = readonly [path: string, forms: readonly Json[]];

/** By path, the forms in which the value may have been remembered, the likeliest first. */
function leaves(facts: Message['fields'], above: readonly string[]): Leaf[] {
  return Object.entries(facts).flatMap(([name, fact]) => {
    const path = [...above, name];
    if (typeof fact === 'object' && 'record' in fact) return leaves(fact.record, path);
    return [[path.join('.'), formsOf(fact)] as const];
  });
}

function formsOf(fact: Exclude<Fact, { readonly record: unknown }>): readonly Json[] {
  if (typeof fact === 'number') return [String(fact), fact];
  if (typeof fact === 'boolean') return [fact];
  if ('untrusted' in fact) return [rawText(fact.untrusted)];
  if ('list' in fact) return [];
  const time = Date.parse(fact.text);
  return [fact.text, fact.text.toLowerCase(), ...(Number.isNaN(time) ? [] : [new Date(time).toISOString()])];
}
