import { describe, expect, test } from '@jest/globals';
import { formatProblems } from '../../src/config/problem.ts';
import { type LoadedRules, loadRules } from '../../src/rules/load.ts';
import { kinds } from '../../src/watches/index.ts';
import { effort, NO_HANG } from '../support/effort.ts';
import { brokenFiles, MISTAKE_NAMES } from './support/broken-rules.ts';
import { createChance } from './support/chance.ts';
import { fileText, KINDS, watchText } from './support/good-rules.ts';
import { configOf } from './support/load.ts';

const config = configOf();
const FILE = 'rules/a.yaml';

function load(text: string): LoadedRules {
  return loadRules(config, [{ file: FILE, text }], { kinds });
}

test('the files are good before they are broken', () => {
  for (const [i, parts] of KINDS.entries()) {
    const conditions = [...parts.numbers.map((field) => `${field} > 5`), ...parts.bools.slice(0, 1)];
    const alert = [`on: ${parts.on}`, `if: '${conditions.join(' && ')}'`];
    expect(formatProblems(load(fileText(createChance(i), watchText({ parts, alert }))).problems)).toBe('');
  }
});

test('there are a thousand broken files, hardly any of them twice', () => {
  const texts = MISTAKE_NAMES.flatMap((name) => brokenFiles(name).map(({ text }) => text));
  expect(texts.length).toBeGreaterThanOrEqual(1000);
  expect(new Set(texts).size).toBeGreaterThan(900);
});

describe('Each of a thousand broken files is refused with a place and a frame, and quickly', () => {
  test.each(MISTAKE_NAMES)('%s', (name) => {
    const files = brokenFiles(name);
    const spent = effort(() => {
      for (const { text, at } of files) {
        const { problems, watches } = load(text);
        expect([text, problems.length, watches]).not.toEqual([text, 0, expect.anything()]);
        expect([text, problems.some(({ path }) => at.test(path)), problems]).toEqual([text, true, problems]);
        const lines = text.split('\n');
        for (const { file, line, column, message, frame } of problems) {
          expect(file).toBe(FILE);
          expect(line).toBeLessThanOrEqual(lines.length);
          expect(column).toBeLessThanOrEqual((lines[line - 1]?.length ?? 0) + 1);
          expect(message.length).toBeGreaterThan(3);
          expect(frame).toMatch(/^ +\| +\^+$/m);
        }
      }
    });
    // All of one kind together: a single file may meet the garbage collector.
    expect(spent).toBeLessThan(NO_HANG);
  });
});
