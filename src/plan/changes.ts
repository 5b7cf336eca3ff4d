// Differences between the running config and another: watches, schedules, alerts, people, credits.
import { singleLine } from '../lib/untrusted.ts';
import { countOf } from '../rules/counts.ts';
import { showRecipient } from '../rules/describe.ts';
import type { AlertOutline, Outline, RuleOutline } from './outline.ts';

type OutlinedWatch = Outline['watches'][number];

/** Watches by their change. They are matched by id, so a new address in a rule is a new watch. */
export interface PlanChanges {
  readonly added: readonly OutlinedWatch[];
  readonly removed: readonly OutlinedWatch[];
  /** Watches that have the same id but read something else. Their memory is not continued. */
  readonly restarted: readonly OutlinedWatch[];
  readonly lines: readonly string[];
}

const MOST_NAMED = 20;

/** `lines` have a reading order: watches, rules, people, credits. */
export function changesOf(before: Outline, after: Outline): PlanChanges {
  const old = new Map(before.watches.map((watch) => [watch.id, watch]));
  const next = new Map(after.watches.map((watch) => [watch.id, watch]));
  const added = after.watches.filter(({ id }) => !old.has(id));
  const removed = before.watches.filter(({ id }) => !next.has(id));
  const restarted = after.watches.filter(({ id, checksum }) => (old.get(id)?.checksum ?? checksum) !== checksum);
  const kept = Map.groupBy(
    after.watches.filter(({ id }) => old.has(id)),
    ({ rule }) => rule,
  );
  const rules = Object.entries(after.rules).flatMap(([rule, outline]) => {
    const former = before.rules[rule];
    const watches = (kept.get(rule) ?? []).map((now) => ({ was: old.get(now.id), now }));
    return former === undefined ? [] : ruleLines({ rule, before: former, after: outline, watches });
  });
  const moved = new Set(removed.map(({ name }) => name)).intersection(new Set(added.map(({ name }) => name)));
  const isOther = ({ name }: OutlinedWatch): boolean => !moved.has(name);
  const lines = [
    ...named('added', added.filter(isOther)),
    ...named('removed', removed.filter(isOther)),
    ...named(
      'changed',
      [...restarted, ...added.filter((watch) => !isOther(watch))],
      ': it reads other data, so it starts with a new baseline',
    ),
    ...rules,
    ...reportLines(before.reports, after.reports),
    ...nameLines(before.names, after.names),
    ...routingLines(before.routing, after.routing),
    ...peopleLines(before, after),
    ...creditLines(before.credits, after.credits),
  ];
  return { added, removed, restarted, lines };
}

function named(what: string, watches: readonly OutlinedWatch[], why = ''): string[] {
  const lines = watches.map(({ name }) => `${what} ${name}${why}`);
  return [...firstOf(lines, (more) => `${what} ${more} more`)];
}

interface ChangedRule {
  readonly rule: string;
  readonly before: RuleOutline;
  readonly after: RuleOutline;
  /** The watches in both configs. */
  readonly watches: readonly { readonly was: OutlinedWatch | undefined; readonly now: OutlinedWatch }[];
}

function ruleLines(changed: ChangedRule): string[] {
  const { rule, before, after } = changed;
  const schedule =
    before.schedule === after.schedule ? [] : [`changed ${rule}: ${before.schedule} becomes ${after.schedule}`];
  return [
    ...schedule,
    ...wasNowLines(rule, before.reads, after.reads),
    ...keysOf(before.alerts, after.alerts).flatMap((id) => alertLines(changed, id)),
  ];
}

/** The keys of both, each once, those of `before` first. */
function keysOf(before: object, after: object): string[] {
  return [...new Set([...Object.keys(before), ...Object.keys(after)])];
}

function wasNowLines(name: string, before: string, after: string): string[] {
  if (before === after) return [];
  return [`changed ${name}`, `  was ${shownOrNone(before)}`, `  now ${shownOrNone(after)}`];
}

/** Changed titles, runbooks and other parts of messages. */
function wordLines(name: string, before: AlertOutline['words'], after: AlertOutline['words']): string[] {
  return keysOf(before, after).flatMap((part) => {
    const [was, now] = [before[part] ?? '', after[part] ?? ''];
    return was === now ? [] : [`changed ${name}: ${part}: ${shownOrNone(was)} becomes ${shownOrNone(now)}`];
  });
}

