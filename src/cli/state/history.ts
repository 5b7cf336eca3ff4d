// Prints the journal: decisions, sent messages and changes. It can also check that nobody has changed the journal
// itself.
import { anchorFileOf, readAnchor } from '../../app/state/anchor-file.ts';
import { parseAnchor, showAnchor, type JournalAnchor, type ChainCheck } from '../../core/journal/chain.ts';
import type { Watch } from '../../core/model/watch/watch.ts';
import { canonicalJson } from '../../lib/canonical-json.ts';
import type { Instant } from '../../lib/clock.ts';
import { showInZone, wallTime } from '../../lib/time-zone.ts';
import { plain, singleLine } from '../../lib/untrusted.ts';
import { findWatches, type WatchSelection } from '../../explain/find.ts';
import { entriesOf } from '../../query/records/history.ts';
import { labelledLines } from '../../query/records/labelled.ts';
import { OverviewFilter } from '../../query/shapes.ts';
import { daysOf } from '../../query/records/days.ts';
import type { HistoryDay, HistoryEntry } from '../../query/shapes/history.ts';
import { openReader } from '../../store/open.ts';
import type { JournalLine } from '../../store/contract/journal.ts';
import type { StoreReader } from '../../store/contract/store.ts';
import { CommandError, EXIT } from '../exit.ts';
import { loadToRead, type ConfigOption } from '../load.ts';
import type { Terminal } from '../terminal.ts';
import { instantOf } from '../times.ts';

export interface HistoryOptions extends ConfigOption {
  readonly alert?: string;
  readonly label: readonly string[];
  readonly since?: string;
  readonly limit: number;
  readonly json: boolean;
  /** The anchor to check the journal with; true: the one that the daemon keeps, if it can be used. */
  readonly verify?: string | true;
}

/** Prints the newest lines of the journal, oldest first; with `verify` only whether the journal is whole. */
export async function history(terminal: Terminal, options: HistoryOptions): Promise<number> {
  const { config, watches } = loadToRead(terminal, options.config);
  const anchor = anchorOf(options.verify);
  await using reader = await openReader(config.state);
  if (options.verify !== undefined)
    return sayVerdict(terminal, await reader.verifyJournal(anchor ?? (await keptAnchor(reader, config.state.file))));
  const now = terminal.clock.now();
  const zone = config.timeZone;
  const since = options.since === undefined ? undefined : instantOf(options.since, now);
  const lines = await linesOf(reader, watches, { ...options, since });
  const entries = await entriesOf({ store: reader, runtime: { watches: () => watches }, zone }, lines.toReversed());
  const texts = options.json
    ? entries.map((entry) => JSON.stringify(entry))
    : withGaps(entries, await daysOf({ store: reader, watches, now, zone }, timesOf(lines)), zone);
  for (const text of texts) terminal.out(text);
  if (lines.length === 0) terminal.err('nothing in the journal matches\n');
  return EXIT.ok;
}

/**
 * The anchor that the daemon keeps beside its token. Null: there is none, this user may not read it, or its journal
 * line was deleted because of its age.
 */
async function keptAnchor(reader: StoreReader, stateFile: string): Promise<JournalAnchor | null> {
  try {
    const kept = readAnchor(anchorFileOf(stateFile));
    const head = await reader.journalHead();
    const isDropped =
      kept !== null && kept.position <= (head?.position ?? 0) && (await reader.journalHashAt(kept.position)) === null;
    return isDropped ? null : kept;
  } catch {
    return null;
  }
}

function anchorOf(verify: HistoryOptions['verify']): JournalAnchor | null {
  if (verify === undefined || verify === true) return null;
  const anchor = parseAnchor(verify);
  if (anchor !== null) return anchor;
  const shown = singleLine(verify, 60);
  throw new CommandError(
    EXIT.usage,
    `"${shown}" is no position and hash, such as 48211:9f3a00c1 with 8 digits or more`,
  );
}

function sayVerdict(terminal: Terminal, verdict: ChainCheck): number {
  if (verdict.type === 'broken') {
    terminal.out(`broken at position ${verdict.position}: ${verdict.why}`);
    return EXIT.problems;
  }
  const { head, after } = verdict;
  if (head === null) terminal.out('the journal is empty');
  else terminal.out(`unbroken from position ${after + 1} to ${showAnchor(head)}`);
  return EXIT.ok;
}

/** The most deliveries of one alert that are searched in the journal. */
const MOST_DELIVERIES = 10_000;

interface Wanted {
  readonly alert?: string;
  readonly label: readonly string[];
  readonly since: Instant | undefined;
  readonly limit: number;
}

async function linesOf(reader: StoreReader, watches: readonly Watch[], wanted: Wanted): Promise<JournalLine[]> {
  const { alert, label, limit } = wanted;
  if (label.length > 0)
    return labelledLines(reader, watches, { label: labelsIn(label, alert), since: wanted.since, limit });
  const since = wanted.since === undefined ? {} : { since: wanted.since };
  if (alert === undefined) return reader.history({ ...since, limit });
  const found = findWatches(watches, alert);
  if ('complaint' in found) throw new CommandError(EXIT.usage, found.complaint);
  const subjects = (await Promise.all(found.map((one) => subjectsOf(reader, one)))).flat();
  const lines = await reader.history({ ...since, limit, subjects });
  return lines.filter((line) => isAbout(line, found));
}

