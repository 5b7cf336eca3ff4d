import type { Config } from '../../config/model.ts';
import { recipientsIn } from '../../config/routing/recipients.ts';
import type { AlertId, RecipientsOf } from '../../core/model/ids.ts';
import { lastPauseOf, type Pause } from '../../core/model/watch/pause.ts';
import type { AlertRule, Watch } from '../../core/model/watch/watch.ts';
import { withStored } from '../../core/alerts/history.ts';
import { reportMessage } from '../../core/reports/message.ts';
import type { Report } from '../../core/reports/model.ts';
import { readMember, type MemberReading } from '../../core/reports/reading.ts';
import type { HealthSummary } from '../../core/model/quality/health-summary.ts';
import type { Instant } from '../../lib/clock.ts';
import { reportLines } from '../../explain/report.ts';
import { explainWatch, storedSnapshotOf, type ExplainInput } from '../../explain/explain.ts';
import { explainLines } from '../../explain/lines.ts';
import type { OperatorFacts } from '../../explain/operator-words.ts';
import { findWatches } from '../../explain/find.ts';
import { isStateHeld, openReaderIfAny, stateName } from '../../store/open.ts';
import { pollerOf } from '../../query/stored-watches.ts';
import type { StoredDelivery } from '../../store/contract/deliveries.ts';
import type { StoreReader } from '../../store/contract/store.ts';
import { CommandError, EXIT } from '../exit.ts';
import { loadToRead, type ConfigOption } from '../load.ts';
import type { Terminal } from '../terminal.ts';
import { livingRows } from './file-view.ts';

const MOST_WATCHES = 20;
const MOST_DELIVERIES = 5;

/**
 * Explains why an alert fires or does not, from the rules and the state file. It makes no request and writes nothing.
 */
export async function explain(terminal: Terminal, name: string, { config: file }: ConfigOption): Promise<number> {
  const { config, watches, reports } = loadToRead(terminal, file);
  const report = reports.find(({ id }) => id === name);
  if (report !== undefined) return explainReport(terminal, report, config);
  const found = findWatches(watches, name);
  if ('complaint' in found) throw new CommandError(EXIT.usage, found.complaint);
  await using reader = await openReaderIfAny(config.state);
  if (reader === null)
    terminal.out(`There is no state at ${stateName(config.state)} yet: only the rule can be explained.\n`);
  const pauses = (await reader?.pauses()) ?? [];
  const now = terminal.clock.now();
  const isHeld = reader !== null && (await isStateHeld(config.state));
  const running = isHeld ? livingRows((await reader.health()).values(), now) : [];
  const operators = {
    policy: (await reader?.policy(now)) ?? { silences: [], acks: [] },
    open: (await reader?.openAlerts({ at: now })) ?? [],
  };
  const recipientsOf = recipientsHere(config);
  const shown = found.slice(0, MOST_WATCHES);
  for (const [i, { watch, alerts }] of shown.entries()) {
    if (i > 0) terminal.out('');
    const facts = await inputOf(watch, alerts, { reader, recipientsOf, pauses, operators, running, now });
    for (const line of explainLines(explainWatch(watch, alerts, facts))) terminal.out(line);
  }
  if (found.length > shown.length)
    terminal.out(`\nand ${found.length - shown.length} more: name one, such as ${shown[0]?.watch.name ?? ''}`);
  return EXIT.ok;
}

async function explainReport(terminal: Terminal, report: Report, config: Config): Promise<number> {
  await using reader = await openReaderIfAny(config.state);
  const at = terminal.clock.now();
  const members = reader === null ? null : await membersOf(reader, report, at);
  const message = members && reportMessage(report, members, { due: at, at });
  for (const line of reportLines(report, message, at)) terminal.out(line);
  return EXIT.ok;
}

async function membersOf(reader: StoreReader, report: Report, at: Instant): Promise<MemberReading[]> {
  const memories = await reader.recall(
    report.members.map(({ id }) => id),
    () => undefined,
  );
  const readings: MemberReading[] = [];
  for (const watch of report.members) {
    const memory = memories.get(watch.id);
    const whole = memory && withStored(memory, await reader.samples(watch.id));
    readings.push(readMember(report, { watch, memory: whole, past: new Map() }, at));
  }
  return readings;
}

/** A channel whose secrets only the daemon can read counts as one recipient. */
function recipientsHere(config: Config): RecipientsOf {
  const known = recipientsIn(config);
  return (name) => {
    const isUnread = (config.channels.get(name)?.missing.length ?? 0) > 0;
    return isUnread ? [{ channel: name, recipient: name }] : known(name);
  };
}

const NOTHING_KNOWN = { memory: null, snapshot: null, health: {}, deliveries: new Map(), pause: null, from: null };

interface Sources {
  readonly reader: StoreReader | null;
  readonly recipientsOf: RecipientsOf;
  readonly pauses: readonly Pause[];
  readonly operators: OperatorFacts;
  /** The health records of daemons that still run; outdated ones are left out. */
  readonly running: readonly HealthSummary[];
  readonly now: Instant;
}

async function inputOf(
  watch: Watch,
  alerts: readonly AlertRule[],
  { reader, recipientsOf, pauses, operators, running, now }: Sources,
): Promise<ExplainInput> {
  if (reader === null) return { ...NOTHING_KNOWN, recipientsOf, operators, now };
  const { id } = watch;
  const deliveries = new Map<AlertId, readonly StoredDelivery[]>();
  for (const alert of alerts) deliveries.set(alert.id, await reader.deliveriesOf(id, alert.id, MOST_DELIVERIES));
  const remembered = (await reader.recall([id])).get(id) ?? null;
  const memory = remembered && withStored(remembered, await reader.samples(id));
  const diagnostics = (await reader.diagnostics([id])).get(id);
  const snapshot = storedSnapshotOf(watch, diagnostics);
  const health = diagnostics?.health ?? {};
  const pause = lastPauseOf(pauses, watch);
  const from = pollerOf(watch.target.explorer, running)?.startedAt ?? null;
  return { memory, snapshot, health, deliveries, recipientsOf, pause, from, operators, now };
}
