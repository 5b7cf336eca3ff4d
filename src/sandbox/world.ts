// The simulated chain with everything that answers are made of.
import type { Clock, Instant } from '../lib/clock.ts';
import type { JsonRow } from './answer.ts';
import { createManualCalendar, createRunningCalendar, type Calendar } from './chain/calendar.ts';
import { createChain, rememberBlocks, type Chain } from './chain/chain.ts';
import { createComposer, type Compose } from './chain/compose.ts';
import { PURPOSE } from './chain/draw.ts';
import { createForks, NO_FORKS } from './chain/forks.ts';
import { keyOf, type AddressKey } from './chain/keys.ts';
import { createLedger, spamValue, type Holding, type Ledger } from './chain/ledger.ts';
import { contractRef, createAccounts, phaseOf, plainRef, type AddressRef, type Accounts } from './chain/accounts.ts';
import { COIN_STEP, coinPhaseOf, USDC_STEP, usdcPhaseOf } from './chain/positions.ts';
import { coinPattern, spamPattern, usdcPattern, VAULT_PATTERNS, type Arrival } from './chain/scheduled-patterns.ts';
import { SPAM_EVERY, spamArrivingAt } from './chain/spam.ts';
import { createTimetable, type Lane } from './chain/timetable.ts';
import { createTokenBook, type TokenBook } from './chain/tokens.ts';
import { ADDRESSES, TOKENS } from './names.ts';
import { createOverlay, holdingKey, type Overlay, type Upgrade } from './overlay.ts';
import { createDialect, type Dialect } from './releases/dialect.ts';
import type { Release } from './releases/release.ts';
import { renderImplementations } from './render/implementations.ts';

export interface World {
  readonly seed: number;
  readonly dialect: Dialect;
  /** Rows of a full page. */
  readonly pageSize: number;
  readonly calendar: Calendar;
  readonly chain: Chain;
  readonly tokens: TokenBook;
  readonly overlay: Overlay;
  readonly head: () => number;
  /** The same world `blocks` earlier; values that the control API sets are shown at once, but for slots and results. */
  behind(blocks: number): World;
  timeOf(height: number): Instant;
  /** The reference of an address, in the form of the specification. */
  ref(address: string): AddressRef;
  /** The reference of an address, as the explorer writes it. */
  refRow(address: string): JsonRow;
  /** The transaction that created a contract on this chain; undefined for anything else. */
  creationOf(address: string): Creation | undefined;
  /** An address of the anonymous accounts. */
  account(number: number): string;
  /** The coins of an address at the head; null = it was never seen. */
  coin(address: string): bigint | null;
  /** The holdings at the head, only amounts above zero. */
  holdings(address: string): Holding[];
  /** The amount of a token at the head by the plan of the chain, without changes of the control API. */
  planned(address: string, token: string): bigint;
}

interface Creation {
  readonly hash: string;
  readonly creator: string;
}

export interface WorldOptions {
  readonly seed: number;
  /** Null: the specification. */
  readonly release: Release | null;
  readonly pageSize: number;
  readonly blockTimeMs: number | 'manual';
  readonly clock: Clock;
  /** Head of a manual chain before anything is mined. */
  readonly startBlock: number;
  /** False: blocks are empty and no balance moves, except by the control API. */
  readonly isLively: boolean;
  /** Whether blocks are replaced by chance. */
  readonly hasFaults: boolean;
  /** The limit for each kind of change by the control API; 10,000 when left out. */
  readonly mostChanges?: number | undefined;
}

export function createWorld(options: WorldOptions): World {
  const parts = createParts(options);
  const views = new Map<number, World>();
  const behind = (blocks: number): World => {
    const view = views.get(blocks) ?? createView(parts, blocks, behind);
    views.set(blocks, view);
    return view;
  };
  return behind(0);
}

type Parts = ReturnType<typeof createParts>;

function createParts(options: WorldOptions) {
  const { seed, isLively, release } = options;
  const overlay = createOverlay(options.mostChanges);
  const accounts = createAccounts(seed);
  const makesToken = (height: number, slot: number): boolean => timetable.patternAt(height, slot)?.makesToken === true;
  const tokens = createTokenBook({ seed, isLively, changes: overlay, accounts, makesToken });
  const ledger = createLedger({ seed, isLively, accounts, tokens });
  const timetable = createTimetable(seed, accounts, planLanes(seed, tokens, ledger));
  const compose = createComposer(seed, accounts, timetable);
  const dialect = createDialect(release);
  const naturalOf = rememberBlocks(compose, isLively);
  const forks = options.hasFaults ? createForks(seed) : NO_FORKS;
  const calendar = createCalendar(options);
  // With a manual head, traces are not late: otherwise more blocks would have to be mined before a call can be seen.
  const tracesLate = isLively && options.blockTimeMs !== 'manual';
  const chain = { seed, isLively, tracesLate, overlay, forks, timetable, naturalOf };
  const refs = createRefs({ accounts, tokens, dialect, overlay });
  return { ...options, overlay, accounts, tokens, ledger, compose, dialect, calendar, chain, refs };
}

