import type { Address } from '../../values/address.ts';

export interface Coin {
  readonly symbol: string;
  readonly decimals: number;
}

/** The target of one watch, with every name resolved. `options` are the kind's own keys, parsed by its schema. */
export interface Target<E = unknown> {
  readonly explorer: string;
  readonly coin: Coin;
  readonly address: Address | null;
  readonly token: Address | null;
  /** Keys of the tokens that the config names on this explorer. Left out: there are none. */
  readonly namedTokens?: ReadonlySet<string>;
  /**
   * The keys of the same tokens, and of the addresses that the config describes as contracts. Left out if there are
   * none.
   */
  readonly namedContracts?: ReadonlySet<string>;
  /** True if questions may go to the explorer's JSON-RPC. Left out: they may not. */
  readonly rpc?: boolean;
  readonly maxPages: number;
  readonly options: E;
}
