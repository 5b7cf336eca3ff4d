// The text of the daily report: polled watches since the last one, failures, and sent messages.
import { showAnchor, type JournalAnchor } from '../../core/journal/chain.ts';
import { wallTime, zoneName } from '../../lib/time-zone.ts';
import type { Instant } from '../../lib/clock.ts';
import { counted } from './cause.ts';
import { planLines } from './plan-tally.ts';
import type { DayTally, ExplorerTally } from './day-tally.ts';

/** A part of a list that is not read. */
export interface Unread {
  readonly watch: string;
  /** `blocks 101-250` */
  readonly heights: string;
  readonly reason: string;
}

/** The state of the daemon when the report is made. */
export interface Standing {
  /** Watches by explorer. */
  readonly watches: ReadonlyMap<string, number>;
  /** Explorers that another replica polls now. */
  readonly elsewhere: ReadonlySet<string>;
  readonly blind: number;
  /** The zone in which times are shown. */
  readonly zone: string;
  readonly unread: readonly Unread[];
  /** Pending messages by channel. */
  readonly owed: readonly { readonly channel: string; readonly rows: number }[];
  /** The pauses and silences of operators, a phrase each: `payroll is paused until 2026-01-02 18:00 UTC by alice`. */
  readonly held: readonly string[];
  /** The anchor of the journal; null: there is none yet. */
  readonly anchor: JournalAnchor | null;
}

export interface DayReport {
  readonly title: string;
  readonly text: string;
}

const MOST_NAMED = 10;

export function reportOf(tally: DayTally, standing: Standing): DayReport {
  return { title: titleOf(tally, standing), text: linesOf(tally, standing).join('\n') };
}

/** `daily report: 12 watches, 1 blind, 2 gaps` */
function titleOf({ stopped }: DayTally, { watches, blind, unread }: Standing): string {
  const all = sum([...watches.values()]);
  const troubles = [
    ...(blind === 0 ? [] : [`${blind} blind`]),
    ...(unread.length === 0 ? [] : [counted(unread.length, 'gap')]),
    ...(stopped.length === 0 ? [] : ['not running for a time']),
  ];
  return `daily report: ${[counted(all, 'watch', 'watches'), ...troubles].join(', ')}`;
}

function linesOf(tally: DayTally, standing: Standing): string[] {
  const { from, until, stopped, explorers, blind, more } = tally;
  const { watches, elsewhere, unread, held, anchor, zone } = standing;
  const spanText = spanIn(zone);
  const names = new Set([...watches.keys(), ...Object.keys(explorers)]);
  return [
    `${spanText({ from, until })} ${zoneName(zone, until)}.`,
    ...[...names].map((name) =>
      explorerLine(name, watches.get(name) ?? 0, explorers[name] ?? (elsewhere.has(name) ? 'elsewhere' : 'none')),
    ),
    ...planLines(tally.plans),
    listed(
      'Not read: ',
      unread.map(({ watch, heights, reason }) => `${watch} ${heights} (${reason})`),
    ) ?? 'No list has a gap.',
    listed(
      'Blind: ',
      blind.map((span) => `${span.explorer} ${span.reason} ${spanText(span)}`),
    ) ?? 'No watch was blind.',
    listed('The daemon did not run: ', stopped.map(spanText)) ?? [],
    ...(more === 0 ? [] : [`${counted(more, 'such span')} before are not named.`]),
    messagesLine(tally, standing),
    listed('Held back: ', held) ?? 'Nothing is held back.',
    ...(anchor === null ? [] : [`Journal: ${showAnchor(anchor)}.`]),
  ].flat();
}

/** `ethereum: 38 watches, 54,720 polls, 12 without an answer, blocks 101 to 7,301, 60,000 requests, 71,200 credits left.` */
function explorerLine(name: string, watches: number, tally: ExplorerTally | 'none' | 'elsewhere'): string {
  if (tally === 'elsewhere') return `${name}: ${counted(watches, 'watch', 'watches')}, polled by another replica.`;
  if (tally === 'none') return `${name}: ${counted(watches, 'watch', 'watches')}, no poll.`;
  const { polls, missed, requests, credits, from, to, creditsLeft } = tally;
  const parts = [
    counted(watches, 'watch', 'watches'),
    `${grouped(polls)} ${polls === 1 ? 'poll' : 'polls'}`,
    ...(missed === 0 ? [] : [`${grouped(missed)} without an answer`]),
    ...(to === null
      ? []
      : [from === null || from >= to ? `block ${grouped(to)}` : `blocks ${grouped(from)} to ${grouped(to)}`]),
    `${grouped(requests)} ${requests === 1 ? 'request' : 'requests'}`,
    // Not every explorer counts credits.
    ...(creditsLeft === null ? [] : [`${grouped(credits)} credits spent`, `${grouped(creditsLeft)} left`]),
  ];
  return `${name}: ${parts.join(', ')}.`;
}

function messagesLine({ lines }: DayTally, { owed }: Standing): string {
  const waiting = owed.map(({ channel, rows }) => `${rows} on ${channel}`);
  const parts = [
    `${lines['told'] ?? 0} sent`,
    `${lines['dead'] ?? 0} given up`,
    waiting.length === 0 ? 'none waiting' : `${waiting.join(', ')} waiting`,
  ];
  return `Messages: ${parts.join(', ')}.`;
}

/** Null if there is nothing to list. */
function listed(label: string, all: readonly string[]): string | null {
  if (all.length === 0) return null;
  const more = all.length - MOST_NAMED;
  const named = all.slice(0, MOST_NAMED).join('; ');
  return `${label}${more > 0 ? `${named}; and ${more} more` : named}.`;
}

function spanIn(zone: string): (span: { readonly from: Instant; readonly until: Instant }) => string {
  return ({ from, until }) => `${minute(from, zone)} to ${minute(until, zone)}`;
}

function grouped(value: number): string {
  return Math.floor(value).toLocaleString('en-US');
}

/** `2026-01-01 08:00` */
function minute(at: Instant, zone: string): string {
  return wallTime(zone, at).slice(0, 16).replace('T', ' ');
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, number) => total + number, 0);
}
