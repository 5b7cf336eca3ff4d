// Days of a plan: the scheduler, the planner, the account and the budget of the product, with its retries, against a server
// that counts. Nothing is decoded and nobody is told. What is asked, late, missed and refused is counted here.
import type { AnyView } from '../../../src/core/values/fields.ts';
import { firstQuestionsOf, needOf } from '../../../src/core/spending/asked.ts';
import { highest } from '../../../src/core/model/delivery.ts';
import type { Severity } from '../../../src/core/model/ids.ts';
import type { Question } from '../../../src/core/model/watch/question.ts';
import { Postponed } from '../../../src/core/model/watch/question.ts';
import type { Watch } from '../../../src/core/model/watch/watch.ts';
import { createScheduler } from '../../../src/engine/scheduling/scheduler.ts';
import { createSpending } from '../../../src/engine/scheduling/spending.ts';
import { createFetchAnswer, type FetchAnswer } from '../../../src/explorer/http/fetch-answer.ts';
import { problemOf } from '../../../src/explorer/http/answer-reader.ts';
import { createAccount } from '../../../src/explorer/spending/account.ts';
import type { WrittenPlan } from '../../../src/explorer/spending/bookkeeper.ts';
import { createBudget, type Budget } from '../../../src/explorer/spending/budget.ts';
import type { PlanRow } from '../../../src/core/spending/plan.ts';
import type { SpendClass } from '../../../src/core/spending/spend.ts';
import { loadConfig } from '../../../src/config/config.ts';
import { formatProblems } from '../../../src/config/problem.ts';
import { notifiers } from '../../../src/notifiers/index.ts';
import { loadRules } from '../../../src/rules/load.ts';
import { kinds } from '../../../src/watches/index.ts';
import type { Clock } from '../../../src/lib/clock.ts';
import { createVirtualTime, type VirtualTime } from '../machine/clock.ts';
import type { Draw } from '../draw.ts';
import type { CountingServer } from './server.ts';

const MINUTE_MS = 60_000;
const HOUR_MS = 3_600_000;

export interface MonthOptions {
  readonly watches: readonly Watch[];
  readonly plan: WrittenPlan | null;
  readonly isStretched?: boolean;
  readonly requestsPerSecond?: number;
  readonly clock: VirtualTime;
  /** The clock of the process, where it is another one. */
  readonly wall?: Clock;
  readonly server: CountingServer;
  readonly draw: Draw;
  /** The half of the time that an answer takes, in milliseconds; left out: 50 to 150. */
  readonly takes?: number;
  /** This part of the answers asks for a second page. */
  readonly secondPages?: number;
  /** Pages beside them, of critical watches, each minute. */
  readonly deepPages?: number;
  /** Each minute. */
  readonly happens?: (now: number, process: Living) => void;
  /** The process is replaced at these times of the day. */
  readonly restartsAt?: readonly number[];
  /** The row with which it is replaced; left out: that of the moment. */
  readonly rowAtRestart?: 'none' | 'ten seconds old';
}

export interface Month {
  readonly due: Record<Severity, number>;
  readonly missed: Record<Severity, number>;
  /** When questions were answered. */
  readonly answered: Readonly<Record<Severity, readonly number[]>>;
  /** Late first requests of critical watches, in milliseconds, sorted. */
  readonly late: readonly number[];
  readonly deepRead: number;
  /** The factors, each five minutes. */
  readonly stretches: readonly Record<Severity, number>[];
  /** First pages that left, and how many the intervals in force made due. */
  readonly asked: number;
  readonly planned: number;
}

interface Counted {
  readonly due: Record<Severity, number>;
  readonly missed: Record<Severity, number>;
  readonly answered: Record<Severity, number[]>;
  readonly late: number[];
  readonly stretches: Record<Severity, number>[];
  deepRead: number;
  asked: number;
  planned: number;
}

const none = (): Record<Severity, number> => ({ critical: 0, warning: 0, info: 0 });

