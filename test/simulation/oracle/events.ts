// Alerts about the items of a list: what was not told, what was told and is not so, what was told twice.
import type {
  ChainItem,
  EventReference,
  Instant,
  Logs,
  Owed,
  ReadPoll,
  References,
  Served,
  Verdict,
} from '../model.ts';
import { begunBy, type Evidence } from './evidence.ts';
import { PAGE_SIZE } from '../chain/chain.ts';
import { CREDITS } from '../machine/credits.ts';
import { headAt, madeAt } from './heights.ts';
import { presencesOf, type Presence } from './occurrences.ts';
import { countUntil } from '../people/facts/spans.ts';
import type { RightTime } from './right-time.ts';

const HOUR_MS = 3_600_000;
/** A list is read again each hour, some pages at each poll. */
const SWEPT_WITHIN_MS = 2 * HOUR_MS;
/** A tenth of the plan pays for that; where others spend as well, half of it. */
const SWEPT_PAGES_AN_HOUR = (0.5 * 0.1 * CREDITS) / 24 / 20;
/** What lies deeper is not looked for (look-back). */
const LOOK_BACK_MS = 7 * HOUR_MS;

interface Case {
  readonly logs: Logs;
  readonly reference: EventReference;
  readonly references: References;
  readonly told: readonly Owed[];
  readonly floor: number;
  readonly rightTime: RightTime;
  readonly polls: readonly ReadPoll[];
  /** How many rows of all lists are read again at that time. */
  readonly rowsSweptAt: (at: Instant) => number;
}

export function judgeEvents({ logs, references, rightTimeOf, pollsOf }: Evidence): Verdict[] {
  const rowsSweptAt = sweptRowsOf(logs);
  return references.events.flatMap((reference) => {
    const { watch, alert, path } = reference;
    const told = logs.owed.filter((one) => one.watch === watch && one.alert === alert && one.type === 'alert.event');
    const floor = floorOf(logs, path);
    const rightTime = rightTimeOf(path);
    const polls = pollsOf(watch, path);
    const given: Case = { logs, reference, references, told, floor, rightTime, polls, rowsSweptAt };
    return [...lostOf(given), ...inventedOf(given), ...doubledOf(given), ...claimsIn(given)];
  });
}

/** Of the first answer: the highest block in it, or the head of that time where it is empty. What is there is no news. */
function floorOf({ served, chain }: Logs, path: string): number {
  const first = served.find(
    ({ path: of, cursor, answer }) =>
      of === path && answer?.type === 'page' && (cursor === '' || answer.page.heights !== undefined),
  );
  if (first?.answer?.type !== 'page') return Infinity;
  if (first.answer.page.heights !== undefined) return headAt(first.at, chain);
  const blocks = first.answer.page.rows.map(({ block }) => block ?? 0);
  return blocks.length === 0 ? headAt(first.at, chain) : Math.max(...blocks);
}

function lostOf(given: Case): Verdict[] {
  const { logs, reference, references, floor } = given;
  const toldByItem = Map.groupBy(given.told, ({ item }) => item);
  return logs.chain.items.flatMap((item): Verdict[] => {
    if (isOld(item, floor)) return [];
    const due = presencesOf(item, reference, logs.chain).flatMap((presence) => {
      const at = dueAt(given, item, presence);
      return at === null || isNamed(given.polls, presence, at) ? [] : [{ at, presence }];
    });
    const [first] = due;
    if (first === undefined) return [];
    const told = toldByItem.get(item.id) ?? [];
    const missing = references.recipients.filter(
      (recipient) => !told.some((one) => one.recipient === recipient && one.at <= first.at),
    );
    if (missing.length === 0) return [];
    const since = new Date(first.presence.from).toISOString();
    const what = `${reference.alert}: ${item.id} in block ${first.presence.block} since ${since} was not told to ${missing.join(', ')}`;
    return [{ check: 'lost', at: first.at, watch: reference.watch, what }];
  });
}

/** It stood below the floor once, and may have been known from then. */
function isOld({ stays }: ChainItem, floor: number): boolean {
  return stays.some(({ row }) => row.block !== null && row.block <= floor);
}

/** After two hours, what long lists take, and two intervals of right time, if it still stands there and is not too old. */
function dueAt(given: Case, item: ChainItem, presence: Presence): Instant | null {
  const { reference, references, rightTime } = given;
  const within = SWEPT_WITHIN_MS + sweepMs(given, presence) + 2 * references.intervalMs;
  const at = rightTime.after(presence.from, within);
  if (at === null || (presence.to !== null && presence.to < at)) return null;
  if (presence.block !== null && at - madeAt(presence.block) > LOOK_BACK_MS) return null;
  return reference.on === 'mined' && !wasSeenWaiting(item, presence, rightTime, references) ? null : at;
}

/** The known rows of all lists are read again from the same tenth. */
function sweepMs({ rowsSweptAt }: Case, { from }: Presence): number {
  return (Math.floor(rowsSweptAt(from) / PAGE_SIZE) * HOUR_MS) / SWEPT_PAGES_AN_HOUR;
}

