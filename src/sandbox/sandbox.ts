// The embedded explorer: a simulated chain, the explorer API over it, and the control API that changes both.
import type { Clock } from '../lib/clock.ts';
import { createApi, type ApiAnswer, type ApiRequest } from './api.ts';
import { createControl, type Calls, type Control } from './control/control.ts';
import { createDrawnFaults, NO_DRAWN_FAULTS } from './faults/drawn.ts';
import { FaultOptions, type SandboxFault } from './faults/fault.ts';
import { createCredits, DEFAULT_LIMITS, type Limits } from './limits.ts';
import { ADDRESSES, API_KEY, CHAIN_ID, TOKENS } from './names.ts';
import type { Release } from './releases/release.ts';
import { createWorld } from './world.ts';

export interface SandboxOptions {
  /** The same seed gives the same chain, in any process. A whole number. */
  readonly seed: number;
  /** Milliseconds from block to block, or `manual`: then the head moves only when blocks are mined. */
  readonly blockTimeMs: number | 'manual';
  readonly clock: Clock;
  readonly limits?: Partial<Limits>;
  /** True to serve `/control/...` as well. The methods of the returned object work without it. */
  readonly control?: boolean;
  /** Head of a manual chain before anything is mined; 100 when left out. */
  readonly startBlock?: number;
  /** True for a chain without activity of its own: blocks are empty, and balances and reputations are constant. */
  readonly quiet?: boolean;
  /** Rows of a full page, 1 to 50; 50 when left out. */
  readonly pageSize?: number;
  /**
   * True to add faults, chosen by the seed: replaced blocks, lists behind the head, rows that come twice or out of
   * order.
   */
  readonly faults?: boolean;
  /** The limit for each kind of change; 10,000 when left out. A simulation of months makes more. */
  readonly mostChanges?: number;
  /** The explorer release whose answers are imitated. Null or left out: the answers follow the specification. */
  readonly as?: Release | null;
}

export interface Sandbox extends Control {
  readonly addresses: typeof ADDRESSES;
  readonly tokens: typeof TOKENS;
  readonly chainId: string;
  readonly apiKey: string;
  readonly clock: Clock;
  readonly hasControl: boolean;
  /** The control API by name. */
  readonly calls: Calls;
  head(): number;
  ask(request: ApiRequest): ApiAnswer;
  /** The fault for the answer to this request; undefined if none is due. */
  takeFault(request: ApiRequest, status: number): SandboxFault | undefined;
}

const START_BLOCK = 100;
const LARGEST_PAGE = 50;

/** Throws a RangeError for a seed, a block time or a page size that is not a whole number or is out of range. */
export function createSandbox(options: SandboxOptions): Sandbox {
  const { seed, blockTimeMs, clock, limits, control: hasControl = false } = options;
  const { startBlock = START_BLOCK, pageSize = LARGEST_PAGE, as: release = null } = options;
  assertWhole('seed', seed, -Number.MAX_SAFE_INTEGER);
  assertWhole('startBlock', startBlock, 0);
  assertWhole('pageSize', pageSize, 1, LARGEST_PAGE);
  if (blockTimeMs !== 'manual') assertWhole('blockTimeMs', blockTimeMs, 1);
  const { quiet = false, faults: hasFaults = false, mostChanges } = options;
  const world = createWorld({
    seed,
    release,
    blockTimeMs,
    clock,
    startBlock,
    pageSize,
    isLively: !quiet,
    hasFaults,
    mostChanges,
  });
  const drawn = hasFaults ? createDrawnFaults(seed) : NO_DRAWN_FAULTS;
  const allowed = { ...DEFAULT_LIMITS, ...limits };
  const credits = createCredits(clock, allowed);
  const api = createApi({ world, drawn, clock, requestsPerSecond: allowed.requestsPerSecond, credits });
  const { control, calls, faults } = createControl(world, credits);
  return {
    ...control,
    addresses: ADDRESSES,
    tokens: TOKENS,
    chainId: CHAIN_ID,
    apiKey: API_KEY,
    clock,
    hasControl,
    calls,
    head: world.head,
    ask: (request) => api.ask(request),
    takeFault({ route: { operation, path } }, status) {
      if (operation === null) return undefined;
      const spoiler = status === 200 ? drawn.spoilerOf({ path, head: world.head() }) : undefined;
      return faults.take({ operation, path, status }) ?? (spoiler && FaultOptions.parse({ fault: spoiler }));
    },
  };
}

function assertWhole(name: string, value: number, least: number, most = Number.MAX_SAFE_INTEGER): void {
  if (Number.isSafeInteger(value) && value >= least && value <= most) return;
  const range = most === Number.MAX_SAFE_INTEGER ? `from ${least} on` : `from ${least} to ${most}`;
  throw new RangeError(`${name} must be a whole number ${range}`);
}
