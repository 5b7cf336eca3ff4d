import type { Report } from '../../core/reports/model.ts';
import { headingOf } from '../../core/wording/words.ts';
import { showDuration, type Instant } from '../../lib/clock.ts';
import { wrappedItem } from '../../lib/columns.ts';
import { lastPauseOf } from '../../core/model/watch/pause.ts';
import { acknowledged, silencesInForce } from '../../explain/operator-words.ts';
import { showInZone, type Moment } from '../../lib/time-zone.ts';
import type { Config } from '../../config/model.ts';
import { plansOf, type HealthSummary } from '../../core/model/quality/health-summary.ts';
import { singleLine } from '../../lib/untrusted.ts';
import { exceededPlans, showRecipient } from '../../rules/describe.ts';
import { planLines } from './status-plans.ts';
import { isStateHeld, openReader } from '../../store/open.ts';
import type { StoreReader } from '../../store/contract/store.ts';
import { overview } from '../../query/overview/overview.ts';
import { EXIT } from '../exit.ts';
import { fileView, readFacts } from './file-view.ts';
import { loadToRead, type ConfigOption } from '../load.ts';
import { overviewLines } from './status-table.ts';
import { everyWatch, noteworthyWatches, type WatchStatus } from './status-watches.ts';
import type { Terminal } from '../terminal.ts';
import { readVersion } from '../version.ts';

const MOST_DEAD = 10;

/** Files and pipes have no width of their own. */
const WIDTH_OF_FILES = 120;

export interface StatusOptions extends ConfigOption {
  /** Prints the overview as JSON, as the API returns it. */
  readonly json?: boolean;
  /** Prints a line for each watch. */
  readonly watches?: boolean;
}

/** Reads the state without the daemon's lock, so it also answers while the daemon runs. */
export async function status(terminal: Terminal, options: StatusOptions): Promise<number> {
  const setup = loadToRead(terminal, options.config);
  const { config } = setup;
  await using reader = await openReader(config.state);
  const facts = await readFacts(reader);
  const now = terminal.clock.now();
  const isHeld = await isStateHeld(config.state);
  const view = fileView({ setup, reader, facts, isHeld, now, version: readVersion() });
  const seen = await overview(view);
  const health = view.runtime.health();
  if (options.json === true) {
    terminal.out(JSON.stringify(seen, null, 2));
    return EXIT.ok;
  }
  const screen = { now, zone: config.timeZone, width: terminal.width ?? WIDTH_OF_FILES };
  const watches = setup.watches.map((watch): WatchStatus => ({
    watch,
    memory: facts.memories.get(watch.id),
    isDamaged: facts.damaged.has(watch.id),
    health: facts.diagnostics.get(watch.id)?.health ?? {},
    pause: lastPauseOf(facts.pauses, watch),
    from: health.startedAt,
  }));
  const said = [
    ...healthLines(health, screen),
    ...(options.watches === true ? everyWatch(watches, now) : noteworthyWatches(watches, seen.trust.oldest, now)),
    ...reportLines(setup.reports, screen),
    ...planLines(health, now),
    ...exceededPlans(setup.watches, unknownPlans(config, health)).map((plan) => `plan of ${plan}`),
    ...(await operatorLines(reader, screen)),
    ...health.troubles.map(({ explorer, text }) => `explorer ${explorer}: ${singleLine(text)}`),
    ...(await deliveryLines(reader, now)),
  ];
  for (const line of overviewLines(seen, screen)) terminal.out(line);
  for (const line of said.flatMap((text) => wrappedItem(text, screen.width))) terminal.out(line);
  return EXIT.ok;
}

/** `report weekly: next 2026-12-07T08:00:00+01:00` */
function reportLines(reports: readonly Report[], { now, zone }: Moment): string[] {
  return reports.map(({ id, schedule }) => {
    const next = schedule.times.after(now);
    return `report ${id}: ${next === null ? 'no time within a year' : `next ${showInZone(zone, next)}`}`;
  });
}

/** Explorers whose plan no daemon has reported. Only the size of these plans is known. */
function unknownPlans({ explorers }: Config, health: HealthSummary): Pick<Config, 'explorers'> {
  const known = new Set(plansOf(health.explorers).flatMap((plan) => plan.explorers));
  return { explorers: new Map([...explorers].filter(([name]) => !known.has(name))) };
}

async function operatorLines(reader: StoreReader, moment: Moment): Promise<string[]> {
  const facts = { policy: await reader.policy(moment.now), open: await reader.openAlerts({ at: moment.now }) };
  return [...silencesInForce(facts, moment), ...acknowledged(facts, moment)];
}

/** The age of the data, and the failing parts. */
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

async function deliveryLines(reader: StoreReader, now: Instant): Promise<string[]> {
  const survey = await reader.survey();
  const givenUp = await reader.dead(MOST_DEAD);
  return [
    ...survey.outbox.map(
      ({ channel, rows, oldest }) => `owed on ${channel}: ${rows}, the oldest for ${showDuration(now - oldest)}`,
    ),
    `deliveries: ${survey.sent} sent, ${survey.dead} given up`,
    ...givenUp.map(({ members, outcome, ...to }) => {
      const others = members.length === 1 ? '' : ` and ${members.length - 1} more`;
      const why = outcome === null ? 'no answer' : singleLine(outcome.text);
      return `given up: ${headingOf(members[0].message)}${others} to ${showRecipient(to)}: ${why}`;
    }),
  ];
}
