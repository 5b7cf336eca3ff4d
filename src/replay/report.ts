// The result of a replay as data: each message that would have been sent, and how many each alert sent.
import { firedAtOf, stateWord, type Delivery, type Message } from '../core/model/delivery.ts';
import { deliveryId } from '../core/model/watch/identity.ts';
import type { Instant } from '../lib/clock.ts';
import type { Watch } from '../core/model/watch/watch.ts';
import { headingOf, mainText } from '../core/wording/words.ts';
import { plainJoined, singleLine } from '../lib/untrusted.ts';
import type { ReplayedMessage } from './run.ts';

export interface ReplayReport {
  readonly from: Instant;
  readonly until: Instant;
  /** The messages, in the order of time. */
  readonly entries: readonly Entry[];
  /** Every alert of every watch, also those without messages; the alert with the most messages comes first. */
  readonly alerts: readonly AlertNoise[];
  readonly messagesPerDay: number;
}

/** One message that would have been sent. All text is safe to print. */
export interface Entry {
  readonly at: Instant;
  readonly severity: Message['severity'];
  readonly watch: string;
  readonly alert: string;
  /** `event`, `firing`, `resolved` and so on, as in the message's type. */
  readonly state: string;
  readonly title: string;
  readonly text: string;
  readonly key: string;
  readonly episode: number;
  readonly seq: number;
  /** The duration of the firing that this message ends; null for other messages. */
  readonly firedForMs: number | null;
  /** The reason why the alert ended, if the condition is not the cause. */
  readonly reason: string | null;
  readonly deliveries: readonly Pick<Delivery, 'id' | 'channel' | 'recipient'>[];
}

export interface AlertNoise {
  readonly watch: string;
  readonly alert: string;
  readonly severity: Message['severity'];
  /** The number of events or firings, without resolves, retractions and corrections. */
  readonly count: number;
  readonly perDay: number;
  /** The duration of the longest firing; null for events, and if the alert never fired. */
  readonly longestMs: number | null;
  /** True if the alert is still firing at the end. */
  readonly isFiring: boolean;
}

export interface ReportRange {
  readonly from: Instant;
  readonly until: Instant;
}

const DAY_MS = 86_400_000;
/** A shorter replay counts as this long when rates per day are computed. */
const SHORTEST_MS = 1000;

/**
 * replayReportOf(watches, messages, { from, until }): a message before `from` counts only if the alert was still firing
 * at `from`. `knownFrom`: the time since which a watch has polls, if that is later than `from`; rates are computed over
 * this time.
 */
export function replayReportOf(
  watches: readonly Watch[],
  messages: readonly ReplayedMessage[],
  { from, until }: ReportRange,
  knownFrom: ReadonlyMap<Watch, Instant> = new Map(),
): ReplayReport {
  const all = messages.map(entryOf).toSorted((a, b) => a.at - b.at);
  const entries = all.filter(({ at }) => at >= from && at <= until);
  const daysByWatch = new Map(
    watches.map((watch) => {
      const start = Math.max(from, knownFrom.get(watch) ?? from);
      return [singleLine(watch.name), Math.max(until - start, SHORTEST_MS) / DAY_MS] as const;
    }),
  );
  const daysOf = (watch: string): number => daysByWatch.get(watch) ?? 1;
  const byAlert = Map.groupBy(all, nameOf);
  const alerts = watches.flatMap(({ name, alerts: rules }) =>
    rules.map(({ id, severity }) => {
      const alert = { watch: singleLine(name), alert: id };
      return { ...alert, severity, ...noiseOf(byAlert.get(nameOf(alert)) ?? [], { from, until }, daysOf(alert.watch)) };
    }),
  );
  return {
    from,
    until,
    entries,
    alerts: alerts.toSorted((a, b) => b.count - a.count),
    messagesPerDay: entries.reduce((sum, { watch }) => sum + 1 / daysOf(watch), 0),
  };
}

/** `treasury-usdc/low` */
export function nameOf({ watch, alert }: Pick<Entry, 'watch' | 'alert'>): string {
  return `${watch}/${alert}`;
}

function entryOf({ message, to }: ReplayedMessage): Entry {
  return {
    at: message.at,
    severity: message.severity,
    watch: singleLine(message.watch),
    alert: singleLine(message.alert),
    state: stateWord(message.type),
    title: singleLine(headingOf(message)),
    text: singleLine(
      mainText(message)
        .map((line) => plainJoined(line))
        .join(' '),
      MOST_TEXT,
    ),
    key: message.key,
    episode: message.episode,
    seq: message.seq,
    firedForMs: message.resolvedAt === null ? null : message.resolvedAt - firedAtOf(message),
    reason: message.reason,
    deliveries: to.map((one) => ({ id: deliveryId(message.key, message, one), ...one })),
  };
}

const MOST_TEXT = 500;
const BEGINNINGS: ReadonlySet<string> = new Set(['event', 'firing']);

function noiseOf(
  entries: readonly Entry[],
  { from, until }: ReportRange,
  days: number,
): Pick<AlertNoise, 'count' | 'perDay' | 'longestMs' | 'isFiring'> {
  const inRange = entries.filter(({ at }) => at <= until);
  const count = inRange.filter(({ at, state }) => at >= from && BEGINNINGS.has(state)).length;
  const firings = firingsOf(inRange, until).filter(({ end }) => end >= from);
  const longestMs = firings.length === 0 ? null : Math.max(...firings.map(({ start, end }) => end - start));
  return { count, perDay: count / days, longestMs, isFiring: firings.some(({ isOpen }) => isOpen) };
}

/** The firings, each with its end. A firing without an end lasts until the end of the replay. */
function firingsOf(entries: readonly Entry[], until: Instant): { start: Instant; end: Instant; isOpen: boolean }[] {
  const endByEpisode = new Map(
    entries.flatMap((entry) => (entry.state === 'resolved' ? [[episodeOf(entry), entry.at] as const] : [])),
  );
  return entries
    .filter(({ state }) => state === 'firing')
    .map((entry) => {
      const end = endByEpisode.get(episodeOf(entry));
      return { start: entry.at, end: end ?? until, isOpen: end === undefined };
    });
}

function episodeOf({ key, episode }: Entry): string {
  return `${key} ${episode}`;
}
