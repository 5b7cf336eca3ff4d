// The files of a version of the config. They are made from data, so that the oracle for people parses nothing.
import { CHAIN_ID, TOKENS } from '../../../src/sandbox/names.ts';
import { addressOf, REQUESTS_PER_SECOND } from '../chain/chain.ts';
import { CREDITS } from '../machine/credits.ts';
import type { Stretch } from '../model.ts';
import type {
  Cap,
  Channel,
  ConfigVersion,
  EscalationVersion,
  Inhibition,
  LabelPattern,
  MuteTimes,
  RouteVersion,
  RuleVersion,
} from '../people/log.ts';
import { sourceOf, WATCHES, type WatchSource } from './watches.ts';

const explorerOf = (stretch: Stretch, rpc: boolean): string => `
explorers:
  chain:
    form: multichain
    base_url: 'https://explorer.example'
    chain_id: ${CHAIN_ID}
    api_key: { env: EXPLORER_KEY }
    rpc: ${rpc}
    plan: { requests_per_second: ${REQUESTS_PER_SECOND}, credits: ${CREDITS}, stretch: '${stretch}' }
addresses:
  treasury: ${addressOf('treasury')}
  vault: ${addressOf('vault')}
  newcomer: ${addressOf('bridge')}
  busy: ${addressOf('factory')}
  wallet: ${addressOf('hot_wallet')}
tokens: { USDC: ${TOKENS.USDC}, ACME: ${TOKENS.ACME} }
rules: [rules.yaml]
`;

/** JSON is YAML too. */
export function configYamlOf({ channels, routes, inhibit, self, rules }: ConfigVersion, stretch: Stretch): string {
  const rest = {
    channels: Object.fromEntries(channels.map((channel) => [channel.name, channelOf(channel)])),
    routes: routes.map(routeOf),
    inhibit: inhibit.map(inhibitOf),
    self: self.length === 0 ? 'none' : self,
  };
  const isRead = WATCHES.some(({ id, kind }) => kind === 'read' && rules.some(({ watch }) => watch === id));
  return explorerOf(stretch, isRead) + linesOf(rest);
}

export function rulesYamlOf({ rules }: ConfigVersion): string {
  const watches = WATCHES.flatMap((watch) => {
    const own = rules.filter((rule) => rule.watch === watch.id);
    return own.length === 0 ? [] : [watchOf(watch, own)];
  });
  return `watches:\n${watches.join('')}`;
}

function watchOf(watch: WatchSource, rules: readonly RuleVersion[]): string {
  const { id, kind, of, token, keys, labels } = watch;
  const reads = readsOf(watch, rules);
  const written: readonly (string | undefined)[] = [
    `- id: ${id}`,
    `kind: ${kind}`,
    of && `of: ${of}`,
    token && `token: ${token}`,
    watch.every === undefined ? 'every: 10m' : watch.every,
    ...(keys ?? []),
    reads.length === 0 ? undefined : `read: { ${reads.join(', ')} }`,
    labels && `labels: ${JSON.stringify(labels)}`,
    'alerts:',
    ...rules.map((rule) => `  - ${alertOf(rule)}`),
  ];
  return written.flatMap((line, n) => (line === undefined ? [] : [`${n === 0 ? '  ' : '    '}${line}\n`])).join('');
}

function readsOf({ id, reads = [] }: WatchSource, rules: readonly RuleVersion[]): readonly string[] {
  return [...reads, ...rules.flatMap(({ alert, reference }) => sourceOf(id, alert).alert.reads?.[reference] ?? [])];
}

function alertOf({ watch, alert, severity, notify, cooldownMs, reference }: RuleVersion): string {
  const { texts } = sourceOf(watch, alert).alert;
  const text = texts[reference];
  if (text === undefined) throw new Error(`no rule for ${reference}`);
  const keys = [
    `id: ${alert}`,
    text,
    `severity: ${severity}`,
    ...(notify === null ? [] : [`notify: ${JSON.stringify(notify)}`]),
    ...(cooldownMs === null ? [] : [`cooldown: ${durationOf(cooldownMs)}`]),
  ];
  return `{ ${keys.join(', ')} }`;
}

function linesOf(keys: Readonly<Record<string, unknown>>): string {
  return Object.entries(keys)
    .map(([name, value]) => `${name}: ${JSON.stringify(value)}\n`)
    .join('');
}

type Keys = Readonly<Record<string, unknown>>;

/** Without those that are not set. */
function setOf(keys: Keys): Keys {
  const isSet = (value: unknown): boolean => value !== null && !(Array.isArray(value) && value.length === 0);
  return Object.fromEntries(Object.entries(keys).filter(([, value]) => isSet(value)));
}

function channelOf({ kind, recipients, name, cap }: Channel): Keys {
  const isNamed = recipients.length !== 1 || recipients[0] !== name;
  return setOf({ type: kind, to: isNamed ? recipients : null, cap: cap && capOf(cap) });
}

function capOf({ burst, perHour }: Cap): Keys {
  return { burst, per_hour: perHour };
}

function routeOf(route: RouteVersion): Keys {
  const { match, notify, add, groupBy, groupWaitMs, groupIntervalMs, repeatMs, requireAck, mute } = route;
  const isAll = Object.keys(match).length === 0;
  const set = setOf({
    match: isAll ? null : patternOf(match),
    notify,
    add,
    group_wait: groupWaitMs === null ? null : durationOf(groupWaitMs),
    group_interval: groupIntervalMs === null ? null : durationOf(groupIntervalMs),
    repeat: repeatMs === null || repeatMs === 'off' ? repeatMs : durationOf(repeatMs),
    require_ack: requireAck,
    escalate: route.escalate?.map(stepOf) ?? null,
    failover: route.failover,
    mute: mute.map(muteOf),
  });
  // An empty list puts all alerts into one group.
  return groupBy === null ? set : { ...set, group_by: groupBy };
}

function patternOf(pattern: LabelPattern): Keys {
  return pattern;
}

function stepOf({ afterMs, notify }: EscalationVersion): Keys {
  return { after: durationOf(afterMs), notify };
}

const DAYS = ['sun', 'mon', 'tue', 'wed', 'thu', 'fri', 'sat'] as const;

function muteOf({ days, from, to }: MuteTimes): Keys {
  const named = days.flatMap((day) => DAYS[day] ?? []);
  return setOf({ days: named, from: timeOf(from), to: timeOf(to), zone: 'UTC' });
}

function timeOf(minutes: number): string {
  const [hour, minute] = [Math.floor(minutes / 60), minutes % 60];
  return `${String(hour).padStart(2, '0')}:${String(minute).padStart(2, '0')}`;
}

function inhibitOf({ when, mute, equal, events }: Inhibition): Keys {
  return { when, mute, equal, events };
}

function durationOf(ms: number): string {
  return `${ms / 1000}s`;
}
