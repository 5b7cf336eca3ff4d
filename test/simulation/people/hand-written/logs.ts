// Small logs for the tests of the oracle for people: one alert, `coin/low`, that fires at one and ends at two, and whom `ops` is told.
import { judgePeople } from '../judge.ts';
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
} from '../log.ts';
import { NO_ROUTE } from '../../scenes/first-version.ts';

export const SECOND = 1000;
export const MINUTE = 60 * SECOND;
export const HOUR = 60 * MINUTE;
export const DAY = 24 * HOUR;

const giveUp = { tries: 12, afterMs: DAY };

export const channel = (name: string, kind: Channel['kind']): Channel => ({
  name,
  kind,
  recipients: [name],
  cap: null,
  giveUp,
});

export const route = (given: Partial<RouteVersion>): RouteVersion => ({ ...NO_ROUTE, ...given });

export const rule = (severity: RuleVersion['severity'], form: RuleVersion['form'] = 'condition'): RuleVersion => ({
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

export const config = (id: string, routes: readonly RouteVersion[], rules = [rule('warning')]): ConfigVersion => ({
  id,
  channels: [channel('ops', 'people'), channel('team', 'people'), channel('hook', 'program')],
  routes,
  inhibit: [],
  self: [],
  rules,
});

export const TO_OPS = config('first', [route({ notify: ['ops'] })]);

export const transition = (given: Partial<CommittedTransition> & { readonly at: number }): CommittedTransition => ({
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

export const fires = transition({ at: HOUR });
export const ends = transition({ at: 2 * HOUR, seq: 2, type: 'resolved' });

export const member = (given: Partial<TryMember>): TryMember => ({
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

export const sent = (at: number, to: string, members: readonly TryMember[], given: Partial<Try> = {}): Try => ({
  id: `${to} ${at}`,
  target: { channel: to, recipient: to },
  attempt: 1,
  kind: 'news',
  closedClock: at,
  closedAt: null,
  closedMembers: [],
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

/** The receiver is busy, and says for how long. */
export const REFUSED_FOR_AN_HOUR: Try['outcome'] = { type: 'refused', why: 'busy', retryAfterMs: HOUR };

export const begin = (at: number, to = 'ops'): Try => sent(at, to, [member({})]);
export const end = (at: number, to = 'ops'): Try => sent(at, to, [member({ seq: 2, type: 'resolved' })]);
export const repeat = (at: number, to = 'ops'): Try => sent(at, to, [member({ as: 'repeat' })], { kind: 'repeat' });

export const silence = (at: number, until: number): OperatorAction => ({
  at,
  by: 'alice',
  type: 'silence',
  id: 's',
  matches: { watch: 'coin' },
  fromClock: at,
  untilClock: until,
  untilResolved: false,
});

export const acknowledged = (at: number, until: number): OperatorAction => ({
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
export function found(given: Partial<PeopleLog>): string[] {
  const span = { from: 0, to: 3 * HOUR };
  const log: PeopleLog = {
    span,
    aheadMs: 0,
    jumps: [],
    configs: [{ from: 0, config: TO_OPS }],
    actions: [],
    transitions: [],
    tries: [],
    untried: [],
    lives: [{ ...span, ...given.span, end: 'stopped' }],
    polls: [],
    refusals: [],
    ...given,
  };
  return judgePeople(log).map(({ check, story }) => `${check} ${story.duty}`);
}
