import { describe, expect, test } from '@jest/globals';
import type { EventAlert } from '../../../src/core/model/watch/watch.ts';
import type { Observation } from '../../../src/core/model/observation.ts';
import { valueAt } from '../../../src/core/values/fields.ts';
import { runPolls } from '../../support/engine/run-polls.ts';
import { aWatch, missed, onAlert, saw, type Item } from '../../support/engine/watch.ts';

/** A poll that read every block from `from` on, and saw items in blocks: `{ a: 103 }`. */
function read(when: string, head: number, blocks: Readonly<Record<string, number | Item>>, from = 100): Observation {
  const items = Object.fromEntries(
    Object.entries(blocks).map(([key, it]) => [key, typeof it === 'number' ? { mood: 'wild', block: it } : it]),
  );
  return saw({ items, range: { from, head } }, when);
}

/** A poll that did not read all of the list, and did not see anything. */
function partly(when: string, head: number): Observation {
  return saw({ items: {}, range: { from: 100, head } }, when, { partial: 'blocks 20-90 not read yet: 20 pages read' });
}

/** Polls that read the same blocks, and did not see anything. */
function without(...times: readonly string[]): Observation[] {
  return times.map((when) => read(when, 103, {}));
}

function story(alert: Partial<EventAlert>, polls: readonly Observation[]) {
  const watch = { ...aWatch([onAlert(alert)]) };
  return runPolls({ ...watch, kind: { ...watch.kind, shown: ['mood', 'label'] } }, [read('0m', 100, {}), ...polls]);
}

describe('confirmations', () => {
  const alert = { confirmations: 3 };

  test('an item is told when it is deep enough, not before', () => {
    const polls = [101, 102, 103, 104, 105].map((head, i) => read(`${i + 1}m`, head, { a: 101 }));
    expect(story(alert, polls).sent).toEqual([[], [], [], [], ['wild event'], []]);
  });

  test('one that is gone before is dropped in silence, and told when it is mined after all', () => {
    const polls = [read('1m', 101, { a: 101 }), read('2m', 102, {}), read('3m', 103, {}), read('4m', 104, {})];
    const told = story(alert, [...polls, read('5m', 105, { a: 105 }), read('6m', 108, { a: 105 })]);
    expect(told.sent).toEqual([[], [], [], [], [], [], ['wild event']]);
    expect(told.reasons[3]).toEqual(['dropped']);
  });

  test('one that is mined long after the block that it was in at first is final is told', () => {
    const gone = [read('1m', 101, { a: 101 }), read('2m', 102, {}), read('3m', 103, {}), read('4m', 200, {}, 190)];
    const told = story(alert, [...gone, read('5m', 201, { a: 201 }), read('6m', 204, { a: 201 })]);
    expect(told.sent.flat()).toEqual(['wild event']);
  });

  test('one that was not read again is told all the same: it was seen, and nothing speaks against it', () => {
    const polls = [read('1m', 101, { a: 101 }), read('2m', 104, {}, 103)];
    expect(story(alert, polls).sent).toEqual([[], [], ['wild event']]);
  });

  test('`provisional` tells at once, says so, and does not repeat it', () => {
    const polls = [101, 104].map((head, i) => read(`${i + 1}m`, head, { a: 101 }));
    const { sent, messages } = story({ ...alert, provisional: true }, polls);
    expect(sent).toEqual([[], ['wild event'], []]);
    expect(messages[0]?.reason).toBe('provisional: not 3 blocks deep yet');
  });
});

