// What real explorers do now and then, drawn by the seed: lists that stay behind the newest block, rows that come twice
// or out of order. Each draw holds until the next block, so that the same question has the same answer.
import { draw, PURPOSE } from '../chain/draw.ts';
import { OPERATIONS, type SandboxOperation } from '../operations.ts';
import type { ContentFaultName } from './fault.ts';

export interface DrawnFaults {
  /** How many blocks an operation stays behind the newest one. Nothing that was shown disappears again. */
  lagOf(operation: SandboxOperation, head: number): number;
  /** What spoils the answer to a question, if anything does. */
  spoilerOf(question: { readonly path: string; readonly head: number }): ContentFaultName | undefined;
}

export const NO_DRAWN_FAULTS: DrawnFaults = { lagOf: () => 0, spoilerOf: () => undefined };

// The list of blocks is what the others stay behind of.
const NEVER_LATE: SandboxOperation = 'blocks';
const WINDOW = 16;
/** Of eight windows five are in time. */
const LAGS = [0, 0, 0, 0, 0, 1, 2, 3];
const SPOILERS: readonly ContentFaultName[] = ['repeated-rows', 'shuffled-rows'];
const SPOILT_EVERY = 16;

export function createDrawnFaults(seed: number): DrawnFaults {
  return {
    lagOf(operation, head) {
      if (operation === NEVER_LATE) return 0;
      const window = Math.floor(head / WINDOW);
      const most = LAGS[draw(seed, PURPOSE.lag, window, OPERATIONS.indexOf(operation)) % LAGS.length] ?? 0;
      // It stands still until it is that late: a list does not go back.
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
