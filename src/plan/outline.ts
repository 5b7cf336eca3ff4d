// A summary of the running config, with which `plan` compares. The daemon writes it into the state file at every load.
import type { RecipientsOf } from '../core/model/ids.ts';
import { z } from 'zod';
import { formatDuration } from '../lib/durations.ts';
import { conditionText, eventText } from '../core/alerts/sentence.ts';
import type { AlertRule, Watch } from '../core/model/watch/watch.ts';
import { dailyCosts } from '../rules/costs.ts';
import { showRecipient, showSchedule } from '../rules/describe.ts';

const Recipients = z.array(z.object({ channel: z.string(), recipient: z.string() }));

const AlertOutline = z.object({
  /** `critical: while balance < 5 until balance > 6 for 2m` */
  says: z.string(),
  tells: Recipients,
});

const RuleOutline = z.object({ schedule: z.string(), alerts: z.record(z.string(), AlertOutline) });

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
  credits: z.record(z.string(), z.number()),
});

export type Outline = z.infer<typeof Outline>;
export type RuleOutline = z.infer<typeof RuleOutline>;
export type AlertOutline = z.infer<typeof AlertOutline>;

/** The summary of these watches. */
export function outlineOf(watches: readonly Watch[], recipientsOf: RecipientsOf): Outline {
  const rules = [...Map.groupBy(watches, ({ rule }) => rule)];
  return {
    rules: Object.fromEntries(rules.map(([rule, instances]) => [rule, ruleOf(instances, recipientsOf)])),
    watches: rules.flatMap(([, instances]) => watchesOf(instances, recipientsOf)),
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
  const schedule = instances
    .slice(0, 1)
    .map((watch) => showSchedule(watch.schedule))
    .join();
  return {
    schedule,
    alerts: Object.fromEntries(
      [...variantsOf(instances)].map(([id, variants]) => [id, alertOf(variants, recipientsOf)]),
    ),
  };
}

function alertOf(variants: readonly AlertRule[], recipientsOf: RecipientsOf): AlertOutline {
  const recipients = variants.flatMap(({ notify }) => notify.flatMap((channel) => recipientsOf(channel) ?? []));
  const tells = new Map(recipients.map((one) => [showRecipient(one), one]));
  return { says: variants.slice(0, 1).map(alertText).join(), tells: [...tells.values()] };
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
