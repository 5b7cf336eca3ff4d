// What people copy from docs/routing.md loads, together with the rules that stand there, and is told as the page says.
import { readFileSync } from 'node:fs';
import { describe, expect, test } from '@jest/globals';
import { z } from 'zod';
import { loadConfig } from '../../src/config/config.ts';
import { formatProblems } from '../../src/config/problem.ts';
import { RouteShape } from '../../src/config/route-shape.ts';
import { GIVEN_LABELS } from '../../src/core/model/labels.ts';
import { notifiers } from '../../src/notifiers/index.ts';
import { describeTargets } from '../../src/rules/describe-targets.ts';
import { loadRules } from '../../src/rules/load.ts';
import { kinds } from '../../src/watches/index.ts';

const text = readFileSync('docs/routing.md', 'utf8');
const blocks = [...text.matchAll(/```(\w+ ?\w*)\n(.*?)```/gs)].map(([, type = '', block = '']) => ({ type, block }));
const blocksOf = (wanted: string): string[] => blocks.flatMap(({ type, block }) => (type === wanted ? [block] : []));

const AROUND = `
explorers: { ethereum: { form: sandbox } }
addresses: { treasury: '0x${'1'.repeat(40)}', hot_wallet: '0x${'2'.repeat(40)}' }
tokens: { USDC: '0x${'3'.repeat(40)}' }
channels: { ops: { type: log }, payments: { type: log }, pager: { type: log } }
`;

function load(block: string) {
  const { config, problems } = loadConfig('config.yaml', { env: {}, readFile: () => `${AROUND}${block}`, notifiers });
  if (config === null) throw new Error(formatProblems(problems));
  const files = blocksOf('yaml rules').map((rules, i) => ({ file: `${i}.yaml`, text: rules }));
  return loadRules(config, files, { kinds });
}

test('every YAML block says what it is', () => {
  expect(text).not.toMatch(/```yaml\n/);
  expect(blocksOf('yaml rules')).toHaveLength(1);
});

test.each(blocksOf('yaml config'))('this example loads with the rules of the page, without a warning:\n%s', (block) => {
  const { problems, warnings } = load(block);
  expect(formatProblems([...problems, ...warnings])).toBe('');
});

test('the first example tells whom the page says', () => {
  const [first = ''] = blocksOf('yaml config');
  expect(text).toContain(`\n${describeTargets(load(first).watches).join('\n')}\n`);
});

describe('Nothing is missing', () => {
  test.each(Object.keys(z.toJSONSchema(RouteShape, { io: 'input' }).properties ?? {}))(
    'the key %s of a route',
    (key) => {
      expect(text).toMatch(new RegExp(`^\\| \`${key}\``, 'm'));
    },
  );

  test.each(GIVEN_LABELS)('the label %s', (label) => {
    expect(text).toMatch(new RegExp(`^\\| \`${label}\``, 'm'));
  });
});
