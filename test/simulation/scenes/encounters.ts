// Several things that meet one alert: something happens on the chain, and around it people act, and messages fail.
import { createDraw, type Draw } from '../draw.ts';
import { planFault } from '../faults/catalogue.ts';
import { EDIT_KINDS, type FaultKind } from '../faults/kinds.ts';
import type { Instant, PlannedFault, Span } from '../model.ts';

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const A_DAY = { least: 4, most: 4 };
const DEEDS_EACH = { least: 3, most: 6 };
/** It is over before the day is. */
const LONGEST_MS = 4 * HOUR;

type Given = Partial<Pick<PlannedFault, 'ms' | 'times' | 'path' | 'amount'>>;

interface Occasion {
  readonly kind: FaultKind;
  /** `watch/alert`. */
  readonly target: string;
  readonly given: (draw: Draw) => Given;
  /** Minutes until it is what it is to be: it flaps with its third firing, and cools down with its second one. */
  readonly takes: number;
  /** Half of the deeds are of these. */
  readonly mostly: readonly [DeedName, ...DeedName[]];
  /** Besides, all together, in half of the cases; left out: nothing. */
  readonly often?: readonly DeedName[];
}

interface Deed {
  readonly kind: (draw: Draw) => FaultKind;
  /** In minutes after the occasion. */
  readonly from: number;
  readonly to: number;
  readonly given?: (draw: Draw, target: string) => Given;
}

const toTarget = (_draw: Draw, path: string): Given => ({ path });

const DEEDS = {
  mute: { kind: () => 'muted-now', from: -15, to: 10 },
  'mute-soon': { kind: () => 'muted-now', from: 6, to: 13 },
  fail: { kind: () => 'sink-5xx', from: -5, to: 5, given: (draw) => ({ ms: draw.between(20, 60) * MINUTE }) },
  refuse: {
    kind: () => 'body-refused',
    from: -5,
    to: 2,
    given: (draw) => ({ path: null, times: draw.between(1, 8), ms: draw.between(60, 300) * MINUTE }),
  },
  silence: { kind: () => 'silence', from: -10, to: 25, given: toTarget },
  hush: { kind: () => 'silence', from: 15, to: 30, given: toTarget },
  'hush-soon': { kind: () => 'silence', from: 6, to: 13, given: toTarget },
  'end-silence': { kind: () => 'silence-ended', from: 20, to: 60 },
  ack: { kind: () => 'ack', from: 15, to: 45, given: toTarget },
  'ack-soon': { kind: () => 'ack', from: 12, to: 25, given: toTarget },
  snooze: { kind: () => 'snooze', from: 15, to: 45, given: toTarget },
  'snooze-soon': { kind: () => 'snooze', from: 12, to: 25, given: toTarget },
  withdraw: { kind: () => 'ack-withdrawn', from: 25, to: 60 },
  edit: { kind: (draw) => draw.pick(EDIT_KINDS), from: -5, to: 45 },
  pause: { kind: () => 'pause', from: 10, to: 45, given: toTarget },
  lower: { kind: () => 'severity-lowered', from: -40, to: -15, given: toTarget },
  raise: { kind: () => 'severity-raised', from: -30, to: -5, given: toTarget },
  'raise-later': { kind: () => 'severity-raised', from: 8, to: 14, given: toTarget },
  group: { kind: () => 'groups-changed', from: -10, to: 0 },
  kill: { kind: () => 'kill', from: 0, to: 45 },
  cap: { kind: () => 'cap-tightened', from: -15, to: 0 },
  storm: {
    kind: () => 'storm',
    from: -4,
    to: 10,
    given: (draw) => ({ times: 4, amount: 3 * draw.between(3, 8) }),
  },
  inhibit: { kind: () => 'flap', from: -15, to: 15, given: falls('coin', [1, 1], [20, 60]) },
  // It is low for ten minutes first.
  'inhibit-soon': { kind: () => 'flap', from: -8, to: -2, given: falls('coin', [1, 1], [30, 60]) },
  // Not so deep that what is gone is final before that is believed.
  reorganise: { kind: () => 'reorg', from: 11, to: 18, given: () => ({ times: 0, amount: 30 }) },
} satisfies Readonly<Record<string, Deed>>;

type DeedName = keyof typeof DEEDS;

const ANY: readonly [DeedName, ...DeedName[]] = [
  'mute',
  'fail',
  'refuse',
  'silence',
  'end-silence',
  'ack',
  'snooze',
  'withdraw',
  'edit',
  'group',
  'kill',
  'cap',
  'storm',
  'inhibit',
  'pause',
];

function falls(path: 'USDC' | 'coin', times: readonly [number, number], first: readonly [number, number]) {
  return (draw: Draw): Given => ({
    path,
    times: draw.between(...times),
    ms: 20 * MINUTE,
    amount: draw.between(...first) * MINUTE,
  });
}

const FLAPS = { kind: 'flap', given: falls('USDC', [4, 6], [0, 5]), takes: 40 } as const;

