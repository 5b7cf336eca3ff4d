import { describe, expect, test } from '@jest/globals';
import type { Labels, Route } from '../../src/dispatch/model.ts';
import { routingOf } from '../../src/dispatch/policy/match.ts';

const NOTHING: Route = {
  match: {},
  notify: null,
  add: [],
  groupBy: null,
  groupWaitMs: null,
  groupIntervalMs: null,
  repeatMs: null,
  requireAck: null,
  escalate: null,
  failover: null,
  mute: [],
};
const CRITICAL = { severity: 'critical' };
const LABELS: Labels = { watch: 'coins', severity: 'critical', team: 'payments' };

const route = (change: Partial<Route>): Route => ({ ...NOTHING, ...change });
const channels = (routes: readonly Route[], notify: readonly string[] | null = null): readonly string[] =>
  routingOf(routes, notify, LABELS).channels;

describe('The channels of an alert', () => {
  const first = route({ match: CRITICAL, notify: ['ops'] });
  const second = route({ notify: ['payments'], add: ['audit'] });

  test('are those of the first matching route that names some', () => {
    expect(channels([route({ match: { severity: 'info' }, notify: ['chat'] }), first, second])).toEqual([
      'ops',
      'audit',
    ]);
  });

  test('are those of the rule, where it names some', () => {
    expect(channels([first, second], ['desk'])).toEqual(['desk', 'audit']);
  });

  test('are joined by every matching `add`, and each is told once', () => {
    const adding = [route({ add: ['pager', 'ops'] }), route({ match: { team: '!payments' }, add: ['chat'] })];
    expect(channels([...adding, first, second])).toEqual(['ops', 'pager', 'audit']);
  });

  test('may be none', () => {
    expect(channels([])).toEqual([]);
    expect(channels([route({ match: { team: 'vault' }, notify: ['ops'] })])).toEqual([]);
  });
});

describe('The options of an alert', () => {
  const weekend = { days: ['sat', 'sun'], from: '00:00', to: '24:00', zone: 'UTC' } as const;
  const night = { days: ['mon'], from: '22:00', to: '06:00', zone: 'UTC' } as const;

  test('hold back the daemon itself only where the route names it', () => {
    const labels: Labels = { ...LABELS, watch: 'chainwarden' };
    const holding = { groupBy: [], groupWaitMs: 1, groupIntervalMs: 2, mute: [night], repeatMs: 3 };
    expect(routingOf([route(holding)], null, labels).options).toMatchObject({
      groupBy: null,
      groupWaitMs: null,
      groupIntervalMs: null,
      mute: [],
      repeatMs: 3,
    });
    const named = route({ ...holding, match: { watch: 'chainwarden' } });
    expect(routingOf([named], null, labels).options).toMatchObject(holding);
  });

  test('come each from the first matching route that sets it', () => {
    const { options } = routingOf(
      [
        route({ match: { severity: 'info' }, repeatMs: 1, requireAck: false }),
        route({ repeatMs: 'off', groupBy: [] }),
        route({ repeatMs: 2, requireAck: true, groupBy: ['team'], failover: ['phone'] }),
      ],
      null,
      LABELS,
    );
    expect(options).toEqual({
      groupBy: [],
      groupWaitMs: null,
      groupIntervalMs: null,
      repeatMs: 'off',
      requireAck: true,
      escalate: null,
      failover: ['phone'],
      mute: [],
    });
  });

  test('mute windows of all matching routes hold', () => {
    const routes = [
      route({ mute: [weekend] }),
      route({ match: { team: 'vault' }, mute: [night] }),
      route({ mute: [night] }),
    ];
    expect(routingOf(routes, null, LABELS).options.mute).toEqual([weekend, night]);
  });
});
