// Since when an explorer shows the same price. Explorers send no time with a price, and old releases go on showing the
// last one after its source has dropped it.
import { z } from 'zod';
import type { Amount } from '../../core/values/amount.ts';
import { isPrice } from '../../core/values/dollars.ts';
import type { Instant } from '../../lib/clock.ts';

export interface PriceAge {
  readonly price: string;
  /** When this price was first seen. */
  readonly since: Instant;
  /** True if another price was seen before. A price that never moves is not known to be old. */
  readonly hasMoved: boolean;
}

export const PriceAge: z.ZodType<PriceAge> = z.object({ price: z.string(), since: z.number(), hasMoved: z.boolean() });

const OLD_MS = 24 * 3_600_000;

/** The same object as before if the price is the same, or unknown. */
export function withPrice(before: PriceAge | null, price: Amount | undefined, at: Instant): PriceAge | null {
  if (!isPrice(price)) return before;
  const text = price.toString();
  return text === before?.price ? before : { price: text, since: at, hasMoved: before !== null };
}

/** Since when the price is the same; undefined while that is not long, or it never moved. */
export function unchangedSince(age: PriceAge | null, price: Amount | undefined, at: Instant): Date | undefined {
  const isOld = age !== null && age.hasMoved && isPrice(price) && at - age.since >= OLD_MS;
  return isOld ? new Date(age.since) : undefined;
}
