// What must hold whatever happened: judged by what the explorer was asked and by what the database noted. That nothing was
// lost, and that no copy came unexplained, is judged by what people were told (`support/crash/tally.ts`).
import type { Former } from '../support/store/postgres-server.ts';
import type { Asked } from './explorer.ts';
import { INTRUDING } from './intruder.ts';
import type { Claimed, Line, Overtaken, Written } from './database.ts';

export interface Span {
  readonly from: number;
  readonly to: number;
}

export interface Happened {
  readonly asked: readonly Asked[];
  readonly log: readonly Line[];
  /** When nobody could work, because the database was gone. */
  readonly outages: readonly Span[];
  /** When replicas woke that had been frozen. */
  readonly woken: readonly At[];
  /** When replicas could not reach the explorers. */
  readonly barred: readonly Barred[];
  /** When the clock of the database was set, and by how much. */
  readonly clockMoves: readonly ClockMove[];
  /** When two faults were struck over each other. */
  readonly crowded: readonly Span[];
  readonly leaseMs: number;
}

/** What faults leave to the judge: what follows from them, and what was found wrong at once. */
export interface Noted {
  readonly outages: Span[];
  /** What was written in these times the database has lost. */
  readonly forgotten: Span[];
  readonly clockMoves: ClockMove[];
  /** Keeps what such a database had noted. */
  readLost(former: Pick<Former, 'urlOf'>): Promise<void>;
  readonly woken: At[];
  readonly barred: Barred[];
  readonly findings: string[];
}

interface At {
  readonly address: string;
  readonly at: number;
}

interface ClockMove {
  readonly at: number;
  readonly ms: number;
}

type Barred = Span & { readonly address: string };

export interface Figures {
  readonly requests: number;
  readonly askedTwice: number;
  readonly claims: number;
  readonly commits: number;
  /** Between two requests of one plan, outages taken out. */
  readonly longestGapMs: number;
}

/** Beyond a lease: a late look for free shards, the recall, and the interval of the watches. */
const TAKEOVER_MS = 5000;
const INTERVAL_MS = 1000;
const UNREACHED_MS = 10_000;
/** What was on its way when a replica was frozen leaves when it wakes: as many requests as may be under way, no more. */
const STRAY_MS = 1000;
const MOST_STRAYS = 4;
const MOST_ASKED_TWICE = 0.05;

export function findingsOf(happened: Happened): string[] {
  return [
    ...twoAskers(happened),
    ...askedAgain(happened),
    ...gaps(happened),
    ...versions(happened.log),
    ...epochs(happened.log),
    ...strangers(happened.log),
    ...deleted(happened.log),
    ...overtaken(happened.log),
    ...intruders(happened.log),
  ];
}

export function figuresOf(happened: Happened): Figures {
  const { asked, log } = happened;
  return {
    requests: asked.length,
    askedTwice: askedTwice(asked).length,
    claims: log.filter(({ type }) => type === 'claim').length,
    commits: log.filter(isWritten).length,
    longestGapMs: Math.max(0, ...gapsOf(happened).map(({ ms }) => ms)),
  };
}

/** Outside the API a host is asked by those who do not hold the plan: whether it answers them. */
const PROBE = '/';

const byPlan = (asked: readonly Asked[]): readonly (readonly Asked[])[] =>
  [
    ...Map.groupBy(
      asked.filter(({ path }) => path !== PROBE),
      ({ plan }) => plan,
    ).values(),
  ].map((some) => some.toSorted((a, b) => a.from - b.from));

function pairs<T>(some: readonly T[]): (readonly [T, T])[] {
  return some.slice(1).flatMap((one, n) => {
    const before = some[n];
    return before === undefined ? [] : [[before, one] as const];
  });
}

/**
 * Never do two replicas have a request of one plan under way, but where the clock of the database ends leases at once: the
 * holder learns of it by its next renewal.
 */
function twoAskers({ asked, woken, clockMoves, leaseMs }: Happened): string[] {
  const strays = straysIn(asked, woken);
  const isSet = ({ from }: Asked): boolean => clockMoves.some(({ at }) => at - leaseMs <= from && from < at + leaseMs);
  return byPlan(asked).flatMap((some) =>
    atOneTime(some)
      .filter(([a, b]) => a.asker !== b.asker && !strays.has(a) && !strays.has(b) && !isSet(b))
      .map(([a, b]) => `two askers of plan ${a.plan}: ${a.asker} and ${b.asker} at ${time(b.from)}, ${b.path}`),
  );
}

/** Every two that were under way together; `some` are in the order of their beginnings. */
function atOneTime(some: readonly Asked[]): (readonly [Asked, Asked])[] {
  let underWay: readonly Asked[] = [];
  return some.flatMap((one) => {
    const met = underWay.filter(({ to }) => to > one.from);
    underWay = [...met, one];
    return met.map((other) => [other, one] as const);
  });
}

function straysIn(asked: readonly Asked[], woken: Happened['woken']): ReadonlySet<Asked> {
  return new Set(
    woken.flatMap(({ address, at }) =>
      byPlan(asked.filter(({ asker, from }) => asker === address && from >= at && from < at + STRAY_MS)).flatMap(
        (some) => some.slice(0, MOST_STRAYS),
      ),
    ),
  );
}

