import { describe, expect, test } from '@jest/globals';
import { formatProblems, type Problem } from '../../src/config/problem.ts';
import { effort, NO_HANG } from '../support/effort.ts';
import { createChance, type Chance } from './support/chance.ts';
import { CONFIG, load, loadConfigText } from './support/load.ts';

const RULES = `# what is watched
defaults: { explorer: ethereum, notify: [ops], every: 1m }
watches:
  - id: large
    kind: items
    labels: { team: treasury }
    of: [treasury, hot_wallets]
    token: USDC
    direction: to
    severity: critical
    alerts:
      - id: big
        on: new
        if: status == "ok" && value > 1_000_000
        title: "Large: {{ value }}"
        text: |
          {{ method }} of {{ value }}
          to {{ to.hash | short }}
      - id: low
        while: value < 100
        until: value > 200
        for: 2m
        notify: [ops, oncall]
  - id: calls
    kind: calls
    of: vault
    cron: "*/15 * * * * *"
    alerts:
      - { id: failed, on: new, if: success == false }
`;

const ROUTES = `routes:
  - match: { severity: critical, watch: ["large", "call*"] }
    add: oncall
  - match:
      team: "!payments"
    notify: [ops, oncall]
  - notify: ops
`;

type Mutation = (text: string, chance: Chance) => string;

const lineOf = (text: string, chance: Chance): { lines: string[]; at: number } => {
  const lines = text.split('\n');
  return { lines, at: chance(lines.length - 1) };
};

/** Replaces what a key says by something that it can never mean. */
const otherValue =
  (value: string): Mutation =>
  (text, chance) => {
    const { lines } = lineOf(text, chance);
    const keyed = lines.flatMap((line, i) => (/^\s*(?:- )?\w+: [^|]/.test(line) ? [i] : []));
    const i = keyed[chance(keyed.length)] ?? 0;
    lines[i] = (lines[i] ?? '').replace(/: .*/, `: ${value}`);
    return lines.join('\n');
  };

const MUTATIONS: Readonly<Record<string, Mutation>> = {
  truncated: (text, chance) => text.slice(0, chance(text.length)),
  'a line indented wrongly': (text, chance) => {
    const { lines, at } = lineOf(text, chance);
    lines[at] = ` ${lines[at] ?? ''}`;
    return lines.join('\n');
  },
  'a line without its indentation': (text, chance) => {
    const { lines, at } = lineOf(text, chance);
    lines[at] = (lines[at] ?? '').trimStart();
    return lines.join('\n');
  },
  'a line with a tab': (text, chance) => {
    const { lines, at } = lineOf(text, chance);
    lines[at] = `\t${lines[at] ?? ''}`;
    return lines.join('\n');
  },
  'a line twice': (text, chance) => {
    const { lines, at } = lineOf(text, chance);
    return lines.toSpliced(at, 0, lines[at] ?? '').join('\n');
  },
  'a line lost': (text, chance) => {
    const { lines, at } = lineOf(text, chance);
    return lines.toSpliced(at, 1).join('\n');
  },
  'two lines swapped': (text, chance) => {
    const { lines, at } = lineOf(text, chance);
    [lines[at], lines[at + 1]] = [lines[at + 1] ?? '', lines[at] ?? ''];
    return lines.join('\n');
  },
  'a character lost': (text, chance) => {
    const at = chance(text.length);
    return text.slice(0, at) + text.slice(at + 1);
  },
  'a character changed': (text, chance) => {
    const at = chance(text.length);
    return text.slice(0, at) + '#:"\'[]{}&*!|>%@`,x0 \n\t'.charAt(chance(22)) + text.slice(at + 1);
  },
  'random bytes': (text, chance) => {
    const at = chance(text.length);
    const bytes = Buffer.from(Array.from({ length: 8 }, () => chance(256)));
    return text.slice(0, at) + bytes.toString('latin1') + text.slice(at + 8);
  },
  'bytes that are no text': (text, chance) => {
    const bytes = Buffer.from(text);
    for (let i = 0; i < 20; i++) bytes[chance(bytes.length)] = chance(256);
    return bytes.toString('utf8');
  },
  'a misspelt word': (text, chance) => {
    const words = [...text.matchAll(/[a-z_]{4,}/g)];
    const { index = 0, 0: word = '' } = words[chance(words.length)] ?? {};
    return `${text.slice(0, index)}${word.slice(0, -2)}qz${text.slice(index + word.length)}`;
  },
  'an unknown key': (text, chance) => {
    const { lines, at } = lineOf(text, chance);
    const indent = /^\s*/.exec(lines[at] ?? '')?.[0] ?? '';
    return lines.toSpliced(at, 0, `${indent}colour: red`).join('\n');
  },
  'a key of tomorrow': (text, chance) => {
    const { lines, at } = lineOf(text, chance);
    const indent = /^\s*/.exec(lines[at] ?? '')?.[0] ?? '';
    return lines.toSpliced(at, 0, `${indent}repeat: 4h`).join('\n');
  },
  'a list for a value': otherValue('[1, [2]]'),
  'a map for a value': otherValue('{ a: { b: c } }'),
  'nothing for a value': otherValue(''),
  'a short address for a value': otherValue('0x47ac0Fb4F2D84898e4D9'),
  'a number for a value': otherValue('-1.5e400'),
  'a bomb for a value': otherValue(`${'['.repeat(400)}${']'.repeat(400)}`),
  'an alias for a value': otherValue('*nobody'),
  'a tag for a value': otherValue('!!js/function "x"'),
  'a prototype for a value': otherValue('{ __proto__: { a: b } }'),
  'a long expression for a value': otherValue(`'${'(value > 1) && '.repeat(700)}true'`),
  'a nested expression for a value': otherValue(`'${'('.repeat(1000)}true${')'.repeat(1000)}'`),
  'a template for a value': otherValue(`'{{ ${'a.'.repeat(500)}b }}{% raw %}'`),
};

