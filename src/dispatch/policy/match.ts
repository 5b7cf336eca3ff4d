// Matches alerts against routes, silences and inhibitions. Uses plain text search and no regular expressions, because
// people write the patterns and values, and no input may make the search slow.
import { ANNOUNCEMENTS, BUILT_IN_RULE } from '../../core/model/ids.ts';
import type { Labels, Matcher, Route, Routing } from '../model.ts';

/**
 * True if the labels match every entry of the matcher. A pattern must match the whole value: `*` matches any text, also
 * an empty one, and all other letters match themselves, in the same case. A list matches if any of its patterns does. A
 * leading `!` negates; in a negated list it stands before every pattern. A missing label matches only negations.
 *
 * matches({ team: ['treasury', 'vault-*'], severity: '!critical' }, { team: 'vault-2', severity: 'info' }) // true
 * matches({ severity: '!critical' }, {}) // true
 * matches({ severity: '*' }, {}) // false
 */
export function matches(matcher: Matcher, labels: Labels): boolean {
  // Called millions of times when many alerts fire, so it makes no list of entries.
  for (const label in matcher) {
    const wanted = matcher[label] ?? [];
    if (!fitsAny(wanted, Object.hasOwn(labels, label) ? labels[label] : undefined)) return false;
  }
  return true;
}

function fitsAny(wanted: string | readonly string[], value: string | undefined): boolean {
  if (typeof wanted === 'string') return fits(wanted, value);
  // In a negated list every pattern begins with `!`. The list matches if the value matches none of the texts after `!`.
  const isNegated = wanted[0]?.startsWith('!') ?? false;
  return isNegated ? wanted.every((pattern) => fits(pattern, value)) : wanted.some((pattern) => fits(pattern, value));
}

function fits(pattern: string, value: string | undefined): boolean {
  const isNegated = pattern.startsWith('!');
  return (value !== undefined && fitsGlob(isNegated ? pattern.slice(1) : pattern, value)) !== isNegated;
}

/** Each piece between two `*` takes its first match, without backtracking. */
export function fitsGlob(pattern: string, value: string): boolean {
  const first = pattern.indexOf('*');
  if (first === -1) return pattern === value;
  const last = pattern.lastIndexOf('*');
  if (!value.startsWith(pattern.slice(0, first)) || !value.endsWith(pattern.slice(last + 1))) return false;
  let from = first;
  for (let at = first; at < last;) {
    const next = pattern.indexOf('*', at + 1);
    const found = value.indexOf(pattern.slice(at + 1, next), from);
    if (found === -1) return false;
    from = found + next - at - 1;
    at = next;
  }
  return from + pattern.length - last - 1 <= value.length;
}

// Matches alerts against silences, pauses and inhibitions.

/**
 * True if the matchers match these labels. Alerts of the daemon about itself belong to the built-in watch. They are
 * matched only if `watch` contains the full name of that watch, without `*`. So `severity: warning` does not hide that
 * watches are blind.
 */
export function isAbout(matchers: Matcher, labels: Labels): boolean {
  return (labels['watch'] !== BUILT_IN_RULE || namesSelf(matchers)) && matches(matchers, labels);
}

/**
 * Like `isAbout`, for a silence or a pause. These never match the announcements of silences, pauses and
 * acknowledgements.
 */
export function isSilencedBy(matchers: Matcher, labels: Labels): boolean {
  return isAbout(matchers, labels) && !(labels['watch'] === BUILT_IN_RULE && isAnnouncement(labels));
}

/** True if `watch` in the matcher is the name of the built-in watch, or a list that contains this name. */
export function namesSelf({ watch }: Matcher): boolean {
  return (typeof watch === 'string' ? [watch] : (watch ?? [])).includes(BUILT_IN_RULE);
}

function isAnnouncement({ alert }: Labels): boolean {
  return ANNOUNCEMENTS.some((one) => one === alert);
}

// Chooses the targets of an alert and its options from all routes. Pure, so that the daemon, `check` and tests of rules
// agree.

/**
 * All routes are checked. The channels are those of `notify` in the alert's rule, else those of the first matching
 * route with `notify`. The `add` channels of every matching route are added. Each option comes from the first matching
 * route that sets it; the mute windows of all matching routes apply. If there is no channel, no message is sent.
 *
 * For alerts of the daemon about itself, mute windows and groups come only from routes that name the watch
 * `chainwarden`.
 */
export function routingOf(routes: readonly Route[], notify: readonly string[] | null, labels: Labels): Routing {
  const matching = routes.filter(({ match }) => matches(match, labels));
  const holding = labels['watch'] === BUILT_IN_RULE ? matching.filter(({ match }) => namesSelf(match)) : matching;
  const named = notify ?? firstSet(matching, 'notify') ?? [];
  return {
    channels: [...new Set([...named, ...matching.flatMap(({ add }) => add)])],
    options: {
      groupBy: firstSet(holding, 'groupBy'),
      groupWaitMs: firstSet(holding, 'groupWaitMs'),
      groupIntervalMs: firstSet(holding, 'groupIntervalMs'),
      repeatMs: firstSet(matching, 'repeatMs'),
      requireAck: firstSet(matching, 'requireAck'),
      escalate: firstSet(matching, 'escalate'),
      failover: firstSet(matching, 'failover'),
      mute: holding.flatMap(({ mute }) => mute),
    },
  };
}

function firstSet<K extends keyof Route>(routes: readonly Route[], key: K): Route[K] | null {
  return routes.find((route) => route[key] !== null)?.[key] ?? null;
}
