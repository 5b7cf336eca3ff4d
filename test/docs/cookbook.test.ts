// What stands in docs/ works: each recipe loads, and its test goes well; so does every other block.
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from '@jest/globals';
import { loadSetup } from '../../src/app/setup/setup.ts';
import { formatProblems, formatWarnings } from '../../src/config/problem.ts';
import { notifiers } from '../../src/notifiers/index.ts';
import { loadRuleTests } from '../../src/rule-tests/reading/load.ts';
import { resultOf } from '../../src/rule-tests/reporting/report.ts';
import { runRuleTest } from '../../src/rule-tests/run.ts';
import { subjectOf } from '../../src/rule-tests/subject.ts';
import { kinds } from '../../src/watches/index.ts';
import { createFolder } from '../support/daemon.ts';

const readFile = (file: string): string => readFileSync(file, 'utf8');

/** The blocks of a type, in their order. */
function blocksOf(markdown: string, type: string): string[] {
  return [...markdown.matchAll(new RegExp(`\`\`\`yaml ${type}\\n(.*?)\`\`\``, 'gs'))].map(([, text = '']) => text);
}

const cookbook = readFile('docs/cookbook.md');
const config = blocksOf(cookbook, 'config')[0] ?? '';
const recipes = cookbook
  .split(/^## /m)
  .slice(1)
  .map((text) => ({
    title: text.slice(0, text.indexOf('\n')),
    rules: blocksOf(text, 'rules')[0] ?? '',
    tests: blocksOf(text, 'test')[0] ?? '',
  }));

/** The file that a recipe goes into, as its test names it. */
const fileOf = (tests: string): string => /^rules: (\S+)$/m.exec(tests)?.[1] ?? 'none';

const testsOf = ({ rules, tests }: (typeof recipes)[number]) =>
  loadRuleTests('recipe.test.yaml', {
    env: {},
    readFile: (file) => (file.endsWith('.test.yaml') ? tests : file.endsWith('config.yaml') ? config : rules),
    notifiers,
    kinds,
    mayShow: () => true,
  });

describe('the cookbook', () => {
  test('has twenty-seven recipes, and a config with which all of them load at once, as copied', () => {
    expect(recipes).toHaveLength(27);
    const files = recipes.map(({ rules, tests }) => [`rules/${fileOf(tests)}`, rules] as const);
    using folder = createFolder({ 'config.yaml': config, ...Object.fromEntries(files) });
    const { setup, problems } = loadSetup(join(folder.path, 'config.yaml'), { env: {}, readFile });
    expect(formatProblems(problems)).toBe('');
    expect(formatWarnings(setup?.warnings ?? [])).toBe('');
    expect(new Set(setup?.watches.map(({ source }) => source.split(':')[0]))).toEqual(
      new Set(files.map(([file]) => file)),
    );
  });

  test.each(recipes.map((recipe) => [recipe.title, recipe] as const))('%s', async (_title, recipe) => {
    const { tests, problems } = testsOf(recipe);
    expect(formatProblems(problems)).toBe('');
    const told = new Set<string>();
    for (const trial of tests) {
      const { details, output } = resultOf(trial, await runRuleTest(trial));
      expect(details).toEqual([]);
      for (const id of subjectOf(trial).alerts) if (output.includes(id)) told.add(id);
    }
    const written = tests.flatMap((trial) => subjectOf(trial).alerts);
    expect(written.length).toBeGreaterThan(0);
    expect(written.filter((id) => !told.has(id))).toEqual([]);
  });
});

test('the rules for a treasury load with the config beside them, as copied', () => {
  const page = readFile('docs/treasury.md');
  const rules = blocksOf(page, 'rules').map((text, place) => [`rules/${place}.yaml`, text] as const);
  expect(rules).toHaveLength(6);
  using folder = createFolder({ 'config.yaml': blocksOf(page, 'config')[0] ?? '', ...Object.fromEntries(rules) });
  const env = { SMTP_URL: 'smtps://mail.example.com' };
  const { setup, problems } = loadSetup(join(folder.path, 'config.yaml'), { env, readFile });
  expect(formatProblems(problems)).toBe('');
  expect([setup?.watches.length, formatWarnings(setup?.warnings ?? [])]).toEqual([6, '']);
});

test('the rules for contracts load with the config beside them, and their tests go well', async () => {
  const [config = '', rules = '', tests = ''] = ['config', 'rules', 'test'].map(
    (type) => blocksOf(readFile('docs/contracts.md'), type)[0],
  );
  using folder = createFolder({ 'config.yaml': config, 'rules/code.yaml': rules, 'rules/code.test.yaml': tests });
  const { setup, problems } = loadSetup(join(folder.path, 'config.yaml'), { env: {}, readFile });
  expect(formatProblems(problems)).toBe('');
  expect([setup?.watches.length, formatWarnings(setup?.warnings ?? [])]).toEqual([2, '']);
  const file = join(folder.path, 'rules/code.test.yaml');
  const loaded = loadRuleTests(file, { env: {}, readFile, notifiers, kinds, mayShow: () => true });
  expect(formatProblems(loaded.problems)).toBe('');
  for (const trial of loaded.tests) expect(resultOf(trial, await runRuleTest(trial)).details).toEqual([]);
});

const ABI = JSON.stringify([
  { type: 'event', name: 'Swept', inputs: [{ type: 'address', name: 'to', indexed: true }] },
  { type: 'event', name: 'Deposit', inputs: [{ type: 'address' }, { type: 'uint256' }] },
]);

describe('the page about events', () => {
  const page = readFile('docs/events.md');
  const own = blocksOf(page, 'config')[0] ?? '';
  const rules = blocksOf(page, 'rules');
  const tests = blocksOf(page, 'test');

  test('has rules that load at once, as copied, without a warning', () => {
    const files = rules.map((text, place) => [`rules/${place}.yaml`, text] as const);
    using folder = createFolder({ 'config.yaml': own, 'abi/Vault.json': ABI, ...Object.fromEntries(files) });
    const { setup, problems } = loadSetup(join(folder.path, 'config.yaml'), { env: {}, readFile });
    expect(formatProblems(problems)).toBe('');
    expect([setup?.watches.length, formatWarnings(setup?.warnings ?? [])]).toEqual([6, '']);
  });

  test.each(tests.map((text) => [fileOf(text), text] as const))(
    'has a test for %s that goes well',
    async (file, text) => {
      const rule = rules.find((one) => one.includes(`id: ${file.replace('.yaml', '')}`)) ?? '';
      const loaded = loadRuleTests('events.test.yaml', {
        env: {},
        readFile: (name) => (name.endsWith('.test.yaml') ? text : name.endsWith('config.yaml') ? own : rule),
        notifiers,
        kinds,
        mayShow: () => true,
      });
      expect(formatProblems(loaded.problems)).toBe('');
      for (const trial of loaded.tests) expect(resultOf(trial, await runRuleTest(trial)).details).toEqual([]);
    },
  );
});

test('no recipe, and no example of a function, reads what explorers leave out: it would never fire', () => {
  const seldom = kinds.flatMap(({ fields: { fields } }) =>
    Object.entries(fields).flatMap(([name, field]) => (field.seldom === undefined ? [] : [name])),
  );
  expect(seldom).toContain('token_transfers');
  const shown = [
    ...recipes.map(({ title, rules }) => [title, rules] as const),
    ...kinds.flatMap(({ name, examples }) =>
      Object.entries(examples).map(([word, example]) => [`${name} ${word}`, example] as const),
    ),
  ];
  const words = shown.map(([title, text]) => [title, seldom.filter((name) => text.split(/\W+/).includes(name))]);
  expect(words.filter(([, found]) => found?.length !== 0)).toEqual([]);
});

describe('every page of docs/', () => {
  const files = readdirSync('docs').filter((file) => file.endsWith('.md'));
  const pages = files.map((file) => [file, readFile(`docs/${file}`)] as const);

  test.each(pages)('%s links to pages that exist', (_file, text) => {
    const links = [...text.matchAll(/\]\((?!https?:)([^)#]+)(?:#[^)]*)?\)/g)].map(([, link = '']) => `docs/${link}`);
    for (const link of links) expect(() => (/\.\w+$/.test(link) ? readFile(link) : readdirSync(link))).not.toThrow();
  });
});
