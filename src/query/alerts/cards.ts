// Open alerts with the facts that a person needs to judge them.
import type { Segment } from '../../core/model/watch/condition.ts';
import type { ConditionState } from '../../core/model/memory.ts';
import type { Watch } from '../../core/model/watch/watch.ts';
import { explorerLinks } from '../../core/wording/words.ts';
import { showInstant, type Instant } from '../../lib/clock.ts';
import type { EpisodeName } from '../../store/contract/alerts.ts';
import { stateOf, type FoundState } from './found-state.ts';
import { limitOf, measureOf } from '../values/measure.ts';
import type { CardGroup } from './card-groups.ts';
import { countNow } from './count-now.ts';
import type { OpenAlert } from './open-alerts.ts';
import { readingFor } from '../values/readings.ts';
import { recipientsOf } from './recipients.ts';
import { titlesOf } from './titles.ts';
import { drawnPath, linesOf } from '../values/lines.ts';
import type { AlertCard } from '../shapes/alerts.ts';
import type { MeasureShape, Subject } from '../shapes/common.ts';
import { ackJson } from '../../operators/shapes.ts';
import type { QueryContext } from '../view.ts';

const LINE_MS = 6 * 3_600_000;

export async function cardsOf(view: QueryContext, groups: readonly CardGroup[]): Promise<AlertCard[]> {
  const alerts = groups.map(({ first }) => first);
  const statusOf = await recipientsOf(
    view,
    alerts.map(({ row }) => row),
  );
  const titleOf = await titlesOf(view, alerts);
  const cards: AlertCard[] = [];
  for (const group of groups) {
    const { first } = group;
    cards.push(await cardOf(view, group, { title: titleOf(first), recipients: statusOf(first.row) }));
  }
  return cards;
}

/** The time at which the oldest alert of the group began or happened. */
function oldestOf({ all }: CardGroup): Instant {
  return Math.min(...all.map(({ row }) => row.since));
}

/** The time at which the first alert of the group fired or happened. */
export function firstToldOf({ all }: CardGroup): Instant {
  return Math.min(...all.map(({ row }) => row.firedAt ?? row.since));
}

async function cardOf(
  view: QueryContext,
  group: CardGroup,
  shown: Pick<AlertCard, 'title' | 'recipients'>,
): Promise<AlertCard> {
  const { first: alert, all } = group;
  const { row, watch, ack, silence } = alert;
  const standing = await standingOf(view, alert);
  return {
    ...newestOf(alert),
    ...shown,
    rule: row.rule,
    labels: { ...row.labels },
    is_open: alert.isOpen,
    alerts: all.length,
    since: showInstant(oldestOf(group)),
    up_to: showInstant(Math.max(...all.map((one) => one.row.at))),
    ...standing,
    of: watch && subjectOf(watch),
    runbook: alert.rule?.runbook ?? null,
    ...(row.isEvent ? await toldOf(view, row) : { detail: [], links: itemLinks(standing.count) }),
    line_has_limits: hasDrawnLimit(alert),
    line: watch === null ? [] : await linesOf(view, watch, view.now - LINE_MS),
    ack: ack && ackJson(ack),
    silence: silence?.id ?? null,
  };
}

type Standing = Pick<AlertCard, 'state' | 'firings' | 'measure' | 'count'>;

/** The present state of an alert, whether or not it is acknowledged. */
export async function standingOf(view: QueryContext, alert: OpenAlert): Promise<Standing> {
  const found = foundFor(view, alert);
  return {
    state: alert.row.isEvent ? 'event' : shownState(found?.condition ?? null),
    firings: firingsIn(found),
    measure: await openMeasure(view, alert),
    count: countIn(view, alert, found),
  };
}

/**
 * True if the limit fits the scale of the drawing. A card draws one field, so a limit of a change, or of another field,
 * does not fit.
 */
function hasDrawnLimit({ watch, rule }: OpenAlert): boolean {
  if (watch === null || rule?.type !== 'condition') return false;
  const subject = limitOf(rule.while)?.subject;
  return subject?.type === 'field' && !subject.isBefore && subject.path === drawnPath(watch);
}

/** The fields that identify an alert, from its newest message. */
export function newestOf({ row: { key, episode, seq, name, alert, severity, since } }: Pick<OpenAlert, 'row'>) {
  return { key, episode, seq, watch: name, alert, severity, since: showInstant(since) };
}

export function subjectOf({ of, target, pageUrl }: Watch): Subject | null {
  if (of === null) return null;
  const page = pageUrl === null ? null : `${pageUrl}/address/${of.address}`;
  return { name: of.name, address: of.address, explorer: target.explorer, page_url: page };
}

/** The value of a condition against its limit; null for events, counts, and conditions without such a limit. */
export async function openMeasure(
  view: QueryContext,
  { watch, rule }: Pick<OpenAlert, 'watch' | 'rule'>,
): Promise<MeasureShape | null> {
  if (watch === null || rule?.type !== 'condition') return null;
  return measureOf(watch, rule, await readingFor(view, watch, rule));
}

/** The alert's condition in the memory; null: the memory does not contain it, or the alert is an event. */
function foundFor({ runtime }: QueryContext, { row, watch }: OpenAlert): FoundState | null {
  const memory = watch === null ? undefined : runtime.readings.memoryOf(watch.id);
  return memory === undefined ? null : stateOf(memory, row);
}

function shownState(condition: ConditionState | null): 'firing' | 'recovering' | 'flapping' {
  if (condition === null) return 'firing';
  if (condition.flapping !== null) return 'flapping';
  return condition.state === 'recovering' ? 'recovering' : 'firing';
}

/** The number of firings while the alert flaps; else 0. */
function firingsIn(found: FoundState | null): number {
  return found === null || found.condition.flapping === null ? 0 : found.condition.firings.length;
}

/** The count as of the last poll; later items are unknown. */
function countIn(
  { runtime, now }: QueryContext,
  { rule, watch }: OpenAlert,
  found: FoundState | null,
): AlertCard['count'] {
  const group = found?.group ?? null;
  if (watch === null || group === null || rule?.type !== 'count') return null;
  return countNow(watch, rule, group, runtime.readings.memoryOf(watch.id)?.coveredUntil ?? now);
}

/** The newest message of an event: its first line, and its links. */
async function toldOf({ store }: QueryContext, name: EpisodeName): Promise<Pick<AlertCard, 'detail' | 'links'>> {
  const newest = (await store.messages({ key: name.key, episode: name.episode })).at(-1);
  return newest === undefined ? { detail: [], links: [] } : { detail: firstLine(newest), links: explorerLinks(newest) };
}

function itemLinks(count: AlertCard['count']): AlertCard['links'] {
  const pages = (count?.items ?? []).flatMap(({ page_url: page }) => page ?? []);
  return explorerLinks({ links: [...new Set(pages)] });
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