function labelsIn(label: readonly string[], alert: string | undefined): readonly string[] {
  if (alert !== undefined) throw new CommandError(EXIT.usage, 'an alert has its labels: give --alert or --label');
  const read = OverviewFilter.safeParse({ label });
  if (read.success) return read.data.label;
  throw new CommandError(EXIT.usage, `--label ${read.error.issues[0]?.message ?? ''}`);
}

/** The subjects of journal lines about these alerts: the watch, their deliveries, and their keys. */
async function subjectsOf(reader: StoreReader, { watch, alerts }: WatchSelection): Promise<string[]> {
  const deliveries = await Promise.all(alerts.map(({ id }) => reader.deliveriesOf(watch.id, id, MOST_DELIVERIES)));
  return [
    watch.id,
    ...new Set(deliveries.flat().flatMap(({ id, members }) => [id, ...members.map(({ message }) => message.key)])),
  ];
}

/**
 * A line of a poll or of a round counts if it names one of the alerts. Other lines were found by their subject, so they
 * count.
 */
function isAbout({ kind, subject, data }: JournalLine, found: readonly WatchSelection[]): boolean {
  if (kind !== 'decided' && kind !== 'routed') return true;
  const alerts = found.find(({ watch }) => watch.id === subject)?.alerts ?? [];
  const text = canonicalJson(data);
  return alerts.some(({ id }) => text.includes(`"alert":${JSON.stringify(id)}`));
}

function timesOf(lines: readonly JournalLine[]): Instant[] {
  return lines.map(({ at }) => at);
}

/** Puts lines about the gaps of each day before its other lines. In a gap, watches of an explorer were unknown. */
function withGaps(entries: readonly HistoryEntry[], days: readonly HistoryDay[], zone: string): string[] {
  const byDay = Map.groupBy(entries, ({ at }) => wallTime(zone, Date.parse(at)).slice(0, 10));
  return [...byDay].flatMap(([day, own]) => {
    const gaps = days.find((one) => one.day === day)?.gaps ?? [];
    return [...gaps.map((gap) => gapLine(gap, zone)), ...own.map((entry) => lineOf(entry, zone))];
  });
}

/** `2026-01-31T12:00:00Z  unknown  2 watches on gnosis until 2026-01-31T12:10:00Z: stale` */
function gapLine({ explorer, watches, cause, from, until }: HistoryDay['gaps'][number], zone: string): string {
  const end = until === null ? '' : ` until ${showInZone(zone, Date.parse(until))}`;
  const what = `${watches} ${watches === 1 ? 'watch' : 'watches'} on ${singleLine(explorer)}`;
  return `${showInZone(zone, Date.parse(from))}  unknown  ${what}${end}: ${cause}`;
}

const LONGEST_PART = 1000;

/**
 * `2026-01-31T12:00:00Z routed coins/low fires: treasury 0 ETH, below 1 Last poll: 5. notifies screen`, and the actor
 * if it was not the daemon. An id at the end is for use with other commands.
 */
function lineOf(entry: HistoryEntry, zone: string): string {
  const { at, kind, what, title, how, actor } = entry;
  const said = what === kind ? title : [what, title].filter(Boolean).join(': ');
  const who = actor === 'daemon' ? '' : `by ${actor}`;
  const parts = [
    zone === 'UTC' ? at : showInZone(zone, Date.parse(at)),
    kind,
    aboutOf(entry),
    said,
    textOf(how),
    notifiedOf(entry),
    who,
    idOf(entry),
  ];
  return parts
    .filter((part) => part !== '')
    .map((part) => singleLine(part, LONGEST_PART))
    .join('  ');
}

function aboutOf({ watch, alert, subject, kind }: HistoryEntry): string {
  if (watch !== null) return alert === null ? watch : `${watch}/${alert}`;
  return NAMED_BY_ID.has(kind) ? '' : subject;
}

function notifiedOf({ kind, notified }: HistoryEntry): string {
  if (notified.length === 0 || NAMED_BY_ID.has(kind)) return '';
  return `${kind === 'routed' ? 'notifies' : 'to'} ${notified.join(', ')}`;
}

/** Lines about deliveries and silences end with an id. */
const NAMED_BY_ID: ReadonlySet<string> = new Set([
  'closed',
  'tried',
  'told',
  'dead',
  'retried',
  'dismissed',
  'silence',
]);

function idOf({ kind, subject }: HistoryEntry): string {
  return NAMED_BY_ID.has(kind) ? subject : '';
}

function textOf(how: HistoryEntry['how']): string {
  return how.map((part) => ('text' in part ? part.text : plain(part.untrusted))).join('');
}
