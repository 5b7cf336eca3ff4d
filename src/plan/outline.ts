// A summary of the running config, with which `plan` compares. The daemon writes it into the state file at every load.
import { z } from 'zod';
import type { Config, Name } from '../config/model.ts';
import { recipientsIn } from '../config/routing/recipients.ts';
import { recipientsOn } from '../core/model/delivery.ts';
import type { Labels, RecipientsOf } from '../core/model/ids.ts';
import type { Report } from '../core/reports/model.ts';
import { formatDuration } from '../lib/durations.ts';
import { conditionText, eventText } from '../core/alerts/sentence.ts';
import type { AlertRule, Watch } from '../core/model/watch/watch.ts';
import { dailyCosts } from '../rules/costs.ts';
import { showSchedule } from '../rules/describe.ts';
import { routingOf } from './routing.ts';

const Recipients = z.array(z.object({ channel: z.string(), recipient: z.string() }));

const AlertOutline = z.object({
  /** `critical: while balance < 5 until balance > 6 for 2m` */
  says: z.string(),
  /** The parts of its messages, as written: `title`, `runbook`, `labels`. */
  words: z.record(z.string(), z.string()),
  tells: Recipients,
});

/** `reads`: `reads pause() 0x8456cb59`; empty for most kinds. */
const RuleOutline = z.object({ schedule: z.string(), reads: z.string(), alerts: z.record(z.string(), AlertOutline) });

/** `says`: `route severity=critical: notify ops, repeat 4h`. `tells`: who is called later. */
const RoutingOutline = z.object({ says: z.string(), tells: Recipients });

/** Rules by id, since all watches of a rule have its schedule and its alerts. */
const Outline = z.object({
  rules: z.record(z.string(), RuleOutline),
  watches: z.array(
    z.object({
      id: z.string(),
      name: z.string(),
      rule: z.string(),
      checksum: z.string(),
      /** The recipients by alert, for alerts whose recipients differ between the watches of the rule. */
      tells: z.record(z.string(), Recipients).default({}),
    }),
  ),
  reports: z.record(z.string(), AlertOutline),
  /** The addresses of each name in the config. */
  names: z.record(z.string(), z.string()),
  /** Routes in their order, inhibitions, and the channels of `self`. */
  routing: z.array(RoutingOutline),
  credits: z.record(z.string(), z.number()),
});

export type Outline = z.infer<typeof Outline>;
export type RuleOutline = z.infer<typeof RuleOutline>;
export type AlertOutline = z.infer<typeof AlertOutline>;

/** The parts of a setup that a summary reads. */
export interface Outlined {
  readonly watches: readonly Watch[];
  readonly reports: readonly Report[];
  readonly config: Pick<Config, 'names' | 'channels' | 'routes' | 'inhibit' | 'self'>;
}

export function outlineOf({ watches, reports, config }: Outlined): Outline {
  const recipientsOf = recipientsIn(config);
  const rules = [...Map.groupBy(watches, ({ rule }) => rule)];
  return {
    rules: Object.fromEntries(rules.map(([rule, instances]) => [rule, ruleOf(instances, recipientsOf)])),
    watches: rules.flatMap(([, instances]) => watchesOf(instances, recipientsOf)),
    reports: Object.fromEntries(reports.map((report) => [report.id, reportOf(report, recipientsOf)])),
    names: Object.fromEntries([...config.names].map(([name, meaning]) => [name, addressesText(meaning)])),
    routing: routingOf(config, recipientsOf),
    credits: Object.fromEntries([...dailyCosts(watches)].map(([explorer, { credits }]) => [explorer, credits])),
  };
}

function watchesOf(instances: readonly Watch[], recipientsOf: RecipientsOf): Outline['watches'] {
  const varied = [...variantsOf(instances)].flatMap(([id, variants]) => (variants.length > 1 ? [id] : []));
  return instances.map(({ id, name, rule, checksum, alerts }) => {
    const own = alerts.filter((alert) => varied.includes(alert.id));
    const tells = Object.fromEntries(own.map((alert) => [alert.id, alertOf([alert], recipientsOf).tells]));
    return { id, name, rule, checksum, tells };
  });
}

/** The alerts by id. Instances of a rule differ only in the recipients of their alerts. */
function variantsOf(instances: readonly Watch[]): ReadonlyMap<string, readonly AlertRule[]> {
  return Map.groupBy(new Set(instances.flatMap(({ alerts }) => alerts)), ({ id }) => id);
}

/** The summary that a daemon wrote; null if there is none, or if another release wrote it. */
export function readOutline(written: unknown): Outline | null {
  return Outline.safeParse(written).data ?? null;
}

