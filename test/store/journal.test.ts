// The journal in a real file: what somebody changed behind the daemon's back is found.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterAll, expect, test } from '@jest/globals';
import fc from 'fast-check';
import type { JournalAnchor } from '../../src/core/journal/chain.ts';
import type { JournalEntry } from '../../src/core/journal/entry.ts';
import { openSqliteStore } from '../../src/store/sqlite/open.ts';
import type { Store } from '../../src/store/contract/store.ts';
import { NOON } from './builders.ts';
import { execute } from './damage.ts';
import { fenceOf } from '../support/store/fences.ts';

const directory = mkdtempSync(join(tmpdir(), 'chainwarden-journal-'));
afterAll(() => {
  rmSync(directory, { recursive: true });
});

let files = 0;
const DAY = 86_400_000;
const LINES = 6;

const aLine = (n: number, at = NOON + n): JournalEntry => ({
  at,
  kind: 'config',
  subject: `subject-${n}`,
  actor: 'ada',
  data: { n, text: `line ${n}` },
});

async function write(store: Store, ...entries: readonly JournalEntry[]): Promise<void> {
  const fence = fenceOf(store, 'service:journal');
  await store.record(entries);
  await store.chainJournal(1000, fence);
}

const drop = (store: Store, before: number): Promise<void> =>
  store.prune({ settled: before, alerts: before, journal: before }, before);

async function aJournal(): Promise<string> {
  const file = join(directory, `${++files}.db`);
  await using store = await openSqliteStore({ file });
  await write(store, ...Array.from({ length: LINES }, (_, n) => aLine(n + 1)));
  return file;
}

async function verdictOf(file: string, anchor: JournalAnchor | null = null) {
  await using store = await openSqliteStore({ file });
  return await store.verifyJournal(anchor);
}

/** Not `number`: it only orders the lines that are not chained yet. */
const COLUMNS = ['at', 'kind', 'subject', 'actor', 'data', 'position', 'hash'] as const;

test('one flipped bit in any column of any line is found, with the position of that line', async () => {
  const file = await aJournal();
  for (let position = 1; position <= LINES; position += 1)
    for (const column of COLUMNS) {
      using db = new DatabaseSync(file);
      const read = db.prepare(`SELECT ${column} AS value FROM journal WHERE number = ${position}`);
      const set = db.prepare(`UPDATE journal SET ${column} = ? WHERE number = ${position}`);
      const value = read.get()?.['value'] ?? null;
      set.run(typeof value === 'string' ? flipped(value, position) : Number(value) ^ 64);
      const verdict = await verdictOf(file);
      expect([column, verdict]).toEqual([column, expect.objectContaining({ type: 'broken', position })]);
      set.run(value);
    }
  expect(await verdictOf(file)).toMatchObject({ type: 'intact', head: { position: LINES } });
});

function flipped(text: string, salt: number): string {
  const bytes = Buffer.from(text, 'latin1');
  const at = salt % bytes.length;
  bytes[at] = (bytes[at] ?? 0) ^ 1;
  return bytes.toString('latin1');
}

test('a tail that was cut off is found by the anchor that was kept elsewhere, and by nothing else', async () => {
  const file = await aJournal();
  const anchor = await headOf(file);
  execute(file, `DELETE FROM journal WHERE position > ${LINES - 2}`);
  expect(await verdictOf(file)).toMatchObject({ type: 'intact', head: { position: LINES - 2 } });
  expect(await verdictOf(file, anchor)).toMatchObject({ type: 'broken', position: LINES });
  // The daemon goes on from what it finds: the anchor shows that, too.
  {
    await using store = await openSqliteStore({ file });
    await write(store, aLine(91), aLine(92), aLine(93));
  }
  expect(await verdictOf(file)).toMatchObject({ type: 'intact' });
  expect(await verdictOf(file, anchor)).toMatchObject({ type: 'broken', position: LINES });
});

test('a checkpoint that was changed or taken away is found', async () => {
  const file = await aJournal();
  {
    await using store = await openSqliteStore({ file });
    await write(store, aLine(7, NOON + 200 * DAY));
    await drop(store, NOON + 100 * DAY);
    expect(await store.verifyJournal(null)).toMatchObject({ type: 'intact', after: LINES });
  }
  execute(file, `UPDATE checkpoints SET hash = replace(hash, substr(hash, 1, 1), 'x')`);
  expect(await verdictOf(file)).toMatchObject({ type: 'broken', position: LINES + 1 });
  execute(file, 'DELETE FROM checkpoints');
  expect(await verdictOf(file)).toMatchObject({ type: 'broken', position: 1 });
});

async function headOf(file: string): Promise<JournalAnchor | null> {
  await using store = await openSqliteStore({ file });
  return await store.journalHead();
}

type Step =
  | { readonly type: 'append'; readonly count: number }
  | { readonly type: 'chain'; readonly limit: number }
  | { readonly type: 'prune'; readonly back: number }
  | { readonly type: 'restart' }
  | { readonly type: 'anchor' };

const aStep: fc.Arbitrary<Step> = fc.oneof(
  fc.record({ type: fc.constant('append' as const), count: fc.integer({ min: 1, max: 5 }) }),
  fc.record({ type: fc.constant('chain' as const), limit: fc.integer({ min: 1, max: 4 }) }),
  fc.record({ type: fc.constant('prune' as const), back: fc.integer({ min: 0, max: 8 }) }),
  fc.record({ type: fc.constant('restart' as const) }),
  fc.record({ type: fc.constant('anchor' as const) }),
);

test('whatever is appended, pruned and restarted, the chain holds, keeps its order, and agrees with its anchors', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(aStep, { maxLength: 40 }), async (steps) => {
      const file = join(directory, `${++files}.db`);
      let store = await openSqliteStore({ file });
      try {
        const anchors: JournalAnchor[] = [];
        let appended = 0;
        for (const step of steps) {
          const fence = fenceOf(store, 'service:journal');
          if (step.type === 'append') {
            // A day each, so that pruning finds something.
            const lines = Array.from({ length: step.count }, () => aLine(++appended, NOON + appended * DAY));
            await store.record(lines);
          } else if (step.type === 'chain') await store.chainJournal(step.limit, fence);
          else if (step.type === 'prune') await drop(store, NOON + (appended - step.back) * DAY);
          else if (step.type === 'anchor') anchors.push(...[await store.journalHead()].filter((head) => head !== null));
          else {
            await store[Symbol.asyncDispose]();
            store = await openSqliteStore({ file });
          }
          await holds(store, anchors);
        }
        const subjects = (await store.history({ limit: 1000 })).flatMap(({ kind, subject }) =>
          kind === 'checkpoint' ? [] : [Number(subject.slice('subject-'.length))],
        );
        const [newest = 0] = subjects;
        expect(subjects).toEqual(Array.from({ length: subjects.length }, (_, n) => newest - n));
        if (subjects.length > 0) expect(newest).toBe(appended);
      } finally {
        await store[Symbol.asyncDispose]();
      }
    }),
    { numRuns: 40 },
  );
});

async function holds(store: Store, anchors: readonly JournalAnchor[]): Promise<void> {
  const whole = await store.verifyJournal(null);
  expect(whole).toMatchObject({ type: 'intact' });
  for (const anchor of anchors)
    if (whole.type === 'intact' && anchor.position >= whole.after)
      expect(await store.verifyJournal(anchor)).toMatchObject({ type: 'intact' });
}
