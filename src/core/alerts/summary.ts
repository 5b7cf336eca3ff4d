// Many messages of one sort at once are told as one, with their exact number and the keys of all of them.
import type { Delivery, Message, MessageType } from '../model/delivery.ts';
import { idOf } from '../model/identity.ts';
import { summaryMessage } from './message.ts';
import type { EventAlert } from '../model/watch.ts';
import { deliveriesOf, type Poll } from './alert-evaluation.ts';

/** More follow-ups of one sort in one poll of one alert are folded. */
const MOST_SINGLY = 20;

const FOLLOW_UPS: readonly MessageType[] = ['alert.retracted', 'alert.reinstated', 'alert.corrected'];

/** The deliveries of an alert in one poll; where its follow-ups are many, one summary of each sort in their place. */
export function foldFollowUps(poll: Poll, alert: EventAlert, deliveries: readonly Delivery[]): readonly Delivery[] {
  if (deliveries.length <= MOST_SINGLY) return deliveries;
  const folded = FOLLOW_UPS.flatMap((of) => summaries(poll, alert, of, deliveries));
  const inSummary = new Set(folded.flatMap(({ members }) => members));
  return [...deliveries.filter((one) => !inSummary.has(one)), ...folded.flatMap(({ summary }) => summary)];
}

interface Folded {
  readonly summary: readonly Delivery[];
  readonly members: readonly Delivery[];
}

/** One for each recipient who is owed that many. */
function summaries(poll: Poll, alert: EventAlert, of: MessageType, deliveries: readonly Delivery[]): Folded[] {
  const owed = Map.groupBy(
    deliveries.filter(({ message }) => message.type === of),
    ({ channel, recipient }) => JSON.stringify([channel, recipient]),
  );
  return [...owed.values()].flatMap((members) => {
    const [first] = members;
    if (first === undefined || members.length <= MOST_SINGLY) return [];
    return [{ summary: deliveriesOf([first], summaryOf(poll, alert, of, members)), members }];
  });
}

function summaryOf(poll: Poll, alert: EventAlert, of: MessageType, members: readonly Delivery[]): Message {
  const { watch, time } = poll;
  const told = members.map(({ message }) => message);
  const news = told.map(({ key, seq }) => `${key} ${seq}`).toSorted();
  const key = idOf(watch.id, alert.id, watch.target.explorer, 'summary', ...news);
  const keys = told.map((message) => message.key);
  return summaryMessage(watch, alert, { key, at: time.at }, { of, count: keys.length, keys }, titlesOf(told));
}

const MOST_TITLES = 10;

/** The first of the titles, where they tell the members apart. */
function titlesOf(told: readonly Message[]): string[] {
  const titles = [...new Set(told.map(({ title }) => title))];
  return titles.length === 1 ? [] : titles.slice(0, MOST_TITLES);
}
