import { expect, test } from '@jest/globals';
import { exactOf, valueAt } from '../../../src/core/values/fields.ts';
import type { EventAlert, Watch } from '../../../src/core/model/watch/watch.ts';
import { cronSchedule } from '../../../src/rules/compile/schedule.ts';
import { runPolls } from '../../support/engine/run-polls.ts';
import { aWatch, below, missed, onAlert, saw } from '../../support/engine/watch.ts';

/** Tells the level at these times. */
function reporting(cron: string, change: Partial<EventAlert> = {}): Watch {
  const schedule = cronSchedule(cron);
  if (!('type' in schedule)) throw new Error(schedule.complaint);
  const template = {
    written: '{{ level }}',
    reads: ['level'],
    windows: [],
    render: ({ view }: Parameters<NonNullable<EventAlert['title']>['render']>[0]) => [
      { text: exactOf(valueAt(view, 'level'))?.toString() ?? 'unknown' },
    ],
  };
  const report = { cron, times: schedule.times, values: [{ name: 'level', template }] };
  return aWatch([onAlert({ id: 'hourly', on: 'schedule', if: null, report, ...change })]);
}

const linesOf = (watch: Watch, polls: Parameters<typeof runPolls>[1]): readonly (readonly unknown[])[] =>
  runPolls(watch, polls).messages.map(({ lines }) =>
    lines.map((line) => line.map((part) => ('text' in part ? part.text : '')).join('')),
  );

test('a report that waited for half its period says since when its value is not known, once, though no answer comes', () => {
  const polls = [
    saw({ level: '5' }, '59m'),
    missed('61m'),
    missed('89m'),
    missed('90m'),
    missed('91m'),
    missed('100m'),
  ];
  const after = [...polls, saw({ level: '6' }, '110m'), saw({ level: '7' }, '120m'), saw({ level: '8' }, '121m')];
  expect(runPolls(reporting('0 * * * *'), after).sent).toEqual([
    [],
    [],
    [],
    ['hourly event'],
    [],
    [],
    [],
    ['hourly event'],
    [],
  ]);
  expect(linesOf(reporting('0 * * * *'), after)).toEqual([['level: not known since 00:59 UTC'], ['level: 7']]);
});

test('one whose condition is not known for as long says so', () => {
  const watch = reporting('0 * * * *', { if: below('10') });
  const polls = [saw({ level: '5' }, '59m'), saw({ level: null }, '61m'), saw({ level: null }, '91m')];
  const { messages, sent } = runPolls(watch, polls);
  expect(sent).toEqual([[], [], ['hourly event']]);
  expect(messages[0]?.reason).toBe('condition not known');
});

test('a condition that turns out to be false ends the wait without a word', () => {
  const watch = reporting('0 * * * *', { if: below('10') });
  const polls = [saw({ level: '5' }, '59m'), saw({ level: null }, '61m'), saw({ level: '12' }, '62m')];
  expect(runPolls(watch, [...polls, saw({ level: '5' }, '63m'), missed('95m')]).sent.flat()).toEqual([]);
});

test('a due time that waits is dropped by the next one, and by a reload that gives the report other times', () => {
  const waits = runPolls(reporting('0 * * * *'), [saw({ level: '5' }, '59m'), saw({ level: null }, '61m')]);
  const later = runPolls(
    reporting('0 * * * *'),
    [saw({ level: '6' }, '121m'), saw({ level: '6' }, '122m')],
    waits.memory,
  );
  expect(later.messages.map(({ since }) => new Date(since).toISOString())).toEqual(['2026-01-01T02:00:00.000Z']);
  const reloaded = runPolls(
    reporting('30 * * * *'),
    [saw({ level: '6' }, '62m'), saw({ level: '6' }, '91m')],
    waits.memory,
  );
  expect(reloaded.sent).toEqual([[], ['hourly event']]);
});
