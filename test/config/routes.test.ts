import { describe, expect, test } from '@jest/globals';
import { summarize } from '../../src/config/problem.ts';
import type { Config } from '../../src/config/model.ts';
import { loadConfigText } from '../rules/support/load.ts';

function read(more: string, channel = ''): Config {
  const { config, problems } = loadConfigText(`
explorers: { here: { form: sandbox } }
channels:
  ops: { type: list, to: [a@example.com]${channel} }
  pager: { type: list, to: [b@example.com] }
${more}
`);
  expect(problems.map(summarize)).toEqual([]);
  if (config === null) throw new Error('no config');
  return config;
}

const MINUTE = 60_000;

test('a route is read with every option and unit', () => {
  const [route] = read(`
routes:
  - match: { team: [payments, 'tre*'], severity: '!info' }
    notify: ops
    add: [pager]
    group_by: [team]
    group_wait: 30s
    group_interval: 5m
    repeat: 12h
    require_ack: true
    escalate: [{ after: 15m, notify: pager }, { after: 1h30m, notify: [ops, pager] }]
    failover: pager
    mute: [{ days: sat-sun, zone: Europe/Berlin }]
`).routes;
  expect(route).toEqual({
    path: ['routes', 0],
    match: { team: ['payments', 'tre*'], severity: ['!info'] },
    notify: ['ops'],
    add: ['pager'],
    groupBy: ['team'],
    groupWaitMs: 30_000,
    groupIntervalMs: 5 * MINUTE,
    repeatMs: 720 * MINUTE,
    requireAck: true,
    escalate: [
      { afterMs: 15 * MINUTE, notify: ['pager'] },
      { afterMs: 90 * MINUTE, notify: ['ops', 'pager'] },
    ],
    failover: ['pager'],
    mute: [{ days: ['sat', 'sun'], from: '00:00', to: '24:00', zone: 'Europe/Berlin' }],
  });
});

test('what a route does not say it leaves open', () => {
  const nothing = { groupBy: null, groupWaitMs: null, groupIntervalMs: null, escalate: null, failover: null, mute: [] };
  expect(read('routes: [{ repeat: off }, { group_by: [] }]').routes).toMatchObject([
    { ...nothing, match: {}, notify: null, add: [], repeatMs: 'off', requireAck: null },
    { ...nothing, groupBy: [], repeatMs: null },
  ]);
});

describe('A mute window', () => {
  const windowOf = (written: string) => read(`routes: [{ mute: [{ ${written}, zone: UTC }] }]`).routes[0]?.mute[0];

  test.each([
    ['days: wed', ['wed']],
    ['days: mon-fri', ['mon', 'tue', 'wed', 'thu', 'fri']],
    ['days: Sat-Sun', ['sat', 'sun']],
    ['days: fri-mon', ['mon', 'fri', 'sat', 'sun']],
    ['days: [wed, mon-tue, tue]', ['mon', 'tue', 'wed']],
    ['days: mon-sun', ['mon', 'tue', 'wed', 'thu', 'fri', 'sat', 'sun']],
    ['from: "22:00"', ['mon', 'tue', 'wed', 'thu', 'fri', 'sat', 'sun']],
  ])('with %s begins on these days', (written, days) => {
    expect(windowOf(written)?.days).toEqual(days);
  });

  test('may pass midnight, and end with the day', () => {
    expect(windowOf('from: "22:00", to: "06:30"')).toMatchObject({ from: '22:00', to: '06:30' });
    expect(windowOf('days: sat, to: "24:00"')).toMatchObject({ from: '00:00', to: '24:00' });
  });
});

test('inhibition is read with its defaults', () => {
  const inhibit = `
inhibit:
  - { when: { watch: head, alert: stalled }, mute: { severity: '!critical' } }
  - { when: { team: a }, mute: {}, equal: explorer, events: drop }
`;
  expect(read(inhibit).inhibit).toEqual([
    {
      path: ['inhibit', 0],
      when: { watch: ['head'], alert: ['stalled'] },
      mute: { severity: ['!critical'] },
      equal: [],
      events: 'summary',
    },
    { path: ['inhibit', 1], when: { team: ['a'] }, mute: {}, equal: ['explorer'], events: 'drop' },
  ]);
});

test('a channel has the cap that is written, each part of it on its own', () => {
  const capOf = (channel: string) => read('', channel).channels.get('ops')?.cap;
  expect(capOf('')).toBeNull();
  expect(capOf(', cap: { per_hour: 7, burst: 2 }')).toEqual({ perHour: 7, burst: 2 });
  expect(capOf(', cap: { per_hour: 60 }')).toEqual({ perHour: 60, burst: 10 });
});
