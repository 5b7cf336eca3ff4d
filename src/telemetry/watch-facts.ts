// The exported facts of each rule and its targets. Each scrape reads them. So a watch is dropped by one delete, and a
// poll looks up no series.
import type { MissReason } from '../core/model/observation.ts';
import type { Instant } from '../lib/clock.ts';

/** One running watch: the rule's id, and its target (`''` for a whole chain). */
export interface WatchLabels {
  readonly watch: string;
  /** A name of the config, or the short form of an address that has none. */
  readonly of: string;
}

export interface ValueLabels extends WatchLabels {
  /** A name of the config, the short form of an address that has none, or the symbol of the native coin. */
  readonly token: string;
  readonly field: string;
}

export type PollOutcome = 'complete' | 'unchanged' | 'partial' | MissReason;

export interface PollFacts {
  readonly outcome: PollOutcome;
  readonly at: Instant;
  readonly readsList: boolean;
}

export interface RuleFacts {
  /** True if the polls of the rule read lists of items. */
  readsLists: boolean;
  readonly pollsByOutcome: Map<PollOutcome, number>;
  readonly factsByTarget: Map<string, TargetFacts>;
  undecided: number;
  notJudged: number;
  unfollowed: number;
  notExamined: number;
  skipped: number;
}

export interface TargetFacts {
  readonly labels: WatchLabels;
  up: boolean | null;
  lastSuccessAt: Instant | null;
  readonly values: Map<string, ConfirmedValue>;
}

interface ConfirmedValue {
  readonly labels: ValueLabels;
  /** Null: no longer known. The entry stays, so that a value that comes back during a scrape is not written twice. */
  value: number | null;
  expiresAt: Instant;
}

export function freshRule(): RuleFacts {
  return {
    readsLists: false,
    pollsByOutcome: new Map(),
    factsByTarget: new Map(),
    undecided: 0,
    notJudged: 0,
    unfollowed: 0,
    notExamined: 0,
    skipped: 0,
  };
}

export function freshTarget(labels: WatchLabels): TargetFacts {
  return { labels, up: null, lastSuccessAt: null, values: new Map() };
}

export function countPoll(rule: RuleFacts, { outcome, readsList }: Omit<PollFacts, 'at'>): void {
  rule.pollsByOutcome.set(outcome, (rule.pollsByOutcome.get(outcome) ?? 0) + 1);
  rule.readsLists ||= readsList;
}

export type FactsByWatch = ReadonlyMap<string, RuleFacts>;

// A scrape is written in several turns of the event loop. Copies of the maps make sure that a watch that is removed and
// added again between two turns appears once: Prometheus refuses a scrape with the same series twice. Only the maps that
// are being read are copied: copies of all series lived until the end of the scrape, and the collector moved them.

export function* upOf(facts: FactsByWatch): Generator<[WatchLabels, number]> {
  for (const { factsByTarget } of [...facts.values()])
    for (const { labels, up } of [...factsByTarget.values()]) if (up !== null) yield [labels, up ? 1 : 0];
}

export function* lastSuccessOf(facts: FactsByWatch): Generator<[WatchLabels, number]> {
  for (const { factsByTarget } of [...facts.values()])
    for (const { labels, lastSuccessAt } of [...factsByTarget.values()])
      if (lastSuccessAt !== null) yield [labels, Math.floor(lastSuccessAt / 1000)];
}

/** Values that have expired are removed. */
export function* valuesOf(facts: FactsByWatch, now: Instant): Generator<[ValueLabels, number]> {
  for (const { factsByTarget } of [...facts.values()])
    for (const { values } of [...factsByTarget.values()])
      for (const [key, { labels, value, expiresAt }] of values)
        if (expiresAt <= now) values.delete(key);
        else if (value !== null) yield [labels, value];
}

export function* pollsOf(facts: FactsByWatch): Generator<[{ watch: string; outcome: string }, number]> {
  for (const [watch, { pollsByOutcome }] of [...facts])
    for (const [outcome, polls] of [...pollsByOutcome]) yield [{ watch, outcome }, polls];
}

export function* countsOf(
  facts: FactsByWatch,
  which: 'notExamined' | 'skipped',
): Generator<[{ watch: string }, number]> {
  for (const [watch, rule] of [...facts]) yield [{ watch }, rule[which]];
}

/** Counts of items. A rule whose polls read single values has none. */
export function* itemCountsOf(
  facts: FactsByWatch,
  which: 'undecided' | 'notJudged' | 'unfollowed',
): Generator<[{ watch: string }, number]> {
  for (const [watch, rule] of [...facts]) if (rule.readsLists || rule[which] > 0) yield [{ watch }, rule[which]];
}
