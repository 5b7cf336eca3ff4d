// Stories of two things that seldom meet one alert by chance (meetings.ts). They have a stream of numbers of their own, so that
// all else of a seed stays as it is.
import { createDraw, type Draw } from '../draw.ts';
import { planFault } from '../faults/catalogue.ts';
import type { FaultKind } from '../faults/kinds.ts';
import type { PlannedFault, Span } from '../model.ts';

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const A_DAY = 2;
/** What a story does before it begins. */
const BEFORE_MS = 1.5 * HOUR;
const LONGEST_MS = 5 * HOUR;

interface Part {
  readonly kind: FaultKind;
  /** In minutes after the story has begun. */
  readonly from: number;
  readonly to: number;
  readonly given?: (draw: Draw) => Partial<Pick<PlannedFault, 'ms' | 'times' | 'path' | 'amount'>>;
}

/** Minutes, from the least to the most. */
type Minutes = readonly [number, number];

/** The first fall lasts longer by `longer`. */
function falls(path: 'USDC' | 'coin', times: number, longer: Minutes, [from, to]: Minutes = [0, 0]): Part {
  const given: Part['given'] = (draw) => ({
    path,
    times,
    ms: 20 * MINUTE,
    amount: draw.between(...longer) * MINUTE,
  });
  return { kind: 'flap', from, to, given };
}

function about(kind: FaultKind, path: string, [from, to]: Minutes): Part {
  return { kind, from, to, given: () => ({ path }) };
}

function fails([from, to]: Minutes, [least, most]: Minutes): Part {
  return { kind: 'sink-5xx', from, to, given: (draw) => ({ ms: draw.between(least, most) * MINUTE }) };
}

/** Any receiver. */
function refuses([from, to]: Minutes): Part {
  const given: Part['given'] = (draw) => ({
    path: null,
    times: draw.between(2, 5),
    ms: draw.between(60, 150) * MINUTE,
  });
  return { kind: 'body-refused', from, to, given };
}

function silence(path: string, [from, to]: Minutes): Part {
  return { kind: 'silence', from, to, given: (draw) => ({ path, ms: draw.between(12, 24) * 5 * MINUTE }) };
}

/**
 * It falls again and again while it cools down from what nobody could be told of; nor can anybody be when it fires at last. What
 * inhibits it is over each time.
 */
const FAILING_OVER: readonly Part[] = [
  falls('USDC', 1, [0, 0], [-80, -70]),
  about('severity-raised', 'usdc/again', [-20, -5]),
  falls('coin', 1, [0, 0], [-26, -20]),
  fails([-3, 0], [30, 45]),
  falls('USDC', 5, [12, 22]),
  { kind: 'kill', from: 42, to: 54 },
  falls('coin', 1, [0, 0], [50, 56]),
  fails([70, 76], [30, 40]),
  about('severity-lowered', 'usdc/again', [130, 180]),
];

const STORIES: readonly [readonly Part[], ...(readonly Part[])[]] = [
  FAILING_OVER,
  FAILING_OVER,
  // The third firing, after forty minutes, is the one that flaps; where it cools down first, that is after an hour.
  [
    falls('USDC', 6, [0, 2]),
    refuses([34, 44]),
    about('snooze', 'usdc/low', [53, 80]),
    about('snooze', 'usdc/again', [76, 105]),
  ],
  [falls('USDC', 6, [0, 2]), fails([36, 42], [25, 40]), about('snooze', 'usdc/low', [58, 85])],
  // Its begin is given up after half an hour, and is to be told again after an hour.
  [falls('USDC', 1, [100, 160]), refuses([-2, 0]), silence('usdc/low', [42, 57])],
  // So little may be sent that the second message is too much.
  [
    about('cap-tightened', 'post', [-12, -3]),
    falls('coin', 1, [10, 50], [-8, 2]),
    { kind: 'late-call', from: 0, to: 0 },
    { kind: 'late-call', from: 9, to: 11 },
    about('snooze', 'vault/failed', [14, 20]),
    about('snooze', 'vault/failed', [23, 29]),
    about('cap-changed', 'post', [90, 150]),
  ],
  // It is polled every ten minutes, and what comes first waits for as long.
  [
    about('groups-changed', 'treasury', [-15, -2]),
    { kind: 'late-call', from: 0, to: 0 },
    about('snooze', 'vault/failed', [9, 11]),
    silence('vault/failed', [10, 11]),
    about('groups-changed', 'treasury', [60, 100]),
  ],
];

export function drawRareMeetings(draw: Draw, span: Span, day: number): readonly PlannedFault[] {
  return Array.from({ length: A_DAY }, (_, n) => {
    const at = span.from + BEFORE_MS + draw.below(span.to - span.from - LONGEST_MS);
    const own = createDraw(draw.below(2 ** 31));
    return own.pick(STORIES).map(({ kind, from, to, given }, part): PlannedFault => {
      const moment = at + own.between(from * 60, to * 60) * 1000;
      return { ...planFault(kind, moment, `m${day}.${n}.${part}`, own), ...given?.(own) };
    });
  }).flat();
}
