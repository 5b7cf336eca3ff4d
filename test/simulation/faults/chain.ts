// Faults of the chain, as commands and forks.
import { BLOCK_MS, inBlock, type Change, type Command } from '../commands.ts';
import type { Fork } from '../chain/script.ts';
import type { PlannedFault } from '../model.ts';

const REORGANISED_AT = 50_000;
const PLACED_AT = 20_000;

/** What a fault does to the chain; nothing for kinds of other groups. */
export function commandsOf(fault: PlannedFault): Command[] {
  const { id, kind, amount, ms } = fault;
  const at = inBlock(fault.at, PLACED_AT);
  switch (kind) {
    case 'reorg':
      return [reorganise(at, amount, fault.times === 1)];
    case 'late-call':
      return lateCall(at, id, ms);
    case 'dropped-pending':
      return [waiting(at, id, 0), { do: 'drop', at: inBlock(at + ms, PLACED_AT), id }];
    case 'replaced-pending': {
      const gone = inBlock(at + ms, PLACED_AT);
      const nonce = at / BLOCK_MS;
      return [
        { ...waiting(at, id, nonce) },
        { do: 'drop', at: gone, id },
        {
          do: 'transaction',
          at: gone,
          id: `${id}b`,
          from: 'hot_wallet',
          value: 1,
          isFailed: false,
          waits: null,
          nonce,
        },
      ];
    }
    case 'changed-row':
      return changedRow(at, id, amount);
    case 'burst':
      return burst(at, id, amount);
    case 'storm':
      return storm(at, fault);
    case 'flap':
      return flap(at, fault);
    case 'stalled':
      return [
        { do: 'freeze', at },
        { do: 'unfreeze', at: at + ms },
      ];
    default:
      return [];
  }
}

function reorganise(at: number, blocks: number, isRemined: boolean): Change {
  return { do: 'reorganise', at: inBlock(at, REORGANISED_AT), blocks, isRemined };
}

function waiting(at: number, id: string, nonce: number): Command {
  return {
    do: 'transaction',
    at,
    id,
    from: 'hot_wallet',
    value: 1,
    isFailed: false,
    waits: 'for ever',
    nonce: Math.floor(nonce),
  };
}

const ABOVE_LATE = 24;

/** The calls above it fill three pages before it is traced. */
function lateCall(at: number, id: string, ms: number): Command[] {
  const above = Array.from({ length: ABOVE_LATE }, (_, i): Command => {
    const block = at + (1 + (i % (ABOVE_LATE / 2))) * BLOCK_MS;
    return { do: 'call', at: block, id: `${id}-${i}`, to: 'vault', reason: 'above', isHidden: false };
  });
  return [
    { do: 'call', at, id, to: 'vault', reason: 'late', isHidden: true },
    ...above,
    { do: 'reveal', at: inBlock(at + ms, PLACED_AT), id },
  ];
}

/** One of two calls fails only after its block was replaced; the other one does not any more. */
function changedRow(at: number, id: string, blocks: number): Command[] {
  const replaced = at + blocks * BLOCK_MS;
  return [
    { do: 'call', at, id: `${id}a`, to: 'vault', reason: null, isHidden: false },
    { do: 'call', at, id: `${id}b`, to: 'vault', reason: 'changes', isHidden: false },
    reorganise(replaced, blocks + 1, true),
    { do: 'end-otherwise', at: inBlock(replaced, REORGANISED_AT), id: `${id}a`, reason: 'changed' },
    { do: 'end-otherwise', at: inBlock(replaced, REORGANISED_AT), id: `${id}b`, reason: null },
  ];
}

const BURST_BLOCKS = 15;

function burst(at: number, id: string, calls: number): Command[] {
  return Array.from({ length: calls }, (_, i) => ({
    do: 'call',
    at: at + (i % BURST_BLOCKS) * BLOCK_MS,
    id: `${id}-${i}`,
    to: 'factory',
    reason: 'burst',
    isHidden: false,
  }));
}

const MOST_LARGE = 120;

/** Two of three are failed calls; the third kind is critical. */
function storm(at: number, { id, amount, times }: PlannedFault): Command[] {
  const isLarge = amount % 3 === 0;
  return Array.from({ length: isLarge ? Math.min(amount, MOST_LARGE) : amount }, (_, i): Command => {
    const place = { at: at + (i % times) * BLOCK_MS, id: `${id}-${i}` };
    return isLarge
      ? { ...place, do: 'transaction', from: 'market', value: 1000 + i, isFailed: false, waits: null, nonce: null }
      : { ...place, do: 'call', to: 'factory', reason: 'storm', isHidden: false };
  });
}

const USDC = { low: 500_000_000_000, high: 2_000_000_000_000 };
const COINS = { low: 95, high: 150 };

function flap(at: number, { ms, times, path, amount }: PlannedFault): Command[] {
  return Array.from({ length: times }, (_, n): Command[] => {
    const low = at + n * ms + (n === 0 ? 0 : amount);
    return [held(low, path, 'low'), held(at + n * ms + ms / 2 + amount, path, 'high')];
  }).flat();
}

function held(moment: number, path: string | null, level: 'low' | 'high'): Command {
  const at = inBlock(moment, PLACED_AT);
  return path === 'coin'
    ? { do: 'coin', at, value: COINS[level] }
    : { do: 'token', at, token: 'USDC', value: USDC[level] };
}

/** Another head from a while ago, and a block of its own for each that comes. */
export function forkOf(fault: PlannedFault): Fork | null {
  if (fault.kind !== 'forked-replicas') return null;
  const first = inBlock(fault.at, REORGANISED_AT);
  const to = inBlock(fault.at + fault.ms, REORGANISED_AT) + BLOCK_MS / 12;
  const commands: Change[] = [reorganise(first, fault.amount, false)];
  for (let at = first + BLOCK_MS; at < to; at += BLOCK_MS) commands.push(reorganise(at, 1, true));
  return { from: first, to, wins: fault.times === 1, commands };
}