/** Lives through so many days. */
export async function liveFor(days: number, options: MonthOptions): Promise<Month> {
  const { clock, happens, restartsAt = [], rowAtRestart } = options;
  const counted: Counted = {
    due: none(),
    missed: none(),
    answered: { critical: [], warning: [], info: [] },
    late: [],
    stretches: [],
    deepRead: 0,
    asked: 0,
    planned: 0,
  };
  let process = begin(options, counted, null);
  const start = clock.now();
  for (let minute = 1; minute <= days * 1440; minute += 1) {
    await clock.runUntil(start + minute * MINUTE_MS - 10_000);
    const before = process.row();
    await clock.runUntil(start + minute * MINUTE_MS);
    happens?.(clock.now(), process);
    process.everyMinute();
    if (restartsAt.includes((clock.now() - start) % (24 * HOUR_MS))) {
      const row = rowAtRestart === undefined ? process.row() : rowAtRestart === 'none' ? null : before;
      await process.stop();
      process = begin(options, counted, row);
    }
  }
  await process.stop();
  return { ...counted, late: counted.late.toSorted((a, b) => a - b) };
}

export interface Living {
  everyMinute(): void;
  reload(plan: WrittenPlan): void;
  /** Of the plan, as it is stored. */
  row(): PlanRow | null;
  stop(): Promise<void>;
}

function begin(options: MonthOptions, counted: Counted, row: PlanRow | null): Living {
  const { watches, plan, requestsPerSecond = Infinity, isStretched = true, deepPages = 0 } = options;
  const clock = options.wall ?? options.clock;
  const stop = new AbortController();
  const account = createAccount({ clock, assumesPlan: false });
  account.setPlan(plan);
  account.resume(row);
  const budget = createBudget({ clock, requestsPerSecond: options.requestsPerSecond ?? 5, account });
  const fetchAnswer = createClient(options, budget, stop.signal, counted);
  const spending = createSpending({
    purses: () => [{ explorers: ['chain'], account, requestsPerSecond, isStretched }],
    watches: () => watches,
    clock,
    onChange: () => {
      scheduler.repace();
    },
    onProbe: ({ id }) => {
      if (budget.rest() === null) scheduler.pollAgain(id, 0);
    },
  });
  const running = new Set<string>();

  async function poll(key: string, asking: readonly Watch[], due: number): Promise<void> {
    const severity = highest(asking.map((watch) => needOf(watch).severity));
    const [first] = asking;
    if (first === undefined) return;
    counted.due[severity] += 1;
    // A poll that is still under way when the next one is due has missed it.
    if (running.has(key)) {
      counted.missed[severity] += 1;
      return;
    }
    running.add(key);
    try {
      await fetchAnswer(first.kind.question(first.target), severity, severity, due);
      counted.answered[severity].push(options.clock.now());
      if (options.draw.chance(options.secondPages ?? 0))
        await fetchAnswer(first.kind.question(first.target), 'pages', severity, null).catch(() => null);
    } catch (error) {
      if (error instanceof Postponed) for (const { id } of asking) scheduler.pollAgain(id, MINUTE_MS);
      else if (!stop.signal.aborted) counted.missed[severity] += 1;
    } finally {
      running.delete(key);
    }
  }

  const scheduler = createScheduler({
    clock,
    onTick(due) {
      const byKey = Map.groupBy(due, (watch) => firstQuestionsOf(watch)[0]?.key ?? '');
      for (const [key, asking] of byKey) void poll(key, asking, options.clock.now());
    },
    onLag: () => undefined,
    paceOf: spending.paceOf,
  });
  spending.plan();
  scheduler.set(watches, watches);
  const ended = Promise.all([scheduler.run(stop.signal), spending.run(stop.signal)]);
  const byQuestion = Map.groupBy(watches, (watch) => firstQuestionsOf(watch)[0]?.key ?? '');
  const paceOfAll = (asking: readonly Watch[]): number => Math.min(...asking.map(spending.paceOf));
  const deep = watches.find((watch) => needOf(watch).severity === 'critical');

  async function readDeep(): Promise<void> {
    for (let page = 0; page < deepPages && deep !== undefined; page += 1)
      try {
        await fetchAnswer(deep.kind.question(deep.target), 'pages', 'critical', null);
        counted.deepRead += 1;
      } catch {
        return;
      }
  }

  return {
    row: () => account.row(),
    reload(next) {
      account.setPlan(next);
      spending.plan();
    },
    everyMinute() {
      counted.planned += [...byQuestion.values()].reduce((sum, asking) => sum + MINUTE_MS / paceOfAll(asking), 0);
      if (options.clock.now() % (5 * MINUTE_MS) < MINUTE_MS)
        counted.stretches.push(spending.stateOf('chain')?.stretch ?? { ...ONES });
      if (deepPages > 0) void readDeep();
    },
    async stop() {
      stop.abort();
      await ended;
    },
  };
}

