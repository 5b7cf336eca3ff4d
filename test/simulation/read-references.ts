// References of the rules about values that contracts answer.
import type { ConditionReference, CronReference, Facts, ReadPoll, ReadReference } from './model.ts';
import { factIn } from './oracle/reads.ts';
import { PATHS } from './rules.ts';

const MINUTE = 60_000;
const EVERY_MS = 15 * MINUTE;
const DOLLAR = 1_000_000;

const REVERTED = 'reverted';

export const READS: readonly ReadReference[] = [
  changed('state/owner', 'owner', addressIn('owner')),
  changed('state/limit', 'limit', numberIn('limit')),
  changed('state/limit of another slot', 'other_limit', numberIn('limit')),
  changed('solvency/coins', 'coins', numberIn('coins')),
  changed('solvency/guardian', 'guardian', addressIn('guardian')),
  { ...changed('deep/owner', 'deep owner', addressIn('owner')), confirmations: 12 },
  { ...changed('deep/guardian', 'deep guardian', addressIn('guardian')), confirmations: 12 },
];

/** A call that reverts answers nothing. */
const dollarsIn = (poll: ReadPoll): number | null => {
  const assets = factIn(poll, 'assets');
  return assets === null || assets === REVERTED ? null : Number(assets) / DOLLAR;
};

const pausedIn = (poll: ReadPoll): number | null => {
  const paused = factIn(poll, 'paused');
  return paused === null || paused === REVERTED ? null : Number(paused);
};

const brokenIn = (poll: ReadPoll): number | null => {
  const assets = factIn(poll, 'assets');
  return assets === null ? null : Number(assets === REVERTED);
};

export const READ_CONDITIONS: readonly ConditionReference[] = [
  {
    ...condition('solvency', 'low', dollarsIn),
    forMs: 30 * MINUTE,
    isTrue: (dollars) => dollars < 1000,
    ends: (dollars) => dollars >= 1000,
  },
  {
    ...condition('solvency', 'low', dollarsIn),
    name: 'solvency/low at 1200',
    forMs: 30 * MINUTE,
    isTrue: (dollars) => dollars < 1200,
    ends: (dollars) => dollars > 1500,
  },
  condition('solvency', 'broken', brokenIn),
  condition('state', 'paused', pausedIn),
];

/** A read is blind like any other watch. */
export const READ_SIGHT: CronReference = {
  watch: 'state',
  path: PATHS.rpc,
  valueOf: pausedIn,
  dueBetween: (from, to) => Math.max(0, Math.round((to - from) / EVERY_MS)),
};

function condition(watch: string, alert: string, valueOf: ConditionReference['valueOf']): ConditionReference {
  const isSo = (value: number): boolean => value === 1;
  return {
    watch,
    alert,
    path: PATHS.rpc,
    forMs: 0,
    needsHead: true,
    valueOf,
    isTrue: isSo,
    ends: (value) => !isSo(value),
  };
}

function changed(name: string, fact: string, toldIn: ReadReference['toldIn']): ReadReference {
  const [watch = '', alert = ''] = name.split(/[/ ]/);
  return { name, watch, alert, path: PATHS.rpc, fact, confirmations: 0, toldIn };
}

function addressIn(name: string): (facts: Facts) => string | null {
  return (facts) => facts[name]?.toLowerCase() ?? null;
}

function numberIn(name: string): (facts: Facts) => string | null {
  return (facts) => facts[name] ?? null;
}
