// `chainwarden test`: what it prints, what it exits with, and what it never does.
import { execFileSync } from 'node:child_process';
import { readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from '@jest/globals';
import { run as runCommand, type Ran } from '../support/cli.ts';
import { createFolder } from '../support/daemon.ts';

async function run(...args: readonly string[]): Promise<Ran & { readonly wrote: string[] }> {
  const wrote: string[] = [];
  const writeFile = (path: string, text: string): void => {
    wrote.push(path);
    writeFileSync(path, text);
  };
  return { ...(await runCommand(['test', ...args], { env: {}, writeFile })), wrote };
}

const RULES = `watches:
  - { id: w, kind: balance, of: treasury, every: 1m, alerts: [{ id: low, while: balance < 5 }] }
`;
const FILES = {
  'w.yaml': RULES,
  'w.test.yaml': `rules: w.yaml
tests:
  - name: falls
    watch: w
    saw: [{ at: 0m, balance: 9 }, { at: 1m, balance: 1 }]
    expect: [{ at: 1m, alert: low, state: firing }]
  - name: Stays High
    watch: w
    saw: [{ at: 0m, balance: 9 }]
    expect: []
`,
};
const FAILING = FILES['w.test.yaml'].replace('balance: 9 }]', 'balance: 2 }]');
const BROKEN = FILES['w.test.yaml'].replace('alert: low', 'alert: lwo');

test('tests that go well are a line each, a summary, and 0; nothing is written', async () => {
  using folder = createFolder(FILES);
  const { code, out, err, wrote } = await run(folder.path);
  const file = join(folder.path, 'w.test.yaml');
  expect(out).toBe(`ok      ${file}:3  falls\nok      ${file}:7  Stays High\n2 tests: 2 ok, 0 failed\n`);
  expect([code, err, wrote]).toEqual([0, '', []]);
});

test('one that fails is shown with its story, and ends with 1', async () => {
  using folder = createFolder({ ...FILES, 'w.test.yaml': FAILING });
  const { code, out } = await run(folder.path);
  expect(code).toBe(1);
  expect(out).toMatch(/^ok .*falls\nFAILED .*:7 {2}Stays High\n {8}watch w, .*w\.yaml:2\n/);
  expect(out).toContain('\n        +     unexpected: low firing, warning');
  expect(out).toMatch(/\n2 tests: 1 ok, 1 failed\n$/);
});

test('problems of all files are shown at once, what loads is run all the same, and it ends with 1', async () => {
  using folder = createFolder({ ...FILES, 'a.test.yaml': BROKEN, 'b.test.yaml': `${BROKEN}\nmore: 1\n` });
  const { code, out, err } = await run(folder.path);
  expect(code).toBe(1);
  expect(err.match(/has no alert "lwo"\. Did you mean low\?/g)).toHaveLength(2);
  expect(err).toMatch(/b\.test\.yaml:\d+:1 more: unknown key "more"/);
  expect(err).toContain('^^^');
  expect(out).toMatch(/\n2 tests: 2 ok, 0 failed, 3 problems in files that were not run\n$/);
});

test('--only runs those with the text in their name, in any case', async () => {
  using folder = createFolder(FILES);
  expect((await run(folder.path, '--only', 'stays')).out).toMatch(/^ok .*Stays High\n1 test: 1 ok, 0 failed\n$/);
  const none = await run(folder.path, '--only', 'rises');
  expect([none.code, none.err]).toEqual([1, 'chainwarden: no test has "rises" in its name\n']);
});

test('--junit writes the results for a CI, also when something failed', async () => {
  using folder = createFolder({ ...FILES, 'w.test.yaml': FAILING, 'a.test.yaml': BROKEN });
  const file = join(folder.path, 'results.xml');
  const { code, wrote } = await run(folder.path, '--junit', file);
  expect([code, wrote]).toEqual([1, [file]]);
  expect(readFileSync(file, 'utf8')).toContain(
    '<testsuites name="chainwarden test" tests="3" failures="1" errors="1">',
  );
});

test('results are written into no file that somebody put a link to, and wait for no FIFO', async () => {
  using folder = createFolder({ ...FILES, precious: 'precious' });
  const [link, fifo] = [join(folder.path, 'results.xml'), join(folder.path, 'fifo')];
  symlinkSync('precious', link);
  execFileSync('mkfifo', [fifo]);
  for (const [file, why] of [
    [link, 'it is a link, and links are not followed'],
    [fifo, 'it is a FIFO, a socket or a device, and only regular files are written'],
    [folder.path, 'it is a directory, and only regular files are written'],
  ] as const) {
    const { code, err } = await runCommand(['test', folder.path, '--junit', file]);
    expect([code, err]).toEqual([64, `chainwarden: --junit: "${file}" cannot be written: ${why}\n`]);
  }
  expect(readFileSync(join(folder.path, 'precious'), 'utf8')).toBe('precious');
});

test('a longer result of before leaves nothing behind a shorter one', async () => {
  using folder = createFolder({ ...FILES, 'results.xml': 'x'.repeat(10_000) });
  const file = join(folder.path, 'results.xml');
  expect((await runCommand(['test', folder.path, '--junit', file])).code).toBe(0);
  expect(readFileSync(file, 'utf8')).toMatch(/^<\?xml[^]*<\/testsuites>\n?$/);
});

test('results that cannot be written are said', async () => {
  using folder = createFolder(FILES);
  const { code, err } = await run(folder.path, '--junit', join(folder.path, 'nowhere', 'results.xml'));
  expect([code, err]).toEqual([64, expect.stringContaining('cannot be written: no such file')]);
});

test('files can be named one by one, and each is run once', async () => {
  using folder = createFolder({
    ...FILES,
    'deep/er/x.test.yaml': FILES['w.test.yaml'].replace('w.yaml', '../../w.yaml'),
  });
  const file = join(folder.path, 'w.test.yaml');
  expect((await run(file, folder.path)).out).toMatch(/\n4 tests: 4 ok, 0 failed\n$/);
  expect((await run(file, file)).out).toMatch(/\n2 tests: 2 ok, 0 failed\n$/);
});

test('a path that is not there, or is no test, is a wrong command line; a folder without tests is a failure', async () => {
  using folder = createFolder({ 'w.yaml': RULES });
  expect((await run('/nowhere')).code).toBe(64);
  expect(await run(join(folder.path, 'w.yaml'))).toMatchObject({
    code: 64,
    err: expect.stringContaining('.test.yaml'),
  });
  expect(await run(folder.path)).toMatchObject({ code: 1, err: expect.stringContaining('ends in .test.yaml') });
  expect((await run('--no-such-option')).code).toBe(64);
});

test('a test file that names other files of the machine makes nothing of them readable', async () => {
  using outside = createFolder({ 'secret.txt': 'root: hunter2\nwatches: hunter3\n', 'body.json': '{ "hunter4": }' });
  const secret = join(outside.path, 'secret.txt');
  const naming = (line: string): string => `${line}\ntests: [{ name: n, watch: w, saw: [], expect: [] }]\n`;
  using folder = createFolder({
    'w.yaml': RULES,
    'a.test.yaml': naming(`rules: ${secret}`),
    'b.test.yaml': naming(`rules: w.yaml\nconfig: ${secret}`),
    'c.test.yaml': FILES['w.test.yaml'].replace(
      '{ at: 0m, balance: 9 }]',
      `{ at: 0m, answers: [{ path: addresses/treasury, file: ${join(outside.path, 'body.json')} }] }]`,
    ),
  });
  symlinkSync(secret, join(folder.path, 'd.test.yaml'));
  const { code, out, err } = await run(folder.path);
  expect(code).toBe(1);
  expect(`${out}${err}`).not.toMatch(/hunter/);
  expect(err).toContain(`${secret}:1:1: has problems: `);
  expect(err).toContain(`${join(folder.path, 'd.test.yaml')}:1:1: has problems: `);
});