const PER_MUTATION = 3;
/** Over the files of one mutation together: a single one may meet the garbage collector. */

interface Outcome {
  readonly problems: readonly Problem[];
  /** Whether something came of it. */
  readonly isApplied: boolean;
}

function examine(text: string, read: (text: string) => Outcome): void {
  const { problems, isApplied } = read(text);
  // Either it is still a file that means something, or it is refused with a place: nothing is applied by halves.
  expect(isApplied).toBe(problems.length === 0);
  for (const { file, line, column, message, frame } of problems) {
    expect(file).toMatch(/\.yaml$/);
    expect(line).toBeGreaterThan(0);
    expect(line).toBeLessThanOrEqual(text.split(/\r\n|\r|\n/).length);
    expect(column).toBeGreaterThan(0);
    expect(message.length).toBeGreaterThan(3);
    expect(frame.split('\n').length).toBeLessThanOrEqual(3);
  }
  // eslint-disable-next-line no-control-regex -- none of them may reach a terminal
  expect(formatProblems(problems)).not.toMatch(/[\u0000-\u0009\u000b-\u001f\u007f-\u009f]/);
}

const readRules = (text: string): Outcome => {
  const { problems, watches } = load({ 'rules/a.yaml': text });
  return { problems, isApplied: watches.length > 0 };
};

const readConfig = (text: string): Outcome => {
  const { problems, config } = loadConfigText(text);
  return { problems, isApplied: config !== null };
};

describe.each([
  ['rule', RULES, readRules],
  ['config', `${CONFIG}${ROUTES}`, readConfig],
] as const)('A malformed %s file never crashes and is never applied by halves', (_what, text, read) => {
  test('while the file itself is good', () => {
    expect(read(text)).toEqual({ problems: [], isApplied: true });
  });

  const refused = new Map<string, number>();

  test.each(Object.keys(MUTATIONS))('%s', (name) => {
    const mutate = MUTATIONS[name] ?? ((same: string) => same);
    const spent = effort(() => {
      for (let i = 0; i < PER_MUTATION; i++) {
        const chance = createChance(i * 7919 + name.length);
        const mutated = mutate(text, chance);
        examine(mutated, (written) => {
          const outcome = read(written);
          if (!outcome.isApplied) refused.set(name, (refused.get(name) ?? 0) + 1);
          return outcome;
        });
      }
    });
    expect(spent).toBeLessThan(PER_MUTATION * NO_HANG);
  });

  test('and more than half of them were really malformed', () => {
    const count = [...refused.values()].reduce((sum, one) => sum + one, 0);
    expect(count).toBeGreaterThan((Object.keys(MUTATIONS).length * PER_MUTATION) / 2);
  });

  test('whatever the bytes are', () => {
    for (let i = 0; i < 20; i++) {
      const chance = createChance(i + 1);
      const bytes = Buffer.from(Array.from({ length: chance(400) }, () => chance(256)));
      examine(bytes.toString(i % 2 === 0 ? 'latin1' : 'utf8'), read);
    }
  });
});