/** Each alert of the watch flaps then. */
const FLAPPING = (
  [
    { target: 'usdc/low', often: ['fail', 'ack', 'hush'] },
    { target: 'usdc/low', often: ['ack', 'ack'] },
    { target: 'usdc/low', often: ['fail', 'snooze', 'inhibit'] },
    { target: 'usdc/again', often: ['silence', 'mute', 'refuse'] },
  ] as const
).map((one): Occasion => ({
  ...one,
  ...FLAPS,
  mostly: ['ack', 'snooze', 'refuse', 'silence', 'hush', 'mute'],
}));

/** Nobody acknowledges it before others are called in. */
const FLAPPING_LONG = (['kill', 'edit'] as const).map((deed): Occasion => ({
  ...FLAPS,
  target: 'usdc/low',
  mostly: [deed, 'group', 'cap', 'withdraw', 'end-silence'],
}));

/** Others are called in where all receivers fail. */
const FAILING_OVER = (
  [
    ['fail', 'inhibit-soon'],
    ['fail', 'mute-soon', 'ack'],
    ['fail', 'hush-soon', 'reorganise'],
  ] as const
).map((often): Occasion => ({
  kind: 'storm',
  target: 'large/large',
  given: () => ({ times: 1, amount: 3 }),
  takes: 0,
  mostly: ['edit', 'snooze', 'hush-soon', 'kill'],
  often,
}));

/** It is open for long enough to be called in for, or given up, and falls again while it cools down. */
const COOLING = (
  [['snooze-soon'], ['ack-soon'], ['snooze-soon', 'refuse'], ['ack-soon', 'silence', 'refuse'], ['hush']] as const
).map((often): Occasion => ({
  kind: 'flap',
  target: 'usdc/again',
  given: falls('USDC', [2, 3], [25, 45]),
  takes: 0,
  mostly: ['edit', 'kill', 'fail', 'mute', 'group'],
  often,
}));

const OCCASIONS: readonly [Occasion, ...Occasion[]] = [
  {
    kind: 'flap',
    target: 'usdc/low',
    given: falls('USDC', [1, 1], [50, 200]),
    takes: 0,
    mostly: ['ack', 'snooze', 'fail', 'refuse', 'silence', 'mute'],
    often: ['fail', 'hush', 'inhibit'],
  },
  ...FLAPPING,
  ...FLAPPING_LONG,
  ...COOLING,
  {
    kind: 'flap',
    target: 'usdc/again',
    given: falls('USDC', [2, 3], [0, 40]),
    takes: 0,
    mostly: ['ack', 'snooze', 'fail', 'refuse', 'silence', 'mute', 'inhibit'],
    often: ['raise', 'fail'],
  },
  {
    kind: 'flap',
    target: 'usdc/again',
    given: falls('USDC', [1, 2], [30, 60]),
    takes: 0,
    mostly: ['ack', 'snooze', 'silence', 'refuse', 'kill'],
    often: ['lower', 'raise-later', 'fail'],
  },
  {
    kind: 'storm',
    target: 'large/large',
    given: (draw) => ({ times: 1, amount: 3 * draw.between(1, 3) }),
    takes: 0,
    mostly: ['ack', 'snooze', 'fail', 'refuse', 'silence', 'reorganise', 'reorganise'],
    often: ['silence', 'reorganise', 'snooze', 'ack'],
  },
  ...FAILING_OVER,
  {
    kind: 'late-call',
    target: 'vault/failed',
    given: () => ({}),
    takes: 0,
    mostly: ['silence', 'end-silence', 'group', 'refuse', 'reorganise'],
    often: ['silence', 'group', 'reorganise'],
  },
];

export function drawEncounters(draw: Draw, span: Span, day: number): readonly PlannedFault[] {
  return Array.from({ length: draw.between(A_DAY.least, A_DAY.most) }, (_, n) => {
    const at = span.from + HOUR + draw.below(span.to - span.from - LONGEST_MS);
    return encounter(createDraw(draw.below(2 ** 31)), at, `e${day}.${n}`);
  }).flat();
}

function encounter(draw: Draw, at: Instant, id: string): readonly PlannedFault[] {
  const { kind, target, given, takes, mostly, often = [] } = draw.pick(OCCASIONS);
  const some = Array.from({ length: draw.between(DEEDS_EACH.least, DEEDS_EACH.most) }, () =>
    draw.pick(draw.chance(0.5) ? mostly : ANY),
  );
  const together = draw.chance(0.75) ? often : [];
  const drawn = [...together, ...some].map((name, n): PlannedFault => {
    const deed: Deed = DEEDS[name];
    const shift = n < together.length || draw.chance(0.5) ? takes : 0;
    const moment = at + draw.between((shift + deed.from) * 60, (shift + deed.to) * 60) * 1000;
    return { ...planFault(deed.kind(draw), moment, `${id}.${n + 1}`, draw), ...deed.given?.(draw, target) };
  });
  return [{ ...planFault(kind, at, `${id}.0`, draw), ...given(draw) }, ...drawn];
}
