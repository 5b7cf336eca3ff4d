// The keys `events` and `units` of a watch: the events that it reads.
import { z } from 'zod';
import { CATALOGUE_NAMES, eventOf, eventsNamed, isTopic } from '../../core/events/catalogue.ts';
import { withTopicTypes } from '../../core/events/event-data.ts';
import type { ReadEvents } from '../../core/events/event-fields.ts';
import { remembered } from '../../lib/remembered.ts';
import { shortHex } from '../../core/values/address.ts';
import type { Abi } from '../../lib/abi/abi.ts';
import type { OptionDoubt } from '../../core/model/watch/kind.ts';
import { eventTopicOf, eventWords, parseEvent, type EventSignature } from '../../lib/abi/signature.ts';
import {
  abiOption,
  checkUnitsOf,
  signaturesOption,
  unitsOption,
  type SignatureWords,
} from '../signatures/signature-option.ts';
import { checkWhere, namesAddress, whereOption, type EventOptions } from './where.ts';

const WORDS: SignatureWords = {
  key: 'events',
  noun: 'event',
  none: 'names no event: name one, such as Paused',
  names: CATALOGUE_NAMES,
  signaturesOf: eventsNamed,
  abi: [],
  example: { name: 'Swept', args: '(address indexed to, uint256 amount)' },
  parse: parseEvent,
  rawOf: topicIn,
  signatureOf(text) {
    const signature = eventOf(text);
    return { ...signature, args: withTopicTypes(signature.args) };
  },
  idOf({ signature: text }) {
    const signature = eventOf(text);
    return `${eventWords(signature)} ${layoutWords(signature)}`;
  },
  sayTwice: (first, { signature }) => `${eventWords(eventOf(signature))} is there twice, as ${first.name}`,
};

function topicIn(text: string): { readonly raw: string } | { readonly mistake: string } | null {
  const written = text.trim().toLowerCase();
  if (!written.startsWith('0x')) return null;
  return isTopic(written) ? { raw: written } : { mistake: 'a topic is 0x and 64 hexadecimal digits' };
}

function layoutWords({ args }: EventSignature): string {
  return args.map(({ isIndexed }) => (isIndexed ? 'indexed' : '-')).join();
}

export function eventOptions({ events }: Abi, warn: (doubt: OptionDoubt) => void) {
  return {
    events: signaturesOption({ ...WORDS, abi: events, warn }).describe(
      'Events to read: names that are known, signatures, or topics of 32 bytes, whose events are not decoded.',
    ),
    abi: abiOption,
    units: unitsOption,
    where: whereOption,
  };
}

export const emitterOption = {
  emitter: z
    .literal('any')
    .optional()
    .describe('Without of: contracts that the config does not name are believed like the others.'),
};

/** An explorer searches the events of all contracts. Only those about some addresses are few enough. */
export function addressNeed(options: unknown): { readonly message: string; readonly hint: string } | null {
  if (namesAddress(options as EventOptions)) return null;
  return { message: 'logs without of needs an address in where', hint: 'Write of: vault, or where: { owner: ours }.' };
}

/** For `superRefine` of the options that contain `eventOptions`. */
export function checkOptions(options: EventOptions, context: z.RefinementCtx): void {
  checkUnitsOf(WORDS, { named: options.events, units: options.units }, context);
  checkWhere(options, context);
  checkTopics(options, context);
}

/** A topic whose signature is there, too, would be the same events under two names. */
function checkTopics({ events }: EventOptions, context: z.RefinementCtx): void {
  const named = events.map(({ name, signature }) => ({ name, signature: eventOf(signature) }));
  for (const { signature } of named) {
    const other = named.find(
      (one) => one.signature.topic === undefined && eventTopicOf(one.signature) === signature.topic,
    );
    if (other === undefined) continue;
    const message = `${shortHex(signature.topic ?? '')} is the topic of ${eventWords(other.signature)}, as ${other.name}`;
    context.addIssue({ code: 'custom', path: ['events'], message, params: { hint: 'Keep one of them.' } });
  }
}

export function readEventsOf({ events, units = {} }: EventOptions): ReadEvents {
  return { events: events.map(({ name, signature }) => ({ name, signature: eventOf(signature) })), decimals: units };
}

/** The first topics, each once. */
export const topicsOf = remembered(({ events }: EventOptions): readonly string[] => [
  ...new Set(events.map(({ signature }) => eventTopicOf(eventOf(signature)))),
]);