/** What was asked by one replica, and within half an interval by another. */
function askedTwice(asked: readonly Asked[]): Asked[] {
  const alike = Map.groupBy(asked, ({ plan, path }) => `${plan} ${path}`);
  return [...alike.values()].flatMap((some) =>
    pairs(some.toSorted((a, b) => a.from - b.from))
      .filter(([a, b]) => a.asker !== b.asker && b.from - a.from < INTERVAL_MS / 2)
      .map(([, again]) => again),
  );
}

function askedAgain({ asked }: Happened): string[] {
  const again = askedTwice(asked).length;
  const most = MOST_ASKED_TWICE * (asked.length - again);
  return again <= most ? [] : [`asked twice: ${again} of ${asked.length} requests`];
}

interface Gap {
  readonly plan: number;
  /** Before it. */
  readonly asker: string;
  readonly from: number;
  readonly to: number;
  readonly ms: number;
}

function gapsOf({ asked, outages }: Happened): Gap[] {
  return byPlan(asked).flatMap((some) =>
    pairs(some).map(([a, b]) => {
      const lost = outages.reduce((sum, one) => sum + overlap(one, { from: a.from, to: b.from }), 0);
      return { plan: a.plan, asker: a.asker, from: a.from, to: b.from, ms: b.from - a.from - lost };
    }),
  );
}

function overlap(a: Span, b: Span): number {
  return Math.max(0, Math.min(a.to, b.to) - Math.max(a.from, b.from));
}

/** Who takes over may be struck by the second one of two faults; where the clock of the database is set, it is set back too. */
function gaps(happened: Happened): string[] {
  const { leaseMs, clockMoves, crowded, barred } = happened;
  const most = leaseMs + TAKEOVER_MS;
  const moved = clockMoves.map(({ at }) => ({ from: at, to: at + most }));
  const isIn = (spans: readonly Span[], gap: Gap): boolean => spans.some((one) => overlap(one, gap) > 0);
  const takeovers = (gap: Gap): number => (isIn([...crowded, ...moved], gap) ? 2 : 1);
  // Who reaches no explorer is sure of it after a while, and the others ask that host before they take over. Of two faults
  // it may strike whoever takes over.
  const unreachedMs = (gap: Gap): number =>
    barred.some((one) => overlap(one, gap) > 0 && (one.address === gap.asker || isIn(crowded, gap))) ? UNREACHED_MS : 0;
  return gapsOf(happened)
    .filter((gap) => gap.ms > most * takeovers(gap) + unreachedMs(gap) + INTERVAL_MS)
    .map(({ plan, from, ms }) => `plan ${plan} was not asked for ${ms} ms from ${time(from)}`);
}

function isWritten(line: Line): line is Written {
  return line.type === 'insert' || line.type === 'update' || line.type === 'delete';
}

function isClaimed(line: Line): line is Claimed {
  return line.type === 'claim';
}

/** No memory is overwritten that its writer did not know. */
function versions(log: readonly Line[]): string[] {
  const byWatch = Map.groupBy(log.filter(isWritten), ({ subject }) => subject);
  return [...byWatch].flatMap(([watch, lines]) =>
    lines
      .filter(({ type, before, after }) => type !== 'delete' && after !== before + 1)
      .map(({ before, after, address }) => `version of ${watch} from ${before} to ${after} by ${address}`),
  );
}

function epochs(log: readonly Line[]): string[] {
  const byShard = Map.groupBy(log.filter(isClaimed), ({ shard }) => shard);
  return [...byShard].flatMap(([shard, claims]) =>
    pairs(claims)
      .filter(([a, b]) => b.epoch <= a.epoch)
      .map(([a, b]) => `epoch of ${shard} from ${a.epoch} to ${b.epoch}`),
  );
}

/** Who writes holds the shard: nobody else has claimed it since. */
function strangers(log: readonly Line[]): string[] {
  const holders = new Map<string, string>();
  const found: string[] = [];
  for (const line of log) {
    if (isOvertaken(line)) continue;
    const { shard, address } = line;
    const holder = holders.get(shard);
    if (isClaimed(line)) holders.set(shard, address);
    else if (holder !== undefined && holder !== address)
      found.push(`${address} wrote ${line.subject} (${line.type}) of ${shard}, which ${holder} had claimed`);
  }
  return found;
}

/** Every watch is in the config of a live replica all the time. */
function deleted(log: readonly Line[]): string[] {
  return log
    .filter(isWritten)
    .filter(({ type }) => type === 'delete')
    .map(({ subject, address }) => `${subject} was retired by ${address}, although a replica has it`);
}

function isOvertaken(line: Line): line is Overtaken {
  return line.type === 'overtake';
}

function overtaken(log: readonly Line[]): string[] {
  return log
    .filter(isOvertaken)
    .map(({ subject, address }) => `${address} sent ${subject} beside an earlier one of the same alert`);
}

/** A daemon of another installation does nothing. */
function intruders(log: readonly Line[]): string[] {
  return log
    .filter(({ address }) => address.startsWith(INTRUDING))
    .map((line) => `${line.address} of another installation wrote (${line.type})`);
}

function time(at: number): string {
  return new Date(at).toISOString().slice(11, 23);
}
