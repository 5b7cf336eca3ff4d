// The state of the watches: a line for each watch, or only remarks about watches that are not as usual.
import { healthOf, type HealthByAlert } from '../../core/model/health.ts';
import type { Alert, Memory } from '../../core/model/memory.ts';
import { type Instant, showDuration } from '../../lib/clock.ts';
import { showInZone } from '../../lib/time-zone.ts';
import type { UnreadRange } from '../../core/model/watch/kind.ts';
import { paceOf, type Watch } from '../../core/model/watch/watch.ts';
import type { Pause } from '../../core/model/watch/pause.ts';
import { activeSince } from '../../core/alerts/emission.ts';
import {
  blindFrom,
  dataWords,
  neverWordsOf,
  overdueFrom,
  pauseWords,
  waitingWords,
  type Looked,
} from '../../explain/data-words.ts';
import type { Trust } from '../../query/shapes/overview.ts';
import { firstNames } from '../../lib/first-names.ts';

export interface WatchStatus {
  readonly watch: Watch;
  readonly memory: Memory | undefined;
  /** True if the memory of the watch cannot be read. */
  readonly isDamaged: boolean;
  readonly health: HealthByAlert;
  /** The last pause, which may be over; null: there was none. */
  readonly pause: Pause | null;
  /** The time at which the daemon started. */
  readonly from: Instant | null;
}

export function everyWatch(all: readonly WatchStatus[], now: Instant): string[] {
  return all.flatMap((one) => {
    const { watch, isDamaged, memory } = one;
    const line = isDamaged ? damagedLine(watch) : lineOf(watch, memory, lookedAt(one, now));
    return [line, ...[...unreadOf(one), sweptOf(one)].filter((text) => text !== null), ...unwellOf(one, now)];
  });
}

/** The delay of the polls, then remarks about single watches. Equal remarks share one line. */
export function noteworthyWatches(all: readonly WatchStatus[], oldest: Trust['oldest'], now: Instant): string[] {
  const damaged = all.flatMap(({ watch, isDamaged }) => (isDamaged ? [damagedLine(watch)] : []));
  const noted = all.flatMap((one) => notesOn(one, now).map((words) => ({ words, name: one.watch.name })));
  const alike = [...Map.groupBy(noted, ({ words }) => words)].map(([words, same]) => {
    const names = same.map(({ name }) => name);
    return `${firstNames(names, MOST_NAMES)}: ${words}`;
  });
  const lines = [...damaged, ...alike, ...all.flatMap((one) => [...unreadOf(one), ...unwellOf(one, now)])];
  const beyond = lines.length - MOST_LINES;
  const left = beyond > 0 ? [`and ${beyond} more: chainwarden status --watches`] : [];
  return [behindLine(all.length, oldest), ...lines.slice(0, MOST_LINES), ...left];
}

const MOST_LINES = 20;

/** `9 watches. Furthest behind: treasury-usdc, last answer 8s ago, asked every 5s.` */
function behindLine(count: number, oldest: Trust['oldest']): string {
  const watches = `${count} ${count === 1 ? 'watch' : 'watches'}.`;
  if (oldest === null) return watches;
  const { watch, age_ms: ageMs, interval_ms: intervalMs } = oldest;
  const pace = `asked every ${showDuration(intervalMs)}`;
  return `${watches} Furthest behind: ${watch}, last answer ${showDuration(Math.max(ageMs, 1000))} ago, ${pace}.`;
}

const MOST_NAMES = 3;

function notesOn(one: WatchStatus, now: Instant): string[] {
  const { watch, memory, isDamaged } = one;
  if (isDamaged) return [];
  const looked = lookedAt(one, now);
  if (memory === undefined) return [['not asked yet', ...pauseWords(looked)].join('; ')];
  // Other lines name the causes of blind and overdue watches, so they are not repeated here.
  const isCaused = [blindFrom, overdueFrom].some((since) => since(watch, memory, looked) !== null);
  const isOk = memory.data === null || memory.data.state === 'ok';
  const words = isOk ? waitingWords(watch, memory, watch.zone) : dataWords(watch, memory, looked);
  const data = isCaused ? [] : words;
  const alerts = watch.alerts.flatMap(({ id }) => {
    const own = Object.values(memory.alerts[id] ?? {});
    const untold = own.filter(isUntold).flatMap((alert) => alertWords(id, alert, { ...memory, zone: watch.zone }));
    const never = neverWordsOf(watch, memory, id).map((text) => `${id}: ${text}`);
    return [...undecidedOf(id, own, watch.zone), ...untold, ...never];
  });
  const all = [...pauseWords(looked), ...data, ...alerts];
  return all.length === 0 ? [] : [all.join('; ')];
}

