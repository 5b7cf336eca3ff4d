// The journal as people read it, newest first.
import { z } from 'zod';
import { BUILT_IN_RULE } from '../../core/model/ids.ts';
import type { Watch } from '../../core/model/watch/watch.ts';
import { showInstant } from '../../lib/clock.ts';
import type { LineWords } from '../../operators/action.ts';
import { ACTIONS } from '../../operators/actions.ts';
import type { JournalLine, JournalSearch } from '../../store/contract/journal.ts';
import { cursorOf, placeIn } from '../cursor.ts';
import { daysOf } from './days.ts';
import { changesOf, sayLine, type Referred } from './journal-words.ts';
import { isLineOf, labelledBy } from './labelled.ts';
import type { HistoryListFilter } from '../shapes.ts';
import type { HistoryEntry, HistoryList } from '../shapes/history.ts';
import type { QueryContext } from '../view.ts';
import { byId } from '../watch-by-id.ts';

/** Rejects with a `StorageError`, or a `BadCursor`. */
export async function history(view: QueryContext, filter: HistoryListFilter): Promise<HistoryList> {
  const { q, label, show, since, until, after, limit } = filter;
  const [, before] = placeIn(after, z.tuple([z.literal('history'), z.int()])) ?? ['history', null];
  const wanted = show === null ? ANY : SHOWN[show];
  // Failed attempts are left out, since those of one broken channel could fill the page. The filter of deliveries shows
  // them.
  const without = show === null && !filter.complete ? TRIES : [];
  const { lines, next } = await view.store.journalPage({
    ...wanted,
    without,
    search: searchOf(view, q),
    labelled: labelledBy(view.runtime.watches(), label),
    since,
    until,
    before,
    limit,
  });
  const own = lines.filter(isLineOf(view.runtime.watches(), label));
  const told = filter.complete ? own : own.filter((line) => !isToldAgain(line));
  const { store, runtime, now } = view;
  const zone = runtime.config().timeZone;
  const days = await daysOf(
    { store, watches: runtime.watches(), now, zone },
    told.map(({ at }) => at),
  );
  return {
    items: await entriesOf({ ...view, zone }, told),
    next: next === null ? null : cursorOf(['history', next]),
    days,
  };
}

const TRIES = ['tried'];

/** The prefix of the ids of the built-in watches. */
const SELF = `${BUILT_IN_RULE}/`;

interface Shown {
  readonly kinds: readonly string[] | null;
  readonly subjects: readonly string[] | null;
}

const ANY: Shown = { kinds: null, subjects: null };

const SHOWN: Readonly<Record<NonNullable<HistoryListFilter['show']>, Shown>> = {
  alerts: { kinds: ['routed', ...actedOn('alert')], subjects: null },
  deliveries: {
    kinds: ['closed', 'merged', 'cancelled', 'tried', 'told', 'dead', ...actedOn('delivery')],
    subjects: null,
  },
  people: { kinds: actedOn('alert', 'delivery', null), subjects: null },
  // Alerts of the daemon about explorers.
  explorers: {
    kinds: ['routed'],
    subjects: ['blind', 'blind-field', 'explorer-down', 'credits'].map((alert) => `${SELF}${alert}/`),
  },
  rules: { kinds: ['config', 'start', 'stop'], subjects: null },
};

/** Kinds of the lines about actions of operators. */
function actedOn(...about: readonly LineWords['about'][]): readonly string[] {
  return [...new Set(ACTIONS.filter(({ line }) => about.includes(line.about)).map(({ line }) => line.kind))];
}

/** Lines contain neither names nor addresses of watches, so a search first finds the watches in the rules. */
function searchOf({ runtime }: QueryContext, q: string | null): JournalSearch | null {
  const text = q?.trim() ?? '';
  if (text === '') return null;
  const sought = text.toLowerCase();
  const isMeant = ({ name, of }: Watch): boolean =>
    name.toLowerCase().includes(sought) || (of?.address.toLowerCase().includes(sought) ?? false);
  return {
    text,
    watches: runtime
      .watches()
      .filter(isMeant)
      .map(({ id }) => id),
  };
}

/**
 * True for a poll's line that is only about notifications: the line of the routing repeats them, with the recipients.
 */
function isToldAgain(line: JournalLine): boolean {
  if (line.kind !== 'decided') return false;
  const changes = changesOf(line);
  return changes.length > 0 && changes.every(({ what }) => NOTIFIED.has(what));
}

const NOTIFIED: ReadonlySet<string> = new Set(['told', 'firing', 'resolved', 'retracted', 'corrected', 'reinstated']);

/** The sources for the words of a line. */
interface JournalView {
  readonly store: QueryContext['store'];
  readonly runtime: Pick<QueryContext['runtime'], 'watches'>;
  /** The zone in which times are shown. */
  readonly zone: string;
}

/** Lines of the journal, with facts from config and state about their subjects. Rejects with a `StorageError`. */
export async function entriesOf(view: JournalView, lines: readonly JournalLine[]): Promise<HistoryEntry[]> {
  const watches = byId(view.runtime.watches());
  const referred = await Promise.all(lines.map((line) => referredBy(view, watches, line)));
  return lines.map((line, n) => entryOf(line, { ...(referred[n] ?? NOTHING), zone: view.zone }));
}

const NOTHING: Found = { name: null, alert: null, message: null, recipient: null };
type Found = Omit<Referred, 'zone'>;

const OF_ALERT: ReadonlySet<string> = new Set(['held', 'released', 'merged', 'cancelled', ...actedOn('alert')]);
const OF_DELIVERY: ReadonlySet<string> = new Set(['closed', 'tried', 'told', 'dead', ...actedOn('delivery')]);

async function referredBy(
  { store }: JournalView,
  watches: ReadonlyMap<string, Watch>,
  line: JournalLine,
): Promise<Found> {
  const { kind, subject, at } = line;
  if (OF_DELIVERY.has(kind)) {
    const found = subject.startsWith('channel:') ? null : await store.delivery(subject);
    if (found === null) return NOTHING;
    const { message } = found.members[0];
    return { name: message.watch, alert: message.alert, message, recipient: found };
  }
  const [change = null] = changesOf(line);
  const key = OF_ALERT.has(kind) ? subject : (change?.key ?? null);
  const transition = kind === 'routed' ? (change?.transition ?? null) : null;
  const [found] = key === null ? [null] : await store.notifications([{ key, transition, until: at }]);
  const name = found?.message.watch ?? watches.get(subject)?.name ?? (subject.startsWith(SELF) ? BUILT_IN_RULE : null);
  return {
    name,
    alert: found?.message.alert ?? change?.alert ?? null,
    message: found?.message ?? null,
    recipient: null,
  };
}

function entryOf(line: JournalLine, referred: Referred): HistoryEntry {
  const { number, at, kind, subject, actor, data, anchor } = line;
  const { message } = referred;
  return {
    number,
    at: showInstant(at),
    kind,
    ...sayLine(line, referred),
    severity: message?.severity ?? null,
    subject,
    watch: referred.name,
    alert: referred.alert,
    key: message?.key ?? null,
    episode: message?.episode ?? null,
    actor,
    data,
    position: anchor?.position ?? null,
    hash: anchor?.hash ?? null,
  };
}