describe('an item that was told', () => {
  const first = read('1m', 101, { a: 101 });

  test('and vanishes is retracted after the third reading without it, in the same thread', () => {
    const told = story({}, [first, ...without('2m', '3m', '4m', '5m')]);
    expect(told.sent).toEqual([[], ['wild event'], [], [], ['wild retracted'], []]);
    const [event, retracted] = told.messages;
    expect(retracted).toMatchObject({ key: event?.key, seq: 2, title: event?.title, reason: 'not found any more' });
    expect(retracted?.fields).toEqual(event?.fields);
  });

  test('is retracted at once when another block stands in the place of its own', () => {
    const proof = saw({ items: {}, range: { from: 100, head: 102, replaced: [101, 102] } }, '2m');
    expect(story({}, [first, proof, ...without('3m')]).sent).toEqual([[], ['wild event'], ['wild retracted'], []]);
  });

  test('and is missing from one reading only is not spoken of', () => {
    expect(story({}, [first, read('2m', 102, {}), read('3m', 103, { a: 101 })]).sent.flat()).toEqual(['wild event']);
  });

  test('and is mined again in another block is the same item', () => {
    const told = story({}, [first, read('2m', 102, {}), read('3m', 103, { a: 103 }), read('4m', 104, { a: 103 })]);
    expect(told.sent.flat()).toEqual(['wild event']);
  });

  test('and lies above the head of an explorer that is behind may still be there', () => {
    const behind = (when: string): Observation => saw({ items: {}, range: { from: 90, to: 99, head: 99 } }, when);
    const polls = [first, behind('2m'), behind('3m'), behind('4m'), read('5m', 102, { a: 101 })];
    expect(story({}, polls).sent.flat()).toEqual(['wild event']);
  });

  test('and is not in the range that was read may still be there', () => {
    const polls = [first, read('2m', 110, {}, 105), read('3m', 111, {}, 105), read('4m', 112, {}, 105)];
    expect(story({}, polls).sent.flat()).toEqual(['wild event']);
  });

  test('is not retracted by missed or partial polls', () => {
    const partial = saw({ items: {}, range: { from: 100, head: 102 } }, '3m', { partial: 'page 2 did not come' });
    const told = story({}, [first, missed('2m'), { ...partial }, missed('4m'), read('5m', 103, { a: 101 })]);
    expect(told.sent.flat()).toEqual(['wild event']);
  });

  test('and is mined again long after its old block is final is reinstated', () => {
    const polls = [first, ...without('2m', '3m', '4m'), read('5m', 200, {}, 190)];
    const back = [read('6m', 201, { a: 201 }), read('16m', 202, { a: 201 })];
    expect(story({}, [...polls, ...back]).sent.flat()).toEqual(['wild event', 'wild retracted', 'wild reinstated']);
  });

  test('and comes back after its retraction is reinstated once it has been there for ten minutes', () => {
    const back = [read('5m', 104, { a: 104 }), read('14m', 105, { a: 104 }), read('15m', 106, { a: 104 })];
    const told = story({}, [first, ...without('2m', '3m', '4m'), ...back]);
    expect(told.sent.slice(5)).toEqual([[], [], ['wild reinstated']]);
    expect(told.messages.map(({ seq }) => seq)).toEqual([1, 2, 3]);
  });

  test('and comes back and leaves the pages that are read is reinstated too', () => {
    const back = [read('5m', 104, { a: 104 }), read('15m', 120, {}, 110)];
    expect(story({}, [first, ...without('2m', '3m', '4m'), ...back]).sent.at(-1)).toEqual(['wild reinstated']);
  });

  test('and comes and goes six times is spoken of once more, when it has been so for ten minutes', () => {
    const polls = [first];
    let minute = 2;
    const next = (blocks: Readonly<Record<string, number>>): number =>
      polls.push(read(`${(minute += 1)}m`, 102, blocks));
    for (let time = 0; time < 6; time += 1) {
      for (let i = 0; i < 4; i += 1) next({});
      for (let i = 0; i < 4; i += 1) next({ a: 101 });
    }
    const told = story({}, polls).sent.flat();
    expect(told).toEqual(['wild event', 'wild retracted']);
    for (let i = 0; i < 20; i += 1) next({ a: 101 });
    expect(story({}, polls).sent.flat()).toEqual([...told, 'wild reinstated']);
    for (let i = 0; i < 20; i += 1) next({});
    expect(story({}, polls).sent.flat()).toEqual([...told, 'wild reinstated', 'wild retracted']);
  });

  test('and turns out otherwise is corrected, or retracted when it does not match any more', () => {
    const other = read('2m', 102, { a: { mood: 'calm', block: 101 } });
    expect(story({ if: null }, [first, other]).sent.flat()).toEqual(['wild event', 'wild corrected']);
    const retracted = story({}, [first, other]);
    expect(retracted.sent.flat()).toEqual(['wild event', 'wild retracted']);
    expect(retracted.messages[1]?.reason).toBe('it changed, and does not match any more');
  });

  test('is retracted under the title that it was corrected to', () => {
    const titled: Partial<EventAlert> = {
      if: null,
      title: {
        written: 'it is {{ mood }}',
        reads: ['mood'],
        windows: [],
        render: ({ view }) => [{ text: `it is ${valueAt(view, 'mood') === 'wild' ? 'wild' : 'calm'}` }],
      },
    };
    const other = read('2m', 102, { a: { mood: 'calm', block: 101 } });
    const gone = Array.from({ length: 4 }, (_, n) => read(`${3 + n}m`, 103 + n, {}));
    const { messages } = story(titled, [first, other, ...gone]);
    expect(messages.map(({ type, title }) => [type, title])).toEqual([
      ['alert.event', 'it is wild'],
      ['alert.corrected', 'it is calm'],
      ['alert.retracted', 'it is calm'],
    ]);
  });

  test('of which more becomes known is not corrected', () => {
    const half = read('1m', 101, { a: { mood: null, block: 101 } });
    expect(story({ if: null }, [half, read('2m', 102, { a: 101 })]).sent.flat()).toEqual(['wild event']);
  });

  test('is final at a depth of 64 blocks: then nothing takes it back', () => {
    const told = story({}, [first, read('2m', 165, { a: 101 }), read('3m', 166, {}), read('4m', 167, {})]);
    expect(told.sent.flat()).toEqual(['wild event']);
    expect(told.memory.alerts).toEqual({});
  });

  test('is not final while its list is read in part: the complete readings after that take it back', () => {
    const polls = [first, partly('2m', 102), partly('64m', 164), partly('65m', 165), partly('66m', 166)];
    const after = [read('67m', 167, {}), read('68m', 168, {}), read('69m', 169, {})];
    expect(story({}, [...polls, ...after]).sent.flat()).toEqual(['wild event', 'wild retracted']);
  });

  test('is final where the first complete reading after many partial ones shows it', () => {
    const told = story({}, [first, partly('66m', 166), read('67m', 167, { a: 101 })]);
    expect(told.sent.flat()).toEqual(['wild event']);
    expect(told.memory.alerts).toEqual({});
  });

  test('is final after 640 blocks, even if its list was read in part all that time', () => {
    const told = (head: number) => Object.keys(story({}, [first, partly('2m', head)]).memory.alerts['wild'] ?? {});
    expect(told(740)).toEqual(['a']);
    expect(told(741)).toEqual([]);
  });

  test('while its list was read in part, after it had waited for its confirmations, is followed as well', () => {
    const waiting = read('1m', 101, { a: 101 });
    const polls = [waiting, partly('70m', 170), read('71m', 171, {}), read('72m', 172, {}), read('73m', 173, {})];
    expect(story({ confirmations: 3 }, polls).sent.flat()).toEqual(['wild event', 'wild retracted']);
  });
});

