// Open alerts with what a person needs to judge them.
import { talliesAfter, totalsOf } from '../../core/alerts/tallies.ts';
import type { Segment } from '../../core/model/watch/condition.ts';
import type { ConditionState, CountedItem, GroupState, Memory } from '../../core/model/memory.ts';
import type { CountAlert, Watch } from '../../core/model/watch/watch.ts';
import { showInstant, type Instant } from '../../lib/clock.ts';
import type { EpisodeName } from '../../store/contract/alerts.ts';
import { limitOf, measureOf } from '../values/measure.ts';
import type { CardGroup } from './card-groups.ts';
import type { OpenAlert } from './open-alerts.ts';
import { readingFor } from '../values/readings.ts';
import { recipientsOf } from './recipients.ts';
import { drawnPath, linesOf } from '../values/lines.ts';
import type { AlertCard } from '../shapes/alerts.ts';
import type { MeasureShape, RecipientStatus, Subject } from '../shapes/common.ts';
import { ackJson } from '../../operators/shapes.ts';
import type { QueryContext } from '../view.ts';

const LINE_MS = 6 * 3_600_000;

export async function cardsOf(view: QueryContext, groups: readonly CardGroup[]): Promise<AlertCard[]> {
  const statusOf = await recipientsOf(
    view,
    groups.map(({ first }) => first.row),
  );
  const cards: AlertCard[] = [];
  for (const group of groups) cards.push(await cardOf(view, group, statusOf(group.first.row)));
  return cards;
}

/** When the oldest of them began, or happened. */
export function oldestOf({ all }: CardGroup): Instant {
  return Math.min(...all.map(({ row }) => row.since));
}

async function cardOf(view: QueryContext, group: CardGroup, recipients: RecipientStatus[]): Promise<AlertCard> {
  const { first: alert, all } = group;
  const { row, watch, ack, silence } = alert;
  return {
    ...newestOf(alert),
    rule: row.rule,
    is_open: alert.isOpen,
    alerts: all.length,
    since: showInstant(oldestOf(group)),
    up_to: showInstant(Math.max(...all.map((one) => one.row.at))),
    ...(await presentOf(view, alert)),
    of: watch && subjectOf(watch),
    detail: row.isEvent ? await detailOf(view, row) : [],
    line_has_limits: hasDrawnLimit(alert),
    line: watch === null ? [] : await linesOf(view, watch, view.now - LINE_MS),
    recipients,
    ack: ack && ackJson(ack),
    silence: silence?.id ?? null,
  };
}

type Present = Pick<AlertCard, 'state' | 'firings' | 'measure' | 'count'>;

/** How it stands now, whoever has it in hand. */
export async function presentOf(view: QueryContext, alert: OpenAlert): Promise<Present> {
  const found = stateOf(view, alert);
  return {
    state: alert.row.isEvent ? 'event' : shownState(found?.condition ?? null),
    firings: firingsIn(found),
    measure: await openMeasure(view, alert),
    count: countIn(alert, found, view.now),
  };
}

/** A line is of one field: the limit of a change, or of another field, is not on its scale. */
function hasDrawnLimit({ watch, rule }: OpenAlert): boolean {
  if (watch === null || rule?.type !== 'condition') return false;
  const subject = limitOf(rule.while)?.subject;
  return subject?.type === 'field' && !subject.isBefore && subject.path === drawnPath(watch);
}

/** Which alert it is, as its newest message has it. */
export function newestOf({ row: { key, episode, seq, name, alert, title, severity, since } }: Pick<OpenAlert, 'row'>) {
  return { key, episode, seq, watch: name, alert, title, severity, since: showInstant(since) };
}

export function subjectOf({ of, target, pageUrl }: Watch): Subject | null {
  if (of === null) return null;
  const page = pageUrl === null ? null : `${pageUrl}/address/${of.address}`;
  return { name: of.name, address: of.address, explorer: target.explorer, page_url: page };
}

/** The value of a condition against its limit; null of events and counts. */
export async function openMeasure(
  view: QueryContext,
  { watch, rule }: Pick<OpenAlert, 'watch' | 'rule'>,
): Promise<MeasureShape | null> {
  if (watch === null || rule?.type !== 'condition') return null;
  return measureOf(watch, rule, await readingFor(view, watch, rule));
}

interface FoundState {
  readonly condition: ConditionState;
  readonly group: GroupState | null;
}

/** What is remembered of the condition that the alert is of; null: nothing, or it is an event. */
function stateOf({ runtime }: QueryContext, { row, watch }: OpenAlert): FoundState | null {
  const memory = watch && runtime.memoryOf(watch.id);
  return memory === null ? null : (statesIn(memory, row.alert).find(({ condition }) => isOf(condition, row)) ?? null);
}

export function statesIn({ alerts }: Memory, alert: string): FoundState[] {
  const found: FoundState[] = [];
  const byKey = alerts[alert];
  for (const key in byKey) {
    const one = byKey[key];
    if (one?.type === 'condition') found.push({ condition: one, group: null });
    if (one?.type === 'group') found.push({ condition: one.condition, group: one });
  }
  return found;
}

function isOf({ firing, episode }: ConditionState, name: EpisodeName): boolean {
  return firing?.key === name.key && episode >= name.episode;
}

function shownState(condition: ConditionState | null): 'firing' | 'recovering' | 'flapping' {
  if (condition === null) return 'firing';
  if (condition.flapping !== null) return 'flapping';
  return condition.state === 'recovering' ? 'recovering' : 'firing';
}

/** How often it fired while it was flapping. */
function firingsIn(found: FoundState | null): number {
  return found === null || found.condition.flapping === null ? 0 : found.condition.firings.length;
}

function countIn({ rule }: OpenAlert, found: FoundState | null, now: Instant): AlertCard['count'] {
  const group = found?.group ?? null;
  return group === null || rule?.type !== 'count' ? null : countOf(rule, group, now);
}

function countOf({ fires }: CountAlert, { matches, tallies, items }: GroupState, now: Instant): AlertCard['count'] {
  const window_ms = fires.type === 'none-for' ? fires.ms : fires.withinMs;
  const isSummed = fires.type === 'sum' || fires.type === 'ratio';
  const count = isSummed
    ? totalsOf(talliesAfter(tallies, now - window_ms), now).items
    : matches.filter((at) => at > now - window_ms && at <= now).length;
  const limit = fires.type === 'at-least' ? fires.count : null;
  return { count, limit, window_ms, newest: itemText(items.at(-1)) };
}

function itemText(item: CountedItem | undefined): Segment[] {
  return item === undefined || item.place === '' ? [] : [{ text: item.place }];
}

/** What the newest message of an event says first. */
async function detailOf({ store }: QueryContext, name: EpisodeName): Promise<AlertCard['detail']> {
  const newest = (await store.messages({ key: name.key, episode: name.episode })).at(-1);
  return newest === undefined ? [] : firstLine(newest);
}

export function firstLine({
  detail,
  lines,
}: {
  detail: string | null;
  lines: readonly (readonly Segment[])[];
}): Segment[] {
  const [first] = lines;
  if (first !== undefined) return [...first];
  return detail === null ? [] : [{ text: detail }];
}
