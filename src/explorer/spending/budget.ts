// What one key may ask of one host. Explorers behind the same origin and key are given the same budget: two chains of
// one plan share its requests and its rests.
import type { MissReason } from '../../core/model/observation.ts';
import type { Clock } from '../../lib/clock.ts';
import { Fault } from '../http/fault.ts';
import type { PlanHeaders } from './plan-headers.ts';
import { createPause, type Rest } from './pause.ts';
import { createRateWindow, type Ticket } from './rate-window.ts';
import { createSlots, type Slot } from './slots.ts';
import { createSweepShare, type SweepShare } from './sweep-share.ts';

/** A rest up to this long is waited for; a longer one fails at once, and the next poll asks again. */
const SHORT_REST_MS = 5_000;
/** What the network may take from an announced reset. */
const MARGIN_MS = 60;

export interface BudgetOptions {
  readonly clock: Clock;
  /** Of the plan; null = none but what the host refuses. */
  readonly requestsPerSecond: number | null;
  /**
   * Requests under way at a time, without those that gave their slot back. Hosts have burst limiters that they do not
   * announce.
   */
  readonly concurrency?: number;
  /** What the plan gives in a millisecond, where that is known. */
  readonly creditsPerMs?: number | null;
}

export interface Budget {
  /** Throws `Missed` while the plan rests for long, without a place in the queue. */
  assertOpen(where: string): void;
  /** Runs `task` in a free slot, first come, first served. */
  hold<T>(task: (slot: Slot) => Promise<T>): Promise<T>;
  /** Resolves when a request may leave. Throws `Missed` while the plan rests for long, or the signal's reason. */
  pass(where: string, signal: AbortSignal): Promise<Ticket>;
  /** Every request that left is settled, with what its answer said. */
  settle(ticket: Ticket, ended: Ended): void;
  /** The key changed: what was refused before says nothing any more. */
  reopen(): void;
  /** What may be spent on reading known rows again. */
  readonly sweeps: SweepShare;
}

interface Ended {
  /** Null for an answer. */
  readonly reason: MissReason | null;
  readonly retryAfterMs: number | null;
  /** Null when no headers came. */
  readonly planHeaders: PlanHeaders | null;
}

/** createBudget({ clock, requestsPerSecond: 5 }): five requests a second, one at a time. */
export function createBudget(options: BudgetOptions): Budget {
  const { clock, requestsPerSecond, concurrency = 1, creditsPerMs = null } = options;
  const slots = createSlots(concurrency);
  const pause = createPause();
  const window = requestsPerSecond === null ? null : createRateWindow(requestsPerSecond);

  /** How long until a request may leave; throws when that is not worth waiting for. */
  function waitMs(where: string): number {
    const now = clock.now();
    const rest = pause.check(now);
    if (rest === null) return window?.waitMs(now) ?? 0;
    if (!isShort(rest)) throw restFault(rest, where);
    return rest.leftMs;
  }

  return {
    sweeps: createSweepShare({ clock, creditsPerMs }),
    assertOpen(where) {
      const rest = pause.check(clock.now());
      if (rest !== null && !isShort(rest)) throw restFault(rest, where);
    },
    hold: (task) => slots.hold(task),
    async pass(where, signal) {
      for (let ms = waitMs(where); ms > 0; ms = waitMs(where)) {
        await clock.sleep(ms, signal);
        signal.throwIfAborted();
      }
      pause.leave(clock.now());
      return window?.take(clock.now()) ?? UNCOUNTED;
    },
    settle(ticket, { reason, retryAfterMs, planHeaders }) {
      const now = clock.now();
      pause.settle(reason, retryAfterMs === null ? null : retryAfterMs + MARGIN_MS, now);
      if (planHeaders === null || planHeaders.resetMs === null) return;
      window?.announce(ticket, now, planHeaders.resetMs);
      if (isUsedUp(planHeaders)) pause.restFor(planHeaders.resetMs + MARGIN_MS, now);
    },
    reopen() {
      pause.end();
    },
  };
}

const UNCOUNTED: Ticket = { window: 0 };

/** The limiter counts more than we do: another program may use the same key. */
function isUsedUp({ remaining, limit, resetMs }: PlanHeaders): boolean {
  return remaining === 0 && (limit ?? 0) > 0 && (resetMs ?? 0) > 0;
}

function isShort(rest: Rest): boolean {
  return rest.reason === 'rate-limited' && rest.leftMs <= SHORT_REST_MS;
}

const MEANING = {
  'rate-limited': 'the limiter said to wait',
  'out-of-credits': 'the credits of the plan are used up',
  'no-key': 'no API key arrived',
  unauthorized: 'the API key was refused',
} as const;

function restFault({ reason, leftMs }: Rest, where: string): Fault {
  const seconds = Math.ceil(leftMs / 1000);
  return new Fault(reason, `${where}: not asked, ${MEANING[reason]}; asked again in ${seconds} s`, {
    retryAfterMs: leftMs,
  });
}
