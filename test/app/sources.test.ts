import { renameSync, rmSync, symlinkSync, unlinkSync, utimesSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from '@jest/globals';
import { loadSetup } from '../../src/app/setup/setup.ts';
import { createSources } from '../../src/app/setup/sources.ts';
import { readRegularFile } from '../../src/lib/files/regular-file.ts';
import { createFolder, type Folder } from '../support/daemon.ts';

const CONFIG = `
explorers: { chain: { form: instance, instance_url: 'https://explorer.invalid', api_key: { file: ../secrets/key } } }
channels: { screen: { type: log } }
rules: [rules/*.yaml]
`;
const RULE = 'watches: [{ id: head, kind: blocks, every: 15s, alerts: [{ id: block, on: new }] }]\n';

/** A folder that was loaded, and whether a load would read something else now. */
function loaded(files: Readonly<Record<string, string>> = {}, prepare: (path: string) => void = () => undefined) {
  const folder = createFolder({
    'home/config.yaml': CONFIG,
    'home/rules/a.yaml': RULE,
    'secrets/key': 'a-key\n',
    ...files,
  });
  prepare(folder.path);
  const sources = createSources((path, bounds) => readRegularFile(path, { maxBytes: 1_000_000, ...bounds }));
  const load = (): boolean => {
    sources.begin();
    return loadSetup(join(folder.path, 'home/config.yaml'), { env: {}, ...sources }).setup !== null;
  };
  const hasChanged = async (): Promise<boolean> => (await sources.current()) !== sources.loaded();
  return {
    folder,
    sources,
    load,
    hasChanged,
    [Symbol.dispose]: () => {
      folder[Symbol.dispose]();
    },
  };
}

test('what was read and left alone is the same at every look', async () => {
  using world = loaded();
  expect(world.load()).toBe(true);
  expect(await world.hasChanged()).toBe(false);
  world.folder.write('home/notes.txt', 'nobody reads this');
  expect(await world.hasChanged()).toBe(false);
});

test.each<[string, (folder: Folder) => void]>([
  [
    'a rule is edited',
    (folder) => {
      folder.write('home/rules/a.yaml', `${RULE}# edited\n`);
    },
  ],
  [
    'a rule is replaced by a file of the same size and time',
    (folder) => {
      const { path } = folder;
      folder.write('home/b', RULE);
      utimesSync(join(path, 'home/b'), 1, 1);
      renameSync(join(path, 'home/b'), join(path, 'home/rules/a.yaml'));
    },
  ],
  [
    'a rule is added',
    (folder) => {
      folder.write('home/rules/b.yaml', RULE.replace('head', 'b'));
    },
  ],
  [
    'a rule is taken out',
    ({ path }) => {
      unlinkSync(join(path, 'home/rules/a.yaml'));
    },
  ],
  [
    'the config is edited',
    (folder) => {
      folder.write('home/config.yaml', `${CONFIG}# edited\n`);
    },
  ],
  [
    'the config is gone',
    ({ path }) => {
      unlinkSync(join(path, 'home/config.yaml'));
    },
  ],
  [
    'a secret is rotated in another directory',
    (folder) => {
      folder.write('secrets/key', 'another\n');
    },
  ],
  [
    'the rules are replaced by another directory',
    (folder) => {
      const { path } = folder;
      folder.write('home/next/a.yaml', RULE);
      renameSync(join(path, 'home/rules'), join(path, 'home/former'));
      renameSync(join(path, 'home/next'), join(path, 'home/rules'));
    },
  ],
])('it is seen when %s', async (_what, change) => {
  using world = loaded();
  expect(world.load()).toBe(true);
  change(world.folder);
  expect(await world.hasChanged()).toBe(true);
});

test('edits are seen after the rules were replaced by another directory', async () => {
  using world = loaded();
  const { folder, load, hasChanged } = world;
  load();
  folder.write('home/next/a.yaml', RULE);
  renameSync(join(folder.path, 'home/rules'), join(folder.path, 'home/former'));
  renameSync(join(folder.path, 'home/next'), join(folder.path, 'home/rules'));
  load();
  expect(await hasChanged()).toBe(false);
  folder.write('home/former/a.yaml', `${RULE}# not ours any more\n`);
  expect(await hasChanged()).toBe(false);
  folder.write('home/rules/a.yaml', `${RULE}# edited\n`);
  expect(await hasChanged()).toBe(true);
});

test('a directory of rules that is a link to a release is seen when the link is replaced', async () => {
  using world = loaded({ 'home/releases/1/a.yaml': RULE, 'home/releases/2/a.yaml': RULE }, (path) => {
    rmSync(join(path, 'home/rules'), { recursive: true });
    symlinkSync('releases/1', join(path, 'home/rules'));
  });
  expect(world.load()).toBe(true);
  const { path } = world.folder;
  symlinkSync('releases/2', join(path, 'home/next'));
  renameSync(join(path, 'home/next'), join(path, 'home/rules'));
  expect(await world.hasChanged()).toBe(true);
});

test('a ConfigMap is seen when Kubernetes swaps its data', async () => {
  const volume = 'home/rules';
  using world = loaded({ [`${volume}/..1/a.yaml`]: RULE }, (path) => {
    unlinkSync(join(path, volume, 'a.yaml'));
    symlinkSync('..1', join(path, volume, '..data'));
    symlinkSync('..data/a.yaml', join(path, volume, 'a.yaml'));
  });
  expect(world.load()).toBe(true);
  const { folder } = world;
  const { path } = folder;
  folder.write(`${volume}/..2/a.yaml`, RULE);
  expect(await world.hasChanged()).toBe(false);
  symlinkSync('..2', join(path, volume, '..data_tmp'));
  renameSync(join(path, volume, '..data_tmp'), join(path, volume, '..data'));
  expect(await world.hasChanged()).toBe(true);
  rmSync(join(path, volume, '..1'), { recursive: true });
  expect(world.load()).toBe(true);
  expect(await world.hasChanged()).toBe(false);
});

test('a load that failed is not tried again until something changes, such as the secret that it missed', async () => {
  using world = loaded({}, (path) => {
    unlinkSync(join(path, 'secrets/key'));
  });
  const { folder, load, hasChanged } = world;
  expect(load()).toBe(false);
  expect(await hasChanged()).toBe(false);
  folder.write('secrets/key', 'a-key\n');
  expect(await hasChanged()).toBe(true);
  expect(load()).toBe(true);
});

test('a file that changes while it is read is read again', async () => {
  using world = loaded();
  const { folder } = world;
  const path = join(folder.path, 'home/rules/a.yaml');
  const sources = createSources(() => {
    folder.write('home/rules/a.yaml', `${RULE}# later\n`);
    return RULE;
  });
  sources.readFile(path);
  expect(await sources.current()).not.toBe(sources.loaded());
});

test('it is seen when an ABI file that a rule names is edited, added, or gone', async () => {
  const rules = `watches:\n  - { id: vault, kind: logs, of: '0x${'11'.repeat(20)}', abi: abi/Vault.json, events: Far, alerts: [{ id: far, on: new }] }\n`;
  using world = loaded({ 'home/rules/a.yaml': rules });
  const event = '{ "type": "event", "name": "Far", "inputs": [] }';
  expect(world.load()).toBe(false);
  world.folder.write('home/abi/Vault.json', `[${event}]`);
  expect(await world.hasChanged()).toBe(true);
  expect(world.load()).toBe(true);
  expect(await world.hasChanged()).toBe(false);
  world.folder.write('home/abi/Vault.json', `[${event}, ${event}]`);
  expect(await world.hasChanged()).toBe(true);
  expect(world.load()).toBe(true);
  unlinkSync(join(world.folder.path, 'home/abi/Vault.json'));
  expect(await world.hasChanged()).toBe(true);
});
