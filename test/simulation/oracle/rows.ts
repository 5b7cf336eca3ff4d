// Alerts about blocks in a row: so many full ones one after another fire once, and the first one above them that is empty
// ends it. A height that was not read neither counts nor breaks a row.
import type { Instant, Owed, ReadPoll, RowReference, Span, Verdict } from '../model.ts';
import { decidedAt, type Evidence } from './evidence.ts';
import { headAt, headsElsewhere, isHeadDoubtful, seenAt } from './heights.ts';
import { spansOfVersion } from './versions.ts';

const HOUR_MS = 3_600_000;
/** Of another version a state may go on. */
const EDITED_MS = HOUR_MS;
/** One that flaps is silent for a while. */
const FLAPPING_MS = 2 * HOUR_MS;

interface Case {
  readonly evidence: Evidence;
  readonly reference: RowReference;
  readonly polls: readonly ReadPoll[];
  readonly told: readonly Owed[];
  readonly spans: readonly Span[];
  /** By height, when a block with something in it stood there on the chain. */
  readonly full: ReadonlyMap<number, readonly Span[]>;
}

export function judgeRows(evidence: Evidence): Verdict[] {
  const { logs, references, pollsOf } = evidence;
  return references.rows.flatMap((reference) => {
    const { watch, alert, path, name } = reference;
    const given: Case = {
      evidence,
      reference,
      polls: pollsOf(watch, path),
      told: logs.owed.filter((one) => one.watch === watch && one.alert === alert),
      spans: spansOfVersion(logs, watch, alert, name),
      full: fullBlocks(evidence),
    };
    return [...lostOf(given), ...overdueOf(given), ...wrongOf(given)];
  });
}

function fullBlocks({ logs: { chain, span } }: Evidence): ReadonlyMap<number, readonly Span[]> {
  const full = new Map<number, Span[]>();
  for (const { stays } of chain.items)
    for (const { from, to, row } of stays)
      if (row.block !== null) full.set(row.block, [...(full.get(row.block) ?? []), { from, to: to ?? span.to }]);
  return full;
}

/** All the time, and for long enough before. */
function inForce({ spans, evidence: { logs } }: Case, from: Instant, to: Instant): boolean {
  const start = logs.people.configs[0]?.from ?? -Infinity;
  return spans.some((span) => (span.from === start || span.from + EDITED_MS <= from) && to <= span.to);
}

/** Enough heights in a row that stood full for three intervals of right time. */
function lostOf(given: Case): Verdict[] {
  const { reference, full, evidence } = given;
  const { logs, references } = evidence;
  const floor = headAt(logs.span.from, logs.chain);
  const rightTime = evidence.rightTimeOf(reference.path);
  return [...full.keys()].flatMap((height): Verdict[] => {
    const top = height + reference.limit - 1;
    const stood = standing(full, height, top);
    if (height <= floor || stood === null) return [];
    const from = Math.max(stood.from, seenAt(top, logs.chain));
    const dueAt = rightTime.after(from, 3 * references.intervalMs);
    if (dueAt === null || dueAt > stood.to || !isSure(given, from, dueAt)) return [];
    if (isFiringAt(given, from) || given.told.some((one) => one.type === FIRING && one.at >= from && one.at <= dueAt))
      return [];
    return [verdictOf(reference, 'lost', dueAt, `blocks ${height}-${top} were full, and it did not fire`)];
  });
}

const FIRING = 'alert.firing';

/** The time in which all of these heights were full at once, the last one; null: there is none. */
function standing(full: Case['full'], height: number, top: number): Span | null {
  let span: Span = { from: -Infinity, to: Infinity };
  for (let at = height; at <= top; at += 1) {
    const last = full.get(at)?.at(-1);
    if (last === undefined) return null;
    span = { from: Math.max(span.from, last.from), to: Math.min(span.to, last.to) };
  }
  return span.from < span.to ? span : null;
}

/** The version was in force, all heights were read, the head was known, and it does not flap. */
function isSure(given: Case, from: Instant, to: Instant): boolean {
  const { polls, told, evidence } = given;
  const { logs, references } = evidence;
  const elsewhere = headsElsewhere(logs);
  const meanwhile = polls.filter(({ poll }) => from <= poll.startedAt && poll.startedAt <= to);
  const isDoubtful = (poll: ReadPoll): boolean => {
    const { at, clockAt } = poll.poll.decided ?? { at: poll.until, clockAt: poll.until };
    const heads = { logs, elsewhere, intervalMs: references.intervalMs };
    return poll.poll.gaps.length > 0 || isHeadDoubtful({ ...heads, at, clockAt });
  };
  const isFlapping = told.some(({ at, reason }) => reason !== null && at > from - FLAPPING_MS && at <= to);
  return inForce(given, from, to) && !isFlapping && !meanwhile.some(isDoubtful);
}

