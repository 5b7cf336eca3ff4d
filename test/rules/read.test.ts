import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { loadConfig } from '../../src/config/config.ts';
import type { Config, ReadFile } from '../../src/config/model.ts';
import { summarize } from '../../src/config/problem.ts';
import { readRegularFile } from '../../src/lib/files/regular-file.ts';
import { readRuleFiles } from '../../src/rules/read.ts';
import { testNotifiers } from './support/notifiers.ts';

let root = '';
let home = '';

beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'chainwarden-rules-'));
  home = join(root, 'home');
  mkdirSync(join(home, 'rules/deep'), { recursive: true });
  for (const name of ['rules/b.yaml', 'rules/a.yaml', 'rules/a.test.yaml', 'rules/deep/c.yml', 'rules/notes.md'])
    writeFileSync(join(home, name), `# ${name}\n`);
  writeFileSync(join(root, 'outside.yaml'), 'watches: []\n');
});

afterEach(() => {
  rmSync(root, { recursive: true, force: true });
});

function configWith(rules: string): Config {
  const file = join(home, 'config.yaml');
  writeFileSync(
    file,
    `explorers: { here: { form: sandbox } }\nchannels: { ops: { type: list, to: [a] } }\nrules: ${rules}\n`,
  );
  const { config } = loadConfig(file, { env: {}, readFile: read, notifiers: testNotifiers });
  if (config === null) throw new Error('no config');
  return config;
}

const read: ReadFile = (path, bounds) => readRegularFile(path, { maxBytes: 1024 * 1024, ...bounds });

function filesOf(rules: string): string[] {
  const { files, problems } = readRuleFiles(configWith(rules), read);
  expect(problems).toEqual([]);
  return files.map(({ file }) => file);
}

function complaintsOf(rules: string): string[] {
  const { problems } = readRuleFiles(configWith(rules), read);
  return problems.map((problem) => summarize(problem).replaceAll(home, 'HOME'));
}

describe('Rule files', () => {
  test('are found by pattern, in order, without their tests', () => {
    expect(filesOf('[rules/*.yaml]')).toEqual(['rules/a.yaml', 'rules/b.yaml']);
    expect(filesOf('rules/**/*.{yaml,yml}')).toEqual(['rules/a.yaml', 'rules/b.yaml', 'rules/deep/c.yml']);
    expect(filesOf('[rules/b.yaml, rules/*.yaml, ./rules/b.yaml]')).toEqual(['rules/a.yaml', 'rules/b.yaml']);
  });

  test('are read up to 32 MiB in all', () => {
    for (let i = 0; i < 40; i += 1) writeFileSync(join(home, `rules/big${10 + i}.yaml`), '#'.repeat(1024 * 1024));
    const { files, problems } = readRuleFiles(configWith('[rules/big*.yaml]'), read);
    expect(files).toHaveLength(32);
    expect(problems.map(summarize)).toEqual([
      'rules/big42.yaml:1:1: the rule files up to this one are larger than 32 MiB. Write rules that are alike as one, over a group of addresses.',
    ]);
  });

  test('bring their text', () => {
    const { files } = readRuleFiles(configWith('rules/a.yaml'), read);
    expect(files).toEqual([{ file: 'rules/a.yaml', text: '# rules/a.yaml\n' }]);
  });

  test('one that ends in .yml was left out in silence', () => {
    writeFileSync(join(home, 'rules/d.yml'), 'watches: []');
    const warnings = (rules: string): string[] =>
      readRuleFiles(configWith(rules), read).warnings.map(({ message, hint }) => `${message}. ${hint ?? ''}`);
    expect(warnings('[rules/*.yaml]')).toEqual([
      '"rules/*.yaml" leaves out a file that is there. Rename rules/d.yml to .yaml.',
    ]);
    expect(warnings('[rules/*.yaml, rules/*.yml]')).toEqual([]);
    expect(warnings('[rules/b.yaml]')).toEqual([]);
    expect(complaintsOf('rules/deep/*.yaml')).toEqual([
      'HOME/config.yaml:3:8 rules[0]: no rule file matches "rules/deep/*.yaml". Rename rules/deep/c.yml to .yaml.',
    ]);
  });

  test('a pattern that finds nothing is a problem at its place', () => {
    expect(complaintsOf('[rules/*.yaml, ruels/*.yaml]')).toEqual([
      'HOME/config.yaml:3:23 rules[1]: no rule file matches "ruels/*.yaml". Looked in HOME.',
    ]);
    expect(complaintsOf('ruels.yaml')).toEqual([
      'HOME/config.yaml:3:8 rules[0]: no rule file matches "ruels.yaml". Looked in HOME.',
    ]);
  });

  test.each([['../outside.yaml'], ['rules/../../*.yaml']])('%s leads out, and is refused', (pattern) => {
    expect(complaintsOf(pattern)).toEqual([
      expect.stringMatching(
        /^HOME\/config\.yaml:3:8 rules\[0\]: \.\.\/outside\.yaml is outside of the config's directory/,
      ),
    ]);
  });

  test('several that lead out are one problem', () => {
    for (const name of ['x', 'y', 'z']) symlinkSync(join(root, 'outside.yaml'), join(home, `rules/${name}.yaml`));
    expect(complaintsOf('rules/[xyz].yaml')).toEqual([
      "HOME/config.yaml:3:8 rules[0]: rules/x.yaml and 2 more are outside of the config's directory. Keep rules below it.",
    ]);
  });

  test('so is a link that leads out', () => {
    symlinkSync(join(root, 'outside.yaml'), join(home, 'rules/z.yaml'));
    expect(complaintsOf('rules/z.yaml')).toEqual([
      "HOME/config.yaml:3:8 rules[0]: rules/z.yaml is outside of the config's directory. Keep rules below it.",
    ]);
  });

  test('a link is followed to a file of rules only, whatever it led to when the files were looked for', () => {
    symlinkSync('b.yaml', join(home, 'rules/z.yaml'));
    symlinkSync('notes.md', join(home, 'rules/y.yaml'));
    const flipping: ReadFile = (path, bounds) => {
      if (path.endsWith('z.yaml')) {
        rmSync(path);
        symlinkSync(join(root, 'outside.yaml'), path);
      }
      return read(path, bounds);
    };
    const { files, problems } = readRuleFiles(configWith('rules/[ayz].yaml'), flipping);
    const way = 'Put a file there that the daemon may read, or take it out of the rules.';
    expect(files.map(({ file }) => file)).toEqual(['rules/a.yaml']);
    expect(problems.map(summarize)).toEqual([
      `rules/y.yaml:1:1: cannot be read: its name ends neither in .yaml nor in .yml. ${way}`,
      `rules/z.yaml:1:1: cannot be read: it is outside of the config's directory. ${way}`,
    ]);
  });

  test('what is no file in the place of one is a problem, and keeps nobody waiting', () => {
    mkdirSync(join(home, 'rules/d.yaml'));
    execFileSync('mkfifo', [join(home, 'rules/f.yaml')]);
    writeFileSync(join(home, 'rules/l.yaml'), '#'.repeat(1024 * 1024 + 1));
    const way = 'Put a file there that the daemon may read, or take it out of the rules.';
    expect(complaintsOf('rules/[dfl].yaml')).toEqual([
      `rules/d.yaml:1:1: cannot be read: it is a directory, and only regular files are read. ${way}`,
      `rules/f.yaml:1:1: cannot be read: it is a FIFO, and only regular files are read. ${way}`,
      `rules/l.yaml:1:1: cannot be read: it is larger than 1 MiB. ${way}`,
    ]);
  });
});
