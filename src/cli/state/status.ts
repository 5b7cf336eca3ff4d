import { headingOf } from '../../core/wording/message-words.ts';
import { healthOf, type HealthByAlert } from '../../core/model/health.ts';
import type { Alert, Memory } from '../../core/model/memory.ts';
import { watchesIn, type HealthSummary } from '../../core/model/quality/health-summary.ts';
import { type Instant, showDuration } from '../../lib/clock.ts';
import { showInZone, type Moment } from '../../lib/time-zone.ts';
import type { UnreadRange } from '../../core/model/watch/kind.ts';
import { paceOf, type Watch } from '../../core/model/watch/watch.ts';
import { lastPauseOf } from '../../core/model/watch/pause.ts';
import { activeSince } from '../../core/alerts/emission.ts';
import { dataWords, pauseWords, type Looked } from '../../explain/data-words.ts';
import { acknowledged, silencesInForce } from '../../explain/operator-words.ts';
import { singleLine } from '../../lib/untrusted.ts';
import { showRecipient } from '../../rules/describe.ts';
import { isStateHeld, openReader } from '../../store/open.ts';
import { overview } from '../../query/overview/overview.ts';
import { EXIT } from '../exit.ts';
import { fileView, readFacts } from './file-view.ts';
import { loadToRead, type ConfigOption } from '../load.ts';
import { overviewLines } from './status-table.ts';
import type { Terminal } from '../terminal.ts';
import { readVersion } from '../version.ts';

const MOST_DEAD = 10;

export interface StatusOptions extends ConfigOption {
  /** The overview as the API gives it. */
  readonly json?: boolean;
}

/** Reads the state without the daemon's lock, so it also answers while the daemon runs. */
export async function status(terminal: Terminal, { config: file, json = false }: StatusOptions): Promise<number> {
  const setup = loadToRead(terminal, file);
  const { config, watches } = setup;
  await using reader = await openReader(config.state);
  const facts = await readFacts(reader);
  const { memories, damaged, diagnostics, pauses } = facts;
  const now = terminal.clock.now();
  const zone = config.timeZone;
  const isHeld = await isStateHeld(config.state);
  const view = fileView({ setup, reader, facts, isHeld, now, version: readVersion() });
  const seen = await overview(view);
  const health = view.runtime.health();
  if (json) {
    terminal.out(JSON.stringify(seen, null, 2));
    return EXIT.ok;
  }
  for (const line of overviewLines(seen, zone)) terminal.out(line);
  for (const line of healthLines(health, { now, zone })) terminal.out(line);
  for (const watch of watches) {
    const memory = memories.get(watch.id);
    const pause = lastPauseOf(pauses, watch);
    terminal.out(
      damaged.has(watch.id) ? damagedLine(watch) : lineOf(watch, memory, { pause, from: health.startedAt, now, zone }),
    );
    for (const line of coverageLines(watch, memory)) terminal.out(line);
    for (const line of unwellOf(watch, diagnostics.get(watch.id)?.health ?? {}, now)) terminal.out(line);
  }
  const blind = watchesIn(health.blind);
  if (blind > 0) terminal.out(`blind: ${blind} of ${watches.length} watches`);
  const operators = { policy: await reader.policy(now), open: await reader.openAlerts({ at: now }) };
  for (const line of [...silencesInForce(operators, { now, zone }), ...acknowledged(operators, { now, zone })])
    terminal.out(line);
  for (const { explorer, text } of health.troubles) terminal.out(`explorer ${explorer}: ${singleLine(text)}`);
  const survey = await reader.survey();
  for (const { channel, rows, oldest } of survey.outbox)
    terminal.out(`owed on ${channel}: ${rows}, the oldest for ${showDuration(now - oldest)}`);
  terminal.out(`deliveries: ${survey.sent} sent, ${survey.dead} given up`);
  for (const { members, outcome, ...to } of await reader.dead(MOST_DEAD)) {
    const others = members.length === 1 ? '' : ` and ${members.length - 1} more`;
    const why = outcome === null ? 'no answer' : singleLine(outcome.text);
    terminal.out(`given up: ${headingOf(members[0].message)}${others} to ${showRecipient(to)}: ${why}`);
  }
  return EXIT.ok;
}

/** How old this is, and what does not work. */
function healthLines(
  { isRunning, startedAt, at, storage, failingLoops, rejected }: HealthSummary,
  { now, zone }: Moment,
): string[] {
  if (!isRunning || startedAt === null) return [];
  return [
    `daemon: running since ${showInZone(zone, startedAt)}, as it wrote down ${showDuration(Math.max(0, now - at))} ago`,
    ...(storage === 'works' ? [] : [`storage: ${storage}`]),
    ...(rejected === null
      ? []
      : [`config: the files are not in force since ${showInZone(zone, rejected.since)}: ${singleLine(rejected.why)}`]),
    ...failingLoops,
  ];
}

function damagedLine({ name }: Watch): string {
  return `${name}: what is remembered of it is damaged, and it is blind; chainwarden state forget '${name}' begins anew`;
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

/** `  calls: blocks 101-250 not read yet since 2026-01-01T00:00:00Z: 20 pages read` */
function coverageLines({ name, kind, zone }: Watch, memory: Memory | undefined): string[] {
  const state = memory === undefined || memory.state === null ? null : kind.state.safeParse(memory.state);
  if (state?.success !== true || kind.coverage === undefined) return [];
  const { unread, sweptAt } = kind.coverage(state.data);
  const swept =
    sweptAt === null ? 'not read again as a whole yet' : `last read again as a whole ${showInZone(zone, sweptAt)}`;
  return [...unread.map((range) => `  ${name}: ${showUnread(range, zone)}`), `  ${name}: ${swept}`];
}

function showUnread({ heights, reason, since, isReadLater }: UnreadRange, zone: string): string {
  const state = isReadLater ? 'not read yet' : 'not read, and too deep to be told';
  return `${heights} ${state}${since === null ? '' : ` since ${showInZone(zone, since)}`}: ${reason}`;
}

/** `  treasury/low: never-true since 2026-01-01T00:00:00Z` */
function unwellOf(watch: Watch, health: HealthByAlert, now: Instant): string[] {
  const { name, alerts, zone } = watch;
  return alerts.flatMap(({ id }) => {
    const record = health[id];
    const is = record === undefined ? 'ok' : healthOf(record, now, paceOf(watch));
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
