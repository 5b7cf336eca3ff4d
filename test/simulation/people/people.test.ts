// Small logs written by hand: one that each verdict finds, and for most of them one that it passes.
import { describe, expect, it } from '@jest/globals';
import { judgePeople } from './judge.ts';
import type {
  Channel,
  CommittedTransition,
  ConfigVersion,
  OperatorAction,
  PeopleLog,
  RouteVersion,
  RuleVersion,
  Try,
  TryMember,
} from './log.ts';
import { NO_ROUTE } from '../scenes/first-version.ts';

const SECOND = 1000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

const giveUp = { tries: 12, afterMs: DAY };

const channel = (name: string, kind: Channel['kind']): Channel => ({
  name,
  kind,
  recipients: [name],
  cap: null,
  giveUp,
});

const route = (given: Partial<RouteVersion>): RouteVersion => ({ ...NO_ROUTE, ...given });

const rule = (severity: RuleVersion['severity'], form: RuleVersion['form'] = 'condition'): RuleVersion => ({
  watch: 'coin',
  alert: 'low',
  form,
  severity,
  notify: null,
  labels: { watch: 'coin', alert: 'low', severity, explorer: 'chain' },
  cooldownMs: null,
  flapping: null,
  reference: 'coin/low',
});

const config = (id: string, routes: readonly RouteVersion[], rules = [rule('warning')]): ConfigVersion => ({
  id,
  channels: [channel('ops', 'people'), channel('team', 'people'), channel('hook', 'program')],
  routes,
  inhibit: [],
  self: [],
  rules,
});

const TO_OPS = config('first', [route({ notify: ['ops'] })]);

const transition = (given: Partial<CommittedTransition> & { readonly at: number }): CommittedTransition => ({
  decidedClock: given.at,
  fromMemoryAt: null,
  watch: 'coin',
  alert: 'low',
  key: 'k',
  episode: 1,
  seq: 1,
  type: 'firing',
  severity: 'warning',
  labels: { watch: 'coin', alert: 'low' },
  reason: null,
  notify: null,
  foldedKeys: null,
  ...given,
});

const fires = transition({ at: HOUR });
const ends = transition({ at: 2 * HOUR, seq: 2, type: 'resolved' });

const member = (given: Partial<TryMember>): TryMember => ({
  key: 'k',
  episode: 1,
  seq: 1,
  watch: 'coin',
  alert: 'low',
  type: 'firing',
  severity: 'warning',
  as: 'news',
  isListed: true,
  heldSinceClock: null,
  reason: null,
  count: 1,
  ...given,
});

const sent = (at: number, to: string, members: readonly TryMember[], given: Partial<Try> = {}): Try => ({
  id: `${to} ${at}`,
  target: { channel: to, recipient: to },
  attempt: 1,
  kind: 'news',
  closedClock: at,
  members,
  more: [],
  marks: { maybeCopy: false, fromMemory: false },
  incident: null,
  begunAt: at,
  endedAt: at,
  outcome: { type: 'accepted' },
  knownAt: at,
  ...given,
});

const begin = (at: number, to = 'ops'): Try => sent(at, to, [member({})]);
const end = (at: number, to = 'ops'): Try => sent(at, to, [member({ seq: 2, type: 'resolved' })]);
const repeat = (at: number, to = 'ops'): Try => sent(at, to, [member({ as: 'repeat' })], { kind: 'repeat' });

const silence = (at: number, until: number): OperatorAction => ({
  at,
  by: 'alice',
  type: 'silence',
  id: 's',
  matches: { watch: 'coin' },
  fromClock: at,
  untilClock: until,
  untilResolved: false,
});

const acknowledged = (at: number, until: number): OperatorAction => ({
  at,
  by: 'alice',
  type: 'ack',
  key: 'k',
  episode: 1,
  seq: 1,
  untilClock: until,
  replaces: false,
});

