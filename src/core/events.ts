// `on:` alerts: one per occurrence. It happened; it never resolves.
import { recordTypeOf } from './fields.ts';
import { eventKey } from './identity.ts';
import type { Noted } from './kind.ts';
import { messageOf } from './message.ts';
import type { Alert, Delivery, EventAlert, OpenEvent, Reason, Scene, Truth } from './model.ts';
import { deliveriesOf, type AlertsByKey, type Part, type Poll } from './part.ts';
import { viewOf, type Remembered } from './tracked.ts';

export function stepEvents(poll: Poll, alert: EventAlert, known: AlertsByKey): Part {
  if (poll.noticed === null) return { alerts: known, deliveries: [], reasons: [], matchingBaseline: 0 };
  const events = poll.noticed.events.filter(({ on }) => on === alert.on);
  const verdicts = events.flatMap((noted) => judge(poll, alert, noted, known[noted.key]));
  const left = leftBehind(poll, alert, events, known);
  const open = [...verdicts.flatMap(({ open }) => (open === null ? [] : [open])), ...left.kept];
  return {
    alerts: isUnchanged(open, known) ? known : Object.fromEntries(open),
    deliveries: verdicts.flatMap(({ deliveries }) => deliveries),
    reasons: [...verdicts.flatMap(({ reason }) => (reason === null ? [] : [reason])), ...left.undecided],
    matchingBaseline: events.filter((noted) => noted.standing === 'baseline' && isTrue(alert, noted)).length,
  };
}

interface Verdict {
  readonly open: readonly [string, Alert] | null;
  readonly deliveries: readonly Delivery[];
  readonly reason: Reason | null;
}

/** Told, not matching, or still unknown: then it stays open and is asked again whenever it is read. */
function judge(poll: Poll, alert: EventAlert, noted: Noted, known: Alert | undefined): Verdict[] {
  const waiting = known?.type === 'open' ? known : null;
  const isAsked = noted.standing === 'fresh' ? concerns(poll, alert, noted) : waiting !== null;
  if (noted.standing === 'baseline' || !isAsked) return [];
  const scene = sceneOf(noted, waiting === null ? noted.before : (waiting.before as Remembered | null));
  const truth = truthOf(alert, scene);
  if (truth === 'unknown') return [stayOpen(poll, alert, noted, waiting)];
  const reason: Reason = { type: truth ? 'told' : 'no-match', alert: alert.id, key: noted.key };
  return [{ open: null, deliveries: truth ? tell(poll, alert, noted, scene) : [], reason }];
}

function stayOpen(poll: Poll, alert: EventAlert, noted: Noted, waiting: OpenEvent | null): Verdict {
  const open: OpenEvent = waiting ?? { type: 'open', since: poll.time.at, before: noted.before };
  const reason: Reason | null = waiting === null ? { type: 'open', alert: alert.id, key: noted.key } : null;
  return { open: [noted.key, open], deliveries: [], reason };
}

const LATE_AFTER_MS = 600_000;

function tell({ watch, time }: Poll, alert: EventAlert, noted: Noted, scene: Scene): Delivery[] {
  const since = noted.happenedAt ?? time.at;
  const message = messageOf(watch, alert, scene, {
    type: 'alert.event',
    key: eventKey(watch, alert.id, noted.key),
    episode: 1,
    seq: 1,
    at: time.at,
    observedAt: time.at,
    since,
    late: time.at - since > LATE_AFTER_MS,
  });
  return deliveriesOf(alert.notify, message);
}

/** An item that left the pages that are read before its condition was known is counted and let go. */
function leftBehind(
  { isComplete }: Poll,
  alert: EventAlert,
  events: readonly Noted[],
  known: AlertsByKey,
): { kept: [string, Alert][]; undecided: Reason[] } {
  const read = new Set(events.map(({ key }) => key));
  const gone = Object.entries(known).filter(([key]) => !read.has(key));
  if (!isComplete) return { kept: gone, undecided: [] };
  return { kept: [], undecided: gone.map(([key]) => ({ type: 'undecided', alert: alert.id, key })) };
}

/** A change concerns an alert when it touches a field that its `if` reads; without `if`, what the kind compares. */
function concerns({ watch }: Poll, alert: EventAlert, noted: Noted): boolean {
  if (alert.on !== 'changed') return true;
  const compared = alert.if === null ? watch.kind.comparedByDefault : alert.if.reads;
  return noted.changed.some((path) => compared.some((read) => isWithin(path, read)));
}

function isWithin(path: string, read: string): boolean {
  return path === read || path.startsWith(`${read}.`) || read.startsWith(`${path}.`);
}

function isTrue(alert: EventAlert, noted: Noted): boolean {
  return truthOf(alert, sceneOf(noted, noted.before)) === true;
}

function truthOf(alert: EventAlert, scene: Scene): Truth {
  return alert.if === null ? true : alert.if.evaluate(scene);
}

function sceneOf(noted: Noted, before: Remembered | null): Scene {
  return { view: noted.view, before: before === null ? null : viewOf(recordTypeOf(noted.view), before) };
}

function isUnchanged(open: readonly (readonly [string, Alert])[], known: AlertsByKey): boolean {
  return open.length === Object.keys(known).length && open.every(([key, alert]) => known[key] === alert);
}
