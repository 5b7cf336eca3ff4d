// The requests that one key may send to one host. Explorers with the same origin and key share one budget: two chains
// of one plan share its requests and its pauses.
import PQueue from 'p-queue';
import type { MissReason } from '../../core/model/observation.ts';
import type { PlanRest } from '../../core/model/quality/plan-rest.ts';
import { Missed, Postponed } from '../../core/model/watch/question.ts';
import { type Spend, SPEND_CLASSES, type SpendClass } from '../../core/spending/spend.ts';
import { type Clock, showInstant } from '../../lib/clock.ts';
import type { Log } from '../../telemetry/log.ts';
import { RequestFault } from '../http/fault.ts';
import type { Account } from './account.ts';
import type { BookedRequest } from './bookkeeper.ts';
import { type Gate, RequestGate } from './pause.ts';
import type { PlanHeaders } from './plan-headers.ts';
import { createRateWindow, type WindowTicket } from './rate-window.ts';

/** Requests wait for a pause up to this long. During a longer one they fail at once, and a later poll tries again. */
const SHORT_REST_MS = 5_000;
/** A reset may be announced this much too early, because of the network. */
const MARGIN_MS = 60;

export interface BudgetOptions {
  readonly clock: Clock;
  /** The limit of the plan; null = only the host's own limit. */
  readonly requestsPerSecond: number | null;
  /**
   * The largest number of running requests, without those that gave their slot back. Hosts have burst limiters that
   * they do not announce.
   */
  readonly concurrency?: number;
  /** Keeps the books of the plan. */
  readonly account: Account;
  /** The pauses of an earlier budget of the same plan. */
  readonly pause?: RequestGate;
  /** Gets a line when the plan begins to refuse, when a refusal is judged differently, and when it is over. */
  readonly log?: Pick<Log, 'info' | 'warn'>;
  /** The name of the plan in log lines: the host. */
  readonly host?: string;
}

/** The ticket of a request that was sent. */
export interface BudgetTicket {
  readonly counted: WindowTicket;
  /** True if the request checks whether a refusal is over. */
  readonly isProbe: boolean;
  readonly booked: BookedRequest;
}

export interface Budget {
  /** Throws `Missed` at once during a long pause of the plan; it does not wait for a slot. */
  assertOpen(where: string): void;
  /** Runs `task` in a free slot. If requests are limited, those for more severe alerts come first. */
  hold<T>(task: (slot: Slot) => Promise<T>, spend: Pick<Spend, 'class' | 'severity'>): Promise<T>;
  /**
   * Resolves when a request may be sent. Throws `Missed` during a long pause of the plan, `Postponed` if the credits
   * are kept for more severe alerts, or the signal's reason.
   */
  pass(where: string, signal: AbortSignal, spend: Spend): Promise<BudgetTicket>;
  /** Every request that was sent must be settled, with any result: other requests may wait for it. */
  settle(ticket: BudgetTicket, ended: Ended): void;
  /** True during a pause so long that requests fail instead of waiting. */
  restsLong(): boolean;
  /** The present pause of the plan, with its reason; null: there is none. */
  rest(): PlanRest | null;
  /** The limit from the config, else the one that answers announce; null: unknown. */
  requestsPerSecond(): number | null;
}

export interface Ended {
  /** Null for an answer; `cut-off`: the request was aborted. */
  readonly reason: MissReason | 'cut-off' | null;
  readonly retryAfterMs: number | null;
  /** Null when no headers came. */
  readonly planHeaders: PlanHeaders | null;
}

