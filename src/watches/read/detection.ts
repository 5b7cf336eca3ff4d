// Detects changes between two readings of contracts.
import { z } from 'zod';
import { NOTHING_DETECTED, type Detection, type DetectionScope } from '../../core/model/detection.ts';
import { MISSING_POLLS } from '../../core/model/quality/sightings.ts';
import type { Target } from '../../core/model/watch/target.ts';
import type { LostValue } from '../../core/model/watch/kind.ts';
import { type Remembered, track } from '../../core/values/encoded.ts';
import type { Instant } from '../../lib/clock.ts';
import { canonicalJson } from '../../lib/canonical-json.ts';
import { oneChange } from '../one-change.ts';
import { remembered, type Values } from '../values.ts';
import type { Lack } from './answers.ts';
import type { WayOfAsking } from './asking.ts';
import { definitionsOf } from './calls.ts';
import type { ReadOptions } from './option.ts';
import type { ReadReading } from './reading.ts';

export interface ReadState extends Values {
  /** The meaning of each name, to find names whose meaning has changed. */
  readonly definitions: Readonly<Record<string, string>>;
  /** The decimals of tokens, by their addresses. */
  readonly decimals: Readonly<Record<string, number>>;
  /** The newest block at the last change; null: unknown. */
  readonly block: number | null;
  /** The number of readings in a row that are older than `block`, or have no block. */
  readonly behind: number;
  /** Readings in a row without a value, by name, at most `MISSING_POLLS`. */
  readonly unread: Readonly<Record<string, number>>;
  /** The names whose calls reverted in the last reading. */
  readonly reverting: readonly string[];
  /** The reason why each value is requested alone; null if the values are requested as planned. */
  readonly singly: { readonly since: Instant; readonly why: string } | null;
}

export const ReadState: z.ZodType<ReadState> = z.object({
  values: remembered,
  changes: z.number(),
  definitions: z.record(z.string(), z.string()),
  decimals: z.record(z.string(), z.number()),
  block: z.number().nullable(),
  behind: z.number(),
  unread: z.record(z.string(), z.number()),
  reverting: z.array(z.string()),
  singly: z.object({ since: z.number(), why: z.string() }).nullable(),
});

/**
 * After this number of readings in a row that seem to be older than a known block, the readings are believed: the chain
 * has probably been set back.
 */
const BELIEVED_AFTER = 3;

export function detectReads(
  before: ReadState | null,
  reading: ReadReading,
  target: Pick<Target<ReadOptions>, 'address' | 'options'>,
  scope: DetectionScope,
): Detection<ReadState> {
  const definitions = definitionsOf(target);
  const { state, redefined } = continued(before, definitions);
  const { view, lacks, block, newest, head, decimals, way } = reading;
  const age = state === null ? null : ageOf(state, reading);
  const singly = singlyAfter(state?.singly ?? null, way, scope.at);
  if (state !== null && age !== null && age.doubt !== null)
    return {
      ...NOTHING_DETECTED,
      // The way of the requests and the decimals of tokens do not depend on the block.
      state: withBeside(before, state, { ...state, definitions, decimals, singly, behind: age.behind }),
      before: state.values,
      redefined,
      doubt: age.doubt,
      notes: wayNotes(way),
    };
  const tracking = track(state?.values ?? null, view, scope.tracked);
  // A value that was never known has not changed.
  const changed = tracking.changed.filter((path) => (state?.values[path] ?? null) !== null);
  const isNews =
    state === null || tracking.after !== state.values || (age?.behind ?? 0) > 0 || !hasSameNames(state.unread, lacks);
  const detection = oneChange(state, { ...tracking, changed }, { now: view, at: scope.at });
  const unread = Object.fromEntries(Object.keys(lacks).map((name) => [name, counted(state?.unread[name])]));
  const beside = {
    definitions,
    decimals,
    block: isNews || state.block === null ? newest : state.block,
    behind: 0,
    unread,
    reverting: Object.keys(lacks).filter((name) => lacks[name] === 'reverted'),
    singly,
  };
  return {
    ...detection,
    state: detection.state && withBeside(before, detection.state, beside),
    // All values were read as of this block.
    range: block === null ? null : { from: block, to: block, head, replaced: [] },
    redefined,
    notes: [
      ...Object.entries(lacks).flatMap(([name, lack]) => (unread[name] === 1 ? [`${name}: ${LACKS[lack]}`] : [])),
      ...wayNotes(way),
    ],
  };
}

