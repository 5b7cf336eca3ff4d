// Who is named for an alert by one version of the config (79): all routes are walked. The targets are the rule's `notify`,
// else that of the first matching route, else the only channel; and every `add` that matches. Each option comes from the
// first matching route that sets it; mutes unite.
import type {
  Channel,
  ConfigVersion,
  LabelPattern,
  LabelValues,
  MuteTimes,
  RouteVersion,
  RuleVersion,
} from '../log.ts';

export interface Named {
  /** `channel/recipient` */
  readonly targets: readonly string[];
  readonly groupBy: readonly string[];
  readonly waitMs: number;
  readonly intervalMs: number;
  /** Null: the default of the kind of channel. */
  readonly repeatMs: number | 'off' | null;
  /** An event stays open until somebody acknowledges it. */
  readonly requireAck: boolean;
  readonly steps: readonly Step[];
  readonly failover: readonly string[];
  readonly mutes: readonly MuteTimes[];
}

export interface Step {
  readonly afterMs: number;
  readonly targets: readonly string[];
}

export function namedBy(config: ConfigVersion, { notify, labels }: Pick<RuleVersion, 'notify' | 'labels'>): Named {
  const routes = config.routes.filter(({ match }) => fits(match, labels));
  const first = <K extends keyof RouteVersion>(key: K): RouteVersion[K] | null =>
    routes.find((route) => route[key] !== null)?.[key] ?? null;
  const only = config.channels.length === 1 ? config.channels.map(({ name }) => name) : [];
  const channels = [...(notify ?? first('notify') ?? only), ...routes.flatMap(({ add }) => add)];
  const targets = (names: readonly string[]): string[] => targetsOf(config.channels, names);
  return {
    targets: targets(channels),
    groupBy: first('groupBy') ?? ['watch', 'explorer'],
    waitMs: first('groupWaitMs') ?? 0,
    intervalMs: first('groupIntervalMs') ?? 60_000,
    repeatMs: first('repeatMs'),
    requireAck: first('requireAck') === true,
    steps: (first('escalate') ?? []).map((step) => ({ afterMs: step.afterMs, targets: targets(step.notify) })),
    failover: targets(first('failover') ?? []),
    mutes: routes.flatMap(({ mute }) => mute),
  };
}

/** Of channels that the config has. */
export function targetsOf(channels: readonly Channel[], names: readonly string[]): string[] {
  const found = names.flatMap((name) => channels.find((channel) => channel.name === name) ?? []);
  return [...new Set(found.flatMap(({ name, recipients }) => recipients.map((recipient) => `${name}/${recipient}`)))];
}

/** All patterns fit. */
export function fits(pattern: LabelPattern, labels: LabelValues): boolean {
  return Object.entries(pattern).every(([label, wanted]) => {
    const value = Object.hasOwn(labels, label) ? labels[label] : undefined;
    const texts = typeof wanted === 'string' ? [wanted] : wanted;
    const isNegative = texts.every((text) => text.startsWith('!'));
    const isAny = texts.some((text) => value !== undefined && isLike(value, isNegative ? text.slice(1) : text));
    return isAny !== isNegative;
  });
}

function isLike(value: string, glob: string): boolean {
  const parts = glob.split('*');
  if (parts.length === 1) return value === glob;
  const [first = '', ...rest] = parts;
  const last = rest.pop() ?? '';
  if (!value.startsWith(first) || value.length < first.length + last.length || !value.endsWith(last)) return false;
  let place = first.length;
  for (const part of rest) {
    const found = value.indexOf(part, place);
    if (found === -1 || found + part.length > value.length - last.length) return false;
    place = found + part.length;
  }
  return true;
}

/** The group in which an alert is told to people. */
export function groupOf(labels: LabelValues, groupBy: readonly string[]): string {
  return JSON.stringify(groupBy.toSorted().map((label) => [label, labels[label] ?? null]));
}