function createView(parts: Parts, blocks: number, behind: World['behind']): World {
  const { calendar, overlay, ledger, refs, accounts, compose } = parts;
  const head = (): number => Math.max(0, calendar.head() - blocks);
  return {
    seed: parts.seed,
    dialect: parts.dialect,
    pageSize: parts.pageSize,
    calendar,
    tokens: parts.tokens,
    overlay,
    head,
    behind: (more) => behind(blocks + more),
    timeOf: calendar.timeOf,
    chain: createChain(parts.chain, head),
    ref: (address) => refs(address).ref,
    refRow: (address) => refs(address).row,
    creationOf: (address) => creationOf(accounts, compose, keyOf(address)),
    account: accounts.account,
    coin: (address) =>
      overlay.coins.get(keyOf(address)) ??
      ledger.coin(keyOf(address), head()) ??
      (refs(address).ref.is_contract ? 0n : null),
    planned: (address, token) => ledger.amountOf(keyOf(address), token, head()),
    holdings: (address) => withChanges(ledger.holdings(keyOf(address), head()), overlay, keyOf(address)),
  };
}

function createCalendar({ blockTimeMs, clock, startBlock }: WorldOptions): Calendar {
  return blockTimeMs === 'manual' ? createManualCalendar(clock, startBlock) : createRunningCalendar(clock, blockTimeMs);
}

/** The lanes of scheduled transactions. Their phases are those of the balances that they change. */
function planLanes(seed: number, tokens: TokenBook, ledger: Ledger): Lane[] {
  return [
    { every: 2, phase: phaseOf(seed, PURPOSE.fillers, 2), patterns: VAULT_PATTERNS },
    { every: USDC_STEP, phase: usdcPhaseOf(seed), patterns: [usdcPattern((height) => usdcChange(ledger, height))] },
    { every: COIN_STEP, phase: coinPhaseOf(seed), patterns: [coinPattern((height) => coinChange(ledger, height))] },
    {
      every: SPAM_EVERY,
      phase: tokens.spamPhase,
      patterns: [spamPattern(tokens.spam, (at) => arrivalAt(seed, tokens, at))],
    },
  ];
}

const TREASURY = keyOf(ADDRESSES.treasury);

function coinChange(ledger: Ledger, height: number): bigint {
  return (ledger.coin(TREASURY, height) ?? 0n) - (ledger.coin(TREASURY, height - 1) ?? 0n);
}

function usdcChange(ledger: Ledger, height: number): bigint {
  return ledger.amountOf(TREASURY, TOKENS.USDC, height) - ledger.amountOf(TREASURY, TOKENS.USDC, height - 1);
}

function arrivalAt(seed: number, tokens: TokenBook, height: number): Arrival | undefined {
  const number = spamArrivingAt(height, tokens.spamPhase);
  const token = number === undefined ? undefined : tokens.spam[number];
  return number === undefined || token === undefined ? undefined : { token, value: spamValue(seed, number) };
}

function withChanges(held: readonly Holding[], { holdings }: Overlay, holder: AddressKey): Holding[] {
  const changes = holdings.get(holder);
  if (changes === undefined) return [...held];
  const untouched = held.filter(({ token, tokenId }) => !changes.has(holdingKey(token.address, tokenId)));
  const set = [...changes.values()].filter(({ value }) => value > 0n);
  return [...untouched, ...set.map((change) => ({ ...change, isPiece: change.tokenId !== null }))];
}

const MOST_REFS = 4096;

interface Shown {
  readonly ref: AddressRef;
  readonly row: JsonRow;
}

interface RefParts {
  readonly accounts: Accounts;
  readonly tokens: TokenBook;
  readonly dialect: Dialect;
  readonly overlay: Overlay;
}

function createRefs({ accounts, tokens, dialect, overlay }: RefParts): (address: string) => Shown {
  const shownByAddress = new Map<string, Shown & { readonly upgrade: Upgrade | undefined }>();
  return (address) => {
    const upgrade = overlay.upgrades.get(keyOf(address));
    const ready = shownByAddress.get(address);
    if (ready !== undefined && ready.upgrade === upgrade) return ready;
    if (shownByAddress.size >= MOST_REFS) shownByAddress.clear();
    const first = accounts.ref(address) ?? refOfOther(accounts, tokens, address);
    const ref = upgrade === undefined ? first : { ...first, implementation_name: upgrade.name };
    const isScam = tokens.find(address)?.spam !== undefined;
    const row = dialect.write('address', { ...ref }, () => ({
      ...renderImplementations(ref, overlay),
      ...reputationOf(isScam),
    }));
    const shown = { ref, row, upgrade };
    shownByAddress.set(address, shown);
    return shown;
  };
}

/** The reputation of an address. Early releases send it as a flag, later ones as a word. */
function reputationOf(isScam: boolean): JsonRow {
  return { is_scam: isScam, reputation: isScam ? 'scam' : 'ok' };
}

function creationOf(accounts: Accounts, compose: Compose, key: AddressKey): Creation | undefined {
  const creationSite = accounts.creationSiteOf(key);
  const transaction = creationSite && compose(creationSite.height, creationSite.slot);
  return transaction === undefined ? undefined : { hash: transaction.hash, creator: transaction.from };
}

function refOfOther(accounts: Accounts, tokens: TokenBook, address: string): AddressRef {
  const token = tokens.find(address);
  if (token !== undefined) return contractRef(token.address, token.name);
  return accounts.creationSiteOf(keyOf(address)) === undefined ? plainRef(address, false) : contractRef(address, null);
}
