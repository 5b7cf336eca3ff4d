import { chmodSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from '@jest/globals';
import { run } from '../support/cli.ts';
import { createFolder, start } from '../support/daemon.ts';

const KEY = 'explorer-key-4711';
const CONFIG = `
explorers:
  chain: { form: sandbox }
  other: { form: instance, instance_url: 'https://explorer.example.com', api_key: KEY_HERE }
channels: { screen: { type: log } }
rules: [rules.yaml]
`;
const RULES = `watches: [{ id: head, kind: blocks, explorer: chain, every: 15s, alerts: [{ id: block, on: new, notify: [screen] }] }]\n`;
const IN_CLEAR = CONFIG.replace('KEY_HERE', KEY);

/** `check` over files with these rights: what it warns of. */
async function warnings(files: Readonly<Record<string, readonly [text: string, mode: number]>>): Promise<string> {
  using folder = createFolder(Object.fromEntries(Object.entries(files).map(([name, [text]]) => [name, text])));
  for (const [name, [, mode]] of Object.entries(files)) chmodSync(join(folder.path, name), mode);
  const { code, err } = await run(['check', '-c', join(folder.path, 'config.yaml')]);
  expect(code).toBe(0);
  expect(err).not.toContain(KEY);
  return err.replaceAll(folder.path, '');
}

describe('a key that every user of the machine could read', () => {
  test('in the config file is said, with what to do', async () => {
    expect(await warnings({ 'config.yaml': [IN_CLEAR, 0o644], 'rules.yaml': [RULES, 0o644] })).toBe(
      'warning: /config.yaml:4:83 explorers.other.api_key: a secret stands here, in a file that every user of this machine can ' +
        'read. Write { env: NAME } or { file: PATH }, or take the read permission from other users (chmod o-r).\n\nno mistake, 1 warning\n',
    );
  });

  test('in a file of its own is said too', async () => {
    const config = CONFIG.replace('KEY_HERE', '{ file: key }');
    expect(
      await warnings({ 'config.yaml': [config, 0o644], 'rules.yaml': [RULES, 0o644], key: [KEY, 0o604] }),
    ).toContain(
      'explorers.other.api_key.file: every user of this machine can read the file "key". ' +
        'Take the read permission from other users (chmod o-r).',
    );
    expect(await warnings({ 'config.yaml': [config, 0o644], 'rules.yaml': [RULES, 0o644], key: [KEY, 0o640] })).toBe(
      '',
    );
  });

  test('is no matter where only the owner and the group read it', async () => {
    expect(await warnings({ 'config.yaml': [IN_CLEAR, 0o640], 'rules.yaml': [RULES, 0o644] })).toBe('');
  });

  test.each([
    [
      "channels: { screen: { type: log }, hook: { type: webhook, url: 'http://127.0.0.1:1/alerts', allow: [127.0.0.1] } }",
    ],
    [
      "channels: { screen: { type: log }, mail: { type: email, from: a@b.c, to: [a@b.c], smtp: 'smtp://mail.example' } }",
    ],
  ])('nothing is said of an address that holds no secret: %s', async (channels) => {
    const config = CONFIG.replace('api_key: KEY_HERE', "headers: { Referer: 'https://explorer.example.com' }");
    const text = config.replace('channels: { screen: { type: log } }', `${channels}\nself: [screen]`);
    expect(await warnings({ 'config.yaml': [text, 0o644], 'rules.yaml': [RULES, 0o644] })).toBe('');
  });

  test.each([
    ["url: 'https://hooks.example.com/services/T0/B0/hunter2hunter2'", 'channels.hook.url'],
    ["url: 'https://hooks.example.com', secret: 'whsec_MDEyMzQ1Njc4OTAxMjM0NTY3ODkwMTIz'", 'channels.hook.secret'],
  ])('the secrets of channels are looked at as well: %s', async (keys, place) => {
    const text = CONFIG.replace('api_key: KEY_HERE', '').replace('log }', `log }, hook: { type: webhook, ${keys} }`);
    expect(await warnings({ 'config.yaml': [text, 0o644], 'rules.yaml': [RULES, 0o644] })).toContain(
      `${place}: a secret stands here`,
    );
  });

  test('in a rule file is said, wherever it stands, without showing it', async () => {
    const rules = `# ${KEY}\n${RULES}# whsec_MDEyMzQ1Njc4OTAxMjM0NTY3ODkwMTIz\n`;
    expect(await warnings({ 'config.yaml': [IN_CLEAR, 0o600], 'rules.yaml': [rules, 0o600] })).toBe(
      ['rules.yaml:1:3', 'rules.yaml:3:3']
        .map(
          (place) =>
            `warning: ${place}: this rule file contains a secret. Rules need no secrets, and their texts are sent to people. ` +
            'Remove it, and replace it by a new secret where it is used.',
        )
        .join('\n\n') + '\n\nno mistake, 2 warnings\n',
    );
  });

  test('is said at the start of the daemon', async () => {
    using folder = createFolder({ 'config.yaml': `${IN_CLEAR}http: { listen: '127.0.0.1:0' }\n`, 'rules.yaml': RULES });
    chmodSync(join(folder.path, 'config.yaml'), 0o644);
    await using daemon = start(['run', '--dry'], folder.path);
    await daemon.says('daemon:started');
    expect(daemon.err()).toContain('a secret stands here, in a file that every user of this machine can read');
  });
});

describe('what others could read on the network', () => {
  test.each([
    [
      "instance_url: 'http://explorer.example', headers: { X-Token: abcdefgh }",
      'x-token would cross the network without',
    ],
    ["instance_url: 'http://169.254.169.254'", '169.254.169.254 is a link-local address'],
    ["instance_url: 'http://[fe80::1]'", 'fe80::1 is a link-local address'],
  ])('%s', async (keys, said) => {
    const text = CONFIG.replace("instance_url: 'https://explorer.example.com', api_key: KEY_HERE", keys);
    expect(await warnings({ 'config.yaml': [text, 0o600], 'rules.yaml': [RULES, 0o600] })).toContain(
      `explorers.other: ${said}`,
    );
  });

  test.each([
    "instance_url: 'http://127.0.0.1:4000', headers: { X-Token: abcdefgh }",
    "instance_url: 'http://10.0.0.1', headers: { Referer: 'https://a.example' }",
    "instance_url: 'https://explorer.example', headers: { X-Token: abcdefgh }",
  ])('nothing is said of %s', async (keys) => {
    const text = CONFIG.replace("instance_url: 'https://explorer.example.com', api_key: KEY_HERE", keys);
    expect(await warnings({ 'config.yaml': [text, 0o600], 'rules.yaml': [RULES, 0o600] })).toBe('');
  });
});

test.each([
  ['on lines of their own', '\n    headers:\n      X-Custom: hunter2hunter2\n      Bad Name: x'],
  ['in braces', "\n    headers: { X-Custom: hunter2hunter2, 'Bad Name': x }"],
])('does not print the value of a header beside a mistake in its neighbour: %s', async (_name, headers) => {
  const keys = `\n    form: instance\n    instance_url: 'https://explorer.example.com'${headers}`;
  using folder = createFolder({
    'config.yaml': `explorers:\n  other:${keys}\nchannels: { screen: { type: log } }\nrules: [rules.yaml]\n`,
    'rules.yaml': RULES,
  });
  const { code, err } = await run(['check', '-c', join(folder.path, 'config.yaml')]);
  expect([code, err]).toEqual([1, expect.stringContaining('a header name has letters, digits and dashes')]);
  expect(err).toContain('X-Custom: **************');
  expect(err).not.toContain('hunter2');
});
