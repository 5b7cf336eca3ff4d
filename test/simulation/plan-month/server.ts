// An explorer that only counts: what a request costs, what is left, and when the plan is refilled. Others may spend the
// same credits, and its headers may say what is not so.
import type { IncomingHttpHeaders } from 'node:http';
import type { Instant } from '../../../src/lib/clock.ts';
import type { Draw } from '../draw.ts';

const DAY_MS = 86_400_000;

export interface ServerOptions {
  readonly credits: number;
  /** It gives so many at the next resets; left out: the same. */
  readonly givesLater?: number;
  /** It takes so much for each request, whatever its price is. */
  readonly charges?: number;
  /** Whether it refuses then, whatever is left. */
  readonly refuses?: (now: Instant) => boolean;
  /** It answers although nothing is left. */
  readonly answersBelowZero?: boolean;
  readonly periodMs?: number;
  /** When a period began. */
  readonly from: Instant;
  readonly draw: Draw;
  /** This part of the answers is a failure, which is charged. */
  readonly failing?: number;
  /** What the header says of what is left; null: nothing. */
  readonly says?: (left: number, requests: number) => number | string | null;
}

export interface CountingServer {
  ask(price: number, now: Instant): { readonly status: 200 | 402 | 500; readonly headers: IncomingHttpHeaders };
  /** Another program spends, as far as it can. */
  spend(credits: number, now: Instant): void;
  /** More credits were bought. */
  give(credits: number): void;
  /** Own requests, by period. */
  readonly spent: readonly number[];
  readonly foreign: readonly number[];
  readonly refused: number;
}

export function createServer(options: ServerOptions): CountingServer {
  const { credits, givesLater = credits, charges, refuses, answersBelowZero = false } = options;
  const { periodMs = DAY_MS, from, draw, failing = 0 } = options;
  const says = options.says ?? ((rest: number) => rest);
  let period = 0;
  let left = credits;
  let refused = 0;
  let requests = 0;
  const [spent, foreign]: [number[], number[]] = [[0], [0]];

  function turn(now: Instant): void {
    for (; now >= from + (period + 1) * periodMs; period += 1) {
      left = givesLater;
      spent.push(0);
      foreign.push(0);
    }
  }

  function headers(): IncomingHttpHeaders {
    const said = says(left, requests);
    return { 'content-type': 'application/json', ...(said === null ? {} : { 'x-credits-remaining': String(said) }) };
  }

  return {
    spent,
    foreign,
    get refused() {
      return refused;
    },
    spend(wanted, now) {
      turn(now);
      const taken = Math.min(wanted, left);
      left -= taken;
      foreign[period] = (foreign[period] ?? 0) + taken;
    },
    give(more) {
      left += more;
    },
    ask(declared, now) {
      turn(now);
      requests += 1;
      const price = charges ?? declared;
      if (refuses?.(now) === true || (left < price && !answersBelowZero)) {
        refused += 1;
        return { status: 402, headers: headers() };
      }
      left -= price;
      spent[period] = (spent[period] ?? 0) + price;
      return { status: draw.chance(failing) ? 500 : 200, headers: headers() };
    },
  };
}