function isFiringAt({ told }: Case, at: Instant): boolean {
  return told.findLast((one) => one.at <= at)?.type === FIRING;
}

/** After four intervals of right time in which no row could go on or begin, and none moved, the last one has ended. */
function overdueOf(given: Case): Verdict[] {
  const { reference, full, evidence } = given;
  const { logs, references } = evidence;
  const rightTime = evidence.rightTimeOf(reference.path);
  const all = Array.from({ length: headAt(logs.span.to, logs.chain) + 1 }, (_, height) => height);
  const rows = rowsIn({ full: new Set(full.keys()), empty: new Set(all) }, reference.limit);
  return rows.flatMap((row, n): Verdict[] => {
    const from = Math.max(logs.span.from, seenAt((row.at(-1) ?? 0) + 1, logs.chain));
    const dueAt = rightTime.after(from, 4 * references.intervalMs);
    const next = rows[n + 1]?.[0] ?? Infinity;
    if (dueAt === null || next <= headAt(dueAt, logs.chain) || !isFiringAt(given, dueAt)) return [];
    const isMoved = logs.chain.reorganisations.some((one) => one.at > from && one.at <= dueAt);
    if (isMoved || !isSure(given, from, dueAt)) return [];
    return [verdictOf(reference, 'lost', dueAt, 'was over and did not end')];
  });
}

/** What was served by then: full, empty, or both at different times. */
interface Heights {
  readonly full: ReadonlySet<number>;
  readonly empty: ReadonlySet<number>;
  /** What was served full for the first time since the last firing. */
  readonly fresh: ReadonlySet<number>;
}

function wrongOf(given: Case): Verdict[] {
  const { reference, told, polls } = given;
  let since = -Infinity;
  return told.flatMap((one, n): Verdict[] => {
    const { type, at, reason } = one;
    if (reason !== null || !inForce(given, at, at)) return [];
    const then = decidedAt(polls, one);
    const heights = servedUntil(given, since, then);
    const rows = rowsIn(heights, reference.limit);
    if (type === FIRING) since = then;
    if (type === told[n - 1]?.type) return [verdictOf(reference, 'doubled', at, `${type} twice in a row`)];
    if (type === FIRING) {
      const isNew = rows.some((row) => row.some((height) => heights.fresh.has(height)));
      return isNew ? [] : [verdictOf(reference, 'invented', at, 'fired without a new row')];
    }
    const last = rows.at(-1) ?? [];
    const isOver = [...heights.empty].some((height) => height > (last[0] ?? 0));
    return isOver ? [] : [verdictOf(reference, 'falsely-resolved', at, 'ended, but no empty block is above the row')];
  });
}

function servedUntil({ reference: { path, matches }, evidence }: Case, since: Instant, until: Instant): Heights {
  const [full, empty, fresh] = [new Set<number>(), new Set<number>(), new Set<number>()];
  const known = new Set<string>();
  for (const served of evidence.logs.served) {
    if (served.at > until || served.path !== path || served.answer?.type !== 'page') continue;
    for (const row of served.answer.page.rows) {
      if (row.block === null) continue;
      const isFull = matches(row);
      (isFull ? full : empty).add(row.block);
      if (isFull && !known.has(row.id) && served.at > since) fresh.add(row.block);
      known.add(row.id);
    }
  }
  return { full, empty, fresh };
}

/** Rows that are long enough, the lowest first. Where a block was full at one time and empty at another, it may be full. */
function rowsIn({ full, empty }: Pick<Heights, 'full' | 'empty'>, limit: number): number[][] {
  const rows: number[][] = [[]];
  for (const height of [...new Set([...full, ...empty])].toSorted((a, b) => a - b))
    if (full.has(height)) rows.at(-1)?.push(height);
    else rows.push([]);
  return rows.filter(({ length }) => length >= limit);
}

function verdictOf({ watch, name }: RowReference, check: Verdict['check'], at: Instant, what: string): Verdict {
  return { check, at, watch, what: `${name}: ${what}` };
}
