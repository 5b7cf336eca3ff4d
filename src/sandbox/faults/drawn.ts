// Errors that real explorers make now and then, drawn by the seed: lists that are behind the newest block, and rows
// that come twice or out of order. Each draw holds until the next block, so that the same question has the same answer.
import { draw, PURPOSE } from '../chain/draw.ts';
import { OPERATIONS, type SandboxOperation } from '../operations.ts';
import type { ContentFaultName } from './fault.ts';

export interface DrawnFaults {
  /** The number of blocks that an operation is behind the newest one. Rows that were shown do not disappear. */
  lagOf(operation: SandboxOperation, head: number): number;
  /** The fault in the answer to a question; undefined if there is none. */
  spoilerOf(question: { readonly path: string; readonly head: number }): ContentFaultName | undefined;
}

export const NO_DRAWN_FAULTS: DrawnFaults = { lagOf: () => 0, spoilerOf: () => undefined };

// The lag of other lists is measured against the list of blocks, so the list of blocks is never late.
const NEVER_LATE: SandboxOperation = 'blocks';
const WINDOW = 16;
/** Five of eight windows have no lag. */
const LAGS = [0, 0, 0, 0, 0, 1, 2, 3];
const SPOILERS: readonly ContentFaultName[] = ['repeated-rows', 'shuffled-rows'];
const SPOILT_EVERY = 16;

export function createDrawnFaults(seed: number): DrawnFaults {
  return {
    lagOf(operation, head) {
      if (operation === NEVER_LATE) return 0;
      const window = Math.floor(head / WINDOW);
      const most = LAGS[draw(seed, PURPOSE.lag, window, OPERATIONS.indexOf(operation)) % LAGS.length] ?? 0;
      // The list stands still until it has the drawn lag, since a list does not go back.
      return Math.min(most, head - window * WINDOW);
    },
    spoilerOf: ({ path, head }) => SPOILERS[draw(seed, PURPOSE.fault, head, numberOf(path)) % SPOILT_EVERY],
  };
}

/** A whole number that hardly any two texts share. */
function numberOf(text: string): number {
  let number = 0;
  for (const character of text) number = (Math.imul(number, 31) + (character.codePointAt(0) ?? 0)) >>> 0;
  return number;
}
