// The config with which a history begins.
import type { Channel, ConfigVersion, RouteVersion, RuleVersion, SeverityName } from '../people/log.ts';
import type { Watched } from '../model.ts';
import { CONTRACT_WATCHES } from './contract-watches.ts';
import { ACCOUNT_WATCHES, labelsOf, rulesOf, type RuleSource, type WatchSource } from './watches.ts';

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;

/** A receiver that answers nothing but refusals for so long is given up. */
export const GIVE_UP = { tries: 12, afterMs: 6 * HOUR };

export const NO_ROUTE: RouteVersion = {
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

export function ruleOf(source: RuleSource, severity: SeverityName, reference: string): RuleVersion {
  const { watch, alert } = source;
  return {
    watch: watch.id,
    alert: alert.id,
    form: alert.form,
    severity,
    notify: alert.notify ?? null,
    labels: labelsOf(source, severity),
    cooldownMs: alert.cooldownMs ?? null,
    flapping: null,
    reference,
  };
}

/** The references of an alert, in the order of its edits, without the one of another sort. */
export function referencesOf({ alert }: RuleSource): readonly string[] {
  return Object.keys(alert.texts).filter((reference) => reference !== alert.turned);
}

function channel(name: string, kind: Channel['kind'], rest: Partial<Channel> = {}): Channel {
  return { name, kind, recipients: [name], cap: null, giveUp: GIVE_UP, ...rest };
}

export const CHANNELS: readonly Channel[] = [
  channel('hook', 'program'),
  channel('post', 'people', { recipients: ['b@example.com', 'c@example.com'], cap: { burst: 5, perHour: 14 } }),
  channel('team', 'people', { cap: { burst: 4, perHour: 12 } }),
  channel('pager', 'pager'),
  channel('phone', 'people'),
  channel('spare', 'people', { recipients: ['s@example.com'] }),
];

/** `lasting`: alerts for which others are called in. */
const routesWith = (lasting: readonly string[]): readonly RouteVersion[] => [
  {
    ...NO_ROUTE,
    match: { severity: 'critical' },
    add: ['pager'],
    repeatMs: HOUR,
    escalate: [
      { afterMs: 15 * MINUTE, notify: ['phone'] },
      { afterMs: HOUR, notify: ['spare'] },
    ],
    failover: ['spare'],
  },
  {
    ...NO_ROUTE,
    match: { team: 'treasury' },
    notify: ['post'],
    groupBy: ['team'],
    groupWaitMs: 30_000,
    groupIntervalMs: 5 * MINUTE,
    repeatMs: 2 * HOUR,
  },
  { ...NO_ROUTE, match: { severity: 'info' }, mute: [{ days: [], from: 2 * 60, to: 4 * 60 }] },
  { ...NO_ROUTE, match: { team: 'payments' }, groupBy: ['watch'], groupWaitMs: MINUTE, groupIntervalMs: 10 * MINUTE },
  {
    ...NO_ROUTE,
    match: { alert: lasting },
    escalate: [{ afterMs: 20 * MINUTE, notify: ['team'] }],
  },
  { ...NO_ROUTE, match: { alert: 'reorg' }, requireAck: true },
  { ...NO_ROUTE, match: { team: 'chain' }, notify: ['team'], add: ['hook'] },
  { ...NO_ROUTE, notify: ['hook', 'post'] },
];

export const FIRST_VERSION: ConfigVersion = {
  id: 'first',
  channels: CHANNELS,
  routes: routesWith(['low', 'lowest', 'again', 'empty', 'many']),
  inhibit: [
    // Not by `stalled`, which lasts for days where the clock is ahead.
    {
      when: { watch: 'coin', alert: 'lowest' },
      mute: { team: 'payments', severity: '!critical' },
      equal: ['explorer'],
      events: 'summary',
    },
    {
      when: { watch: 'coin', alert: 'low' },
      mute: { watch: ['dip', 'tokens', 'large'] },
      equal: [],
      events: 'summary',
    },
    // Not `low`, which others have to be called in for.
    { when: { watch: 'coin', alert: 'low' }, mute: { watch: 'usdc', alert: 'again' }, equal: [], events: 'summary' },
  ],
  self: [],
  rules: firstRulesOf(ACCOUNT_WATCHES),
};

export const FIRST_VERSIONS: Readonly<Record<Watched, ConfigVersion>> = {
  accounts: FIRST_VERSION,
  contracts: {
    ...FIRST_VERSION,
    routes: routesWith(['paused', 'unlimited', 'foreign', 'full']),
    inhibit: [],
    rules: firstRulesOf(CONTRACT_WATCHES),
  },
};

function firstRulesOf(watches: readonly WatchSource[]): readonly RuleVersion[] {
  return rulesOf(watches).map((source) => ruleOf(source, source.alert.severity, referencesOf(source)[0] ?? ''));
}
