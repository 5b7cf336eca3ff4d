// The values of one field of a watch over time, for a chart: values by hour for the time whose samples are no longer
// stored, then runs of equal values, then the open run.
import { HOLE } from '../../core/windows/hole.ts';
import type { Run } from '../../core/model/memory.ts';
import { paceIn, type Watch } from '../../core/model/watch/watch.ts';
import { showInstant, type Instant } from '../../lib/clock.ts';
import type { Bucket, PathOfWatch } from '../../store/contract/samples.ts';
import { drawnPath, runsSince } from './lines.ts';
import { clearAt, firingSide, limitOf, unitOf } from './measure.ts';
import type { SamplesFilter, STEPS } from '../shapes.ts';
import type { DrawnLimit, Series } from '../shapes/accounts.ts';
import type { Point } from '../shapes/common.ts';
import { timeOf } from '../times.ts';
import type { QueryContext } from '../view.ts';

const HOUR_MS = 3_600_000;
const STEP_MS: Readonly<Record<(typeof STEPS)[number], number>> = {
  '6h': 6 * HOUR_MS,
  '24h': 24 * HOUR_MS,
  '7d': 7 * 24 * HOUR_MS,
  '30d': 30 * 24 * HOUR_MS,
};

/** A chart covers at least this time. */
const LEAST_MS = 60_000;

/** Null: there is no such watch, or no samples of the field are kept. */
export async function samples(view: QueryContext, name: string, filter: SamplesFilter): Promise<Series | null> {
  const { runtime, store, now } = view;
  const watch = runtime.watches().find((one) => one.name === name);
  const path = filter.field ?? (watch === undefined ? null : drawnPath(watch));
  if (watch === undefined || path === null || watch.sampled.every((span) => span.path !== path)) return null;
  const firstPoll = (await store.firstPolls([watch.id])).get(watch.id) ?? -Infinity;
  const begin = Math.max(now - STEP_MS[filter.since], Math.min(firstPoll, now - LEAST_MS));
  const of = { watch: watch.id, path };
  // The first answer was read a little before the time at which it was stored, so the search begins earlier.
  const pieces = await piecesOf(view, watch, { of, since: begin - (begin === firstPoll ? LEAST_MS : 0) });
  const since = Math.min(begin, begin === firstPoll ? (pieces[0]?.from ?? begin) : begin);
  const firings = (await store.firings(since, watch.id)).filter(({ isEvent }) => !isEvent);
  return {
    field: path,
    unit: path === watch.kind.while?.measured ? unitOf(watch) : '',
    from: showInstant(since),
    points: pieces.flatMap(({ from, until, value }) => pointsOf(Math.max(from, since), until, value)),
    gaps: gapsOf(pieces, { paceMs: paceIn(runtime.readings.memoryOf(watch.id), watch), since, until: now }),
    limits: limitsOn(watch, path),
    episodes: firings.map(({ alert, severity, from, until }) => {
      return { alert, severity, from: showInstant(from), until: timeOf(until) };
    }),
    notified: firings.flatMap(({ from }) => (from > since ? [showInstant(from)] : [])),
  };
}

/** A value and its duration. */
interface Piece {
  readonly from: Instant;
  readonly until: Instant;
  readonly value: string;
}

interface Wanted {
  readonly of: PathOfWatch;
  readonly since: Instant;
}

async function piecesOf({ runtime, store, now }: QueryContext, watch: Watch, { of, since }: Wanted): Promise<Piece[]> {
  const memory = runtime.readings.memoryOf(watch.id);
  if (memory === undefined || memory.checksum !== watch.checksum) return [];
  const end = memory.coveredUntil ?? now;
  const runs = (await runsSince(store, of, { memory, since })).map(([from, until, value]: Run): Piece => {
    return { from, until: until ?? Math.max(from, end), value };
  });
  const first = runs[0]?.from ?? end;
  const hours = (await store.buckets(of, Math.floor(since / HOUR_MS) * HOUR_MS)).filter(({ at }) => at < first);
  return [...hours.flatMap((hour) => hourPieces(hour, first)), ...runs];
}

/** An hour is drawn as its first value, its minimum, its maximum and its last value, evenly spread over the hour. */
function hourPieces({ at, first, min, max, last }: Bucket, end: Instant): Piece[] {
  const values = [first, min, max, last].filter((value, i, all) => i === 0 || value !== all[i - 1]);
  const until = Math.min(at + HOUR_MS, end);
  const width = Math.max(0, until - at) / values.length;
  return values.map((value, i) => {
    return { from: Math.round(at + i * width), until: Math.round(at + (i + 1) * width), value };
  });
}

/** The first and the last point of a run. */
function pointsOf(from: Instant, until: Instant, value: string): Point[] {
  const begin: Point = [showInstant(from), value];
  return until > from ? [begin, [showInstant(until), value]] : [begin];
}

/** Times without a sample for more than three of the intervals in force. */
function gapsOf(
  pieces: readonly Piece[],
  { paceMs, since, until }: { readonly paceMs: number; readonly since: Instant; readonly until: Instant },
): Series['gaps'] {
  const holeMs = HOLE * paceMs;
  const ends = pieces.map((piece) => piece.until);
  const begins = [...pieces.slice(1).map(({ from }) => from), until];
  const first = pieces[0]?.from ?? until;
  const gaps: [Instant, Instant][] = first > since ? [[since, first]] : [];
  for (const [i, end] of ends.entries()) {
    const next = begins[i] ?? until;
    if (next - end > holeMs) gaps.push([end, next]);
  }
  return gaps.map(([from, to]) => [showInstant(from), showInstant(to)]);
}

function limitsOn({ alerts }: Watch, path: string): DrawnLimit[] {
  return alerts.flatMap((alert) => {
    const limit = alert.type === 'condition' ? limitOf(alert.while) : null;
    if (alert.type !== 'condition' || limit === null) return [];
    if (limit.subject.type !== 'field' || limit.subject.isBefore || limit.subject.path !== path) return [];
    const [fire, clear] = [limit.bound.toString(), clearAt(alert, limit).toString()];
    return [{ alert: alert.id, severity: alert.severity, fires: firingSide(limit), fire, clear }];
  });
}