/** True if the alert fires without a message, because of a cooldown. */
function isUntold(alert: Alert): boolean {
  if (alert.type !== 'condition' && alert.type !== 'group') return false;
  const { state, firing } = alert.type === 'group' ? alert.condition : alert;
  return firing === null && (state === 'firing' || state === 'recovering');
}

function lookedAt({ watch, pause, from }: WatchStatus, now: Instant): Looked {
  return { pause, from, now, zone: watch.zone };
}

function damagedLine({ name }: Watch): string {
  return `${name}: the stored memory is damaged, so the watch is blind; chainwarden state forget '${name}' lets the watch start with a new baseline`;
}

function lineOf(watch: Watch, memory: Memory | undefined, at: Looked): string {
  const { now } = at;
  if (memory === undefined) return [`${watch.name}: not asked yet`, ...pauseWords(at)].join('; ');
  const { coveredUntil } = memory;
  const seen = coveredUntil === null ? 'no answer yet' : `last answer ${showDuration(now - coveredUntil)} ago`;
  const parts = [
    `${watch.name}: ${seen}`,
    ...pauseWords(at),
    ...dataWords(watch, memory, at),
    ...watch.alerts.flatMap(({ id }) => alertsOf(watch, id, memory)),
  ];
  return parts.join('; ');
}

/** Null: the watch reads no list, or has not read it yet. */
function coverageOf({ watch: { kind }, memory }: WatchStatus) {
  const state = memory === undefined || memory.state === null ? null : kind.state.safeParse(memory.state);
  return state?.success === true ? (kind.coverage?.(state.data) ?? null) : null;
}

/** `  calls: blocks 101-250 not read yet since 2026-01-01T00:00:00Z: 20 pages read` */
function unreadOf(one: WatchStatus): string[] {
  const { name, zone } = one.watch;
  return (coverageOf(one)?.unread ?? []).map((range) => `  ${name}: ${showUnread(range, zone)}`);
}

function sweptOf(one: WatchStatus): string | null {
  const coverage = coverageOf(one);
  if (coverage === null) return null;
  const { name, zone } = one.watch;
  const { sweptAt } = coverage;
  return `  ${name}: ${sweptAt === null ? 'not read again as a whole yet' : `last read again as a whole ${showInZone(zone, sweptAt)}`}`;
}

function showUnread({ heights, reason, since, isReadLater }: UnreadRange, zone: string): string {
  const state = isReadLater ? 'not read yet' : 'not read, and too deep to be reported';
  return `${heights} ${state}${since === null ? '' : ` since ${showInZone(zone, since)}`}: ${reason}`;
}

/** `  treasury/low: never-true since 2026-01-01T00:00:00Z` */
function unwellOf({ watch, health, memory }: WatchStatus, now: Instant): string[] {
  const { name, alerts, zone } = watch;
  return alerts.flatMap(({ id }) => {
    const record = health[id];
    const is = record === undefined ? 'ok' : healthOf(record, now, paceOf(watch, memory));
    if (record === undefined || is === 'ok') return [];
    return [`  ${name}/${id}: ${is} since ${showInZone(zone, record.unknownSince ?? record.since)}`];
  });
}

function alertsOf({ zone }: Watch, id: string, { alerts, data }: Memory): string[] {
  const own = Object.values(alerts[id] ?? {});
  return [...undecidedOf(id, own, zone), ...own.flatMap((alert) => alertWords(id, alert, { data, zone }))];
}

/** `reverted: 2 not decided yet, since 2026-01-01T00:00:00Z` */
function undecidedOf(id: string, alerts: readonly Alert[], zone: string): string[] {
  const since = alerts.flatMap((alert) => (alert.type === 'open' ? [alert.since] : []));
  return since.length === 0
    ? []
    : [`${id}: ${since.length} not decided yet, since ${showInZone(zone, Math.min(...since))}`];
}

function alertWords(id: string, alert: Alert, { data, zone }: Pick<Memory, 'data'> & Pick<Watch, 'zone'>): string[] {
  if (alert.type === 'open') return [];
  if (alert.type === 'event') return alert.state === 'confirmed' ? [] : [`${id} ${alert.state}`];
  const condition = alert.type === 'group' ? alert.condition : alert;
  const { state, flapping } = condition;
  if (state === 'inactive') return [];
  const began = activeSince(condition);
  const since = began === undefined ? '' : ` since ${showInZone(zone, began)}`;
  const unsure = data === null || data.state === 'ok' ? '' : `, unverified since ${showInZone(zone, data.since)}`;
  return [`${id} ${state}${since}${flapping === null ? '' : ', flapping'}${unsure}`];
}
