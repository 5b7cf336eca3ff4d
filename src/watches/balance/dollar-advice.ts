import type { KindAdvice } from '../../core/model/watch/kind.ts';

/** `price`: the path of the price by which `balance_usd` is computed. */
export function dollarAdvice(price: string): KindAdvice {
  return {
    fields: {},
    doubts: [
      {
        field: 'balance_usd',
        unless: [price],
        besideBefore: true,
        message: 'before.balance_usd has the price of the last poll, so a price that falls looks like an outflow',
        hint: `(before.balance - balance) * ${price} compares at one price.`,
      },
      {
        field: 'balance_usd',
        unless: [],
        onChangeWithoutBefore: ['balance', 'balance_usd'],
        message: 'balance_usd changes with each new price, so on: changed sends it again at nearly every poll',
        hint: 'Write while: balance_usd > 5, or add before.balance != balance.',
      },
    ],
  };
}
