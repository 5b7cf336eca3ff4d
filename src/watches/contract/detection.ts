// Detects changes of a contract between two readings.
import { z } from 'zod';
import { Address } from '../../core/values/address.ts';
import type { Detection, DetectionScope } from '../../core/model/detection.ts';
import { MISSING_POLLS } from '../../core/model/quality/sightings.ts';
import type { LostValue } from '../../core/model/watch/kind.ts';
import { type Remembered, track, viewOf } from '../../core/values/encoded.ts';
import { SmartContract } from '../../explorer/reading/resources/smart-contract.ts';
import { oneChange } from '../one-change.ts';
import { remembered, type Values } from '../values.ts';
import { Acceptance, judgeSet, NO_RETURN, notReturning } from './acceptance.ts';
import {
  Contract,
  isOfSource,
  keysOf,
  listedIn,
  type ContractDetailsView,
  type ContractReading,
  type ContractView,
  type Listed,
} from './reading.ts';

export interface ContractState extends Values, Acceptance {
  /** Readings in a row without a list of implementations although one was known, at most `MISSING_POLLS`. */
  readonly unlisted: number;
  /** Readings in a row that asked for the code and got no answer, at most `MISSING_POLLS`. */
  readonly unread: number;
}

export const ContractState: z.ZodType<ContractState> = z.object({
  values: remembered,
  changes: z.number(),
  ...Acceptance.shape,
  unlisted: z.number(),
  unread: z.number(),
});

/** Fields that follow from the set of implementations. */
const OF_THE_SET = ['implementation', 'implementations', 'proxy_type', 'is_expected'];

/** Remembered for every rule: a set that counts is compared with the next one, and messages name its contracts. */
const ALWAYS_TRACKED = ['implementations', 'proxy_type'];

/** `expected`: addresses in lower case; null if the rule names none. */
export function detectContract(
  state: ContractState | null,
  { view: seen, unread }: Pick<ContractReading, 'view' | 'unread'>,
  { expected, scope }: { readonly expected: ReadonlySet<string> | null; readonly scope: DetectionScope },
): Detection<ContractState> {
  const listed = listedIn(seen);
  const known = state === null ? null : acceptedIn(state.values);
  const judged = judge(state ?? NO_RETURN, { listed, known, expected }, scope);
  const isHeldBack = judged.verdict === 'waits';
  const counting = isHeldBack ? known : listed;
  const proxy_type = isHeldBack && state !== null ? knownOf(state.values).proxy_type : seen.proxy_type;
  const now = viewWith(seen, { listed: counting, proxy_type, expected });
  const tracking = track(state?.values ?? null, now, [...new Set([...ALWAYS_TRACKED, ...scope.tracked])]);
  const isFirst = (path: string): boolean => isOfSource(path) && (state?.values[path] ?? null) === null;
  const changed = tracking.changed.filter((path) => !isFirst(path) && counts(path, { known, verdict: judged.verdict }));
  const detection = oneChange(state, { ...tracking, changed }, { now, at: scope.at });
  const lacks = {
    unlisted: listed !== null || known === null ? 0 : counted(state?.unlisted),
    unread: unread === null ? 0 : counted(state?.unread),
  };
  return {
    ...detection,
    state: detection.state && withJudged(state, detection.state, { ...judged.after, ...lacks }),
    notes: [...(state === null ? notesOf(seen, listed) : []), ...(unread === null ? [] : [`code not read: ${unread}`])],
  };
}

function counted(before = 0): number {
  return Math.min(before + 1, MISSING_POLLS);
}

/** The list of implementations, if it was known and the last readings lack it; the code, if they do not show it. */
export function lostIn({ unlisted, unread }: ContractState): readonly LostValue[] {
  return [
    ...(unlisted >= MISSING_POLLS ? [{ paths: OF_THE_SET, name: 'implementation' }] : []),
    ...(unread >= MISSING_POLLS ? [{ paths: Object.keys(SmartContract.fields), name: null }] : []),
  ];
}

interface Sets {
  readonly listed: readonly Listed[] | null;
  readonly known: readonly Listed[] | null;
  readonly expected: ReadonlySet<string> | null;
}

interface Verdict {
  readonly verdict: 'first' | 'unlisted' | ReturnType<typeof judgeSet>['verdict'];
  readonly after: Acceptance;
}

function judge(before: Acceptance, { listed, known, expected }: Sets, scope: DetectionScope): Verdict {
  if (listed === null) return { verdict: 'unlisted', after: notReturning(before) };
  if (known === null) return { verdict: 'first', after: NO_RETURN };
  const isForeign = (set: readonly string[]): boolean => expected !== null && !set.every((key) => expected.has(key));
  return judgeSet(before, { accepted: keysOf(known), shown: keysOf(listed), isForeign }, scope);
}

/**
 * True if a path with another value counts as a change. The first known set of implementations does not count, and
 * neither does a new name for the same set.
 */
function counts(path: string, { known, verdict }: Pick<Sets, 'known'> & Pick<Verdict, 'verdict'>): boolean {
  if (!OF_THE_SET.includes(path)) return true;
  if (known === null) return false;
  return verdict === 'other' || !path.startsWith('implementation');
}

function acceptedIn(values: Remembered): readonly Listed[] | null {
  return listedIn(knownOf(values));
}

function knownOf(values: Remembered): ContractView {
  return viewOf(Contract, values) as ContractView;
}

function viewWith(
  seen: ContractDetailsView,
  { listed, proxy_type, expected }: Pick<Sets, 'listed' | 'expected'> & Pick<ContractDetailsView, 'proxy_type'>,
): ContractView {
  const [only, ...others] = listed ?? [];
  return Contract.over(seen, {
    implementation: others.length === 0 ? only?.address : undefined,
    implementations: listed?.map(({ view }) => view),
    proxy_type: listed === null ? undefined : proxy_type,
    is_expected:
      listed === null || expected === null ? undefined : listed.every(({ address: { key } }) => expected.has(key)),
  });
}

/** Returns the same object as before if it has these values already. */
function withJudged(
  before: ContractState | null,
  values: Values,
  judged: Acceptance & Pick<ContractState, 'unlisted' | 'unread'>,
): ContractState {
  const isSame =
    before !== null &&
    values === before &&
    before.unlisted === judged.unlisted &&
    before.unread === judged.unread &&
    before.returningSince === judged.returningSince &&
    JSON.stringify(before.previous) === JSON.stringify(judged.previous);
  return isSame ? before : { ...values, ...judged };
}

function notesOf({ is_contract }: ContractDetailsView, listed: readonly Listed[] | null): readonly string[] {
  if (is_contract === false) return ['the address has no code'];
  return listed === null && is_contract === true
    ? ['the explorer shows no implementation: what rules read of it is unknown']
    : [];
}

/** `expected` of a rule: its addresses, in lower case. */
export function expectedSet(expected: readonly string[] | undefined): ReadonlySet<string> | null {
  return expected === undefined ? null : new Set(expected.map((text) => Address.parse(text)?.key ?? ''));
}
