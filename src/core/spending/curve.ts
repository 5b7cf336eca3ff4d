// The fall of a plan's credits since its period began, for people.
import type { Instant } from '../../lib/clock.ts';

export interface CurvePoint {
  readonly at: Instant;
  /** Credits that were left at this time. */
  readonly known: number;
}

/** The most points of a curve: one each quarter of an hour if the period is a day. */
export const CURVE_POINTS = 96;

/** The curve with a new point if one is due. Points in the future are removed, because the clock was set back. */
export function drawn(
  curve: readonly CurvePoint[],
  point: CurvePoint,
  period: { readonly from: Instant; readonly ms: number },
): readonly CurvePoint[] {
  const last = curve.at(-1);
  if (last !== undefined && last.at > point.at)
    return drawn(
      curve.filter(({ at }) => at <= point.at),
      point,
      period,
    );
  const slotOf = ({ at }: CurvePoint): number => Math.floor(((at - period.from) * CURVE_POINTS) / period.ms);
  if (last !== undefined && slotOf(last) === slotOf(point)) return curve;
  return [...curve, point].slice(-CURVE_POINTS);
}
