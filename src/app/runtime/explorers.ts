// The open explorers of the config. An explorer with unchanged settings stays open over a reload, with its budget, its
// pauses and its connections; a sandbox keeps the settings with which it was started. All new explorers are opened
// before an old one is replaced. If a new one cannot be opened, nothing is replaced.
import type { Config, ExplorerPlan, SandboxExplorer, ExplorerSettings } from '../../config/model.ts';
import { sharedPlans, type SharedPlan } from '../../config/shared-plans.ts';
import type { NamedPlan } from '../../engine/scheduling/kept-plans.ts';
import type { Purse } from '../../engine/scheduling/spending.ts';
import { createAnswerCache, type AnswerCache } from '../../explorer/http/answer-cache.ts';
import { isPublicHeader } from '../../config/values/secrets.ts';
import { createExplorer, type Explorer, type ExplorerOptions } from '../../explorer/explorer.ts';
import { createLargeBodies } from '../../explorer/http/large-bodies.ts';
import type { ExplorerMeter } from '../../explorer/http/meter.ts';
import type { PlanRest } from '../../core/model/quality/plan-rest.ts';
import type { Clock } from '../../lib/clock.ts';
import type { Limits } from '../../sandbox/limits.ts';
import { API_KEY, CHAIN_ID } from '../../sandbox/names.ts';
import { createSandbox } from '../../sandbox/sandbox.ts';
import { serveSandbox, type SandboxServer } from '../../sandbox/server.ts';
import type { Log } from '../../telemetry/log.ts';
import { createPlanBudgets, paceOf, type Pace, type PlanBudget, type PlanBudgets } from './plan-budgets.ts';
import type { Prepared } from './prepared.ts';

export interface ExplorersOptions {
  readonly clock: Clock;
  readonly log: Log;
  readonly meter: ExplorerMeter & { forgetExplorer(explorer: string): void };
  readonly userAgent: string;
  /** Called with every decoded answer and its body. */
  readonly onAnswer?: (answer: object, body: Buffer) => void;
  /** Aborts the requests under way. */
  readonly signal: AbortSignal;
  readonly openExplorer?: typeof createExplorer;
  /** Whether a request may be sent to the explorer now. If left out, every request may. */
  readonly mayAsk?: (explorer: string) => boolean;
}

interface Open extends PlanBudget {
  readonly name: string;
  readonly fingerprint: string;
  readonly explorer: Explorer;
  readonly served: SandboxServer | null;
}

interface Opening {
  readonly fingerprint: string;
  readonly pace: Pace;
  readonly budgets: PlanBudgets;
}

export class ExplorerSet implements AsyncDisposable {
  readonly #options: ExplorersOptions;
  #openByName: ReadonlyMap<string, Open> = new Map();
  #plans: ReadonlyMap<string, SharedPlan> = new Map();
  /** Replaced explorers that earlier polls still read. */
  readonly #replaced = new Set<Open>();
  readonly #answers: AnswerCache;
  readonly #largeBodies = createLargeBodies();

  constructor(options: ExplorersOptions) {
    this.#options = options;
    this.#answers = createAnswerCache({ clock: options.clock });
  }

  get(name: string): Explorer | undefined {
    return this.#openByName.get(name)?.explorer;
  }

  /**
   * Drops the gauges of an explorer, and its figures of the last hour. The explorer's next answer creates them again.
   */
  readonly forget = (name: string): void => {
    this.#options.meter.forgetExplorer(name);
  };