/** Of each list that has an item, one row: while it stands in a block that is not too deep. */
function sweptRowsOf({ chain }: Logs): Case['rowsSweptAt'] {
  const spans = chain.items.flatMap(({ stays, paths }) =>
    stays.flatMap(({ row: { block }, from, to }) =>
      block === null ? [] : paths.map(() => ({ from, to: Math.min(to ?? Infinity, madeAt(block) + LOOK_BACK_MS) })),
    ),
  );
  const read = spans.filter(({ from, to }) => from < to);
  const begins = read.map(({ from }) => from).sort((a, b) => a - b);
  const ends = read.map(({ to }) => to).sort((a, b) => a - b);
  const until = (times: readonly Instant[], at: Instant): number =>
    countUntil(times.length, (n) => (times[n] ?? Infinity) <= at);
  return (at) => until(begins, at) - until(ends, at);
}

/** In two polls at least: one that was lost with the process does not count. */
function wasSeenWaiting(
  { stays }: ChainItem,
  { from }: Presence,
  rightTime: RightTime,
  { intervalMs }: References,
): boolean {
  const waiting = stays.find(({ row, to }) => row.block === null && to === from);
  const seen = waiting === undefined ? null : rightTime.after(waiting.from, 2 * intervalMs);
  return seen !== null && seen <= from;
}

function isNamed(polls: readonly ReadPoll[], { block }: Presence, at: Instant): boolean {
  const last = polls[begunBy(polls, at) - 1]?.poll;
  return block !== null && last !== undefined && last.gaps.some(({ from, to }) => from <= block && block <= to);
}

function inventedOf({ logs, reference, told, floor }: Case): Verdict[] {
  const matchedAt = firstMatches(logs.served, reference);
  const itemById = new Map(logs.chain.items.map((item) => [item.id, item]));
  return oncePerItem(told).flatMap(({ item: id, at }): Verdict[] => {
    const item = id === null ? undefined : itemById.get(id);
    const isServed = id !== null && (matchedAt.get(id) ?? Infinity) <= at;
    const mined = item?.stays.filter(({ row }) => row.block !== null) ?? [];
    const isBaseline = mined.length > 0 && mined.every(({ row }) => (row.block ?? 0) <= floor);
    if (isServed && !isBaseline) return [];
    const why = isServed ? 'was there before anyone watched' : 'was never served so that it matches';
    return [{ check: 'invented', at, watch: reference.watch, what: `${reference.alert}: ${id ?? 'nothing'} ${why}` }];
  });
}

function oncePerItem(told: readonly Owed[]): Owed[] {
  return [...new Map(told.toReversed().map((one) => [one.item, one])).values()].toReversed();
}

/** By item, when it was first served so that it matches. Of a list for `mined`, in a block. */
function firstMatches(served: readonly Served[], { path, matches, on }: EventReference): Map<string, Instant> {
  const first = new Map<string, Instant>();
  const read = new Set<object>();
  for (const { path: of, answer, at } of served) {
    if (of !== path || answer?.type !== 'page' || read.has(answer)) continue;
    read.add(answer);
    for (const row of answer.page.rows)
      if (!first.has(row.id) && matches(row) && (on === 'new' || row.block !== null)) first.set(row.id, at);
  }
  return first;
}

function claimsIn({ logs, reference: { isClaim, watch, alert }, told }: Case): Verdict[] {
  if (isClaim === undefined) return [];
  const claims = new Set(
    logs.chain.items.flatMap(({ id, stays: [stay] }) => (stay !== undefined && isClaim(stay.row) ? [id] : [])),
  );
  const byPoll = Map.groupBy(
    told.filter(({ item }) => item !== null && claims.has(item)),
    ({ at }) => at,
  );
  const verdict = (check: Verdict['check'], at: Instant, what: string): Verdict[] => [
    { check, at, watch, what: `${alert}: ${what}` },
  ];
  const ofClaims = [...byPoll.values()].flatMap((some) => {
    const { at } = some[0] ?? { at: logs.span.to };
    const alone = some.filter(({ isOfSummary }) => !isOfSummary).length;
    if (some.some(({ severity }) => severity === 'critical')) return verdict('invented', at, 'a claim was critical');
    return alone === 1 ? [] : verdict('too-many', at, `${alone} claims of one poll were told by themselves`);
  });
  const ofOthers = told
    .filter(({ item, isOfSummary }) => isOfSummary && (item === null || !claims.has(item)))
    .flatMap(({ at, item }) => verdict('lost', at, `${item ?? 'nothing'} is no claim, and was told among claims`));
  return [...ofClaims, ...ofOthers];
}

function doubledOf({ reference, told }: Case): Verdict[] {
  const groups = Map.groupBy(told, ({ item, recipient }) => `${item ?? ''} to ${recipient}`);
  return [...groups].flatMap(([of, messages]) => {
    const other = messages.find(({ id }) => id !== messages[0]?.id);
    if (other === undefined) return [];
    return [
      { check: 'doubled', at: other.at, watch: reference.watch, what: `${reference.alert}: ${of} was told twice` },
    ];
  });
}
