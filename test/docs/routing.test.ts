// What people copy from docs/routing.md loads, together with the rules that stand there, and is told as the page says.
import { readFileSync } from 'node:fs';
import { describe, expect, test } from '@jest/globals';
import { z } from 'zod';
import { loadConfig } from '../../src/config/config.ts';
import { formatProblems } from '../../src/config/problem.ts';
import { MuteWindowShape } from '../../src/config/routing/mute-windows.ts';
import { InhibitShape, RouteShape } from '../../src/config/routing/route-shape.ts';
import { GIVEN_LABELS } from '../../src/core/model/watch/identity.ts';
import { notifiers } from '../../src/notifiers/index.ts';
import { describeTargets } from '../../src/rules/describe-targets.ts';
import { loadRules } from '../../src/rules/load.ts';
import { kinds } from '../../src/watches/index.ts';
import { run, type Files } from '../rule-tests/support/trials.ts';

const text = readFileSync('docs/routing.md', 'utf8');
const blocks = [...text.matchAll(/```(\w+ ?\w*)\n(.*?)```/gs)].map(([, type = '', block = '']) => ({ type, block }));
const blocksOf = (wanted: string): string[] => blocks.flatMap(({ type, block }) => (type === wanted ? [block] : []));

const AROUND = `
explorers: { ethereum: { form: sandbox } }
addresses: { treasury: '0x${'1'.repeat(40)}', hot_wallet: '0x${'2'.repeat(40)}' }
tokens: { USDC: '0x${'3'.repeat(40)}' }
`;
const CHANNELS = { ops: '{ type: log }', payments: '{ type: log }', pager: '{ type: log }' };

/** The channels that the block lacks stand below its own. */
function withChannels(block: string): string {
  const missing = Object.entries(CHANNELS).filter(([name]) => !block.includes(`\n  ${name}:`));
  const lines = missing.map(([name, channel]) => `  ${name}: ${channel}\n`).join('');
  return block.includes('channels:\n')
    ? block.replace('channels:\n', `channels:\n${lines}`)
    : `channels:\n${lines}${block}`;
}

const configWith = (block: string): string => `${AROUND}${withChannels(block)}`;

function load(block: string) {
  const text = configWith(block);
  const { config, problems } = loadConfig('config.yaml', { env: {}, readFile: () => text, notifiers });
  if (config === null) throw new Error(formatProblems(problems));
  const files = blocksOf('yaml rules').map((rules, i) => ({ file: `${i}.yaml`, text: rules }));
  return { ...loadRules(config, files, { kinds }), routes: config.routes };
}

test('every YAML block says what it is', () => {
  const known = ['yaml rules', 'yaml config', 'yaml test'];
  expect(blocks.filter(({ type }) => type.startsWith('yaml') && !known.includes(type))).toEqual([]);
  expect(blocksOf('yaml rules')).toHaveLength(1);
});

test.each(blocksOf('yaml config'))('this example loads with the rules of the page, without a warning:\n%s', (block) => {
  const { problems, warnings } = load(block);
  expect(formatProblems([...problems, ...warnings])).toBe('');
});

test('what check prints on the page is what it prints of an example there', () => {
  const shown = blocksOf('output');
  const printed = blocksOf('yaml config').map((block) => {
    const { watches, routes } = load(block);
    return `${describeTargets(watches, routes).join('\n')}\n`;
  });
  expect(shown).toHaveLength(2);
  for (const block of shown) expect(printed.some((text) => text.includes(block))).toBe(true);
});

test('the test of rules goes well', async () => {
  const config = blocksOf('yaml config').find((block) => block.includes('group_by: [team]')) ?? '';
  const [written = ''] = blocksOf('yaml test');
  const files: Files = { 'rules.yaml': blocksOf('yaml rules').join(), 'config.yaml': configWith(config) };
  const { results } = await run(written, files);
  expect(results.map(({ isOk, details }) => [isOk, details])).toEqual([[true, []]]);
});

describe('Nothing is missing', () => {
  const keys = [RouteShape, InhibitShape, MuteWindowShape].flatMap((shape) =>
    Object.keys(z.toJSONSchema(shape, { io: 'input', unrepresentable: 'any' }).properties ?? {}),
  );

  test.each(keys)('the key %s', (key) => {
    expect(text).toMatch(new RegExp(`^\\| \`${key}\``, 'm'));
  });

  test.each(GIVEN_LABELS)('the label %s', (label) => {
    expect(text).toMatch(new RegExp(`^\\| \`${label}\``, 'm'));
  });
});
