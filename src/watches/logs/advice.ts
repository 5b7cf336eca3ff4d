import type { NamedEvent } from '../../core/events/catalogue.ts';
import type { ReadEvents } from '../../core/events/event-fields.ts';
import type { FieldDoubt, KindAdvice } from '../../core/model/watch/kind.ts';

export function eventAdvice(read: ReadEvents | null): KindAdvice {
  return {
    fields: {
      args:
        read !== null && read.events.every(({ signature }) => signature.topic !== undefined)
          ? 'An event that is named by its topic is not decoded: only topics and data are known. Write its signature.'
          : 'Only events that `events:` names have arguments, such as events: [Paused].',
      raw: 'Only arguments that `units:` names have numbers before units, such as units: { amount: 6 }.',
    },
    doubts: read === null ? [] : doubtsOf(read.events),
    claims: {
      unless: ['address'],
      unlessOf: true,
      message: 'any contract can emit this; an event of a contract that the config does not name is sent as a warning',
      hint: 'Add address in tokens.',
    },
  };
}

/** A condition on an argument that only some events have is never true for the others, even if it is negated. */
function doubtsOf(events: readonly NamedEvent[]): readonly FieldDoubt[] {
  const names = new Set(events.map(({ name }) => name));
  const owners = new Map<string, Set<string>>();
  for (const { name, signature } of events)
    for (const argument of signature.args)
      owners.set(argument.name, (owners.get(argument.name) ?? new Set()).add(name));
  return [...owners]
    .filter(([, own]) => own.size < names.size)
    .map(([argument, own]) => ({
      field: `args.${argument}`,
      unless: ['event'],
      message: `only ${[...own].join(' and ')} ${own.size === 1 ? 'has' : 'have'} the argument ${argument}`,
      hint: `Write event == "${[...own][0] ?? ''}" && ….`,
    }));
}
