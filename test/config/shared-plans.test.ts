// Two explorers of the config with one origin and one key: the limiter counts them together.
import { expect, test } from '@jest/globals';
import { loadConfig } from '../../src/config/config.ts';
import { formatProblems } from '../../src/config/problem.ts';
import { sharedPlans } from '../../src/config/shared-plans.ts';
import { notifiers } from '../../src/notifiers/index.ts';

const KEYS: Record<string, string> = { KEY: 'one-key', OTHER: 'other-key' };

function aConfig(...explorers: readonly string[]) {
  const text = `explorers:\n${explorers.map((line) => `  ${line}\n`).join('')}channels: { screen: { type: log } }\n`;
  const { config, problems, warnings } = loadConfig('config.yaml', { env: KEYS, readFile: () => text, notifiers });
  if (config === null) throw new Error(formatProblems(problems));
  const ours = warnings.filter(({ message }) => message.includes('share one plan'));
  return { plans: sharedPlans(config.explorers), warnings: ours.map(({ path, message }) => `${path}: ${message}`) };
}

const at = (name: string, chain: number, more: string, key = 'KEY'): string =>
  `${name}: { form: multichain, base_url: 'https://api.example', chain_id: '${chain}', api_key: { env: ${key} }, ${more} }`;

test('of limits that differ the smallest counts, and check says which, and where it stands', () => {
  const { plans, warnings } = aConfig(
    at('ethereum', 1, 'concurrency: 2, plan: { requests_per_second: 5, credits: 100000, per: day }'),
    at('gnosis', 100, 'concurrency: 2, plan: { requests_per_second: 15, credits: 100000000, per: month }'),
  );
  expect(plans.get('ethereum')).toBe(plans.get('gnosis'));
  expect(plans.get('gnosis')).toMatchObject({
    explorers: ['ethereum', 'gnosis'],
    concurrency: 2,
    plan: { requestsPerSecond: 5, credits: 100_000, per: 'day' },
  });
  expect(warnings).toEqual([
    'explorers.gnosis.plan.requests_per_second: gnosis and ethereum share one plan, and ethereum has ' +
      'requests_per_second 5 (config.yaml:2): this smaller value is used for both',
    'explorers.gnosis.plan.credits: gnosis and ethereum share one plan, and ethereum has ' +
      'credits 100000 a day (config.yaml:2): this smaller value is used for both',
  ]);
});

test('one that names no plan shares that of the other, and there is nothing to warn of', () => {
  const { plans, warnings } = aConfig(
    at('a', 1, 'plan: { requests_per_second: 5 }'),
    at('b', 2, 'page_url: https://b.example'),
  );
  expect(plans.get('b')?.plan?.requestsPerSecond).toBe(5);
  expect(warnings).toEqual([]);
});

test('with another key, or on another host, each has its own', () => {
  const { plans, warnings } = aConfig(
    at('a', 1, 'plan: { requests_per_second: 5 }'),
    at('b', 2, 'plan: { requests_per_second: 50 }', 'OTHER'),
    `c: { form: instance, instance_url: 'https://c.example', api_key: { env: KEY }, plan: { requests_per_second: 9 } }`,
    'd: { form: sandbox }',
  );
  expect(['a', 'b', 'c', 'd'].map((name) => plans.get(name)?.plan?.requestsPerSecond)).toEqual([5, 50, 9, undefined]);
  expect(warnings).toEqual([]);
});
