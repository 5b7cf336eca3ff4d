import { expect } from '@jest/globals';
import type { Reason } from '../../../src/core/model/decision.ts';
import type { JournalEntry } from '../../../src/core/journal/entry.ts';
import type { LabelledLines } from '../../../src/store/contract/journal.ts';
import type { Store } from '../../../src/store/contract/store.ts';
import { claim, commit, owe, settle } from '../../support/store/store-calls.ts';
import { aDecision, aDelivery, NOON } from '../builders.ts';
import { storiesAt, type Place } from '../story.ts';
import { fenceOf } from '../../support/store/fences.ts';

const DAY = 86_400_000;

/** The promise of `Store` about its journal. Every engine keeps it. */
export function keepsAJournal(place: Place): void {
  const story = storiesAt(place);

  const aLine = (subject: string, at = NOON): JournalEntry => ({
    at,
    kind: 'start',
    subject,
    actor: 'daemon',
    data: { b: 1, a: [true, null] },
  });
  const record = (store: Store, ...entries: JournalEntry[]) => store.record(entries);
  const chain = (store: Store, limit = 100) => store.chainJournal(limit, fenceOf(store, 'service:journal'));
  const drop = (store: Store, before: number, at = before) =>
    store.prune({ settled: before, alerts: before, journal: before }, at);
  const subjectsOf = async (store: Store) => (await store.history({ limit: 100 })).map(({ subject }) => subject);
  const firing: Reason = { type: 'firing', alert: 'low', key: 'k' };

  story('an empty journal has no head, and nothing in it is broken', async (store) => {
    expect(await store.history({ limit: 10 })).toEqual([]);
    expect(await chain(store)).toBe(false);
    expect(await store.journalHead()).toBeNull();
    expect(await store.verifyJournal(null)).toEqual({ type: 'intact', after: 0, head: null });
  });

  story('lines are counted by kind once they are chained, each of them once', async (store) => {
    expect(await store.countJournal(null)).toEqual({ line: 0, lines: {} });
    await record(store, aLine('a'), { ...aLine('b'), kind: 'stop' });
    expect(await store.countJournal(0)).toEqual({ line: 0, lines: {} });
    await chain(store);
    const { line } = await store.countJournal(null);
    expect(await store.countJournal(0)).toEqual({ line, lines: { start: 1, stop: 1 } });
    await record(store, aLine('c'), aLine('d'));
    await chain(store);
    const later = await store.countJournal(line);
    expect(later).toEqual({ line: line + 2, lines: { start: 2 } });
    expect(await store.countJournal(later.line)).toEqual({ line: later.line, lines: {} });
  });

  story('a decision that changes an alert is one line, in its commit; a silent poll is none', async (store) => {
    const changes: Reason[] = [firing, { type: 'still-pending', alert: 'high', key: 'k' }];
    await commit(store, [aDecision('w', { reasons: changes })], NOON);
    await commit(store, [aDecision('w', { expects: 1, reasons: [{ ...firing, type: 'still-firing' }] })], NOON + 1);
    const late = aDecision('w', { expects: 1, reasons: [firing] });
    expect(await commit(store, [late], NOON + 2)).toEqual(['superseded']);
    expect(await store.history({ limit: 10 })).toEqual([
      {
        number: expect.any(Number),
        at: NOON,
        kind: 'decided',
        subject: 'w',
        actor: 'daemon',
        data: { alerts: [{ alert: 'low', what: 'firing', count: 1, key: 'k' }] },
        anchor: null,
      },
    ]);
  });

  story('a storm of events is one line that counts them', async (store) => {
    const reasons = Array.from({ length: 500 }, (_, n): Reason => ({ type: 'told', alert: 'call', key: `key-${n}` }));
    await commit(store, [aDecision('w', { reasons })], NOON);
    expect(await store.history({ limit: 10 })).toMatchObject([
      { data: { alerts: [{ alert: 'call', what: 'told', count: 500, key: 'key-0' }] } },
    ]);
  });

  story('each try of a delivery is a line with its outcome; one that came too late is none', async (store) => {
    await owe(store, 'w', [aDelivery()], NOON);
    const again = { type: 'again', why: '503 busy' } as const;
    await claim(store, 'ops', 1, NOON);
    await settle(store, 'delivery-1', { state: 'due', outcome: again, dueAt: NOON + 1 }, NOON);
    await claim(store, 'ops', 1, NOON + 1);
    await settle(store, 'delivery-1', { state: 'dead', outcome: again }, NOON + 1);
    await settle(store, 'delivery-1', { state: 'sent', outcome: { type: 'sent', answer: '204' } }, NOON + 2, 2);
    await settle(store, 'delivery-1', { state: 'dead', outcome: again }, NOON + 3, 2);
    expect((await store.history({ subjects: ['delivery-1'], limit: 9 })).map(({ kind, data }) => [kind, data])).toEqual(
      [
        ['told', { attempt: 2, outcome: 'sent', text: '204' }],
        ['tried', { attempt: 1, outcome: 'again', text: '503 busy' }],
      ],
    );
  });

  story('lines are chained in the order in which they were appended, whoever appended them', async (store) => {
    await record(store, aLine('a'), aLine('b'));
    await commit(store, [aDecision('w', { reasons: [firing] })], NOON);
    expect(await chain(store, 2)).toBe(true);
    expect(await chain(store, 2)).toBe(false);
    await record(store, aLine('c'));
    await chain(store);
    const lines = await store.history({ limit: 10 });
    expect(lines.map(({ subject, anchor }) => [subject, anchor?.position])).toEqual([
      ['c', 4],
      ['w', 3],
      ['b', 2],
      ['a', 1],
    ]);
    const head = await store.journalHead();
    expect(head).toEqual(lines[0]?.anchor);
    expect(await store.verifyJournal(head)).toEqual({ type: 'intact', after: 0, head });
  });

  story('history is asked for by subject and by time, the newest first', async (store) => {
    await record(store, aLine('a', NOON), aLine('b', NOON + 1), aLine('a', NOON + 2));
    expect((await store.history({ subjects: ['a'], limit: 9 })).map(({ at }) => at)).toEqual([NOON + 2, NOON]);
    expect((await store.history({ since: NOON + 1, limit: 9 })).map(({ at }) => at)).toEqual([NOON + 2, NOON + 1]);
    expect((await store.history({ limit: 1 })).map(({ at }) => at)).toEqual([NOON + 2]);
  });

  story('lines about alerts with labels are found by the labels that each alert had', async (store) => {
    const told = { watch: 'w', alert: 'low', of: { name: 'a "quoted", name=1', address: '0xab' } };
    await owe(store, 'w', [aDelivery(told)], NOON);
    await claim(store, 'ops', 1, NOON);
    await settle(store, 'delivery-1', { state: 'sent', outcome: { type: 'sent', answer: '204' } }, NOON);
    await record(
      store,
      { ...aLine('delivery-1'), kind: 'ack' },
      { ...aLine('silence-1'), kind: 'silence', data: { matchers: { of: 'a "quoted", name=1', watch: 'w' } } },
      { ...aLine('w'), kind: 'observed' },
      { ...aLine('w'), kind: 'routed', data: { alert: 'high', key: 'other' } },
      { ...aLine('delivery-2'), data: { of: 'a "quoted", name=12' } },
    );
    const found = async (labelled: LabelledLines) => {
      const any = { kinds: null, without: ['start'], subjects: null, search: null, since: null, until: null };
      const view = await store.reader();
      const { lines } = await view.journalPage({ ...any, labelled, before: null, limit: 9 });
      return lines.map(({ kind, subject }) => `${kind} ${subject}`);
    };
    const of = ['of', 'a "quoted", name=1'] as const;
    const own = ['silence silence-1', 'ack delivery-1', 'told delivery-1', 'routed w'];
    expect(await found({ labels: [of], watches: [], alerts: [] })).toEqual(own);
    expect(await found({ labels: [of, ['watch', 'w']], watches: ['w'], alerts: [] })).toEqual(['observed w', ...own]);
    expect(await found({ labels: [of], watches: [], alerts: [{ watch: 'w', alert: 'high' }] })).toEqual([
      'routed w',
      ...own,
    ]);
    expect(await found({ labels: [of, ['of', '0xab']], watches: [], alerts: [] })).toEqual([]);
  });

  story('what is too old is dropped behind a checkpoint, from which the chain goes on', async (store) => {
    await record(store, aLine('old', NOON), aLine('newer', NOON + DAY));
    await chain(store);
    const [newer, old] = await store.history({ limit: 2 });
    await drop(store, NOON);
    expect(await subjectsOf(store)).toEqual(['newer', 'old']);
    await drop(store, NOON + DAY, NOON + 91 * DAY);
    expect(await subjectsOf(store)).toEqual(['daemon', 'newer']);
    await chain(store);
    expect(await store.verifyJournal(old?.anchor ?? null)).toMatchObject({
      type: 'intact',
      after: 1,
      head: { position: 3 },
    });
    expect(await store.verifyJournal(newer?.anchor ?? null)).toMatchObject({ type: 'intact' });
    await drop(store, NOON + 140 * DAY);
    await chain(store);
    expect(await store.verifyJournal(null)).toMatchObject({ type: 'intact', after: 3, head: { position: 4 } });
    expect(await store.verifyJournal(old?.anchor ?? null)).toMatchObject({ type: 'broken', position: 1 });
  });

  story('a daemon that was taken over from chains nothing any more', async (store, takeOver) => {
    await record(store, aLine('former'));
    const next = await takeOver();
    await chain(store);
    expect(await next.journalHead()).toBeNull();
    await record(next, aLine('next'));
    await chain(next);
    expect(await subjectsOf(next)).toEqual(['next', 'former']);
    expect(await next.verifyJournal(null)).toMatchObject({ type: 'intact', head: { position: 2 } });
  });
}
