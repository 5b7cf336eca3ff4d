import { describe, expect, test } from '@jest/globals';
import { summarize, type Problem } from '../../../src/config/problem.ts';
import { effort, NO_HANG } from '../../support/effort.ts';
import { type Source, parseYaml } from '../../../src/config/yaml/yaml.ts';
import type { WrittenValue } from '../../../src/config/yaml/written.ts';

function sourceOf(text: string): Source {
  const parsed = parseYaml('a.yaml', text);
  if ('problems' in parsed) throw new Error(parsed.problems.map(summarize).join('\n'));
  return parsed.source;
}

function valueOf(text: string): WrittenValue {
  return sourceOf(text).value;
}

function problemsOf(text: string): readonly Problem[] {
  const parsed = parseYaml('a.yaml', text);
  return 'problems' in parsed ? parsed.problems : [];
}

describe('Scalars stay the text that was written', () => {
  test.each([
    ['0x47ac0Fb4F2D84898e4D9E7b4DaB3C24507a6D503', '0x47ac0Fb4F2D84898e4D9E7b4DaB3C24507a6D503'],
    ['0x00000000000000000000000000000000000000dEaD', '0x00000000000000000000000000000000000000dEaD'],
    ['1_000_000', '1_000_000'],
    [
      '115792089237316195423570985008687907853269984665640564039457584007913129639935',
      '115792089237316195423570985008687907853269984665640564039457584007913129639935',
    ],
    ['1e18', '1e18'],
    ['007', '007'],
    ['true', 'true'],
    ['yes', 'yes'],
    ['null', 'null'],
    ['~', '~'],
    ['12:30:45', '12:30:45'],
    ['2026-01-01', '2026-01-01'],
    ['.inf', '.inf'],
    ['', ''],
    ['"a\\tb"', 'a\tb'],
    ["'it''s'", "it's"],
  ])('%s', (written, value) => {
    expect(valueOf(`a: ${written}\n`)).toEqual({ a: value });
  });

  test('aliases are followed', () => {
    expect(valueOf('a: &x [1, 2]\nb: *x\n')).toEqual({ a: ['1', '2'], b: ['1', '2'] });
  });
});

describe('A place in a text is found again in the file', () => {
  const placed = (text: string, word: string): string => {
    const source = sourceOf(text);
    const value = (source.value as { a: string }).a;
    const start = value.indexOf(word);
    const { line, column } = source.problem(['a'], { message: '', within: { start, end: start + word.length } });
    return `${line}:${column}`;
  };

  test.each([
    ['plain', 'a: one two', '1:8'],
    ['double quotes', 'a: "one two"', '1:9'],
    ['escapes', 'a: "\\"x\\" \\u0041 two"', '1:18'],
    ['single quotes', "a: 'it''s two'", '1:11'],
    ['plain over lines', 'a: one\n   two', '2:4'],
    ['folded', 'a: >-\n  one\n  two', '3:3'],
    ['folded with an empty line', 'a: >\n  one\n\n  two', '4:3'],
    ['literal', 'a: |\n  one\n    x two', '3:7'],
    ['quotes over lines', 'a: "one\n   \n  two"', '3:3'],
    ['windows line ends', 'a: |\r\n  one\r\n  two', '3:3'],
    ['beyond the basic plane', 'a: "\u{1f600} two"', '1:8'],
  ])('%s', (_name, text, place) => {
    expect(placed(text, 'two')).toBe(place);
  });
});

describe('A hostile file is refused, quickly', () => {
  const laughs = [
    'a: &a [x, x, x, x, x, x, x, x, x]',
    ...Array.from('bcdefghi').map(
      (name, i) =>
        `${name}: &${name} [${Array(9)
          .fill(`*${'abcdefgh'[i] ?? ''}`)
          .join(', ')}]`,
    ),
  ].join('\n');

  test.each([
    ['a billion laughs', laughs],
    ['an alias of itself', 'a: &a [*a]'],
    ['a thousand aliases', `a: &a x\nb: [${Array(1000).fill('*a').join(', ')}]`],
    ['brackets', '['.repeat(10_000)],
    ['closed brackets', `a: ${'['.repeat(5000)}${']'.repeat(5000)}`],
    ['braces', '{a: '.repeat(5000)],
    ['brackets line by line', 'a: [\n'.repeat(5000)],
    ['dashes', '- '.repeat(20_000)],
    ['question marks', '? '.repeat(20_000)],
    ['indentation', Array.from({ length: 500 }, (_, i) => `${' '.repeat(i)}a:`).join('\n')],
    ['more than 1 MiB', `a: "${'x'.repeat(1024 * 1024)}"`],
    ['a merge key', 'a: &a { b: c }\nd: { <<: *a }'],
    ['__proto__', '__proto__: { polluted: true }'],
    ['constructor', 'a: { constructor: { prototype: { polluted: true } } }'],
    ['a binary tag', 'a: !!binary aGVsbG8='],
    ['a tag of ours', 'a: !env HOME'],
    ['two documents', 'a: 1\n---\na: 2'],
    ['a key twice', 'a: 1\na: 2'],
    ['a list as a key', '[a, b]: c'],
    ['null bytes', 'a: \0\nb'],
    ['an unknown alias', 'a: *b'],
    ['control characters', 'a: "\u001b[31m'],
  ])('%s', (_name, text) => {
    let problems: readonly Problem[] = [];
    const spent = effort(() => (problems = problemsOf(text)));
    expect(spent).toBeLessThan(NO_HANG);
    expect(problems.length).toBeGreaterThan(0);
    expect(problems.length).toBeLessThanOrEqual(20);
    for (const problem of problems) {
      expect(problem.line).toBeGreaterThan(0);
      expect(problem.column).toBeGreaterThan(0);
      // eslint-disable-next-line no-control-regex -- the very characters that must not be there
      expect(summarize(problem) + problem.frame).not.toMatch(/[\u0000-\u0009\u000b-\u001f]/);
    }
    expect(({} as { polluted?: unknown }).polluted).toBeUndefined();
  });

  test('deep and wide, but honest, is fine', () => {
    const list = Array.from({ length: 300 }, (_, i) => `  - { id: a${i}, text: "[ [ [ {", of: [x, [y]] } # [[[`).join(
      '\n',
    );
    expect(problemsOf(`watches:\n${list}\n`)).toEqual([]);
    expect(problemsOf(`watches:\n${'  - title: Alert [x\n    b: c\n'.repeat(100)}`)).toEqual([]);
  });
});
