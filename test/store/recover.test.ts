// What a daemon does at its start with a state file that was damaged while it was stopped.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import {
  existsSync,
  mkdtempSync,
  readFileSync,
  readdirSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, describe, expect, test } from '@jest/globals';
import { createBackups } from '../../src/store/sqlite/files/backup-directory.ts';
import { backupSqlite, backupFile } from '../../src/store/sqlite/files/backups.ts';
import { openSqliteStore } from '../../src/store/sqlite/open.ts';
import { StorageError, type Store } from '../../src/store/contract/store.ts';
import { createRecordingLog, type RecordingLog } from '../support/recording-log.ts';
import { commit, dispatch, owe } from '../support/store/store-calls.ts';
import { aDecision, aDelivery, NOON } from './builders.ts';
import { damagePages, execute } from './damage.ts';

const root = mkdtempSync(join(tmpdir(), 'chainwarden-recover-'));
afterAll(() => {
  rmSync(root, { recursive: true });
});

let folders = 0;
const WATCHES = 40;

interface State {
  readonly file: string;
  readonly backups: string;
  readonly log: RecordingLog;
  open(): Promise<Store>;
}

/** Many watches, and `w`, whose state is `newest`; each backup holds the state that it is named for. */
async function aState(...backups: readonly string[]): Promise<State> {
  const file = join(root, `${++folders}`, 'state.db');
  const directory = join(dirname(file), 'backups');
  const log = createRecordingLog();
  const open = (): Promise<Store> => openSqliteStore({ file, backups: directory, log });
  {
    await using store = await open();
    await commit(
      store,
      Array.from({ length: WATCHES }, (_, n) => aDecision(`w${n}`, { state: 'x'.repeat(2000) })),
      NOON,
    );
    for (const [n, state] of [...backups, 'newest'].entries()) {
      await owe(store, 'w', [aDelivery({ id: state })], NOON, { expects: n, state });
      if (n < backups.length) await backupSqlite(file, backupFile(directory, file, NOON + n * 1000));
    }
  }
  return { file, backups: directory, log, open };
}

async function shownBy(state: State): Promise<unknown> {
  await using store = await state.open();
  return (await store.recall(['w'])).get('w')?.state;
}

const kept = ({ file }: State): string[] =>
  readdirSync(dirname(file)).filter((name) => name.startsWith(`${basename(file)}.corrupt`));

test.each<[string, (file: string) => void]>([
  ['damaged pages', damagePages],
  [
    'a first page that is overwritten',
    (file) => {
      writeFileSync(file, Buffer.alloc(4096, 7), { flag: 'r+' });
    },
  ],
  [
    'a file cut short',
    (file) => {
      truncateSync(file, 3 * 4096 + 100);
    },
  ],
  [
    'an empty file',
    (file) => {
      truncateSync(file, 0);
    },
  ],
])('%s: the newest backup takes its place, loudly, and the damaged file is kept', async (_name, damage) => {
  const state = await aState('older', 'newer');
  damage(state.file);
  const damaged = readFileSync(state.file);
  expect(await shownBy(state)).toBe('newer');
  expect(state.log.lines).toEqual(['error storage:state-restored']);
  expect(state.log.fields[0]).toMatchObject({
    from: expect.stringContaining('state-20260101T120001Z.db'),
    kept: `${state.file}.corrupt`,
    effect: expect.stringContaining('may be sent again'),
  });
  expect(readFileSync(`${state.file}.corrupt`).equals(damaged)).toBe(true);
  // The next start finds nothing to do.
  expect(await shownBy(state)).toBe('newer');
  expect(state.log.lines).toHaveLength(1);
});

test('a backup that is damaged too is passed over for an older one', async () => {
  const state = await aState('older', 'newer');
  const [newest] = await createBackups({ file: state.file, directory: state.backups, keep: 9 }).list();
  damagePages(newest?.file ?? '');
  damagePages(state.file);
  expect(await shownBy(state)).toBe('older');
  expect(state.log.lines).toEqual(['warn storage:backup-unusable', 'error storage:state-restored']);
});

test('without a sound backup the daemon begins anew and says so: nobody watching would be worse', async () => {
  const state = await aState();
  damagePages(state.file);
  expect(await shownBy(state)).toBeUndefined();
  expect(state.log.lines).toEqual(['error storage:state-lost']);
  expect(state.log.fields[0]).toMatchObject({
    lost: expect.stringMatching(/damaged|malformed/),
    kept: `${state.file}.corrupt`,
    effect: expect.stringContaining('starts with a new baseline'),
  });
  expect(kept(state)).toContain('state.db.corrupt');
});

