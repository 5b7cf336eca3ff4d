// The budgets of explorers over reloads: what one key may ask of one host.
import { expect, test } from '@jest/globals';
import { ExplorerSet } from '../../src/app/runtime/explorers.ts';
import { loadConfig } from '../../src/config/config.ts';
import { formatProblems } from '../../src/config/problem.ts';
import type { Config } from '../../src/config/model.ts';
import { createExplorer } from '../../src/explorer/explorer.ts';
import type { Budget } from '../../src/explorer/spending/budget.ts';
import { notifiers } from '../../src/notifiers/index.ts';
import { createMetrics } from '../../src/telemetry/metrics.ts';
import { createFakeClock } from '../support/fake-clock.ts';
import { createRecordingLog } from '../support/recording-log.ts';
import { A_REQUEST } from '../support/spending.ts';

const { signal } = new AbortController();

const KEYS = { FIRST: 'first-key', SECOND: 'second-key' };

interface Entry {
  readonly chain: number;
  /** Null: the config names none. */
  readonly perSecond?: number | null;
  readonly key?: string;
}

function aConfig(entries: Readonly<Record<string, Entry>>): Config {
  const explorers = Object.entries(entries).map(([name, { chain, perSecond = 5, key = 'FIRST' }]) => {
    const plan = perSecond === null ? '' : `, plan: { requests_per_second: ${perSecond} }`;
    return `  ${name}: { form: multichain, base_url: 'https://api.example', chain_id: '${chain}', api_key: { env: ${key} }${plan} }\n`;
  });
  const text = `explorers:\n${explorers.join('')}channels: { screen: { type: log } }\n`;
  const { config, problems } = loadConfig('config.yaml', { env: KEYS, readFile: () => text, notifiers });
  if (config === null) throw new Error(formatProblems(problems));
  return config;
}

function someExplorers() {
  const clock = createFakeClock();
  const budgets = new Map<string, Budget>();
  const explorers = new ExplorerSet({
    clock,
    log: createRecordingLog(),
    meter: createMetrics({ clock }),
    userAgent: 'chainwarden/0',
    signal,
    openExplorer: (options) => {
      budgets.set(options.name, options.budget);
      return createExplorer(options);
    },
  });
  return {
    clock,
    explorers,
    budgetOf: (name: string): Budget => {
      const budget = budgets.get(name);
      if (budget === undefined) throw new Error(`${name} was not opened`);
      return budget;
    },
    load: async (entries: Readonly<Record<string, Entry>>): Promise<void> => {
      (await explorers.prepare(aConfig(entries))).commit();
      await explorers.closeReplaced();
    },
  };
}

async function refuse(budget: Budget): Promise<void> {
  const ticket = await budget.pass('host', signal, A_REQUEST);
  budget.settle(ticket, { reason: 'unauthorized', retryAfterMs: null, planHeaders: null });
}

test('two chains of one plan do not ask twice as much as it allows, whatever each entry says', async () => {
  const { clock, explorers, budgetOf, load } = someExplorers();
  await load({ ethereum: { chain: 1, perSecond: 50 }, gnosis: { chain: 100, perSecond: 2 } });
  expect(budgetOf('gnosis')).toBe(budgetOf('ethereum'));
  const left: number[] = [];
  const start = clock.now();
  const asked = ['ethereum', 'gnosis', 'ethereum'].map(async (name) => {
    await budgetOf(name).pass('host', signal, A_REQUEST);
    left.push(clock.now() - start);
  });
  await clock.advance(5000);
  await Promise.all(asked);
  expect(left).toEqual([0, 0, 1060]);
  await explorers[Symbol.asyncDispose]();
});