  /** The plans, each with the explorers that share it. */
  readonly purses = (): readonly (Purse & NamedPlan)[] =>
    [...Map.groupBy(this.#openByName.values(), ({ account }) => account)].map(([account, members]) => ({
      explorers: members.map(({ name }) => name),
      account,
      nameIn: members[0]?.nameIn ?? ((): null => null),
      requestsPerSecond: members[0]?.budget.requestsPerSecond() ?? Infinity,
      isStretched: this.#plans.get(members[0]?.name ?? '')?.plan?.isStretched ?? true,
    }));

  /** The explorers to which no requests are sent for the moment, with the reason. */
  rests(): ReadonlyMap<string, PlanRest> {
    const all = [...this.#openByName].map(([name, { budget }]) => [name, budget.rest()] as const);
    return new Map(all.flatMap(([name, rest]) => (rest === null ? [] : [[name, rest]])));
  }

  /** Opens the explorers that are new or have other settings; rejects if one of them cannot be opened. */
  async prepare(config: Config): Promise<Prepared> {
    await using fresh = new AsyncDisposableStack();
    const next = new Map<string, Open>();
    const nextPlans = sharedPlans(config.explorers);
    const budgets = createPlanBudgets(this.#openByName.values(), this.#options);
    for (const [name, settings] of config.explorers) {
      const pace = paceOf(nextPlans.get(name));
      const fingerprint = fingerprintOf(settings, pace);
      const found = this.#openByName.get(name);
      const isKept = found !== undefined && staysOpen(found, settings, fingerprint);
      if (isKept && found.fingerprint !== fingerprint)
        this.#options.log.warn('config:needs-a-restart', { what: `the sandbox explorer ${name}` });
      next.set(name, isKept ? found : fresh.adopt(await this.#open(settings, { fingerprint, pace, budgets }), close));
    }
    const opened = fresh.move();
    return {
      commit: () => {
        opened.move();
        this.#plans = nextPlans;
        this.#swap(next);
        for (const { name, account } of next.values()) account.setPlan(this.#plans.get(name)?.plan ?? null);
      },
      [Symbol.asyncDispose]: () => opened.disposeAsync(),
    };
  }

  /** Closes the explorers that a commit replaced, and cuts off their running requests. */
  async closeReplaced(): Promise<void> {
    const all = [...this.#replaced].reverse();
    this.#replaced.clear();
    for (const one of all) {
      await close(one);
      // The last polls of a removed explorer may have set its gauges after the swap.
      if (!this.#openByName.has(one.name)) this.#options.meter.forgetExplorer(one.name);
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#swap(new Map());
    await this.closeReplaced();
    await this.#largeBodies[Symbol.asyncDispose]();
  }

  async #open(settings: ExplorerSettings, { fingerprint, pace, budgets }: Opening): Promise<Open> {
    const { clock, openExplorer = createExplorer, mayAsk = () => true } = this.#options;
    const { name, coin } = settings;
    const served = settings.form === 'sandbox' ? await startSandbox(settings, clock) : null;
    try {
      const where = whereOf(settings, served);
      const shared = budgets.of(settings, where.baseUrl, pace);
      const explorer = openExplorer({
        ...this.#options,
        ...where,
        name,
        coin,
        budget: shared.budget,
        reach: shared.reach,
        largeBodies: this.#largeBodies,
        answers: answersIn(coin, this.#answers),
        mayAsk: () => mayAsk(name),
      });
      if (served !== null) this.#options.log.info('sandbox:listening', { explorer: name, url: served.url });
      return { ...shared, name, fingerprint, explorer, served };
    } catch (error) {
      await served?.close();
      throw error;
    }
  }

  #swap(next: ReadonlyMap<string, Open>): void {
    const former = this.#openByName;
    this.#openByName = next;
    for (const one of former.values()) {
      if (next.get(one.name) === one) continue;
      this.#replaced.add(one);
      this.#options.meter.forgetExplorer(one.name);
    }
  }
}

async function close({ explorer, served }: Open): Promise<void> {
  await explorer[Symbol.asyncDispose]();
  await served?.close();
}

/**
 * The cache keeps decoded answers, whose amounts depend on the coin's decimals. After a correction of the decimals,
 * earlier answers must not be used again.
 */
function answersIn({ decimals }: ExplorerSettings['coin'], answers: AnswerCache): AnswerCache {
  const named = (request: string): string => `${decimals} ${request}`;
  return {
    get: (request, wire) => answers.get(named(request), wire),
    put: (request, wire, answer) => {
      answers.put(named(request), wire, answer);
    },
  };
}

/** A running sandbox cannot be changed, because a new one would be another chain. */
function staysOpen({ fingerprint, served }: Open, settings: ExplorerSettings, wanted: string): boolean {
  return fingerprint === wanted || (served !== null && settings.form === 'sandbox');
}

function startSandbox(
  { seed, blockTime, control, faults, as, plan }: SandboxExplorer,
  clock: Clock,
): Promise<SandboxServer> {
  const blockTimeMs = blockTime === 'manual' ? blockTime : blockTime.ms;
  const limits = plan === null ? {} : limitsOf(plan);
  return serveSandbox(createSandbox({ seed, blockTimeMs, clock, control, faults, as, limits }));
}

function limitsOf({ credits, requestsPerSecond, per, resets }: ExplorerPlan): Partial<Limits> {
  return {
    per,
    resets,
    ...(credits !== null && { credits }),
    ...(requestsPerSecond !== null && { requestsPerSecond }),
  };
}

type Where = Required<Pick<ExplorerOptions, 'baseUrl' | 'apiUrls' | 'rpcUrl' | 'auth' | 'headers' | 'secrets'>>;

function whereOf(settings: ExplorerSettings, served: SandboxServer | null): Where {
  if (settings.form === 'sandbox') {
    const url = served?.url ?? '';
    // Only the multichain form counts credits, so a sandbox without a plan uses the other form.
    const common = { headers: {}, secrets: [] };
    if (settings.plan === null) return { ...common, ...instanceAt(url), auth: { type: 'none' } };
    return { ...common, ...multichainAt(url, CHAIN_ID), auth: { type: 'bearer', key: () => API_KEY } };
  }
  const { apiKey, auth } = settings;
  const headers = Object.entries(settings.headers).map(([name, value]): [string, string] => [name, value.reveal()]);
  return {
    ...(settings.form === 'multichain'
      ? multichainAt(settings.baseUrl, settings.chainId)
      : instanceAt(settings.instanceUrl)),
    auth: apiKey === null ? { type: 'none' } : { type: auth, key: () => apiKey.reveal() },
    headers: Object.fromEntries(headers),
    secrets: headers.filter(([name]) => !isPublicHeader(name)).map(([, value]) => value),
  };
}

type Address = Pick<Where, 'baseUrl' | 'apiUrls' | 'rpcUrl'>;

function instanceAt(url: string): Address {
  return { baseUrl: url, apiUrls: [`${url}/api`], rpcUrl: `${url}/api/eth-rpc` };
}

/**
 * A host of several chains serves the Etherscan-style API in one of two ways: at one address with the chain as a
 * parameter, or at an address below that of each chain.
 */
function multichainAt(url: string, chainId: string): Address {
  return {
    baseUrl: `${url}/${chainId}`,
    apiUrls: [`${url}/v2/api?chain_id=${chainId}`, `${url}/${chainId}/api`],
    rpcUrl: `${url}/${chainId}/json-rpc`,
  };
}

/** The fingerprint is kept in memory only, because it contains the key. */
function fingerprintOf(settings: ExplorerSettings, pace: Pace): string {
  if (settings.form === 'sandbox')
    return JSON.stringify([
      settings.seed,
      settings.blockTime,
      settings.control,
      settings.faults,
      settings.as,
      settings.plan,
    ]);
  return JSON.stringify([whereOf(settings, null), settings.auth, settings.apiKey?.reveal(), pace, settings.coin]);
}