describe('more than twenty that vanish at once', () => {
  const all = Object.fromEntries(Array.from({ length: 30 }, (_, i) => [`i${i}`, 101]));
  const first = read('1m', 101, all);

  test('are retracted in one message, with their exact number and the keys under which they were told', () => {
    const told = story({}, [first, ...without('2m', '3m', '4m', '5m')]);
    expect(told.sent.slice(2)).toEqual([[], [], ['wild summary'], []]);
    const keys = told.messages.slice(0, 30).map(({ key }) => key);
    expect(told.messages.at(-1)).toMatchObject({
      title: '30 wild events of gauge retracted in one poll',
      lines: [[{ text: '30 events that were sent before are retracted at once.' }]],
      text: [
        { text: 'test: new gauge: not found any more - ' },
        { text: 'Sent at 00:01 UTC.' },
        { text: ' https://pages.example/gauge\n' },
      ],
      summary: { of: 'alert.retracted', count: 30, keys },
    });
    expect(told.memory.alerts['wild']?.['i7']).toMatchObject({ state: 'retracted', seq: 2 });
  });

  test('are retracted at once where another block stands in the place of theirs', () => {
    const proof = saw({ items: {}, range: { from: 100, head: 102, replaced: [101] } }, '2m');
    expect(story({}, [first, proof]).sent[2]).toEqual(['wild summary']);
  });

  test('and come back are reinstated in one message too; one that does not is still said to be gone', () => {
    const few = Object.fromEntries(Object.entries(all).slice(1));
    const back = [read('5m', 105, few), read('15m', 106, few)];
    const told = story({}, [first, ...without('2m', '3m', '4m'), ...back]);
    expect(told.sent.flat().filter((words) => words !== 'wild event')).toEqual(['wild summary', 'wild summary']);
    expect(told.messages.at(-1)?.summary).toMatchObject({ of: 'alert.reinstated', count: 29 });
  });

  test('twenty are told one by one', () => {
    const twenty = Object.fromEntries(Object.entries(all).slice(10));
    const told = story({}, [read('1m', 101, twenty), ...without('2m', '3m', '4m')]);
    expect(told.sent[4]).toEqual(Array(20).fill('wild retracted'));
  });

  test('have one id for one summary, and another for another one', () => {
    const ids = (...items: string[]): (string | undefined)[] => {
      const some = Object.fromEntries(items.map((item) => [item, 101]));
      const { decisions } = story({}, [read('1m', 101, some), ...without('2m', '3m', '4m')]);
      return [decisions.at(-1)?.transitions[0]?.message.key];
    };
    const names = Object.keys(all);
    expect(ids(...names)).toEqual(ids(...names.toReversed()));
    expect(ids(...names)).not.toEqual(ids(...names.slice(1)));
  });
});

