// Random histories of a few alerts, one mail address and one machine, and how they are played.
import fc from 'fast-check';
import type { Cap, MuteWindow, Routing, Silence, TransitionName } from '../../src/dispatch/model.ts';
import { InMemoryDispatch, NO_OPTIONS, type Alert, type Sent, type Setup } from './in-memory.ts';

export const SECOND = 1000;
export const MINUTE = 60 * SECOND;
export const HOUR = 60 * MINUTE;
/** A Thursday. */
export const START = Date.parse('2026-01-01T11:00:00Z');

const alert = (key: string, watch: string, severity: string): Alert => ({
  key,
  labels: { watch, severity, explorer: 'ethereum', alert: key },
});
export const CONDITIONS = [
  alert('stalled', 'head', 'critical'),
  alert('low', 'coins', 'warning'),
  alert('gas', 'coins', 'critical'),
  alert('moved', 'coins', 'info'),
];
export const EVENTS = [
  alert('call-1', 'vault', 'warning'),
  alert('call-2', 'vault', 'critical'),
  alert('call-3', 'vault', 'info'),
];

export type Step =
  | { readonly do: 'wait'; readonly ms: number }
  | { readonly do: 'turn'; readonly which: number }
  | { readonly do: 'event'; readonly which: number; readonly correct: boolean }
  | { readonly do: 'silence'; readonly about: string; readonly ms: number }
  | { readonly do: 'end-silences' }
  | { readonly do: 'ack'; readonly which: number }
  | { readonly do: 'wire'; readonly channel: string; readonly outcome: 'sent' | 'again' | 'dead' | 'busy' }
  | { readonly do: 'poll' }
  | { readonly do: 'restart' }
  | { readonly do: 'jump'; readonly ms: number }
  | { readonly do: 'reload'; readonly routes: RouteName };

const which = fc.nat(9);
const wait = fc.oneof(
  { weight: 4, arbitrary: fc.integer({ min: 1, max: 90 }).map((s) => s * SECOND) },
  { weight: 2, arbitrary: fc.integer({ min: 1, max: 30 }).map((m) => m * MINUTE) },
  { weight: 1, arbitrary: fc.integer({ min: 1, max: 9 }).map((h) => h * HOUR) },
);

const turn = fc.record({ do: fc.constant('turn' as const), which });
const event = fc.record({ do: fc.constant('event' as const), which, correct: fc.boolean() });
const waits = fc.record({ do: fc.constant('wait' as const), ms: wait });
const silences = [
  {
    weight: 2,
    arbitrary: fc.record({
      do: fc.constant('silence' as const),
      about: fc.constantFrom('coins', 'vault', '*'),
      ms: wait,
    }),
  },
  { weight: 1, arbitrary: fc.constant({ do: 'end-silences' } as const) },
];
const others = [
  { weight: 1, arbitrary: fc.record({ do: fc.constant('ack' as const), which }) },
  {
    weight: 3,
    arbitrary: fc.record({
      do: fc.constant('wire' as const),
      channel: fc.constantFrom('mail', 'hook'),
      outcome: fc.constantFrom('sent' as const, 'sent' as const, 'again' as const, 'dead' as const, 'busy' as const),
    }),
  },
  { weight: 1, arbitrary: fc.constant({ do: 'poll' } as const) },
  { weight: 1, arbitrary: fc.constant({ do: 'restart' } as const) },
];
const jumps = [
  {
    weight: 1,
    arbitrary: fc.record({
      do: fc.constant('jump' as const),
      ms: fc.integer({ min: -300, max: 300 }).map((m) => m * MINUTE),
    }),
  },
];
const reloads = [
  {
    weight: 1,
    arbitrary: fc.record({
      do: fc.constant('reload' as const),
      routes: fc.constantFrom<RouteName>('both', 'mail', 'hook', 'slow', 'evening'),
    }),
  },
];

const BASIC = [
  { weight: 8, arbitrary: waits },
  { weight: 6, arbitrary: turn },
  { weight: 6, arbitrary: event },
];

export const calm = fc.array(fc.oneof(...BASIC, ...others), { maxLength: 50 });
export const silenced = fc.array(fc.oneof(...BASIC, ...others, ...silences), { maxLength: 50 });
export const anything = fc.array(fc.oneof(...BASIC, ...others, ...silences, ...jumps, ...reloads), { maxLength: 60 });

export type RouteName = 'both' | 'mail' | 'hook' | 'slow' | 'evening';

const EVENING: MuteWindow = { days: ['thu', 'fri'], from: '20:00', to: '06:00', zone: 'Europe/Berlin' };

const ROUTES: Readonly<Record<RouteName, Routing>> = {
  both: { channels: ['mail', 'hook'], options: NO_OPTIONS },
  mail: { channels: ['mail'], options: NO_OPTIONS },
  hook: { channels: ['hook'], options: NO_OPTIONS },
  slow: {
    channels: ['mail', 'hook'],
    options: {
      ...NO_OPTIONS,
      groupBy: ['explorer'],
      groupWaitMs: 30 * SECOND,
      groupIntervalMs: 5 * MINUTE,
      repeatMs: HOUR,
    },
  },
  evening: { channels: ['mail', 'hook'], options: { ...NO_OPTIONS, mute: [EVENING], requireAck: true } },
};

export interface Play {
  readonly cap?: Cap | null;
  readonly routes?: RouteName;
  readonly inhibits?: boolean;
  /** Called after every decision. */
  readonly onDecided?: (dispatch: InMemoryDispatch) => void;
  /** Decides one target after the other, the last one first. */
  readonly inParts?: boolean;
}

