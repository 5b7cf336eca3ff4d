// Changes by a person to the routes and rules of a config.
import type { Draw } from '../draw.ts';
import type { ConfigVersion, EscalationVersion, Inhibition, RouteVersion, RuleVersion } from '../people/log.ts';
import { pickOf, type Edit } from './channel-edits.ts';
import { FIRST_VERSION, NO_ROUTE, referencesOf, ruleOf } from './first-version.ts';
import { sourceOf, type RuleSource } from './watches.ts';

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const MOST_ROUTES = 10;

export const addRoute: Edit = (version, draw) => {
  const rule = pickOf(version.rules, draw);
  const channel = pickOf(version.channels, draw);
  if (rule === null || channel === null) return version;
  const isShort = version.routes.length < MOST_ROUTES;
  const place = draw.below(version.routes.length);
  const route: RouteVersion = {
    ...NO_ROUTE,
    match: draw.chance(0.5) ? { watch: rule.watch } : { alert: rule.alert },
    add: [channel.name],
    repeatMs: draw.chance(0.3) ? draw.between(1, 8) * 30 * MINUTE : null,
    requireAck: draw.chance(0.2) ? true : null,
  };
  const others = isShort ? version.routes : version.routes.filter((_one, n) => n !== place);
  return { ...version, routes: [...others.slice(0, place), route, ...others.slice(place)] };
};

/** But for the last one, which takes all that others leave. */
export const reorderRoutes: Edit = (version, draw) => {
  const place = draw.below(Math.max(version.routes.length - 2, 1));
  const { routes } = version;
  const pair = routes.slice(place, place + 2).toReversed();
  return pair.length < 2 ? version : { ...version, routes: routes.toSpliced(place, 2, ...pair) };
};

export const editEscalation: Edit = (version, draw) => {
  const channel = pickOf(version.channels, draw);
  const place = placeOf(version, draw, ({ escalate, match }) => escalate !== null || match['severity'] === 'critical');
  if (channel === null || place === null) return version;
  return withRoute(version, place, (route) => {
    const steps = stepsAfter(route.escalate ?? [], channel.name, draw);
    return { ...route, escalate: steps.length === 0 ? null : steps };
  });
};

function stepsAfter(steps: readonly EscalationVersion[], channel: string, draw: Draw): readonly EscalationVersion[] {
  const [first] = steps;
  const way = draw.below(4);
  if (first === undefined || way === 3)
    return [...steps, { afterMs: (steps.at(-1)?.afterMs ?? 0) + draw.between(5, 40) * MINUTE, notify: [channel] }];
  if (way === 0) {
    const before = { afterMs: Math.max(1, Math.floor(first.afterMs / 3 / MINUTE)) * MINUTE, notify: [channel] };
    return before.afterMs < first.afterMs ? [before, ...steps] : steps;
  }
  const place = draw.below(steps.length);
  if (way === 1) return steps.map((step, n) => (n === place ? { ...step, notify: [channel] } : step));
  return steps.filter((_step, n) => n !== place);
}

export const changeMutes: Edit = (version, draw) => {
  const place = placeOf(version, draw, () => true);
  if (place === null) return version;
  const from = draw.below(96) * 15;
  const to = (from + draw.between(2, 8) * 15) % 1440;
  const days = draw.chance(0.7) ? [] : [draw.below(7), draw.below(7)].toSorted((a, b) => a - b);
  const window = { days: [...new Set(days)], from, to: to === 0 ? 1440 : to };
  return withRoute(version, place, (route) => ({
    ...route,
    mute: route.mute.length > 1 ? [] : [...route.mute, window],
  }));
};

/** From this minute on, on a route that is about much. */
export const muteNow: Edit = (version, draw, { at }) => {
  const isLast = draw.chance(0.5);
  const place = isLast
    ? version.routes.length - 1
    : placeOf(version, draw, ({ match }) => !('watch' in match) && !('alert' in match));
  if (place === null) return version;
  const from = Math.floor((at % DAY_MS) / MINUTE);
  const to = (from + draw.between(2, 8) * 15) % 1440;
  return withRoute(version, place, (route) => ({ ...route, mute: [{ days: [], from, to: to === 0 ? 1440 : to }] }));
};

const DAY_MS = 24 * HOUR;
const MOST_INHIBITIONS = 4;

/** One more, one less, or another effect on events. */
export const changeInhibition: Edit = (version, draw) => {
  const { inhibit } = version;
  const place = draw.below(Math.max(inhibit.length, 1));
  const way = draw.below(3);
  const present = inhibit[place];
  if (present === undefined || (way === 0 && inhibit.length < MOST_INHIBITIONS))
    return { ...version, inhibit: [...inhibit, inhibitionOf(draw)] };
  if (way === 1) return { ...version, inhibit: inhibit.toSpliced(place, 1) };
  const events = present.events === 'drop' ? 'summary' : 'drop';
  return { ...version, inhibit: inhibit.toSpliced(place, 1, { ...present, events }) };
};