test('a key that was rotated is asked with at once, although the old one was refused', async () => {
  const { explorers, budgetOf, load } = someExplorers();
  await load({ ethereum: { chain: 1 } });
  await refuse(budgetOf('ethereum'));
  expect(explorers.rests().get('ethereum')).toMatchObject({ reason: 'unauthorized' });
  await load({ ethereum: { chain: 1, key: 'SECOND' } });
  expect(explorers.rests().size).toBe(0);
  // Nobody used the old key any more: nothing is remembered of it.
  await load({ ethereum: { chain: 1 } });
  expect(explorers.rests().size).toBe(0);
  await explorers[Symbol.asyncDispose]();
});

test('a chain that is added to a plan that rests does not ask', async () => {
  const { explorers, budgetOf, load } = someExplorers();
  await load({ ethereum: { chain: 1 } });
  await refuse(budgetOf('ethereum'));
  await load({ ethereum: { chain: 1 }, gnosis: { chain: 100 } });
  expect(budgetOf('gnosis')).toBe(budgetOf('ethereum'));
  expect([...explorers.rests().keys()]).toEqual(['ethereum', 'gnosis']);
  await explorers[Symbol.asyncDispose]();
});

test('a limit that is lowered in one entry counts for the other one too', async () => {
  const { explorers, budgetOf, load } = someExplorers();
  await load({ ethereum: { chain: 1 }, gnosis: { chain: 100 } });
  const before = budgetOf('ethereum');
  await load({ ethereum: { chain: 1 }, gnosis: { chain: 100, perSecond: 1 } });
  expect(budgetOf('ethereum')).not.toBe(before);
  expect(budgetOf('ethereum')).toBe(budgetOf('gnosis'));
  await explorers[Symbol.asyncDispose]();
});

test('a plan that rests goes on resting where a reload changes how often it may be asked', async () => {
  const { explorers, budgetOf, load } = someExplorers();
  await load({ ethereum: { chain: 1 } });
  await refuse(budgetOf('ethereum'));
  const rests = explorers.rests();
  await load({ ethereum: { chain: 1, perSecond: 2 } });
  expect(explorers.rests()).toEqual(rests);
  expect(() => {
    budgetOf('ethereum').assertOpen('host');
  }).toThrow('the API key was rejected');
  await explorers[Symbol.asyncDispose]();
});

test.each([
  ['the config names the limit', 5, [2, 2, 2], 5],
  ['two answers announce it', null, [7, 2, 2], 2],
  ['one answer says something else', null, [2, 2, 1, 2], 2],
  ['no answer says it', null, [null, null], Infinity],
])('intervals are planned by a limit of requests: %s', async (_, perSecond, limits, planned) => {
  const { explorers, budgetOf, load } = someExplorers();
  await load({ ethereum: { chain: 1, perSecond } });
  for (const limit of limits) {
    const ticket = await budgetOf('ethereum').pass('host', signal, A_REQUEST);
    const planHeaders = { credits: null, limit, remaining: null, resetMs: limit === null ? null : 400 };
    budgetOf('ethereum').settle(ticket, { reason: null, retryAfterMs: null, planHeaders });
  }
  expect(explorers.purses().map(({ requestsPerSecond }) => requestsPerSecond)).toEqual([planned]);
  await explorers[Symbol.asyncDispose]();
});

test.each([
  ['a minute long', [48_000, 60_000, 59_000, 12_000], 300 / 59],
  ['a second long, whatever one answer says', [400, 600_000, 300], 300],
])('a window is %s', async (_, resets, planned) => {
  const { explorers, budgetOf, load } = someExplorers();
  await load({ ethereum: { chain: 1, perSecond: null } });
  for (const resetMs of resets) {
    const ticket = await budgetOf('ethereum').pass('host', signal, A_REQUEST);
    const planHeaders = { credits: null, limit: 300, remaining: 200, resetMs };
    budgetOf('ethereum').settle(ticket, { reason: null, retryAfterMs: null, planHeaders });
  }
  expect(explorers.purses()[0]?.requestsPerSecond).toBe(planned);
  await explorers[Symbol.asyncDispose]();
});