export function setupOf({ cap = null, routes = 'both', inhibits = false }: Play): Setup {
  return {
    channels: { mail: { unit: 'group', cap }, hook: { unit: 'alert', cap: null } },
    routing: () => ROUTES[routes],
    inhibit: inhibits
      ? [{ when: { watch: 'head' }, mute: { severity: '!critical' }, equal: ['explorer'], events: 'summary' }]
      : [],
  };
}

/** Plays a history, and then lets everything come to rest: no silence, every wire sends, and two days pass. */
export function play(steps: readonly Step[], options: Play = {}): InMemoryDispatch {
  const dispatch = new InMemoryDispatch(setupOf(options), START);
  dispatch.inParts = options.inParts ?? false;
  dispatch.onDecided = options.onDecided ?? (() => undefined);
  const wires = new Map<string, 'sent' | 'again' | 'dead' | 'busy'>();
  dispatch.wire = ({ target }) => wires.get(target.channel) ?? 'sent';
  pollAll(dispatch);
  for (const step of steps) {
    apply(dispatch, step, wires, options);
    dispatch.work();
  }
  return dispatch;
}

export function rest(dispatch: InMemoryDispatch): InMemoryDispatch {
  dispatch.wire = () => 'sent';
  dispatch.endSilences();
  for (const source of CONDITIONS.slice(0, 1))
    if (dispatch.alerts.get(source.key)?.isOpen === true) dispatch.happens(source, 'resolved');
  pollAll(dispatch);
  dispatch.runUntil(dispatch.now + 48 * HOUR);
  return dispatch;
}

function apply(
  dispatch: InMemoryDispatch,
  step: Step,
  wires: Map<string, ReturnType<InMemoryDispatch['wire']>>,
  options: Play,
) {
  switch (step.do) {
    case 'wait':
      dispatch.runUntil(dispatch.now + step.ms);
      return;
    case 'turn':
      turnOver(dispatch, pick(CONDITIONS, step.which));
      return;
    case 'event':
      moveOn(dispatch, pick(EVENTS, step.which), step.correct);
      return;
    case 'silence':
      dispatch.silences.push(silenceOf(dispatch, step.about, step.ms));
      dispatch.policyChanged();
      return;
    case 'end-silences':
      dispatch.endSilences();
      return;
    case 'ack':
      acknowledge(dispatch, pick(CONDITIONS, step.which));
      return;
    case 'wire':
      wires.set(step.channel, step.outcome);
      return;
    case 'poll':
      pollAll(dispatch);
      return;
    case 'restart':
      dispatch.restart();
      return;
    case 'jump':
      dispatch.jump(step.ms);
      return;
    case 'reload':
      dispatch.reload(setupOf({ ...options, routes: step.routes }));
  }
}

export function pick<T>(from: readonly T[], n: number): T {
  const one = from[n % from.length];
  if (one === undefined) throw new Error('nothing to pick from');
  return one;
}

function turnOver(dispatch: InMemoryDispatch, one: Alert): void {
  dispatch.happens(one, dispatch.alerts.get(one.key)?.isOpen === true ? 'resolved' : 'firing');
}

const NEXT: Readonly<Record<TransitionName, TransitionName>> = {
  event: 'retracted',
  corrected: 'retracted',
  reinstated: 'retracted',
  retracted: 'reinstated',
  firing: 'resolved',
  resolved: 'firing',
};

function moveOn(dispatch: InMemoryDispatch, one: Alert, correct: boolean): void {
  dispatch.happens(one, next(dispatch.alerts.get(one.key)?.news.at(-1)?.transition, correct));
}

/** What happens to an event after that. */
export function next(last: TransitionName | undefined, correct: boolean): TransitionName {
  if (last === undefined) return 'event';
  return correct && last !== 'retracted' ? 'corrected' : NEXT[last];
}

function silenceOf({ silences, now }: InMemoryDispatch, watch: string, ms: number): Silence {
  return {
    id: `s${silences.length}`,
    kind: 'silence',
    matchers: { watch },
    untilResolved: false,
    version: 1,
    from: now,
    until: now + ms,
    actor: 'ada',
    comment: '',
  };
}

function acknowledge(dispatch: InMemoryDispatch, { key }: Alert): void {
  const known = dispatch.alerts.get(key);
  if (known?.isOpen !== true) return;
  const { episode, news } = known;
  const seq = news.at(-1)?.seq ?? 0;
  dispatch.acks.push({
    key,
    episode,
    seq,
    severity: 'critical',
    actor: 'ada',
    comment: null,
    at: 0,
    until: dispatch.now + 24 * HOUR,
  });
}

function pollAll(dispatch: InMemoryDispatch): void {
  for (const { labels } of [...CONDITIONS, ...EVENTS]) dispatch.poll(labels['watch'] ?? '');
}

/** The lines that a target was sent about an alert, oldest first. */
export interface SentLine {
  readonly message: Sent;
  readonly seq: number;
  readonly as: Sent['lines'][number]['as'];
}

export function linesOf({ messages }: InMemoryDispatch, channel: string, key: string): SentLine[] {
  return messages
    .filter(({ target, state }) => target.channel === channel && state !== 'merged' && state !== 'cancelled')
    .flatMap((message) =>
      message.lines.filter((line) => line.key === key).map(({ seq, as }) => ({ message, seq, as })),
    );
}
