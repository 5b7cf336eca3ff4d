// `on:` alerts: one per occurrence. It happened; it never resolves. What stands in a block is followed until nothing
// takes it back: told when it is deep enough, and told again when it turns out otherwise.
import { blockOf, firstMessage } from './event-message.ts';
import { beginEvent } from './event-state.ts';
import { followAll, reasonOf, revOf, type Step } from './following.ts';
import type { EventState } from './memory.ts';
import type { EventAlert, Reason } from './model.ts';
import { deliveriesOf, sameOr, unread, type AlertsByKey, type Part, type Poll } from './part.ts';
import { greatestNeed } from './tick-chain.ts';
import { pick, type Match } from './picking.ts';

export function stepEvents(poll: Poll, alert: EventAlert, known: AlertsByKey): Part {
  if (poll.noticed === null) return unread(known);
  const events = poll.noticed.events.filter(({ on }) => on === alert.on);
  const picked = pick(poll, alert, events, known);
  const begun = picked.matches.map((match) => begin(poll, alert, match));
  const steps = [...begun, ...holdStorm(alert, followAll(poll, alert, known))];
  const alive = steps.flatMap(({ key, after }) => (after === null ? [] : [[key, after] as const]));
  return {
    alerts: sameOr(known, [...picked.open, ...newest(alive)]),
    deliveries: steps.flatMap(({ deliveries }) => deliveries),
    reasons: [...steps.flatMap(({ reason }) => (reason === null ? [] : [reason])), ...picked.reasons],
    truth: picked.truth,
    matchingBaseline: picked.matchingBaseline.length,
    needs: greatestNeed(steps.map(({ needs }) => needs)),
  };
}

const NOWHERE = { after: null, transition: 'confirmed' } as const;

function begin(poll: Poll, alert: EventAlert, { noted, scene }: Match): Step {
  const { after: life, transition } =
    noted.block === 'nowhere' ? NOWHERE : beginEvent(alert, blockOf(noted), poll.head);
  const isTold = transition === 'confirmed';
  const message = firstMessage(poll, alert, { noted, scene });
  const rev = life === null ? {} : revOf(poll, alert, noted.view);
  const after = life && {
    type: 'event' as const,
    ...life,
    rev,
    seq: isTold ? 1 : 0,
    message,
    told: isTold ? alert.notify : [],
  };
  const deliveries = isTold ? deliveriesOf(alert.notify, message) : [];
  return {
    key: noted.key,
    before: null,
    after,
    deliveries,
    reason: reasonOf(alert, noted.key, isTold ? 'told' : 'observed'),
    needs: null,
  };
}

// More than this at once speak of the explorer, not of the chain.
const STORM = 20;

function holdStorm(alert: EventAlert, steps: readonly Step[]): readonly Step[] {
  const isRetracted = ({ reason }: Step): boolean => reason?.type === 'retracted';
  const count = steps.filter(isRetracted).length;
  if (count <= STORM) return steps;
  const text = `${alert.id}: ${count} items vanished at once; their retractions are held back until they are back or fewer`;
  const note: Reason = { type: 'note', text };
  // They stay as they were: the next complete reading judges again.
  return steps.map((step) =>
    isRetracted(step) ? { ...step, after: step.before, deliveries: [], reason: note } : step,
  );
}

// So many that were told are followed per alert; older ones are taken for final. What is not told yet is never let go,
// nor what was taken back: should it come back, that must be said.
const MOST_FOLLOWED = 100;

type Alive = readonly (readonly [string, EventState])[];

function newest(alive: Alive): Alive {
  if (alive.length <= MOST_FOLLOWED) return alive;
  const isOwed = ([, { state, seq }]: Alive[number]): boolean => seq === 0 || state === 'retracted';
  const rank = (one: Alive[number]): number => (isOwed(one) ? Infinity : (one[1].block ?? Infinity));
  return alive.toSorted((a, b) => rank(b) - rank(a)).slice(0, Math.max(MOST_FOLLOWED, alive.filter(isOwed).length));
}
