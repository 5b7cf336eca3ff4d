// Well-known addresses and tokens of the sandbox chain. They do not depend on the seed, so that a config and the
// example rules can name them.

/** Accounts and contracts with constant activity. */
export const ADDRESSES = {
  /** Holds coins, USDC that crosses one million both ways, and spam that arrives and vanishes. */
  treasury: '0xa14C3E6DD27d6A8e02f9Ea24EcDE64e6B6f50db0',
  /** A contract that is called every second block; every second of those calls fails. */
  vault: '0xca55518dF8A55440f3834CE64D573ABa5E458550',
  /** An account without code that sends and receives. */
  hot_wallet: '0x458A4566679D0A4DfA885868E075329725F4a995',
  /** Holds well over a hundred pieces: its holdings take several pages. */
  collector: '0x1E46Bf0be2033b7245341E98cd256D9905CfFD90',
} as const;

/** Tokens by name. */
export const TOKENS = {
  /** ERC-20 with 6 decimals. */
  USDC: '0x51BEEe539Ee496D28B2Bf8BED91D0b7F3A5599D8',
  /** ERC-20 with 18 decimals; its supply changes now and then. */
  ACME: '0x58417121Ca53640bD6260680dE6633ee049b5159',
  /** ERC-20 whose reputation becomes scam, and ok again. */
  SPAM: '0x5980438e17DE8762D9482cF198721537d6B97B8c',
  /** ERC-721. */
  BADGE: '0xfdC438E7F35Bc3ec308138c8F491E9a34d23784f',
  /** ERC-1155. */
  ITEMS: '0x42be076a8Ecb6000C5c89Fd151429Bb071BB8380',
} as const;

/** Contracts that the accounts use. */
export const CONTRACTS = {
  router: '0x3c54fbFfcC0dCB1dAA210F8c51Bb20751258b3AB',
  implementation: '0x4CB3b1E2Dc546b7FE398A4Bc36955173F4f96AF8',
  /** The contract that the treasury, a Safe, delegates its calls to. */
  safe_singleton: '0x6cd0Bd5d0a5e37B1f8Ce3C9a0b2AD7E3F1C4d928',
  factory: '0xEc7bbEA8DBcF3f5860e18a04F67E95Bc6Cf1cf6a',
  market: '0x0D57705df43B55cb345c4CB92098969c1759398A',
  bridge: '0xDEfEdc413f747AB5758C47EeD15bcF3885737Af0',
} as const;

export const CHAIN_ID = '31337';
export const API_KEY = 'sandbox';
