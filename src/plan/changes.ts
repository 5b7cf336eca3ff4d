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
  const ids = new Set([...Object.keys(before.alerts), ...Object.keys(after.alerts)]);
  return [...schedule, ...[...ids].flatMap((id) => alertLines(changed, id))];
}

function alertLines(changed: ChangedRule, id: string): string[] {
  const [before, after] = [changed.before.alerts[id], changed.after.alerts[id]];
  const name = `${changed.rule}/${id}`;
  if (before === undefined) return after === undefined ? [] : [`added ${name}: ${shown(after.says)}`];
  if (after === undefined) return [`removed ${name}: ${shown(before.says)}`];
  const says =
    before.says === after.says ? [] : [`changed ${name}`, `  was ${shown(before.says)}`, `  now ${shown(after.says)}`];
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

/** Lines about recipients that are new, and recipients that get no messages any more. */
function peopleLines(before: Outline, after: Outline): string[] {
  const was = recipientsOf(before);
  const now = recipientsOf(after);
  return [
    ...[...now].filter((who) => !was.has(who)).map((who) => `new recipient: ${who}`),
    ...[...was].filter((who) => !now.has(who)).map((who) => `no longer a recipient: ${who}`),
  ];
}

function recipientsOf({ rules }: Outline): Set<string> {
  const alerts = Object.values(rules).flatMap((rule) => Object.values(rule.alerts));
  return new Set(alerts.flatMap(({ tells }) => tells.map(showRecipient)));
}

function creditLines(before: Outline['credits'], after: Outline['credits']): string[] {
  const explorers = new Set([...Object.keys(before), ...Object.keys(after)]);
  return [...explorers].flatMap((explorer) => {
    const [was, now] = [before[explorer] ?? 0, after[explorer] ?? 0];
    return was === now ? [] : [`${explorer}: ${countOf(was)} credits a day become ${countOf(now)}`];
  });
}
