// The verdict in two sentences.
import { showSpan } from '../../core/wording/words.ts';
import type { PageVerdict } from '../shapes/overview.ts';
import type { VerdictFacts } from './verdict.ts';

export interface HeadlineFacts extends VerdictFacts {
  readonly verdict: PageVerdict;
  /** The most urgent alert that nobody has in hand, and how long the oldest of them has waited; null: there is none. */
  readonly worst: { readonly title: string; readonly waitedMs: number } | null;
  readonly watches: number;
  /** Watches that missed a due time and are not blind yet, since when the first of them; null: there is none. */
  readonly overdue: { readonly watches: number; readonly since: string } | null;
  readonly owed: number;
}

export interface Headline {
  readonly headline: string;
  readonly detail: string;
}

const NOT_WORKING: Headline = {
  headline: 'No daemon runs',
  detail: 'Nothing is polled and nothing is told. What follows is what the state held when it ended.',
};

export function headlineOf(facts: HeadlineFacts): Headline {
  switch (facts.verdict) {
    case 'critical':
    case 'warning':
      return { headline: worstOf(facts), detail: sentences(waitingOf(facts), doubtOf(facts)) };
    case 'blind':
      return facts.isWorking ? { headline: blindOf(facts), detail: doubtOf(facts) } : NOT_WORKING;
    case 'in-hand':
      return {
        headline: 'Nothing needs you',
        detail: sentences('What is open is in hand or pending.', doubtOf(facts)),
      };
    case 'starting':
      return { headline: 'Starting', detail: startOf(facts) };
    case 'quiet':
      return { headline: 'All quiet', detail: sentences('Nothing fires and nothing is pending.', doubtOf(facts)) };
  }
}

function worstOf({ storage, worst, critical, warnings, unheard }: HeadlineFacts): string {
  if (storage === 'fails') return 'Nothing new can be stored';
  if (storage === 'full') return 'The state is full: nothing new can be stored';
  if (worst === null) return `${counted(unheard, 'critical alert')} reached nobody`;
  const others = critical + warnings - 1;
  return others === 0 ? worst.title : `${worst.title} (and ${others === 1 ? 'one more' : `${others} more`})`;
}

function waitingOf({ worst, critical, warnings, unheard }: HeadlineFacts): string {
  const lost = unheard === 0 ? '' : `${counted(unheard, 'critical alert')} reached nobody for five minutes.`;
  if (worst === null) return lost;
  const what = [
    critical === 0 ? '' : counted(critical, 'critical alert'),
    warnings === 0 ? '' : counted(warnings, 'warning'),
  ];
  const age = span(worst.waitedMs);
  if (critical + warnings === 1) return sentences(`Nobody has acknowledged it for ${age}.`, lost);
  return sentences(`Nobody has acknowledged ${joined(what)}; the oldest has waited ${age}.`, lost);
}

function blindOf({ blind, owed }: HeadlineFacts): string {
  if (blind === 0) return `Nothing fires, but ${counted(owed, 'delivery', 'deliveries')} could not be sent`;
  return `Nothing fires, but ${counted(blind, 'watch', 'watches')} ${blind === 1 ? 'is' : 'are'} blind`;
}

/** What makes the answer less sure. */
function doubtOf({ blind, watches, overdue, owed }: HeadlineFacts): string {
  const which =
    blind === 0 ? '' : `${blind} of ${counted(watches, 'watch', 'watches')} ${blind === 1 ? 'is' : 'are'} blind`;
  const late = owed === 0 ? '' : `${counted(owed, 'delivery', 'deliveries')} ${owed === 1 ? 'is' : 'are'} owed`;
  const found = joined([which, late]);
  const sure = found !== '' ? `${found}.` : overdue === null ? 'No watch is blind, and no delivery is owed.' : '';
  return sentences(overdueOf(overdue, watches), sure);
}

/** `9 of 9 watches have had no usable answer since 02:27 CET.` */
function overdueOf(overdue: HeadlineFacts['overdue'], watches: number): string {
  if (overdue === null) return '';
  const of = `${overdue.watches} of ${counted(watches, 'watch', 'watches')}`;
  return `${of} ${overdue.watches === 1 ? 'has' : 'have'} had no usable answer since ${overdue.since}.`;
}

function startOf({ unpolled, watches }: HeadlineFacts): string {
  return `${watches - unpolled} of ${counted(watches, 'watch', 'watches')} have had their first poll. What existed before the start raises no alert.`;
}

function joined(parts: readonly string[]): string {
  return parts.filter((part) => part !== '').join(' and ');
}

function sentences(...all: readonly string[]): string {
  return all.filter((one) => one !== '').join(' ');
}

function counted(count: number, one: string, many = `${one}s`): string {
  return `${count} ${count === 1 ? one : many}`;
}

function span(ms: number): string {
  return showSpan(ms < 60_000 ? Math.max(1, Math.round(ms / 1000)) * 1000 : Math.floor(ms / 60_000) * 60_000);
}
