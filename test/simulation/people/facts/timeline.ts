// Which version of the config was in force when, and whom each of them names.
import type { Instant, Span } from '../../model.ts';
import type { Channel, ConfigVersion, LabelValues, PeopleLog, RuleVersion } from '../log.ts';
import { namedBy, targetsOf, type Named } from './routing.ts';
import { countUntil, gapsIn, merged, type Spans } from './spans.ts';

export interface Version extends Span {
  readonly config: ConfigVersion;
  /** By `watch/alert`. */
  readonly ruleOf: (rule: string) => RuleVersion | null;
  /** Null: there is no such rule. */
  readonly namedFor: (rule: string) => Named | null;
  /** Null: it has no such channel or recipient. */
  readonly channelOf: (target: string) => Channel | null;
}

export interface Timeline {
  readonly versions: readonly Version[];
  readonly at: (time: Instant) => Version;
  /** Those in force at some time between the two. */
  readonly within: (span: Span) => readonly Version[];
  /** When the config had no such channel or recipient. */
  readonly without: (target: string) => Spans;
  /** The kind of its channel at that time; where it was gone then, the last that it was of. */
  readonly kindOf: (target: string, at: Instant) => Channel['kind'];
  readonly channelOf: (target: string) => Channel | null;
}

export const SELF = 'chainwarden';
/** A target whose channel is gone for so long is owed nothing but ends (99). */
export const LEFT_MS = 30_000;

export function timelineOf({ configs, span }: Pick<PeopleLog, 'configs' | 'span'>): Timeline {
  const versions = configs.map(({ from, config }, n): Version => {
    const to = configs[n + 1]?.from ?? Infinity;
    return versionOf(config, { from: n === 0 ? -Infinity : from, to });
  });
  const indexAt = (time: Instant): number =>
    Math.max(countUntil(versions.length, (n) => (versions[n]?.from ?? Infinity) <= time) - 1, 0);
  const at = (time: Instant): Version => {
    const version = versions[indexAt(time)];
    if (version === undefined) throw new Error('no config is in force');
    return version;
  };
  const channels = new Map<string, Channel>();
  for (const { config } of versions)
    for (const channel of config.channels)
      for (const target of targetsOf([channel], [channel.name])) channels.set(target, channel);
  const without = new Map<string, Spans>();
  return {
    versions,
    at,
    within: ({ from, to }) => versions.slice(indexAt(from), indexAt(Math.max(from, to - 1)) + 1),
    without: (target) =>
      remembered(without, target, () => {
        const having = versions.filter(({ channelOf }) => channelOf(target) !== null);
        return gapsIn(merged(having), { from: -Infinity, to: Math.max(span.to, 0) });
      }),
    kindOf: (target, time) => (at(time).channelOf(target) ?? channels.get(target))?.kind ?? 'program',
    channelOf: (target) => channels.get(target) ?? null,
  };
}

function versionOf(config: ConfigVersion, { from, to }: Span): Version {
  const rules = new Map(config.rules.map((rule) => [`${rule.watch}/${rule.alert}`, rule]));
  const named = new Map<string, Named | null>();
  const channels = new Map(
    config.channels.flatMap((channel) => targetsOf([channel], [channel.name]).map((target) => [target, channel])),
  );
  return {
    from,
    to,
    config,
    ruleOf: (name) => rules.get(name) ?? null,
    namedFor: (name) =>
      remembered(named, name, () => {
        if (name.startsWith(`${SELF}/`)) return { ...namedBy({ ...config, routes: [] }, OF_SELF(config)) };
        const rule = rules.get(name);
        return rule === undefined ? null : namedBy(config, rule);
      }),
    channelOf: (target) => channels.get(target) ?? null,
  };
}

const NO_LABELS: LabelValues = {};

/** What the daemon says of itself goes to `self` only; no route is about it. */
const OF_SELF = ({ self }: ConfigVersion): Pick<RuleVersion, 'notify' | 'labels'> => ({
  notify: self,
  labels: NO_LABELS,
});

export function remembered<V>(known: Map<string, V>, key: string, make: () => V): V {
  const found = known.get(key);
  if (found !== undefined) return found;
  const made = make();
  known.set(key, made);
  return made;
}
