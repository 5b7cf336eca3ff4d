import { describe, expect, test } from '@jest/globals';
import { loadConfig } from '../../src/config/config.ts';
import { formatProblems, type Problem } from '../../src/config/problem.ts';
import { finishInSlices } from '../../src/lib/steps.ts';
import { loadRules, loadRulesInSteps } from '../../src/rules/load.ts';
import { kinds } from '../../src/watches/index.ts';
import { effort, NO_HANG } from '../support/effort.ts';
import { createChance } from './support/chance.ts';
import { configOf, CONFIG } from './support/load.ts';
import { testNotifiers } from './support/notifiers.ts';

const MIB = 1024 * 1024;
/** So many marks that the file still reaches the parser. */
const MARKS = 79_000;

const config = configOf();

function fill(part: string, size = MIB): string {
  return part.repeat(Math.floor(size / part.length));
}

function lines(most: number, line: (i: number) => string): string {
  return Array.from({ length: most }, (_, i) => line(i)).join('');
}

function alertsOf(alerts: string): string {
  return `watches:\n  - id: w\n    kind: balance\n    of: vault\n    alerts:\n${alerts}`;
}

const HOSTILE: Readonly<Record<string, string>> = {
  'quotes without an end': fill('"'),
  'quotes as far as they are parsed': '"'.repeat(MARKS),
  'quotes behind a long text': `a: ${'x'.repeat(900_000)}${'"'.repeat(MARKS)}`,
  anchors: fill('&a '),
  'anchors as far as they are parsed': '&a '.repeat(MARKS),
  'empty lists': fill('[]'),
  'empty lists as far as they are parsed': '[]'.repeat(MARKS / 2),
  'dashes line by line': fill('-\n'),
  'wrong escapes': `a: "${fill('\\q', MIB - 8)}"`,
  'a line of blanks': `a: [url: ${' '.repeat(MIB - 20)}[`,
  'a header that never ends': `a: [x-${fill('key', MIB - 8)}`,
  addresses: `a: [${fill('https://a/b/', MIB - 8)}`,
  parameters: `a: [${fill('?a=b&c=', MIB - 8)}`,
  'different keys': lines(20_000, (i) => `k${i}: 1\n`),
  'unknown keys of one watch': `watches:\n  - id: w\n    kind: balance\n${lines(20_000, (i) => `    x${i}: 1\n`)}`,
  'long conditions': alertsOf(
    lines(700, (i) => `      - { id: a${i}, while: ${'balance < 1 || '.repeat(90)}raw < ${i} }\n`),
  ),
  'groups in groups': `addresses:\n${lines(20_000, (i) => `  a${i}: [a${i + 1}]\n`)}`,
};

function problemsOf(text: string): readonly Problem[] {
  const rules = loadRules(config, [{ file: 'rules/a.yaml', text }], { kinds }).problems;
  const own = loadConfig('config.yaml', { env: {}, readFile: () => text, notifiers: testNotifiers }).problems;
  return [...rules, ...own];
}

describe('A file of up to 1 MiB is refused without a hang, whatever is in it', () => {
  test.each(Object.entries(HOSTILE))('%s', (_name, text) => {
    let problems: readonly Problem[] = [];
    const spent = effort(() => (problems = problemsOf(text)));
    expect(spent).toBeLessThan(2 * NO_HANG);
    expect(problems.length).toBeGreaterThan(0);
    expect(problems.length).toBeLessThanOrEqual(2 * 101);
    expect(formatProblems(problems).length).toBeLessThan(200_000);
  });

  test('and so is what grew from good text by chance', () => {
    const chance = createChance(20);
    const good = `${CONFIG}${alertsOf('      - { id: a, while: balance < 1, title: "{{ balance }}" }\n')}`;
    const spent = effort(() => {
      for (let i = 0; i < 30; i++) expect(problemsOf(grown(good, chance)).length).toBeLessThanOrEqual(2 * 101);
    });
    // Thirty files of 32 KiB are one of 1 MiB.
    expect(spent).toBeLessThan(2 * NO_HANG);
  });
});

/** A few pieces of the text are repeated where they stand, up to 32 KiB. */
function grown(text: string, chance: ReturnType<typeof createChance>): string {
  const at = chance(text.length);
  const piece = text.slice(at, at + 1 + chance(12));
  return text.slice(0, at) + fill(piece, 32 * 1024) + text.slice(at);
}

describe('A file with many mistakes', () => {
  const file = (keys: number): string => `watches: []\n${lines(keys, (i) => `x${i}: 1\n`)}`;

  test('shows the first hundred, and counts the rest', () => {
    const problems = loadRules(config, [{ file: 'rules/a.yaml', text: file(123) }], { kinds }).problems.filter(
      ({ file: of }) => of === 'rules/a.yaml',
    );
    expect(problems.length).toBe(101);
    expect(problems[99]).toMatchObject({ line: 101, message: 'unknown key "x99"' });
    expect(formatProblems(problems.slice(100))).toBe(
      'rules/a.yaml: 23 more problems in this file. Mend the first ones, then check again.',
    );
  });

  test('and one more than a hundred is counted as one', () => {
    const { problems } = loadRules(config, [{ file: 'rules/a.yaml', text: file(101) }], { kinds });
    expect(problems.at(-1)?.message).toBe('1 more problem in this file');
  });

  test('shows only the first where the YAML itself is broken', () => {
    const { problems } = loadRules(config, [{ file: 'rules/a.yaml', text: 'a: "x" y\nb: [1\nc: "x" y\n' }], { kinds });
    expect(problems.map(({ line }) => line)).toEqual([1]);
  });
});

describe('Many files', () => {
  const many = (count: number, text: string) =>
    Array.from({ length: count }, (_, i) => ({ file: `rules/f${String(i).padStart(4, '0')}.yaml`, text }));

  test('are looked at until there are a hundred problems', () => {
    const wrong = `watches:\n${'  - { kind: balance }\n'.repeat(3)}`;
    const { problems, sound } = loadRules(config, many(1000, wrong), { kinds });
    expect(problems.length).toBeLessThan(120);
    expect(problems.map(({ message }) => message)).toContain(
      '983 files of rules were not looked at after 100 problems',
    );
    expect(sound).toEqual({ watches: [], reports: [] });
  });

  test('of a million marks together are refused before one is parsed', () => {
    const files = many(20, '"'.repeat(MARKS));
    let problems: readonly Problem[] = [];
    const spent = effort(() => (problems = loadRules(config, files, { kinds }).problems));
    expect(problems.map(({ message }) => message)).toEqual([
      'the rule files have more than 1000000 line ends and marks such as ":", "-" and "," in all',
    ]);
    expect(spent).toBeLessThan(NO_HANG);
  });

  test('are loaded while timers go on', async () => {
    const rule = (i: number): string =>
      `  - { id: r${i}, kind: balance, explorer: ethereum, of: vault, alerts: [{ id: low, severity: info, notify: ops, while: balance < 1 }] }\n`;
    const files = Array.from({ length: 40 }, (_, i) => {
      return { file: `rules/f${i}.yaml`, text: `watches:\n${lines(50, (j) => rule(50 * i + j))}` };
    });
    let ticks = 0;
    const timer = setInterval(() => (ticks += 1), 1);
    const { watches, problems } = await finishInSlices(loadRulesInSteps(config, files, { kinds }));
    clearInterval(timer);
    expect([problems, watches.length]).toEqual([[], 2000]);
    expect(ticks).toBeGreaterThan(5);
  });
});