/** What is found, as `check duty`. */
function found(given: Partial<PeopleLog>): string[] {
  const span = { from: 0, to: 3 * HOUR };
  const log: PeopleLog = {
    span,
    aheadMs: 0,
    jumps: [],
    configs: [{ from: 0, config: TO_OPS }],
    actions: [],
    transitions: [],
    tries: [],
    lives: [{ ...span, ...given.span, end: 'stopped' }],
    polls: [],
    refusals: [],
    ...given,
  };
  return judgePeople(log).map(({ check, story }) => `${check} ${story.duty}`);
}

describe('the oracle for people', () => {
  it('passes what is told in time', () => {
    expect(found({ transitions: [fires, ends], tries: [begin(HOUR), end(2 * HOUR)] })).toEqual([]);
  });

  it('finds a begin that is not sent', () => {
    expect(found({ transitions: [fires] })).toEqual(['unsent begin']);
  });

  it('finds one that comes late, and passes it where the process was down', () => {
    const tries = [begin(HOUR + 10 * MINUTE)];
    const lives = [
      { from: 0, to: HOUR + SECOND, end: 'killed' as const },
      { from: HOUR + 9 * MINUTE, to: 3 * HOUR, end: 'stopped' as const },
    ];
    expect(found({ transitions: [fires], tries })).toEqual(['unsent begin']);
    expect(found({ transitions: [fires], tries, lives })).toEqual([]);
  });

  it('finds that a target which a reload names is not told of what is open', () => {
    const configs = [
      { from: 0, config: TO_OPS },
      { from: HOUR + 30 * MINUTE, config: config('second', [route({ notify: ['team'] })]) },
    ];
    const told = [begin(HOUR), end(2 * HOUR)];
    expect(found({ configs, transitions: [fires, ends], tries: told })).toEqual(['unsent reload']);
    const all = [...told, begin(HOUR + 30 * MINUTE, 'team'), end(2 * HOUR, 'team')];
    expect(found({ configs, transitions: [fires, ends], tries: all })).toEqual([]);
  });

  it('finds an end that is not sent, and passes it where the receiver refuses', () => {
    const refused = { outcome: { type: 'refused', why: 'busy', retryAfterMs: 3_600_000 } } as const;
    expect(found({ transitions: [fires, ends], tries: [begin(HOUR)] })).toEqual(['end-unsent end']);
    const tries = [begin(HOUR), { ...end(2 * HOUR), ...refused, knownAt: 2 * HOUR }];
    expect(found({ transitions: [fires, ends], tries })).toEqual([]);
  });

  it('finds what never happened, and whom nothing names', () => {
    expect(found({ tries: [begin(HOUR)] })).toEqual(['invented of-nothing']);
    const tries = [begin(HOUR), begin(HOUR, 'team'), end(2 * HOUR), end(2 * HOUR, 'team')];
    expect(found({ transitions: [fires, ends], tries })).toEqual(['invented not-named']);
  });

  it('finds an end to who was never sent the begin', () => {
    const tries = [begin(HOUR), end(2 * HOUR), end(2 * HOUR, 'team')];
    expect(found({ transitions: [fires, ends], tries })).toEqual(['invented end-without-begin']);
  });

  it('passes an end that is sent at the moment of its begin', () => {
    const late = [begin(2 * HOUR), { ...end(2 * HOUR), id: 'end' }];
    expect(found({ transitions: [fires, ends], tries: late })).toEqual(['unsent begin']);
  });

  it('passes what was over in a silence in the next slot, where its summary has gone out', () => {
    const actions = [silence(HOUR - MINUTE, HOUR + 2 * MINUTE)];
    const over = (key: string, at: number): CommittedTransition[] => [
      transition({ at: HOUR, key }),
      transition({ at, key, seq: 2, type: 'resolved' }),
    ];
    const counted = (key: string, at: number): Try =>
      sent(at, 'ops', [member({ key, seq: 2, type: 'resolved', as: 'fired-and-resolved' })], {
        kind: 'silence_summary',
      });
    const transitions = [...over('k', HOUR + MINUTE), ...over('other', HOUR + 3 * MINUTE)];
    const first = counted('k', HOUR + 2 * MINUTE);
    expect(found({ actions, transitions, tries: [first, counted('other', HOUR + 10 * MINUTE)] })).toEqual([]);
    expect(found({ actions, transitions, tries: [first, counted('other', HOUR + 15 * MINUTE)] })).toEqual([
      'unsent short',
    ]);
  });

  it('finds a begin that is told after its end', () => {
    const tries = [begin(HOUR), end(2 * HOUR), { ...repeat(2 * HOUR + 2 * MINUTE) }];
    expect(found({ transitions: [fires, ends], tries })).toContain('stale repeat');
  });

  it('finds what is told twice, and passes a copy', () => {
    const again = { ...begin(HOUR + MINUTE), id: 'other' };
    const copy = {
      ...begin(HOUR + MINUTE),
      id: `ops ${HOUR}`,
      attempt: 2,
      marks: { maybeCopy: true, fromMemory: false },
    };
    const transitions = [fires, ends];
    expect(found({ transitions, tries: [begin(HOUR), again, end(2 * HOUR)] })).toEqual(['twice known']);
    expect(found({ transitions, tries: [begin(HOUR), copy, end(2 * HOUR)] })).toEqual([]);
  });

  it('finds what is told in a silence, and passes it behind', () => {
    const actions = [silence(HOUR - MINUTE, HOUR + 10 * MINUTE)];
    const transitions = [fires, ends];
    expect(found({ actions, transitions, tries: [begin(HOUR), end(2 * HOUR)] })).toEqual(['against-a-hold begin']);
    expect(found({ actions, transitions, tries: [begin(HOUR + 10 * MINUTE), end(2 * HOUR)] })).toEqual([]);
  });

  it('finds what is told though another alert inhibits it, and passes it once the clock says that its watch was not polled', () => {
    const big = { ...rule('critical'), watch: 'big', labels: { watch: 'big', alert: 'low', severity: 'critical' } };
    const inhibit = [{ when: { watch: 'big' }, mute: { watch: 'coin' }, equal: [], events: 'summary' as const }];
    const version = config('first', [route({ match: { watch: 'coin' }, notify: ['ops'] })], [rule('warning'), big]);
    const configs = [{ from: 0, config: { ...version, inhibit } }];
    const labels = { watch: 'big', alert: 'low' };
    const transitions = [transition({ at: HOUR - MINUTE, watch: 'big', key: 'big', labels }), fires];
    const polls = [{ at: HOUR, watch: 'big', isComplete: true }];
    const span = { from: 0, to: HOUR + 30 * MINUTE };
    const at = HOUR + 20 * MINUTE + 20 * SECOND;
    expect(found({ span, configs, transitions, polls, tries: [begin(at)] })).toEqual(['against-a-hold begin']);
    const jumps = [{ at: HOUR + 20 * MINUTE, ms: 2 * HOUR }];
    const tries = [{ ...begin(at), closedClock: at + 2 * HOUR }];
    expect(found({ span, configs, transitions, polls, jumps, tries })).toEqual([]);
  });

  it('passes a next try that comes later since the clock was set back', () => {
    const busy = { type: 'refused', why: 'busy', retryAfterMs: null } as const;
    const tries = Array.from({ length: 7 }, (_, n) => ({
      ...begin(HOUR + n * MINUTE),
      id: 'one',
      attempt: n + 1,
      outcome: busy,
    }));
    const last = { ...begin(HOUR + 95 * MINUTE), id: 'one', attempt: 8 };
    const told = { transitions: [fires], tries: [...tries, last] };
    expect(found(told)).toEqual(['unsent begin']);
    expect(found({ ...told, jumps: [{ at: HOUR + 30 * MINUTE, ms: -20 * MINUTE }] })).toEqual([]);
  });

  it('finds that nobody is told when an acknowledgement has ended', () => {
    const actions = [acknowledged(HOUR + MINUTE, HOUR + 30 * MINUTE)];
    const transitions = [fires, ends];
    expect(found({ actions, transitions, tries: [begin(HOUR), end(2 * HOUR)] })).toEqual(['unsent ack-ended']);
    const owing = sent(HOUR + 30 * MINUTE, 'ops', [member({ as: 'repeat', reason: 'ack-ended' })], { kind: 'repeat' });
    expect(found({ actions, transitions, tries: [begin(HOUR), owing, end(2 * HOUR)] })).toEqual([]);
  });

  it('finds a step that is missed, one that is early, and one of what is acknowledged', () => {
    const escalate = [{ afterMs: 15 * MINUTE, notify: ['team'] }];
    const configs = [{ from: 0, config: config('first', [route({ notify: ['ops'], escalate })]) }];
    const told = [begin(HOUR), end(2 * HOUR)];
    const transitions = [fires, ends];
    expect(found({ configs, transitions, tries: told })).toEqual(['step-wrong step']);
    const called = (at: number): Try[] => [...told, begin(at, 'team'), end(2 * HOUR, 'team')];
    expect(found({ configs, transitions, tries: called(HOUR + 15 * MINUTE) })).toEqual([]);
    expect(found({ configs, transitions, tries: called(HOUR + MINUTE) })).toEqual(['step-wrong early']);
    const actions = [acknowledged(HOUR + 5 * MINUTE, DAY)];
    expect(found({ configs, actions, transitions, tries: called(HOUR + 15 * MINUTE) })).toEqual([
      'step-wrong acknowledged',
    ]);
  });

  it('finds a missed step once, though reloads leave it as it is', () => {
    const routes = [route({ notify: ['ops'], escalate: [{ afterMs: 15 * MINUTE, notify: ['team'] }] })];
    const configs = [
      { from: 0, config: config('first', routes) },
      { from: HOUR + 20 * MINUTE, config: config('second', [...routes, route({ add: ['hook'] })]) },
      { from: HOUR + 40 * MINUTE, config: config('third', routes) },
    ];
    const tries = [begin(HOUR), sent(HOUR + 20 * MINUTE, 'hook', [member({})]), end(2 * HOUR), end(2 * HOUR, 'hook')];
    expect(found({ configs, transitions: [fires, ends], tries })).toEqual(['step-wrong step']);
  });

  it('finds a repeat that is missed, and one that is early', () => {
    const configs = [{ from: 0, config: config('first', [route({ notify: ['ops'], repeatMs: 30 * MINUTE })]) }];
    const transitions = [fires, ends];
    const told = [begin(HOUR), end(2 * HOUR)];
    expect(found({ configs, transitions, tries: told })).toEqual(['repeat-wrong repeat']);
    expect(found({ configs, transitions, tries: [...told, repeat(HOUR + 30 * MINUTE)] })).toEqual([]);
    const early = [...told, repeat(HOUR + 10 * MINUTE), repeat(HOUR + 40 * MINUTE)];
    expect(found({ configs, transitions, tries: early })).toEqual(['repeat-wrong early']);
  });

  it('finds a raised severity that nobody hears of', () => {
    const routes = [route({ notify: ['ops'] })];
    const configs = [
      { from: 0, config: config('first', routes) },
      { from: HOUR + 30 * MINUTE, config: config('second', routes, [rule('critical')]) },
    ];
    const transitions = [fires, ends];
    expect(found({ configs, transitions, tries: [begin(HOUR), end(2 * HOUR)] })).toEqual(['unsent raised']);
  });

  it('finds more messages than a recipient may be sent', () => {
    const many = Array.from({ length: 11 }, (_, n) =>
      transition({ at: HOUR + n * 2 * SECOND, key: `e${n}`, type: 'event' }),
    );
    const tries = many.map(({ key, at }) => sent(at ?? 0, 'ops', [member({ key, type: 'event' })]));
    expect(found({ transitions: many.slice(0, 10), tries: tries.slice(0, 10) })).toEqual([]);
    expect(found({ transitions: many, tries })).toEqual(['over-the-cap burst']);
  });

  it('judges no cap within an hour after the clock was set', () => {
    const late = [begin(HOUR + 10 * MINUTE), end(2 * HOUR)];
    const jumps = [{ at: 20 * MINUTE, ms: -MINUTE }];
    expect(found({ transitions: [fires, ends], tries: late })).toEqual(['unsent begin']);
    const clocked = late.map((one) => ({ ...one, closedClock: one.closedClock - MINUTE }));
    expect(found({ jumps, transitions: [fires, ends], tries: clocked })).toEqual([]);
    expect(found({ jumps: [{ at: 0, ms: -MINUTE }], transitions: [fires, ends], tries: clocked })).toEqual([
      'unsent begin',
    ]);
  });

  it('finds a failover that skips events', () => {
    const routes = [route({ notify: ['ops'], failover: ['team'] })];
    const configs = [{ from: 0, config: config('first', routes, [rule('critical', 'event')]) }];
    const transitions = [transition({ at: HOUR, type: 'event', severity: 'critical' })];
    const about = [member({ type: 'event', severity: 'critical' })];
    const refused = { outcome: { type: 'refused', why: 'busy', retryAfterMs: HOUR } } as const;
    const tries = [sent(HOUR, 'ops', about, refused)];
    expect(found({ configs, transitions, tries })).toContain('step-wrong failover');
    const told = [...tries, sent(HOUR + 5 * MINUTE, 'team', about)];
    const all = found({ configs, transitions, tries: told });
    expect(all.filter((one) => one !== 'unsent event')).toEqual([]);
  });

  it('finds a repeat that leaves out what is open, and one of what is acknowledged', () => {
    const configs = [{ from: 0, config: config('first', [route({ notify: ['ops'], repeatMs: 30 * MINUTE })]) }];
    const transitions = [fires, transition({ at: HOUR, key: 'other' }), ends];
    const [one, other] = [member({}), member({ key: 'other' })];
    const again = [one, other].map((about) => member({ ...about, as: 'repeat' }));
    const repeated = (members: readonly TryMember[]): Try[] => [
      sent(HOUR, 'ops', [one, other]),
      sent(HOUR + 30 * MINUTE, 'ops', members, { kind: 'repeat' }),
      end(2 * HOUR),
    ];
    const span = { from: 0, to: HOUR + 31 * MINUTE };
    expect(found({ span, configs, transitions: transitions.slice(0, 2), tries: repeated(again).slice(0, 2) })).toEqual(
      [],
    );
    expect(found({ span, configs, transitions, tries: repeated(again.slice(0, 1)) })).toContain(
      'repeat-wrong member-missing',
    );
    const actions = [acknowledged(HOUR + MINUTE, DAY)];
    expect(found({ span, configs, actions, transitions, tries: repeated(again) })).toContain('repeat-wrong repeat');
  });

  it('finds what is left out of the summary of the cap', () => {
    const many = Array.from({ length: 12 }, (_, n) =>
      transition({ at: HOUR + n * 2 * SECOND, key: `e${n}`, type: 'event' }),
    );
    const lines = many.map(({ key }) => member({ key, type: 'event' }));
    const alone = many.slice(0, 10).map(({ key, at }) => sent(at ?? 0, 'ops', [member({ key, type: 'event' })]));
    const summary = (members: readonly TryMember[]): Try[] => [
      ...alone,
      sent(HOUR + 10 * MINUTE, 'ops', members, { kind: 'overflow_summary' }),
    ];
    const configs = [{ from: 0, config: config('first', [route({ notify: ['ops'], groupIntervalMs: 0 })]) }];
    expect(found({ configs, transitions: many, tries: summary(lines.slice(10)) })).toEqual([]);
    expect(found({ configs, transitions: many, tries: summary(lines.slice(10, 11)) })).toEqual(['summary-wrong event']);
  });

  it('finds counts that do not add up', () => {
    const events = [0, 1].map((n) => transition({ at: HOUR, key: `e${n}`, type: 'event' }));
    const members = events.map(({ key }) => member({ key, type: 'event', isListed: key === 'e0' }));
    const counted = (count: number): Try[] => [
      sent(HOUR, 'ops', members, {
        more: [{ watch: 'coin', alert: 'low', severity: 'warning', type: 'event', count }],
      }),
    ];
    expect(found({ transitions: events, tries: counted(1) })).toEqual([]);
    expect(found({ transitions: events, tries: counted(2) })).toEqual(['summary-wrong counts']);
  });
});