test("a file that is not known to be a state file is refused and left alone, for it may be somebody's", async () => {
  const state = await aState();
  writeFileSync(state.file, 'precious notes\n'.repeat(1000));
  for (let start = 0; start < 2; start += 1) {
    await expect(state.open()).rejects.toThrow(/no SQLite file/);
    expect(readFileSync(state.file, 'utf8')).toContain('precious notes');
  }
  expect(state.log.lines).toEqual([]);
  expect(kept(state)).toEqual([]);
});

test('what is sound and cannot be used is no damage: a file of a newer release is refused as before', async () => {
  const state = await aState('backup');
  execute(state.file, 'PRAGMA user_version = 99');
  await expect(state.open()).rejects.toThrow(/newer release/);
  expect(kept(state)).toEqual([]);
});

describe('whatever befalls the bytes of the file', () => {
  /** The draw is fixed, so that a failure can be seen again. */
  function* draws(count: number): Generator<number> {
    for (let n = 1, x = 1; n <= count; n += 1) {
      x = (x * 48_271) % 2_147_483_647;
      yield x / 2_147_483_647;
    }
  }

  async function opensSoundly(state: State): Promise<void> {
    await using store = await state.open();
    const damaged: string[] = [];
    const memories = await store.recall(undefined, (watch) => damaged.push(watch));
    await owe(store, 'after', [aDelivery({ id: 'after' })], NOON);
    expect((await store.recall(['after'])).size).toBe(1);
    const said = state.log.lines.length > 0;
    // All is there, or its loss was said: by a line, or by the watch whose memory cannot be read.
    if (!said) expect(memories.size + damaged.length).toBe(WATCHES + 1);
  }

  test('one flipped byte, 40 times: it works, is restored, or says what is lost', async () => {
    const state = await aState('backup');
    const intact = readFileSync(state.file);
    const ends = { sound: 0, said: 0 };
    for (const draw of draws(40)) {
      const bytes = Buffer.from(intact);
      const at = Math.floor(draw * bytes.length);
      bytes[at] = (bytes[at] ?? 0) ^ (1 << (at % 8));
      await renewed(state, bytes);
      ends[state.log.lines.length > 0 ? 'said' : 'sound'] += 1;
    }
    expect(ends.sound).toBeGreaterThan(3);
    expect(ends.said).toBeGreaterThan(0);
  });

  test('cut off anywhere, 8 times: restored', async () => {
    const state = await aState('backup');
    const intact = readFileSync(state.file);
    for (const draw of draws(8)) {
      await renewed(state, intact.subarray(0, Math.floor(draw * intact.length)));
      expect(state.log.lines).toEqual(['error storage:state-restored']);
    }
  });

  async function renewed(state: State, bytes: Buffer): Promise<void> {
    for (const part of ['-wal', '-shm']) rmSync(`${state.file}${part}`, { force: true });
    for (const name of kept(state)) rmSync(join(dirname(state.file), name));
    writeFileSync(state.file, bytes);
    state.log.forget();
    await opensSoundly(state);
  }
});

test.each([['-wal'], ['-shm'], ['']])(
  'killed, and then without its %s file: what is left opens, and no commit is there by half',
  async (part) => {
    const file = join(root, `${++folders}`, 'state.db');
    await (await openSqliteStore({ file }))[Symbol.asyncDispose]();
    const child = spawn(process.execPath, [fileURLToPath(new URL('./child.ts', import.meta.url)), file]);
    for await (const line of child.stdout) if (Number(String(line).trim().split('\n').at(-1)) > 20) break;
    const ended = once(child, 'close');
    child.kill('SIGKILL');
    await ended;
    expect(existsSync(`${file}-wal`)).toBe(true);
    rmSync(`${file}${part}`);
    await using store = await openSqliteStore({ file });
    const version = (await store.recall()).get('w')?.version ?? 0;
    // What was committed and not routed is routed by the next daemon.
    await dispatch(store, NOON);
    expect((await store.survey()).outbox[0]?.rows ?? 0).toBe(3 * version);
    if (part === '-shm') expect(version).toBeGreaterThan(20);
  },
);

test.each([
  ['NFS', 0x6969],
  ['SMB2', 0xfe534d42],
])('a state file on %s is refused before it is made, for two machines would not see each other', async (name, type) => {
  const file = join(root, `${++folders}`, 'state.db');
  const refusal = openSqliteStore({ file, fileSystemOf: () => type });
  await expect(refusal).rejects.toThrow(StorageError);
  await expect(refusal).rejects.toThrow(`is on a network file system (${name})`);
  expect(() => statSync(file)).toThrow('ENOENT');
});
