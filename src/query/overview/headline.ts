// The verdict in two sentences.
import type { PageVerdict } from '../shapes/overview.ts';
import type { VerdictFacts } from './verdict.ts';

export interface HeadlineFacts extends VerdictFacts {
  readonly verdict: PageVerdict;
  /** The title of the most urgent alert that needs attention; null if there is none. */
  readonly worst: string | null;
  readonly watches: number;
  /**
   * The number of watches that missed a due time and are not blind yet, and the time since which the first of them has
   * had no usable answer; null if there are none.
   */
  readonly overdue: { readonly watches: number; readonly since: string } | null;
  readonly owed: number;
  /**
   * The time since which the process that holds the state has written nothing; null: no process holds the state, or the
   * process writes.
   */
  readonly silentSince: string | null;
}

export interface Headline {
  readonly headline: string;
  readonly detail: string;
}

const NOT_WORKING: Headline = {
  headline: 'No daemon runs',
  detail: 'Nothing is polled and nothing is sent. The page shows the state from when it ended.',
};

export function headlineOf(facts: HeadlineFacts): Headline {
  switch (facts.verdict) {
    case 'critical':
    case 'warning':
      return { headline: worstOf(facts), detail: sentences(waitingOf(facts), doubtOf(facts)) };
    case 'blind':
      return facts.isWorking ? { headline: blindOf(facts), detail: doubtOf(facts) } : notWorking(facts);
    case 'in-hand':
      return {
        headline: 'Nothing needs you',
        detail: sentences('All open alerts are in hand or pending.', doubtOf(facts)),
      };
    case 'starting':
      return { headline: 'Starting', detail: startOf(facts) };
    case 'quiet':
      return quietOf(facts);
  }
}

function worstOf({ storage, worst, critical, warnings, unheard }: HeadlineFacts): string {
  if (storage === 'fails') return 'Nothing new can be stored';
  if (storage === 'full') return 'The state is full: nothing new can be stored';
  if (worst === null) return `${counted(unheard, 'critical alert')} reached nobody`;
  const others = critical + warnings - 1;
  return others === 0 ? worst : `${worst} (and ${others === 1 ? 'one more' : `${grouped(others)} more`})`;
}

function waitingOf({ worst, critical, warnings, unheard }: HeadlineFacts): string {
  const lost = unheard === 0 ? '' : `${counted(unheard, 'critical alert')} reached nobody for five minutes.`;
  if (worst === null) return lost;
  const what = [
    critical === 0 ? '' : counted(critical, 'critical alert'),
    warnings === 0 ? '' : counted(warnings, 'warning'),
  ];
  const whom = critical + warnings === 1 ? 'it' : joined(what);
  return sentences(`Nobody has acknowledged ${whom}.`, lost);
}

function notWorking({ silentSince }: HeadlineFacts): Headline {
  if (silentSince === null) return NOT_WORKING;
  return {
    headline: `The daemon has written nothing since ${silentSince}`,
    detail: 'It hangs, or its state cannot be written. The state from that time is shown.',
  };
}

function blindOf(facts: HeadlineFacts): string {
  const start = facts.inHand > 0 ? 'All open alerts are in hand or pending' : 'Nothing fires';
  return `${start}, but ${worstDoubt(facts)}`;
}

function worstDoubt({ blind, doubted, notJudged, failingLoops, unheld, owed }: HeadlineFacts): string {
  if (blind > 0) return `${counted(blind, 'watch', 'watches')} ${are(blind)} blind`;
  if (doubted.length > 0) return unreliable(doubted);
  if (notJudged > 0) return `${counted(notJudged, 'item')} ${were(notJudged)} not judged`;
  if (failingLoops > 0) return 'a part of the daemon fails';
  if (unheld > 0) return 'no replica does a part of the work';
  return `${counted(owed, 'delivery', 'deliveries')} could not be sent`;
}

/** The headline if nothing fires. It is "All quiet" only if no watch is overdue. */
function quietOf(facts: HeadlineFacts): Headline {
  const { overdue, watches } = facts;
  if (overdue === null)
    return { headline: 'All quiet', detail: sentences('Nothing fires and nothing is pending.', doubtOf(facts)) };
  const headline = `Nothing fires, but ${overdueWords(overdue, watches)}`;
  return { headline, detail: sentences('Nothing is pending.', doubtOf({ ...facts, overdue: null }, '')) };
}

/** Sentences about the facts that make the verdict less certain; `sure` if there are none. */
function doubtOf(facts: HeadlineFacts, sure = 'No watch is blind, and no delivery is owed.'): string {
  const { blind, doubted, notJudged, failingLoops, unheld, isRejected, watches, overdue, owed } = facts;
  const found = [
    blind === 0 ? '' : `${grouped(blind)} of ${counted(watches, 'watch', 'watches')} ${are(blind)} blind`,
    doubted.length === 0 ? '' : unreliable(doubted),
    notJudged === 0 ? '' : `${counted(notJudged, 'item')} ${were(notJudged)} not judged`,
    failingLoops === 0 ? '' : `${counted(failingLoops, 'loop')} of the daemon ${failingLoops === 1 ? 'fails' : 'fail'}`,
    unheld === 0 ? '' : `no replica works on ${counted(unheld, 'shard')}`,
    isRejected ? 'the files on the disk are not in force' : '',
    owed === 0 ? '' : `${counted(owed, 'delivery', 'deliveries')} ${are(owed)} owed`,
  ].filter((one) => one !== '');
  const others = found.length > 0 ? `${capital(joined(found))}.` : overdue === null ? sure : '';
  return sentences(overdueOf(overdue, watches), others);
}

/** `9 of 9 watches have had no usable answer since 02:27 CET.` */
function overdueOf(overdue: HeadlineFacts['overdue'], watches: number): string {
  return overdue === null ? '' : `${overdueWords(overdue, watches)}.`;
}

function overdueWords(overdue: NonNullable<HeadlineFacts['overdue']>, watches: number): string {
  const of = `${grouped(overdue.watches)} of ${counted(watches, 'watch', 'watches')}`;
  return `${of} ${overdue.watches === 1 ? 'has' : 'have'} had no usable answer since ${overdue.since}`;
}

function startOf({ unseen, watches }: HeadlineFacts): string {
  return `${grouped(watches - unseen)} of ${counted(watches, 'watch', 'watches')} have had their first answer. No message is sent for events from before the start.`;
}

/** `one`, `one and another`, `one, another and a third` */
function joined(parts: readonly string[]): string {
  const all = parts.filter((part) => part !== '');
  return [all.slice(0, -1).join(', '), ...all.slice(-1)].filter((part) => part !== '').join(' and ');
}

/** `explorer gnosis cannot be relied on` */
function unreliable(explorers: readonly string[]): string {
  return `explorer${explorers.length === 1 ? '' : 's'} ${joined(explorers)} cannot be relied on`;
}

function are(count: number): string {
  return count === 1 ? 'is' : 'are';
}

function were(count: number): string {
  return count === 1 ? 'was' : 'were';
}

function capital(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}

function sentences(...all: readonly string[]): string {
  return all.filter((one) => one !== '').join(' ');
}

function counted(count: number, one: string, many = `${one}s`): string {
  return `${grouped(count)} ${count === 1 ? one : many}`;
}

/** `1,204` */
function grouped(count: number): string {
  return count.toLocaleString('en-US');
}
