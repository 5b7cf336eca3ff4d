// The fields of a log that are read from its topics and its data.
import { eventWords } from '../../lib/abi/signature.ts';
import { argumentRecords, argumentValues, unreadList } from '../calls/argument-fields.ts';
import { oneOf } from '../values/field-declarations.ts';
import {
  isView,
  recordTypeOf,
  valueAt,
  type AnyView,
  type Field,
  type Fields,
  type Lacking,
} from '../values/fields.ts';
import { CATALOGUE_NAMES, type NamedEvent } from './catalogue.ts';
import { createLogDecoder, withTopicTypes, type DecodeLog } from './event-data.ts';

/** The events that a watch reads, and the decimals of arguments that are amounts. */
export interface ReadEvents {
  readonly events: readonly NamedEvent[];
  /** By the name of the argument. */
  readonly decimals: Readonly<Record<string, number>>;
}

/** The field `event` before the options of a watch are known: it accepts every name of the catalogue. */
export const ANY_EVENT = eventField(CATALOGUE_NAMES, () => undefined);

function eventField(names: readonly string[], decode: DecodeLog): Field<string> {
  const field = oneOf('event, by the names in events:', names, { fromRow: (row) => decode(row)?.event.name });
  const advice = 'Add it to events, or compare with an event that is listed there.';
  return { ...field, type: { type: 'word', values: names, isClosed: true, advice } };
}

/** The fields of a watch, and a function that finds the fields that a row lacks. */
export function eventFieldsOf({ events, decimals }: ReadEvents): {
  readonly fields: Fields;
  readonly lacking: Lacking;
} {
  const decode = createLogDecoder(events);
  const owners = events.map(({ name, signature }) => ({
    name,
    signature: { args: withTopicTypes(signature.args) },
  }));
  const event = eventField([...new Set(events.map(({ name }) => name))], decode);
  const lacking = lackingOf(events);
  if (events.every(({ signature }) => signature.topic !== undefined)) return { fields: { event }, lacking };
  return {
    fields: {
      event,
      ...argumentRecords(owners, {
        decimals,
        readBy: (decimalsOf) => (row) => {
          const log = decode(row);
          return log === undefined || log.values === null
            ? undefined
            : argumentValues(log.args, log.values, decimalsOf);
        },
        doc: 'arguments of the events in events:',
      }),
    },
    lacking,
  };
}

/**
 * A row of another event does not have these arguments. Such a value is absent, not unknown, so a condition on it is
 * decided.
 */
function lackingOf(events: readonly NamedEvent[]): Lacking {
  const byName = Map.groupBy(events, ({ name }) => name);
  return {
    by: 'event',
    covers: (path) => /^(?:args|raw)\./.test(path),
    lacks(view, path) {
      const [first = '', argument] = path.split('.');
      const args = valueAt(view, first);
      // Several signatures may have the same name. Only those that fit the arguments of the row count.
      const has = (named: readonly NamedEvent[]): boolean =>
        named.some(({ signature }) => signature.args.some(({ name }) => name === argument));
      const named = byName.get(eventName(view));
      if (named === undefined) return false;
      return !has(isView(args) ? named.filter((one) => isReadAs(one, args)) : named);
    },
    misfitOf(view, path) {
      const named = byName.get(eventName(view));
      if (named === undefined || valueAt(view, 'data') === undefined || valueAt(view, path) !== undefined) return null;
      const [first = ''] = path.split('.');
      if (isView(valueAt(view, first))) return unreadList(path);
      const signatures = [...new Set(named.map(({ signature }) => eventWords(signature)))];
      return `the data does not fit ${signatures.join(' or ')}`;
    },
  };
}

function eventName(view: AnyView): string {
  const name = valueAt(view, 'event');
  return typeof name === 'string' ? name : '';
}

/** True if all arguments that the row has are arguments of the event. */
function isReadAs({ signature }: NamedEvent, args: AnyView): boolean {
  const names = new Set(signature.args.map(({ name }) => name));
  return Object.keys(recordTypeOf(args).fields).every((name) => names.has(name) || valueAt(args, name) === undefined);
}