/** Not by `stalled`, which lasts for days where the clock is ahead. */
function inhibitionOf(draw: Draw): Inhibition {
  const when = draw.pick([
    { watch: 'usdc', alert: 'low' },
    { watch: 'coin', alert: 'low' },
    { watch: 'coin', alert: 'lowest' },
    { watch: 'tally', alert: 'many' },
  ]);
  const mute = draw.pick<Inhibition['mute']>([
    { team: 'payments', severity: '!critical' },
    { team: 'chain' },
    { watch: ['vault', 'large', 'dip', 'usdc'] },
    { severity: ['info', 'warning'] },
  ]);
  return { when, mute, equal: draw.pick([[], ['explorer'], ['team']]), events: draw.pick(['summary', 'drop']) };
}

/** `path`: the team whose route waits for ten minutes from now on, or as at first again; null: any route, in any way. */
export const changeGroups: Edit = (version, draw, { path }) => {
  if (path !== null) return waitOrNot(version, path);
  const place = placeOf(version, draw, () => true);
  if (place === null) return version;
  const groupBy = draw.pick([null, [], ['team'], ['watch'], ['severity', 'explorer']]);
  return withRoute(version, place, (route) => ({
    ...route,
    groupBy,
    groupWaitMs: draw.pick([null, 10_000, MINUTE, LONG_WAIT_MS]),
    groupIntervalMs: draw.pick([null, MINUTE, 10 * MINUTE, HOUR]),
    repeatMs: draw.pick([route.repeatMs, 30 * MINUTE, 2 * HOUR, 'off']),
  }));
};

function waitOrNot(version: ConfigVersion, team: string): ConfigVersion {
  const isOf = ({ match }: RouteVersion): boolean => match['team'] === team;
  const place = version.routes.findIndex(isOf);
  const isLong = version.routes[place]?.groupWaitMs === LONG_WAIT_MS;
  const former = FIRST_VERSION.routes.find(isOf)?.groupWaitMs ?? null;
  return withRoute(version, place, (route) => ({ ...route, groupWaitMs: isLong ? former : LONG_WAIT_MS }));
}

const LONG_WAIT_MS = 10 * MINUTE;

/** Up or down the list of those that its source allows. `path`: the rule; null: any. */
export function changeSeverity(by: 1 | -1): Edit {
  return (version, draw, { path }) => {
    const movable = version.rules.filter((rule) => severityAt(rule, by) !== null);
    const meant = path === null ? movable : movable.filter((rule) => ruleName(rule) === path);
    const found = pickOf(meant, draw);
    const severity = found === null ? null : severityAt(found, by);
    if (found === null || severity === null) return version;
    return withRule(version, ruleOf(sourceOf(found.watch, found.alert), severity, found.reference), found);
  };
}

function severityAt({ watch, alert, severity }: RuleVersion, by: 1 | -1): RuleVersion['severity'] | null {
  const all = sourceOf(watch, alert).alert.severities ?? [];
  return all[all.indexOf(severity) + by] ?? null;
}

/** Under the same id it says something else. */
export const editRule: Edit = (version, draw) => {
  const editable = version.rules.filter((rule) => referencesOf(sourceOf(rule.watch, rule.alert)).length > 1);
  const found = pickOf(editable, draw);
  if (found === null) return version;
  const source = sourceOf(found.watch, found.alert);
  const others = referencesOf(source).filter((reference) => reference !== found.reference);
  const reference = pickOf(others, draw) ?? found.reference;
  return withRule(version, ruleOf(source, found.severity, reference), found);
};

/** From now on it is another sort of alert under its id. */
export const turnRule: Edit = (version, _draw, { path }) => turned(version, path, ({ alert }) => alert.turned ?? null);

export const turnRuleBack: Edit = (version, _draw, { path }) =>
  turned(version, path, (source) => referencesOf(source)[0] ?? null);

function turned(
  version: ConfigVersion,
  path: string | null,
  referenceOf: (source: RuleSource) => string | null,
): ConfigVersion {
  const found = version.rules.find((rule) => ruleName(rule) === path);
  if (found === undefined) return version;
  const source = sourceOf(found.watch, found.alert);
  const reference = referenceOf(source);
  if (reference === null || reference === found.reference) return version;
  return withRule(version, ruleOf(source, found.severity, reference), found);
}

/** The rule keeps the channels that it names. */
function withRule(version: ConfigVersion, rule: RuleVersion, former: RuleVersion): ConfigVersion {
  const next = { ...rule, notify: former.notify };
  return { ...version, rules: version.rules.map((one) => (one === former ? next : one)) };
}

function placeOf({ routes }: ConfigVersion, draw: Draw, isMeant: (route: RouteVersion) => boolean): number | null {
  const places = routes.flatMap((route, place) => (isMeant(route) ? [place] : []));
  return pickOf(places, draw);
}

function withRoute(version: ConfigVersion, place: number, to: (route: RouteVersion) => RouteVersion): ConfigVersion {
  return { ...version, routes: version.routes.map((route, n) => (n === place ? to(route) : route)) };
}

function ruleName({ watch, alert }: RuleVersion): string {
  return `${watch}/${alert}`;
}
