// Builds a whole transaction from a pattern.
import { draw, drawHex, PURPOSE } from './draw.ts';
import type { Accounts } from './accounts.ts';
import type { CallSketch, TransactionDraft, BuildContext } from './transaction-pattern.ts';
import type { Timetable } from './timetable.ts';
import { GWEI, type InternalCall, type Transaction } from './transaction.ts';

/** Most blocks that a transaction waits before it is mined. */
export const LONGEST_LEAD = 3;

/** The transaction of a slot of a block, if there is one. */
export type Compose = (height: number, slot: number) => Transaction | undefined;

export function createComposer(seed: number, accounts: Accounts, timetable: Timetable): Compose {
  return (height, slot) => {
    const pattern = timetable.patternAt(height, slot);
    if (pattern === undefined) return undefined;
    const context: BuildContext = {
      height,
      slot,
      sender: timetable.senderAt(height, slot),
      peer: timetable.peerAt(height, slot),
      get created() {
        return accounts.createdAt({ height, slot });
      },
      draw: (number) => draw(seed, PURPOSE.amount, height, slot, number),
    };
    return toTransaction(pattern.build(context), context, seed);
  };
}

const PLAIN_GAS = 21_000;

function toTransaction(play: TransactionDraft, context: BuildContext, seed: number): Transaction {
  const chance = draw(seed, PURPOSE.gas, context.height, context.slot);
  const gasUsed = play.method === undefined && play.calls === undefined ? PLAIN_GAS : 45_000 + (chance % 400_000);
  const { failure } = play;
  let hash: string | undefined;
  return {
    // The hash is computed on first use, since most transactions are only visited on the way to others.
    get hash() {
      return (hash ??= `0x${drawHex(seed, PURPOSE.transactionHash, context.height, context.slot, 8)}`);
    },
    from: play.from ?? context.sender,
    to: play.to,
    created: play.created ?? null,
    value: play.value ?? 0n,
    status: failure === undefined ? 'ok' : 'error',
    reason: failure?.reason ?? null,
    result: failure?.result ?? 'success',
    method: play.method ?? null,
    parameters: play.parameters ?? [],
    input: null,
    types: play.types,
    envelope: play.envelope ?? 2,
    transfers: failure === undefined ? (play.transfers ?? []) : [],
    calls: numberCalls(play.calls ?? []),
    action: play.action ?? null,
    gasUsed,
    gasLimit: failure?.result === 'out of gas' ? gasUsed : gasUsed + 20_000,
    tip: BigInt(1 + (chance % 3)) * GWEI,
    nonce: draw(seed, PURPOSE.nonce, context.height, context.slot) % 100_000,
    lead: draw(seed, PURPOSE.lead, context.height, context.slot) % (LONGEST_LEAD + 1),
  };
}

/** Calls are counted from 1, since the transaction itself is number 0. If it is a creation, its call is number 0. */
export function numberCalls(calls: readonly CallSketch[]): InternalCall[] {
  const first = calls[0]?.type === 'create' ? 0 : 1;
  return calls.map((call, place) => ({ ...call, index: first + place }));
}
