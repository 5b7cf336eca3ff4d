// Changes made through the control API, on top of the chain that follows from the seed. Held in memory only, and
// bounded.
import type { TokenBase } from './chain/catalogue.ts';
import type { AddressKey } from './chain/keys.ts';
import type { Reputation } from './chain/tokens.ts';
import type { Transaction } from './chain/transaction.ts';
import type { SandboxOperation } from './operations.ts';
import { ControlProblem } from './problem.ts';

interface SetHolding {
  readonly token: TokenBase;
  readonly tokenId: string | null;
  readonly value: bigint;
}

export interface SetWord {
  /** The head when it was set. */
  readonly since: number;
  readonly word: string;
}

export interface Upgrade {
  readonly implementation: string;
  readonly name: string;
  /** The detectors of the explorer disagree about it. */
  readonly conflicting: boolean;
}

/** The blocks from..to were replaced. */
export interface Reorg {
  readonly from: number;
  readonly to: number;
  /** True if their transactions came back (in mirrored order), false if they were dropped. */
  readonly remined: boolean;
}

/** A transaction of the control API; mined at `height`, waiting before that. */
export interface Placed {
  transaction: Transaction;
  readonly height: number;
  /** Head when it was added. */
  readonly seenAt: number;
}

/** Internal transactions of blocks above `after` (up to `until`) appear `blocks` later; null = when released. */
interface Delay {
  readonly after: number;
  until: number;
  readonly blocks: number | null;
}

export interface Overlay {
  /** The limit for each kind of change. */
  readonly mostChanges: number;
  /** Increases with every change, so that answers rendered before are not used again. */
  version: number;
  readonly coins: Map<AddressKey, bigint>;
  /** The holdings that were set, by holder, then by token and piece. */
  readonly holdings: Map<AddressKey, Map<string, SetHolding>>;
  /** Functions that revert: the contract and the selector. */
  readonly reverting: Set<string>;
  /** Words that were set in the storage of contracts, by the contract and the slot, the newest last. */
  readonly slots: Map<string, readonly SetWord[]>;
  /** Words that functions were given to return, by the contract and the selector, the newest last. */
  readonly results: Map<string, readonly SetWord[]>;
  /** The implementations that proxies were given. */
  readonly upgrades: Map<AddressKey, Upgrade>;
  readonly reputations: Map<AddressKey, Reputation>;
  /** By how much the supply of a token was changed. */
  readonly minted: Map<AddressKey, bigint>;
  readonly made: Map<AddressKey, TokenBase>;
  /** Null: the explorer has none. Undefined: it was not set. */
  readonly prices: { coin: string | null | undefined; readonly tokens: Map<AddressKey, string | null> };
  readonly reorgs: Reorg[];
  /** The number of transactions that were ever added. It is the base of their hashes, so that each is different. */
  added: number;
  readonly placed: Placed[];
  /** The transactions of `placed` by height, in the order in which they were added. */
  readonly placedByHeight: Map<number, Placed[]>;
  /** The transactions of `placed` by participant. */
  readonly placedByParty: Map<AddressKey, Placed[]>;
  readonly delays: Delay[];
  readonly hiddenTraces: Set<number>;
  /** The number of blocks that an operation stays behind. */
  readonly lags: Map<SandboxOperation, number>;
}

const MOST_CHANGES = 10_000;

export function createOverlay(mostChanges = MOST_CHANGES): Overlay {
  return {
    mostChanges,
    version: 0,
    coins: new Map(),
    holdings: new Map(),
    reverting: new Set(),
    slots: new Map(),
    results: new Map(),
    upgrades: new Map(),
    reputations: new Map(),
    minted: new Map(),
    made: new Map(),
    prices: { coin: undefined, tokens: new Map() },
    reorgs: [],
    added: 0,
    placed: [],
    placedByHeight: new Map(),
    placedByParty: new Map(),
    delays: [],
    hiddenTraces: new Set(),
    lags: new Map(),
  };
}

/** Refuses changes beyond the limit of the overlay. */
export function assertRoom(size: number, what: string, most = MOST_CHANGES): void {
  if (size >= most) throw new ControlProblem(`there are ${most} ${what} already: restart the sandbox`);
}

/** The key of a holding: the token in lower case, and the piece. */
export function holdingKey(token: string, tokenId: string | null): string {
  return `${token.toLowerCase()}|${tokenId ?? ''}`;
}

/** The origin of a block's content after all reorganisations; undefined if it was dropped. */
export function originOf(reorgs: readonly Reorg[], height: number): number | undefined {
  let origin = height;
  for (let last = reorgs.length - 1; last >= 0; last--) {
    const reorg = reorgs[last];
    if (reorg === undefined || origin < reorg.from || origin > reorg.to) continue;
    if (!reorg.remined) return undefined;
    origin = reorg.from + reorg.to - origin;
  }
  return origin;
}

/** The number of times the block of this height was replaced, after the first `upTo` reorganisations. */
export function timesReplaced(reorgs: readonly Reorg[], height: number, upTo = reorgs.length): number {
  let times = 0;
  for (let place = 0; place < upTo; place++) {
    const reorg = reorgs[place];
    if (reorg !== undefined && reorg.from <= height && height <= reorg.to) times += 1;
  }
  return times;
}
