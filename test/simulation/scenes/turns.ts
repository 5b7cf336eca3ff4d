// A condition fires in a silence, and its rule becomes another sort of alert before anybody hears of it.
import { createDraw, type Draw } from '../draw.ts';
import { planFault } from '../faults/catalogue.ts';
import type { FaultKind } from '../faults/kinds.ts';
import type { Instant, PlannedFault, Span } from '../model.ts';

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const A_DAY = 2;
const LONGEST_MS = 5 * HOUR;
const RULE = 'usdc/low';

export function drawTurns(draw: Draw, span: Span, day: number): readonly PlannedFault[] {
  return Array.from({ length: A_DAY }, (_, n) => {
    const at = span.from + HOUR + draw.below(span.to - span.from - LONGEST_MS);
    return turn(createDraw(draw.below(2 ** 31)), at, `r${day}.${n}`);
  }).flat();
}

function turn(draw: Draw, at: Instant, id: string): readonly PlannedFault[] {
  const fault = (kind: FaultKind, minutes: readonly [number, number], given: Partial<PlannedFault>): PlannedFault => ({
    ...planFault(kind, at + draw.between(...minutes) * MINUTE, `${id}.${kind}`, draw),
    ...given,
  });
  return [
    fault('flap', [0, 0], { path: 'USDC', times: 1, ms: 20 * MINUTE, amount: draw.between(60, 120) * MINUTE }),
    fault('silence', [-5, -1], { path: RULE, ms: 45 * MINUTE }),
    fault('rule-turned', [12, 28], { path: RULE }),
    fault('rule-turned-back', [150, 200], { path: RULE }),
  ];
}