/** createBudget({ clock, requestsPerSecond: 5 }): five requests a second, one at a time. */
export function createBudget(options: BudgetOptions): Budget {
  const { clock, requestsPerSecond, concurrency = 1, account } = options;
  let hasAnswered = false;
  // While the credits left are unknown, requests are sent one by one until an answer contains them.
  const slots = createSlots(() => (hasAnswered || account.isHeaderKnown() ? concurrency : 1));
  const { pause = new RequestGate() } = options;
  const announced = createAnnouncedLimit();
  const window = requestsPerSecond === null ? null : createRateWindow(requestsPerSecond);
  const say = createRestLog(options);

  function assertNotLong(gate: Gate, where: string): void {
    if (isLong(gate)) throw restFault(gate.rest, gate.leftMs, where);
  }

  /**
   * Resolves when a new check may succeed; null if a request may be sent now. Throws during a long pause of the plan.
   */
  function waitFor(where: string, signal: AbortSignal): Promise<unknown> | null {
    const now = clock.now();
    const gate = pause.check(now);
    assertNotLong(gate, where);
    if (gate.type === 'probing') return gate.ended;
    const ms = gate.type === 'resting' ? gate.leftMs : (window?.waitMs(now) ?? 0);
    return ms > 0 ? clock.sleep(ms, signal) : null;
  }

  function admit(where: string, spend: Spend): void {
    if (spend.until !== undefined && clock.now() >= spend.until)
      throw new Missed('timeout', `${where}: not asked, since the answer would come too late`);
    const admission = account.admit(spend);
    if (admission === 'postpone')
      throw new Postponed(`${where}: the credits that are left are kept for critical watches`);
    if (admission === 'refuse') throw new Missed('plan', `${where}: not read, ${REFUSED[spend.class] ?? NOTHING_LEFT}`);
  }

  return {
    assertOpen(where) {
      assertNotLong(pause.check(clock.now()), where);
    },
    hold: (task, spend) => slots.hold(task, rankOf(spend)),
    async pass(where, signal, spend) {
      for (let wait = waitFor(where, signal); wait !== null; wait = waitFor(where, signal)) {
        await wait;
        signal.throwIfAborted();
      }
      admit(where, spend);
      const booked = account.leave(spend);
      return { isProbe: pause.leave(), counted: window?.take(clock.now()) ?? UNCOUNTED, booked };
    },
    settle({ counted, isProbe, booked }, { reason, retryAfterMs, planHeaders }) {
      const now = clock.now();
      const withMargin = retryAfterMs === null ? null : retryAfterMs + MARGIN_MS;
      const credits = planHeaders?.credits ?? null;
      account.settle(booked, { isCharged: reason !== 'out-of-credits' && reason !== 'rate-limited', header: credits });
      const { price } = booked.spend;
      pause.settle({ isProbe, reason, retryAfterMs: withMargin, credits, price, refill: account.refill() }, now);
      say(pause.rest(now));
      hasAnswered ||= reason === null || credits !== null;
      slots.adjust();
      if (planHeaders !== null && reason === null) announced.answered(planHeaders);
      if (planHeaders === null || planHeaders.resetMs === null) return;
      window?.announce(counted, now, planHeaders.resetMs);
      if (isUsedUp(planHeaders)) pause.restFor(planHeaders.resetMs + MARGIN_MS, now);
    },
    restsLong: () => isLong(pause.check(clock.now())),
    rest: () => pause.rest(clock.now()),
    requestsPerSecond: () => requestsPerSecond ?? announced.perSecond(),
  };
}

const NOTHING_LEFT = 'the plan has no credits for further pages now';
const REFUSED: Partial<Record<SpendClass, string>> = {
  sweep: 'a tenth of the requests is used up',
  enrich: 'the credits for details are used up',
};

/**
 * Probes and first pages of critical watches are sent first, then further pages of critical watches. If these waited
 * for the first pages of all other watches, a poll could last so long that the next one is missed.
 */
function rankOf({ class: spentOn, severity }: Pick<Spend, 'class' | 'severity'>): number {
  if (spentOn === 'probe') return 0;
  return spentOn === 'pages' && severity === 'critical' ? 0.5 : SPEND_CLASSES.indexOf(spentOn);
}

const UNCOUNTED: WindowTicket = { window: 0 };

/**
 * True if the limiter allows no more requests now. It may count more than this process sent, since another program may
 * use the same key.
 */
function isUsedUp({ remaining, limit, resetMs }: PlanHeaders): boolean {
  return remaining === 0 && (limit ?? 0) > 0 && (resetMs ?? 0) > 0;
}

function isLong(gate: Gate): gate is Extract<Gate, { type: 'resting' }> {
  return gate.type === 'resting' && gate.leftMs > SHORT_REST_MS;
}

