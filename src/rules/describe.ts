// The output of `check`: the questions of every watch, how often they are asked, and their cost.
import { MOST_DETAILED } from '../core/model/details.ts';
import { showCron } from '../core/model/watch/schedule.ts';
import type { Config } from '../config/model.ts';
import { formatDuration } from '../lib/durations.ts';
import { sharedPlans, type SharedPlan } from '../config/shared-plans.ts';
import type { Schedule, Watch } from '../core/model/watch/watch.ts';
import type { Recipient } from '../core/model/ids.ts';
import { inColumns } from '../lib/columns.ts';
import { singleLine } from '../lib/untrusted.ts';
import { shortHex } from '../core/values/address.ts';
import { askedBy, firstQuestionsOf, keptForDetails } from '../core/spending/asked.ts';
import { costOfWatch, dailyCosts } from './costs.ts';
import { countOf } from './counts.ts';
import { plannedWords } from './stretch.ts';

export interface Description {
  /** One line per watch, then one per explorer with the sum. */
  readonly lines: readonly string[];
  /** One sentence per plan that is exceeded. */
  readonly warnings: readonly string[];
}

export function describeWatches(watches: readonly Watch[], config: Config): Description {
  const others = new Map(
    askedBy(watches).flatMap(({ operation, watches: asking }) =>
      asking
        .filter((watch) => firstQuestionsOf(watch)[0]?.operation === operation)
        .map((watch) => [watch, asking.length - 1] as const),
    ),
  );
  const lines = inColumns(watches.map((watch) => rowOf(watch, others.get(watch) ?? 0)));
  lines.push(...optionLines(watches), ...new Set(watches.flatMap(detailLine)));
  const plans = sharedPlans(config.explorers);
  for (const [explorer, { requests, credits }] of dailyCosts(watches)) {
    const costs = `${countOf(requests)} requests a day, ${countOf(credits)} credits a day`;
    const shared = plans.get(explorer);
    const own = watches.filter(({ target }) => shared?.explorers.includes(target.explorer));
    lines.push(`${explorer}: ${costs}${planText(explorer, shared, own)}`);
  }
  const planned = [...new Set(plans.values())].map((shared) => plannedWords(shared, watches));
  return {
    lines: [...lines, ...planned.flatMap((words) => words.lines)],
    warnings: planned.flatMap(({ warnings }) => warnings),
  };
}

/** One sentence per plan that does not suffice. */
export function exceededPlans(watches: readonly Watch[], { explorers }: Pick<Config, 'explorers'>): readonly string[] {
  return [...new Set(sharedPlans(explorers).values())].flatMap((shared) => plannedWords(shared, watches).warnings);
}

/** One line for each rule with options that need words. */
function optionLines(watches: readonly Watch[]): readonly string[] {
  const lines = watches.flatMap(({ rule, kind, target }) => {
    const words = kind.describeOptions?.(target.options, target) ?? null;
    return words === null ? [] : [`${rule}: ${words}`];
  });
  return [...new Set(lines)];
}

/** Any hash: the questions of details, and so their prices, are the same for all. */
const ANY = '0x';

/** `vault-direct: enrich asks transaction, 20 credits an item, for at most 5 items of a poll` */
function detailLine({ rule, alerts, kind, target }: Watch): string[] {
  const parts = [...new Set(alerts.flatMap((alert) => (alert.type === 'event' ? (alert.enrich ?? []) : [])))];
  if (kind.details === undefined || parts.length === 0) return [];
  const credits = kind.details.questions(target, ANY, parts).reduce((sum, question) => sum + question.credits, 0);
  const most = `for at most ${MOST_DETAILED} items of a poll`;
  return [`${rule}: enrich asks ${parts.join(', ')}, ${countOf(credits)} credits an item, ${most}`];
}

function rowOf(watch: Watch, others: number): readonly string[] {
  const { schedule, name, kind, alerts } = watch;
  const { requests, credits } = costOfWatch(watch);
  const paths = new Set(firstQuestionsOf(watch).map(({ shown }) => shortPath(shown)));
  return [
    name,
    `${kind.name}${subjectOf(watch)} on ${watch.target.explorer}`,
    showSchedule(schedule),
    `asks ${[...paths].join(' and ')}`,
    `${countOf(requests)} requests, ${countOf(credits)} credits a day`,
    `${alerts.length} ${alerts.length === 1 ? 'alert' : 'alerts'}${others > 0 ? `, shared with ${others} more` : ''}`,
  ];
}

/** `every 1m`, or `cron 0 3 * * *` */
export function showSchedule(schedule: Schedule): string {
  return schedule.type === 'cron' ? `cron ${showCron(schedule)}` : `every ${formatDuration(schedule.intervalMs)}`;
}

/** `oncall (ada@example.com)`, or only the name of the channel if it has one recipient. */
export function showRecipient({ channel, recipient }: Recipient): string {
  return channel === recipient ? channel : `${channel} (${singleLine(recipient)})`;
}

/** ` USDC of treasury` */
export function subjectOf({ of, token, kind, target }: Watch): string {
  const show = (it: { name: string | null; address: string }): string => it.name ?? shortHex(it.address);
  const what = token !== null ? ` ${show(token)}` : kind.token === 'optional' ? ` ${target.coin.symbol}` : '';
  return `${what}${of === null ? '' : ` of ${show(of)}`}`;
}

/** Up to the address: topics and fixed parameters would make the columns too wide to read. */
function shortPath(path: string): string {
  const [told = path] = /^api\?.*?(?:&address=0x[0-9a-f]+|(?=&topic))/i.exec(path) ?? [];
  return told.replace(/0x([0-9a-f]{4})[0-9a-f]{32}([0-9a-f]{4})/gi, '0x$1…$2');
}

function planText(explorer: string, shared: SharedPlan | undefined, watches: readonly Watch[]): string {
  const plan = shared?.plan ?? null;
  if (shared === undefined || plan === null || plan.credits === null) return '';
  const others = shared.explorers.filter((name) => name !== explorer);
  const reserve = plan.reservePercent > 0 ? `, ${plan.reservePercent}% of it kept back` : '';
  const forDetails = keptForDetails(watches, { ...plan, credits: plan.credits });
  const details = forDetails > 0 ? `, ${plan.enrichPercent}% of it for details` : '';
  const sharing = others.length > 0 ? `, shared with ${others.join(', ')}` : '';
  return ` of ${countOf(plan.credits)} a ${plan.per}${reserve}${details}${sharing}`;
}