/** Names all recipients of all instances. */
function ruleOf(instances: readonly Watch[], recipientsOf: RecipientsOf): RuleOutline {
  const [first] = instances;
  return {
    schedule: first === undefined ? '' : showSchedule(first.schedule),
    reads: first === undefined ? '' : readsText(first),
    alerts: Object.fromEntries(
      [...variantsOf(instances)].map(([id, variants]) => [id, alertOf(variants, recipientsOf)]),
    ),
  };
}

function readsText({ kind, target }: Watch): string {
  const { units } = target.options as { readonly units?: Readonly<Record<string, number>> };
  const decimals = Object.entries(units ?? {}).map(([name, count]) => `${name} ${count}`);
  const words = kind.describeOptions?.(target.options, target) ?? null;
  return [...(words === null ? [] : [words]), ...(decimals.length === 0 ? [] : [`units ${decimals.join(', ')}`])].join(
    '; ',
  );
}

function alertOf(variants: readonly AlertRule[], recipientsOf: RecipientsOf): AlertOutline {
  const [first] = variants;
  const channels = variants.flatMap(({ notify }) => notify);
  return {
    says: first === undefined ? '' : alertText(first),
    words: first === undefined ? {} : wordsOf(first),
    tells: recipientsOn(channels, recipientsOf),
  };
}

function wordsOf(alert: AlertRule): Record<string, string> {
  const { title, text, runbook, labels } = alert;
  const resolved = alert.type === 'event' ? null : alert.resolved;
  const values = alert.type === 'event' ? (alert.report?.values ?? []) : [];
  return written({
    title: title?.written,
    text: text?.written,
    resolved: resolved?.written,
    runbook,
    labels: labelsText(labels),
    values: values.map(({ name }) => name).join(', '),
  });
}

function reportOf(report: Report, recipientsOf: RecipientsOf): AlertOutline {
  const { severity, schedule, members, values, total, zone, labels, notify } = report;
  return {
    says: `${severity}: ${showSchedule(schedule)} of ${members.map(({ name }) => name).join(', ')}`,
    words: written({
      values: values.map((value) => (value.type === 'field' ? value.path : value.name)).join(', '),
      total,
      time_zone: zone,
      labels: labelsText(labels),
    }),
    tells: recipientsOn(notify, recipientsOf),
  };
}

function addressesText(name: Name): string {
  if (name.type === 'address') return name.address.key;
  if (name.type === 'group') return name.addresses.map(({ key }) => key).join(', ');
  const everywhere = name.everywhere === null ? [] : [name.everywhere.key];
  return [...everywhere, ...[...name.byExplorer].map(([explorer, { key }]) => `${explorer} ${key}`)].join(', ');
}

function labelsText(labels: Labels): string {
  return Object.entries(labels)
    .map(([label, value]) => `${label}=${value}`)
    .join(' ');
}

/** Without the parts that the rule does not have. */
function written(words: Readonly<Record<string, string | null | undefined>>): Record<string, string> {
  const isWritten = (entry: [string, string | null | undefined]): entry is [string, string] => Boolean(entry[1]);
  return Object.fromEntries(Object.entries(words).filter(isWritten));
}

/** Everything that decides whether the alert is sent, on one line. */
function alertText(alert: AlertRule): string {
  const words = [`${alert.severity}:`];
  if (alert.type === 'condition') words.push('while', alert.while.text);
  else words.push(alert.type === 'event' ? eventText(alert) : conditionText({ ...alert, if: null }));
  if (alert.type !== 'condition' && alert.if !== null) words.push('if', alert.if.text);
  if (alert.type === 'condition' && alert.until !== null) words.push('until', alert.until.text);
  if (alert.type === 'count' && alert.per.length > 0) words.push('per', alert.per.join(', '));
  return [...words, ...(alert.type === 'event' ? depthOf(alert) : waitsOf(alert))].join(' ');
}

function depthOf({ confirmations, provisional, enrich = [] }: Extract<AlertRule, { type: 'event' }>): string[] {
  return [
    ...(confirmations === 0 ? [] : [`confirmations ${confirmations}${provisional ? ' provisional' : ''}`]),
    ...(enrich.length === 0 ? [] : [`enrich ${enrich.join(', ')}`]),
  ];
}

function waitsOf(alert: Exclude<AlertRule, { type: 'event' }>): string[] {
  const waits = { for: alert.forMs, keep_firing_for: alert.keepFiringForMs, cooldown: alert.cooldownMs };
  return Object.entries(waits).flatMap(([name, ms]) => (ms === 0 ? [] : [`${name} ${formatDuration(ms)}`]));
}
