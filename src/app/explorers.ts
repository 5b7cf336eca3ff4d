// The explorers of the config, open. An explorer whose settings did not change stays open over a reload, with its
// budget, its pauses and its connections; sandboxes stay as they were started.
import type { Config, Explorer as Settings, SandboxExplorer } from '../config/config.ts';
import { createAnswerMemory } from '../explorer/answer-memory.ts';
import { createBudget, type Budget } from '../explorer/budget.ts';
import { createExplorer, type Explorer } from '../explorer/explorer.ts';
import type { Auth } from '../explorer/http.ts';
import type { ExplorerMeter } from '../explorer/meter.ts';
import type { Clock } from '../lib/clock.ts';
import { createSandbox } from '../sandbox/sandbox.ts';
import { serveSandbox, type Served } from '../sandbox/server.ts';
import type { Log } from '../telemetry/log.ts';

export interface ExplorersOptions {
  readonly clock: Clock;
  readonly log: Log;
  readonly meter: ExplorerMeter & { forgetExplorer(explorer: string): void };
  readonly userAgent: string;
  /** Told of every answer that was decoded, with its body. */
  readonly onAnswer?: (answer: object, body: Buffer) => void;
  /** Aborts the requests under way. */
  readonly signal: AbortSignal;
}

export interface Explorers extends AsyncDisposable {
  apply(config: Config): Promise<void>;
  get(name: string): Explorer | undefined;
}

interface Open {
  readonly fingerprint: string;
  readonly explorer: Explorer;
  readonly served: Served | null;
}

export function createExplorers(options: ExplorersOptions): Explorers {
  const { clock, log, meter } = options;
  const openByName = new Map<string, Open>();
  const budgetByPlan = new Map<string, Budget>();
  const answers = createAnswerMemory({ clock });

  async function open(settings: Settings, fingerprint: string): Promise<Open> {
    const served = settings.form === 'sandbox' ? await startSandbox(settings, clock) : null;
    const where = whereOf(settings, served);
    const explorer = createExplorer({
      ...options,
      ...where,
      name: settings.name,
      coin: settings.coin,
      budget: budgetOf(settings, where.baseUrl),
      answers,
    });
    if (served !== null) log.info('sandbox:listening', { explorer: settings.name, url: served.url });
    return { fingerprint, explorer, served };
  }

  /** One per (origin, key): two chains behind one key share it. */
  function budgetOf(settings: Settings, baseUrl: string): Budget {
    const { concurrency, requestsPerSecond, key } = paceOf(settings);
    const plan = JSON.stringify([new URL(baseUrl).origin, key, concurrency, requestsPerSecond]);
    const budget = budgetByPlan.get(plan) ?? createBudget({ clock, concurrency, requestsPerSecond });
    budgetByPlan.set(plan, budget);
    return budget;
  }

  async function close(name: string): Promise<void> {
    const found = openByName.get(name);
    openByName.delete(name);
    await found?.explorer[Symbol.asyncDispose]();
    await found?.served?.close();
    meter.forgetExplorer(name);
  }

  return {
    get: (name) => openByName.get(name)?.explorer,
    async apply(config) {
      for (const name of openByName.keys()) if (!config.explorers.has(name)) await close(name);
      for (const [name, settings] of config.explorers) {
        const fingerprint = fingerprintOf(settings);
        const found = openByName.get(name);
        if (found?.fingerprint === fingerprint) continue;
        if (found !== undefined && found.served !== null && settings.form === 'sandbox') {
          log.warn('config:needs-a-restart', { what: `the sandbox explorer ${name}` });
          continue;
        }
        await close(name);
        openByName.set(name, await open(settings, fingerprint));
      }
    },
    async [Symbol.asyncDispose]() {
      for (const name of [...openByName.keys()].reverse()) await close(name);
    },
  };
}

function startSandbox({ seed, blockTime, control }: SandboxExplorer, clock: Clock): Promise<Served> {
  const blockTimeMs = blockTime === 'manual' ? blockTime : blockTime.ms;
  return serveSandbox(createSandbox({ seed, blockTimeMs, clock, control }));
}

function whereOf(
  settings: Settings,
  served: Served | null,
): { baseUrl: string; auth: Auth; headers: Record<string, string> } {
  if (settings.form === 'sandbox') return { baseUrl: served?.url ?? '', auth: { type: 'none' }, headers: {} };
  const { apiKey, auth } = settings;
  const headers = Object.entries(settings.headers).map(([name, value]): [string, string] => [name, value.reveal()]);
  return {
    baseUrl: settings.form === 'multichain' ? `${settings.baseUrl}/${settings.chainId}` : settings.instanceUrl,
    auth: apiKey === null ? { type: 'none' } : { type: auth, key: () => apiKey.reveal() },
    headers: Object.fromEntries(headers),
  };
}

// The sandbox is ours alone: no stranger's burst limiter has to be feared.
const SANDBOX_CONCURRENCY = 8;

function paceOf(settings: Settings): { concurrency: number; requestsPerSecond: number | null; key: string } {
  if (settings.form === 'sandbox') return { concurrency: SANDBOX_CONCURRENCY, requestsPerSecond: null, key: '' };
  const { concurrency, plan, apiKey } = settings;
  return { concurrency, requestsPerSecond: plan?.requestsPerSecond ?? null, key: apiKey?.reveal() ?? '' };
}

/** Kept in memory only: it holds the key. */
function fingerprintOf(settings: Settings): string {
  if (settings.form === 'sandbox') return JSON.stringify([settings.seed, settings.blockTime, settings.control]);
  return JSON.stringify([whereOf(settings, null), settings.auth, paceOf(settings), settings.coin]);
}