describe('more than fifty in one poll', () => {
  const all = Object.fromEntries(Array.from({ length: 130 }, (_, i) => [`i${i}`, 101]));
  const first = read('1m', 101, all);

  test('fifty are told one by one, and one summary has the number and the keys of the rest', () => {
    const told = story({}, [first]);
    expect(told.sent[1]).toEqual([...Array<string>(50).fill('wild event'), 'wild summary']);
    const summary = told.messages.at(-1);
    expect(summary).toMatchObject({
      title: '80 more wild events of gauge in one poll',
      lines: [[{ text: '80 more events at once, beside the 50 that are sent one by one.' }]],
      text: [
        { text: 'test: new gauge - ' },
        { text: 'Matched: mood wild.' },
        { text: ' https://pages.example/gauge\n' },
        { text: '30 more are not listed here.' },
      ],
      fields: {},
    });
    const keys = [...told.messages.slice(0, 50).map(({ key }) => key), ...(summary?.summary?.keys ?? [])];
    expect(new Set(keys).size).toBe(130);
    expect(summary?.summary).toMatchObject({ of: 'alert.event', count: 80 });
  });

  test('each of them is followed: what vanishes is retracted under the key that the summary named', () => {
    const few = Object.fromEntries(Object.entries(all).slice(0, -1));
    const told = story({}, [first, ...['2m', '3m', '4m', '5m'].map((at) => read(at, 102, few))]);
    expect(told.sent.flat().slice(50)).toEqual(['wild summary', 'wild retracted']);
    expect(told.messages.at(-2)?.summary?.keys).toContain(told.messages.at(-1)?.key);
  });

  test('fifty are told one by one', () => {
    const fifty = Object.fromEntries(Object.entries(all).slice(80));
    expect(story({}, [read('1m', 101, fifty)]).sent[1]).toEqual(Array(50).fill('wild event'));
  });
});

test('those that wait for confirmations are told, however many they are', () => {
  const all = Object.fromEntries(Array.from({ length: 250 }, (_, i) => [`i${i}`, 101]));
  const told = story({ confirmations: 3 }, [read('1m', 101, all), read('2m', 104, all), read('3m', 105, all)]);
  expect(told.sent.map((words) => words.length)).toEqual([0, 0, 51, 0]);
  expect(told.messages.at(-1)?.summary).toMatchObject({ of: 'alert.event', count: 200 });
});

test('a thousand are followed; of more the older ones are taken for final, which is said and counted', () => {
  const all = Object.fromEntries(Array.from({ length: 1100 }, (_, i) => [`i${i}`, 101 + Math.floor(i / 20)]));
  const told = story({}, [read('1m', 160, all)]);
  expect(Object.keys(told.memory.alerts['wild'] ?? {})).toHaveLength(1000);
  expect(told.reasons[1]?.filter((type) => type === 'unfollowed')).toHaveLength(100);
  expect(told.decisions[1]?.reasons).toContainEqual({
    type: 'note',
    text: 'wild: only the newest 1000 events are tracked, and 100 older ones count as final',
  });
  const gone = story({}, [read('1m', 160, all), read('2m', 160, {}), read('3m', 160, {}), read('4m', 160, {})]);
  expect(gone.messages.at(-1)?.summary?.count).toBe(1000);
});

test('what is remembered of an event that was told is what a retraction needs, however long strangers write', () => {
  const long = { mood: 'wild', block: 101, label: 'x'.repeat(5000) };
  const told = story({}, [read('1m', 101, { a: long }), ...without('2m', '3m', '4m')]);
  expect(told.sent.at(-1)).toEqual(['wild retracted']);
  const { memory } = story({}, [read('1m', 101, { a: long })]);
  expect(JSON.stringify(memory.alerts).length).toBeLessThan(800);
});

test('a long text that differs behind its beginning is a correction', () => {
  const label = (end: string): Item => ({ mood: 'wild', block: 101, label: `${'x'.repeat(5000)}${end}` });
  const polls = [
    read('1m', 101, { a: label('1') }),
    read('2m', 102, { a: label('1') }),
    read('3m', 103, { a: label('2') }),
  ];
  expect(story({}, polls).sent).toEqual([[], ['wild event'], [], ['wild corrected']]);
});