const ONES = { critical: 1, warning: 1, info: 1 };

type Ask = (question: Question, spentOn: SpendClass, severity: Severity, due: number | null) => Promise<unknown>;

/** The product's requests, retries included, with a server in place of a network: an answer takes 100 to 300 ms. */
function createClient(
  { clock, wall = clock, server, draw, takes }: MonthOptions,
  budget: Budget,
  signal: AbortSignal,
  counted: Counted,
): Ask {
  const dueOf = new Map<string, number | null>();
  let number = 0;
  const fetchAnswer: FetchAnswer = createFetchAnswer({
    explorer: 'chain',
    transport: {
      async send({ target: address }) {
        const [, price = '0', id = ''] = address.split('/');
        const due = dueOf.get(id) ?? null;
        dueOf.set(id, null);
        if (due !== null && id.startsWith('critical')) counted.late.push(clock.now() - due);
        if (due !== null) counted.asked += 1;
        const wait = takes ?? draw.between(50, 150);
        await clock.sleep(wait, signal);
        const answer = server.ask(Number(price), clock.now());
        await clock.sleep(wait, signal);
        return { ...answer, wire: [], free: () => undefined };
      },
      close: () => undefined,
    },
    budget,
    answers: { get: () => null, put: () => undefined },
    reader: {
      readSmall: () => null,
      read(answer, { where }) {
        const problem = problemOf(answer, NOTHING, { where, hasKey: true, redact: (text) => text, now: wall.now() });
        if (problem !== null) throw problem;
        const value = {} as AnyView;
        return Promise.resolve({
          body: NOTHING,
          weight: 0,
          isSmall: true,
          decoded: { value, content: null, unknownFields: () => 0 },
        });
      },
    },
    meter: null,
    totalMs: 30_000,
    hasKey: true,
    onAnswer: () => undefined,
    clock: wall,
    signal,
  });
  return async (question, spentOn, severity, due) => {
    number += 1;
    const id = `${severity}${number}`;
    dueOf.set(id, due);
    const spend = {
      class: spentOn,
      severity,
      isExtra: false,
      turn: null,
      operation: question.operation,
      price: question.credits,
    };
    try {
      return await fetchAnswer({
        question,
        address: `/${question.credits}/${id}`,
        body: null,
        where: 'the server',
        spend,
      });
    } finally {
      dueOf.delete(id);
    }
  };
}

const NOTHING = Buffer.alloc(0);

/** So many watches of balances. Each asks a question of its own; `asksAs`: all ask that of the watch with this number. */
export interface Some {
  readonly count: number;
  readonly every: string;
  readonly severity: Severity;
  readonly asksAs?: number;
  /** A window as short as the interval: it keeps its pace until others are stretched a lot. */
  readonly isFixed?: boolean;
}

const CONFIG = `
explorers: { chain: { form: sandbox } }
channels: { screen: { type: log } }
rules: [rules.yaml]
`;

export function watchesOf(some: readonly Some[]): readonly Watch[] {
  const all = some.flatMap((one) => Array.from({ length: one.count }, () => one));
  const rules = all.map(({ every, severity, asksAs, isFixed = false }, n) => {
    const of = `'0x${String(asksAs ?? n).padStart(40, '0')}'`;
    const condition = isFixed ? `while: 'change("${every}") > 1'` : 'on: changed';
    const alerts = `alerts: [{ id: moved, ${condition}, severity: ${severity} }]`;
    return `  - { id: w${n}, kind: balance, of: ${of}, every: ${every}, ${alerts} }\n`;
  });
  const { config } = loadConfig('config.yaml', { env: {}, readFile: () => CONFIG, notifiers });
  if (config === null) throw new Error('the config of the month does not load');
  const { watches, problems } = loadRules(config, [{ file: 'rules.yaml', text: `watches:\n${rules.join('')}` }], {
    kinds,
  });
  if (problems.length > 0) throw new Error(formatProblems(problems));
  return watches;
}

export function createMonthClock(): VirtualTime {
  return createVirtualTime(Date.UTC(2026, 0, 1));
}
