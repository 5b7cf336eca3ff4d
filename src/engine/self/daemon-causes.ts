// Causes that lie with the daemon itself: its state file, its config, its loops.
import type { Severity } from '../../core/model/ids.ts';
import type { Instant } from '../../lib/clock.ts';
import { showLoop, type FailingLoop } from '../upkeep/supervisor.ts';
import type { Cause } from './cause.ts';
import { showTime } from '../../core/wording/words.ts';
import { sinceText } from './words.ts';

/** A cause that was seen and is over: while it lasted, nothing could be stored, so nothing was told. */
export interface Outage {
  readonly since: Instant;
  /** Null while it lasts. */
  readonly until: Instant | null;
  readonly what: 'fails' | 'full';
}

export interface DaemonFacts {
  /** The last outage of the storage, where it lasts or ended within ten minutes. */
  readonly outage: Outage | null;
  /** When the state file was put back that somebody had taken away; null = long ago, or never. */
  readonly restoredAt: Instant | null;
  /** Why the files on disk are not in force; null when they are. */
  readonly rejected: { readonly since: Instant; readonly why: string } | null;
  readonly failing: readonly FailingLoop[];
  /** The highest of all alerts. */
  readonly severity: Severity;
  readonly now: Instant;
}

export function daemonCauses(facts: DaemonFacts): Cause[] {
  const { severity } = facts;
  const cause = { severity, watches: null, isExplained: false } as const;
  return [...outageOf(facts), ...restoredIn(facts), ...rejectedIn(facts), ...failingIn(facts)].map((one) => ({
    ...cause,
    ...one,
  }));
}

type Part = Pick<Cause, 'alert' | 'subject' | 'since' | 'title' | 'text'> & { readonly severity?: Severity };

function outageOf({ outage, now }: DaemonFacts): Part[] {
  if (outage === null) return [];
  const { since, until, what } = outage;
  const when = until === null ? sinceText(since, now) : `From ${showTime(since, now)} to ${showTime(until, now)}`;
  return [
    {
      alert: 'storage',
      subject: 'outage',
      since,
      title: what === 'full' ? 'the state file reached state.max_size' : 'the state file took nothing',
      text: [{ text: `${when}. Meanwhile nothing was learned, and no alert fired or resolved. The log says why.` }],
    },
  ];
}

function restoredIn({ restoredAt, now }: DaemonFacts): Part[] {
  if (restoredAt === null) return [];
  return [
    {
      alert: 'storage',
      subject: 'restored',
      since: restoredAt,
      title: 'the state file was deleted or replaced, and was put back',
      text: [{ text: `At ${showTime(restoredAt, now)}. Nothing is lost. What stood there is kept as *.found.` }],
    },
  ];
}

/** The former config stays in force, so no alert is affected yet. */
function rejectedIn({ rejected, now }: DaemonFacts): Part[] {
  if (rejected === null) return [];
  return [
    {
      alert: 'reload',
      subject: 'config',
      severity: 'warning',
      since: rejected.since,
      title: 'the config or the rules on disk are not in force',
      text: [{ text: `${sinceText(rejected.since, now)}: ${rejected.why}` }],
    },
  ];
}

function failingIn({ failing, now }: DaemonFacts): Part[] {
  return failing.map((loop) => ({
    alert: 'loop-failing',
    subject: [loop.name, ...Object.values(loop.about ?? {}).map(String)].join('/'),
    since: loop.since,
    title: `${showLoop(loop)} fails again and again`,
    text: [{ text: `${sinceText(loop.since, now)}: ${loop.failures} times in a row. The log says why.` }],
  }));
}
