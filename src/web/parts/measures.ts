// A value against its limit, in words.
import type { AlertCard } from '../../query/shapes/alerts.ts';
import type { MeasureShape } from '../../query/shapes/common.ts';
import { amountTag, counted, dollars, grouped, short } from './amount.ts';
import { html, type Html } from './html.ts';
import { duration } from './time.ts';

type CountShape = NonNullable<AlertCard['count']>;

const UNKNOWN = 'not known';

/** `940,264.594685 USDC`; seconds are shown as a duration. A stale value begins with `was`. */
export function valueTag({ value, unit, is_stale: isStale }: MeasureShape): Html {
  if (value === null) return html`${UNKNOWN}`;
  const amount = unit === 's' ? seconds(value) : amountTag(value);
  const behind = unit === '' || unit === 's' ? null : html` <span class="unit">${unit}</span>`;
  return html`${isStale ? 'was ' : null}${amount}${behind}`;
}

/** The value without its unit, for a column. */
export function bareValue(measure: MeasureShape | null): Html {
  if (measure === null || measure.value === null) return html`<span class="quiet">${UNKNOWN}</span>`;
  const amount = measure.unit === 's' ? seconds(measure.value) : amountTag(measure.value);
  return html`${measure.is_stale ? 'was ' : null}${amount}`;
}

export function limitWords({ limit, unit }: Pick<MeasureShape, 'limit' | 'unit'>): string | null {
  if (limit === null) return null;
  return inUnit(limit, unit, grouped);
}

/** `59,735.41 below`; null without a limit or a value. */
export function distanceWords({ distance, side, unit }: MeasureShape): string | null {
  if (distance === null) return null;
  const words = inUnit(distance, unit, short);
  return side === null ? 'at the limit' : `${words} ${side}`;
}

function inUnit(number: string, unit: string, show: (number: string) => string): string {
  if (unit === 'USD') return dollars(number);
  if (unit === 's') return seconds(number);
  return unit === '%' ? `${show(number)} %` : show(number);
}

/** `59,735.41 below the limit of 1,000,000 · clears above 1,050,000` */
export function againstTag(measure: MeasureShape): Html | null {
  const distance = distanceWords(measure);
  const limit = limitWords(measure);
  if (distance === null || limit === null) return null;
  return html`<b>${measure.is_stale ? 'was ' : null}${distance}</b> ${
      measure.side === null ? html`of ${limit}` : html`the limit of ${limit}`
    }${clears(measure)}`;
}

function clears({ clears_at: at, fires, unit }: MeasureShape): Html | null {
  if (at === null || fires === null) return null;
  return html` · clears ${fires === 'below' ? 'above' : 'below'} ${limitWords({ limit: at, unit })}`;
}

/** `66`; `100 or more` */
export function manyWords({ count, is_least: isLeast }: Pick<CountShape, 'count' | 'is_least'>): string {
  return `${counted(count)}${isLeast ? ' or more' : ''}`;
}

/** `66 failed vault calls in 10 min` */
export function countWords(shape: CountShape): string {
  return `${manyWords(shape)} ${itemsWords(shape)}`;
}

/** `failed vault calls in 10 min`, `blocks in a row` */
export function itemsWords({ of, window_ms: windowMs }: Pick<CountShape, 'of' | 'window_ms'>): string {
  return windowMs === null ? of : `${of} in ${duration(windowMs)}`;
}

/** True if the value is at the limit, or on the side where the alert fires. */
export function isBeyond({ side, fires, distance }: MeasureShape): boolean {
  return fires !== null && distance !== null && (side === fires || (side === null && distance === '0'));
}

function seconds(amount: string): string {
  return duration(Number(amount) * 1000);
}