function wayNotes(way: WayOfAsking): readonly string[] {
  return typeof way === 'string' ? [] : [singlyWords(way)];
}

const LACKS: Readonly<Record<Lack, string>> = {
  reverted: 'the call reverts',
  'no-code': 'no code at this address, or no such function',
  misfit: 'the answer does not fit the type',
  failed: 'the node behind the explorer failed',
  refused: 'the explorer refuses the call',
  'no-decimals': 'the decimals of its token are unknown',
};

/** The time for which each value is requested alone. After that the values are requested together again. */
const SINGLY_MS = 86_400_000;

function singlyAfter(before: ReadState['singly'], way: WayOfAsking, at: Instant): ReadState['singly'] {
  if (typeof way !== 'string') return { since: at, why: way.why };
  return way === 'as-before' && before !== null && at - before.since < SINGLY_MS ? before : null;
}

export function singlyWords({ why }: { readonly why: string }): string {
  return `values are asked one by one: ${why}`;
}

function counted(before = 0): number {
  return Math.min(before + 1, MISSING_POLLS);
}

function hasSameNames(one: object, other: object): boolean {
  return canonicalJson(Object.keys(one).toSorted()) === canonicalJson(Object.keys(other).toSorted());
}

interface Continued {
  readonly state: ReadState | null;
  /** The names whose meaning has changed. */
  readonly redefined: readonly string[];
}

/** The memory without the values of names that no longer exist or whose meaning has changed. */
export function continued(state: ReadState | null, definitions: ReadState['definitions']): Continued {
  if (state === null) return { state, redefined: [] };
  const gone = Object.keys(state.definitions).filter((name) => definitions[name] !== state.definitions[name]);
  if (gone.length === 0) return { state, redefined: [] };
  const isKept = (path: string): boolean => !gone.includes(path.replace(/^reverted\./, '').split('.')[0] ?? '');
  const kept = <T>(of: Readonly<Record<string, T>>): Readonly<Record<string, T>> =>
    Object.fromEntries(Object.entries(of).filter(([path]) => isKept(path)));
  const values: Remembered = kept(state.values);
  const reverting = state.reverting.filter(isKept);
  return { state: { ...state, values, unread: kept(state.unread), reverting }, redefined: gone };
}

interface Age {
  /** The number of readings in a row that are older than the last change, or have no block. */
  readonly behind: number;
  /** The reason why the reading is not believed; null if it is believed. */
  readonly doubt: string | null;
}

/** Checks whether a reading is older than the last change. */
function ageOf({ block: last, behind }: ReadState, { block, head, isUndated }: ReadReading): Age {
  const isBelow = block !== null && last !== null && block < last;
  if (last === null || !(isBelow || isUndated)) return { behind: 0, doubt: null };
  const doubt = isBelow
    ? `answered as of block ${block}, before block ${last}`
    : 'answered without the number of its block';
  // The chain still has the block of the last change. The reading is older only because a reload raised
  // `confirmations`.
  if (isBelow && head !== null && head >= last) return { behind: 0, doubt };
  const readings = behind + 1;
  if (readings >= BELIEVED_AFTER) return { behind: readings, doubt: null };
  return { behind: readings, doubt: `${doubt}: ${readings} of ${BELIEVED_AFTER} readings` };
}

/** Returns the same object as before if it has these values already. */
function withBeside(before: ReadState | null, values: Values, beside: Omit<ReadState, keyof Values>): ReadState {
  const after = { values: values.values, changes: values.changes, ...beside };
  return before !== null && canonicalJson(before) === canonicalJson(after) ? before : after;
}

/** Values that the last readings lack. `pathsOf`: the paths of the values below a name. */
export function lostIn({ unread }: ReadState, pathsOf: (name: string) => readonly string[]): readonly LostValue[] {
  const lost = Object.keys(unread).filter((name) => (unread[name] ?? 0) >= MISSING_POLLS);
  return lost.map((name) => ({ paths: pathsOf(name), name }));
}
