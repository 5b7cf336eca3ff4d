// The day of people, besides what meets one alert (encounters.ts): reloads, acknowledgements and silences, and what is done to them: storms, and receivers that
// fail. Several of these may be at one moment, and the process may die right then.
import type { Draw } from '../draw.ts';
import { createDraw } from '../draw.ts';
import { planFault } from '../faults/catalogue.ts';
import {
  ACK_KINDS,
  EDIT_KINDS,
  PAUSE_KINDS,
  RECEIVER_KINDS,
  SILENCE_KINDS,
  type FaultKind,
  type OperatorKind,
} from '../faults/kinds.ts';
import type { Instant, PlannedFault, Span } from '../model.ts';
import { drawEncounters } from './encounters.ts';
import { drawTurns } from './turns.ts';

interface OfDay {
  readonly day: number;
  /** The kinds that may happen. */
  readonly kinds: readonly FaultKind[];
}

const TOGETHER = 0.3;
const DEADLY = 0.12;
/** Two things at one moment are at most so far apart. */
const MOMENT_MS = 90_000;

export function drawScenes(draw: Draw, span: Span, { day, kinds }: OfDay): PlannedFault[] {
  const moments: Instant[] = [];
  const momentOf = (): Instant => {
    const known = moments[draw.below(Math.max(moments.length, 1))];
    const isTogether = draw.chance(TOGETHER);
    const fresh = span.from + draw.below(span.to - span.from);
    const at = isTogether && known !== undefined ? Math.min(known + nearby(draw), span.to - 1) : fresh;
    moments.push(at);
    return at;
  };
  const drawn = kindsOf(draw).flatMap((kind): readonly (readonly [FaultKind, Instant])[] => {
    const at = momentOf();
    const dies = draw.chance(DEADLY);
    return dies
      ? ([
          [kind, at],
          ['kill', at + nearby(draw)],
        ] as const)
      : ([[kind, at]] as const);
  });
  const alone = drawn.map(([kind, at], n) =>
    planFault(kind, Math.min(at, span.to - 1), `s${day}.${n}`, createDraw(draw.below(2 ** 31), kind)),
  );
  const asked = kinds.includes('rule-turned') ? drawTurns(draw, span, day) : [];
  return [...alone, ...drawEncounters(draw, span, day), ...asked].filter(({ kind }) => kinds.includes(kind));
}

function nearby(draw: Draw): number {
  return draw.chance(0.5) ? 0 : draw.below(MOMENT_MS);
}

function kindsOf(draw: Draw): readonly FaultKind[] {
  const some = <T>(least: number, most: number, one: () => T): T[] =>
    Array.from({ length: draw.between(least, most) }, one);
  return [
    ...some(3, 7, () => (draw.chance(RULE_EDITED) ? 'rule-edited' : draw.pick(EDIT_KINDS))),
    ...some(3, 6, () => ackKind(draw)),
    ...some(1, 4, () => (draw.chance(0.6) ? 'silence' : draw.pick(SILENCE_KINDS))),
    ...some(0, 2, () => draw.pick(PAUSE_KINDS)),
    ...some(0, 1, (): FaultKind => 'storm'),
    ...some(0, 1, (): FaultKind => 'flap'),
    ...some(3, 6, () => draw.pick(RECEIVER_KINDS)),
  ];
}

const RULE_EDITED = 0.2;

function ackKind(draw: Draw): OperatorKind {
  return draw.chance(0.5) ? draw.pick(['ack', 'snooze']) : draw.pick(ACK_KINDS);
}