function reportLines(before: Outline['reports'], after: Outline['reports']): string[] {
  return keysOf(before, after).flatMap((id) => {
    const [was, now] = [before[id], after[id]];
    const told = was === undefined || now === undefined ? [] : toldLine(`report ${id}`, was.tells, now.tells);
    return [...outlinedLines(`report ${id}`, was, now), ...told];
  });
}

function outlinedLines(name: string, before?: AlertOutline, after?: AlertOutline): string[] {
  if (before === undefined) return after === undefined ? [] : [`added ${name}: ${shown(after.says)}`];
  if (after === undefined) return [`removed ${name}: ${shown(before.says)}`];
  return [...wasNowLines(name, before.says, after.says), ...wordLines(name, before.words, after.words)];
}

/** A name that is added or removed changes only what its rules show. */
function nameLines(before: Outline['names'], after: Outline['names']): string[] {
  const kept = Object.entries(after).flatMap(([name, now]) => {
    const was = before[name] ?? now;
    return was === now ? [] : [`changed the name ${name}: ${shown(was)} becomes ${shown(now)}`];
  });
  return [...firstOf(kept, (more) => `changed ${more} more names`)];
}

function routingLines(before: Outline['routing'], after: Outline['routing']): string[] {
  const [was, now] = [before.map(({ says }) => says), after.map(({ says }) => says)];
  const removed = was.filter((line) => !now.includes(line)).map((line) => `removed ${shown(line)}`);
  const added = now.filter((line) => !was.includes(line)).map((line) => `added ${shown(line)}`);
  if (removed.length + added.length > 0)
    return [...firstOf(removed, (more) => `removed ${more} more`), ...firstOf(added, (more) => `added ${more} more`)];
  return was.join('\n') === now.join('\n') ? [] : ['changed: the routes are in another order'];
}

function alertLines(changed: ChangedRule, id: string): string[] {
  const [before, after] = [changed.before.alerts[id], changed.after.alerts[id]];
  const name = `${changed.rule}/${id}`;
  const says = outlinedLines(name, before, after);
  if (before === undefined || after === undefined) return says;
  const isVaried = changed.watches.some(({ was, now }) => (was?.tells[id] ?? now.tells[id]) !== undefined);
  if (!isVaried) return [...says, ...toldLine(name, before.tells, after.tells)];
  const told = changed.watches.flatMap(({ was, now }) =>
    toldLine(`${now.name}/${id}`, was?.tells[id] ?? before.tells, now.tells[id] ?? after.tells),
  );
  return [...says, ...firstOf(told, (more) => `changed the recipients of ${name} on ${more} more watches`)];
}

type Recipients = AlertOutline['tells'];

function toldLine(name: string, before: Recipients, after: Recipients): string[] {
  const [was, now] = [shownRecipients(before), shownRecipients(after)];
  return was === now ? [] : [`changed ${name}: recipients were ${was}, now ${now}`];
}

function shownRecipients(recipients: Recipients): string {
  return recipients.length === 0 ? 'none' : recipients.map(showRecipient).join(', ');
}

function firstOf(lines: readonly string[], rest: (more: number) => string): readonly string[] {
  return lines.length > MOST_NAMED ? [...lines.slice(0, MOST_NAMED), rest(lines.length - MOST_NAMED)] : lines;
}

const MOST_TEXT = 500;

function shown(says: string): string {
  return singleLine(says, MOST_TEXT);
}

function shownOrNone(says: string): string {
  return says === '' ? 'none' : shown(says);
}

/** Lines about recipients that are new, and recipients that get no messages any more. */
function peopleLines(before: Outline, after: Outline): string[] {
  const was = recipientsOf(before);
  const now = recipientsOf(after);
  return [
    ...[...now].filter((who) => !was.has(who)).map((who) => `new recipient: ${who}`),
    ...[...was].filter((who) => !now.has(who)).map((who) => `no longer a recipient: ${who}`),
  ];
}

function recipientsOf({ rules, reports, routing }: Outline): Set<string> {
  const alerts = Object.values(rules).flatMap((rule) => Object.values(rule.alerts));
  return new Set([...alerts, ...Object.values(reports), ...routing].flatMap(({ tells }) => tells.map(showRecipient)));
}

function creditLines(before: Outline['credits'], after: Outline['credits']): string[] {
  return keysOf(before, after).flatMap((explorer) => {
    const [was, now] = [before[explorer] ?? 0, after[explorer] ?? 0];
    return was === now ? [] : [`${explorer}: ${countOf(was)} credits a day become ${countOf(now)}`];
  });
}
