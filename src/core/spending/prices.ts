// Learns the prices of operations. If a request was sent while no other one ran, its price is the difference between
// the credits before and after it.

/** The price of one operation. */
export interface SeenPrice {
  /** The credits that each of the last requests took, the newest last. */
  readonly falls: readonly number[];
  /** Null until enough of the last falls were equal. */
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
