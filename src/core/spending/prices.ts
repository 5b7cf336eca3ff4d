// Learns the prices of operations from the fall of the credits around requests that were sent alone.

/** The price of one operation. */
export interface SeenPrice {
  /** The last falls of the credits, the newest at the end. */
  readonly falls: readonly number[];
  /** Null if the credits fell by another amount each time. */
  readonly price: number | null;
}

/** The prices by operation. */
export type SeenPrices = Readonly<Record<string, SeenPrice>>;

const LAST = 8;
/**
 * This many of the last falls must be equal. Three of four would be too few, since other programs may spend at the same
 * time.
 */
const EQUAL = 6;
/** A larger fall is caused by other programs. */
const MOST = 200;

export function afterFall(prices: SeenPrices, operation: string, fall: number): SeenPrices {
  const { falls, price } = prices[operation] ?? { falls: [], price: null };
  const last = [...falls, fall].slice(-LAST);
  const isAgreed = fall >= 1 && fall <= MOST && last.filter((one) => one === fall).length >= EQUAL;
  return { ...prices, [operation]: { falls: last, price: isAgreed ? fall : price } };
}
