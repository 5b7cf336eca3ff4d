// Which of the items of a poll match an `on:` alert. An item whose condition is unknown stays open, and is asked again
// whenever it is read; one that left the pages that are read before it was known is counted and let go.
import { recordTypeOf } from './fields.ts';
import { truthOfAll } from './health.ts';
import type { Noted } from './kind.ts';
import type { OpenEvent } from './memory.ts';
import type { CountAlert, EventAlert, Reason, Scene, Truth } from './model.ts';
import type { AlertsByKey, Poll } from './part.ts';
import { viewOf, type Remembered } from './tracked.ts';

type PickingAlert = EventAlert | CountAlert;

/** An item that an alert asks about, and what its `if` looks at. */
export interface Match {
  readonly noted: Noted;
  readonly scene: Scene;
}

export interface Picked {
  /** Items that match, each one once in its life. */
  readonly matches: readonly Match[];
  /** What stays open. */
  readonly open: readonly (readonly [string, OpenEvent])[];
  readonly reasons: readonly Reason[];
  /** Of all that was asked: true when something matched, false when nothing did. */
  readonly truth: Truth | 'not-evaluated';
  readonly matchingBaseline: readonly Noted[];
}

/** `events`: those of the poll that the alert waits for. `known`: what it remembers, by finding key. */
export function pick(poll: Poll, alert: PickingAlert, events: readonly Noted[], known: AlertsByKey): Picked {
  const asked = events.flatMap((noted) => ask(poll, alert, noted, known));
  const matches = asked.filter(({ truth }) => truth === true);
  const unknown = asked.filter(({ truth }) => truth === 'unknown');
  const left = leftBehind(poll, alert, events, known);
  const settled: Reason[] = asked
    .filter(({ truth }) => truth === false)
    .map(({ noted }) => ({ type: 'no-match', alert: alert.id, key: noted.key }));
  return {
    matches,
    open: [...unknown.map((one) => [one.noted.key, one.open ?? opened(poll, one.noted)] as const), ...left.kept],
    reasons: [...settled, ...unknown.flatMap((one) => firstUnknown(alert, one)), ...left.undecided],
    truth: truthOfAll(asked.map(({ truth }) => truth)),
    matchingBaseline: events.filter((noted) => noted.standing === 'baseline' && isTrue(alert, noted)),
  };
}

interface Asked extends Match {
  readonly truth: Truth;
  readonly open: OpenEvent | null;
}

function ask(poll: Poll, alert: PickingAlert, noted: Noted, known: AlertsByKey): Asked[] {
  const prior = known[noted.key];
  const open = prior?.type === 'open' ? prior : null;
  const isAsked = noted.standing === 'fresh' ? concerns(poll, alert, noted) : open !== null;
  // One that is followed was asked, though the list may have forgotten it meanwhile.
  if (noted.standing === 'baseline' || !isAsked || prior?.type === 'event') return [];
  const scene = sceneOf(noted, open === null ? noted.before : (open.before as Remembered | null));
  return [{ noted, scene, truth: truthOf(alert, scene), open }];
}

function opened({ time }: Poll, noted: Noted): OpenEvent {
  return { type: 'open', since: time.at, before: noted.before };
}

function firstUnknown(alert: PickingAlert, { noted, open }: Asked): Reason[] {
  return open === null ? [{ type: 'open', alert: alert.id, key: noted.key }] : [];
}

function leftBehind(
  { isComplete }: Poll,
  alert: PickingAlert,
  events: readonly Noted[],
  known: AlertsByKey,
): { kept: [string, OpenEvent][]; undecided: Reason[] } {
  const read = new Set(events.map(({ key }) => key));
  const gone = Object.entries(known).flatMap(([key, prior]): [string, OpenEvent][] =>
    prior.type === 'open' && !read.has(key) ? [[key, prior]] : [],
  );
  if (!isComplete) return { kept: gone, undecided: [] };
  return { kept: [], undecided: gone.map(([key]) => ({ type: 'undecided', alert: alert.id, key })) };
}

/** A change concerns an alert when it touches a field that its `if` reads; without `if`, what the kind compares. */
function concerns({ watch }: Poll, alert: PickingAlert, noted: Noted): boolean {
  if (alert.on !== 'changed') return true;
  const compared = alert.if === null ? watch.kind.comparedByDefault : alert.if.reads;
  return noted.changed.some((path) => compared.some((read) => isWithin(path, read)));
}

function isWithin(path: string, read: string): boolean {
  return path === read || path.startsWith(`${read}.`) || read.startsWith(`${path}.`);
}

function isTrue(alert: PickingAlert, noted: Noted): boolean {
  return truthOf(alert, sceneOf(noted, noted.before)) === true;
}

/** Without `if` everything matches. */
export function truthOf(alert: PickingAlert, scene: Scene): Truth {
  return alert.if === null ? true : alert.if.evaluate(scene);
}

/** A single item as conditions and messages look at it; `before` as encoded in memory. */
export function sceneOf({ view }: Pick<Noted, 'view'>, before: Remembered | null): Scene {
  return { view, before: before === null ? null : viewOf(recordTypeOf(view), before), history: null };
}