const MEANING = {
  'rate-limited': 'the limiter said to wait',
  'out-of-credits': 'the credits of the plan are used up',
  'no-key': 'no API key arrived',
  unauthorized: 'the API key was rejected',
} as const;

function restFault({ reason, doubt }: PlanRest, leftMs: number, where: string): RequestFault {
  const seconds = Math.ceil(leftMs / 1000);
  const doubted = doubt === null ? '' : `, which is doubted, for ${doubt}`;
  const detail = `${where}: request skipped: ${MEANING[reason]}${doubted}; next request in ${seconds} s`;
  return new RequestFault(reason, detail, { retryAfterMs: leftMs });
}

/** One line when refusals begin or are judged differently, and one when they are over: not one for each probe. */
function createRestLog({ log, host = '' }: BudgetOptions): (rest: PlanRest | null) => void {
  let last: PlanRest | null = null;
  return (rest) => {
    const now = rest?.reason === 'rate-limited' ? null : rest;
    if (now !== null && (now.reason !== last?.reason || (now.doubt === null) !== (last.doubt === null)))
      log?.warn('plan:refused', {
        host,
        reason: now.reason,
        doubted: now.doubt,
        'asked next': showInstant(now.nextAt),
      });
    if (now === null && last !== null) log?.info('plan:answers-again', { host });
    last = now;
  };
}

/**
 * The rate limit that an explorer announces in its answers: a number of requests, and the end of the window that it
 * counts for. A single answer may be wrong, so two in a row must agree.
 */
interface AnnouncedLimit {
  answered(headers: PlanHeaders): void;
  /** Null: no two answers in a row had the same limit. */
  perSecond(): number | null;
}

interface Announced {
  readonly limit: number;
  readonly resetMs: number;
}

const SECOND_MS = 1000;

/** A window is assumed to be one second long, or longer if two answers in a row announced a later end. */
function createAnnouncedLimit(): AnnouncedLimit {
  let last: Announced | null = null;
  let agreed: { readonly limit: number; readonly windowMs: number } | null = null;
  return {
    answered({ limit, resetMs }) {
      if (limit === null || limit === 0) return;
      const now = { limit, resetMs: resetMs ?? 0 };
      if (last?.limit === limit) {
        const knownMs = agreed?.limit === limit ? agreed.windowMs : SECOND_MS;
        agreed = { limit, windowMs: Math.max(knownMs, Math.min(last.resetMs, now.resetMs)) };
      }
      last = now;
    },
    perSecond: () => (agreed === null ? null : (agreed.limit * SECOND_MS) / agreed.windowMs),
  };
}

// Limits the requests in flight. A request that the explorer keeps waiting gives its slot back, so that a slow path
// does not delay all others. It continues, and counts towards the most that may be in flight.

/** The most requests in flight, unless `concurrency` is higher. */
const MOST_IN_FLIGHT = 4;

export interface Slot {
  /** Lets the next request start. A second call has no effect. */
  readonly giveBack: () => void;
}

interface Slots {
  /** Runs `task` as soon as there is a slot: the smallest rank first, equal ranks in the order of the calls. */
  hold<T>(task: (slot: Slot) => Promise<T>, rank?: number): Promise<T>;
  /** Applies a change of `concurrencyNow`. */
  adjust(): void;
}

function createSlots(concurrencyNow: () => number): Slots {
  const queue = new PQueue({ concurrency: concurrencyNow() });
  const waiting = new Set<Slot>();

  function adjust(): void {
    const concurrency = concurrencyNow();
    const next = Math.min(concurrency + waiting.size, Math.max(concurrency, MOST_IN_FLIGHT));
    if (next !== queue.concurrency) queue.concurrency = next;
  }

  async function run<T>(task: (slot: Slot) => Promise<T>): Promise<T> {
    let isOver = false;
    const slot: Slot = {
      giveBack() {
        if (isOver) return;
        waiting.add(slot);
        adjust();
      },
    };
    try {
      return await task(slot);
    } finally {
      isOver = true;
      waiting.delete(slot);
      adjust();
    }
  }

  return {
    adjust,
    hold(task, rank = 0) {
      adjust();
      return queue.add(() => run(task), { priority: -rank });
    },
  };
}
