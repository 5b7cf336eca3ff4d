// Logs for the tests of the oracle, written by hand: in them nothing happens but what a test adds.
import type { Instant, Logs, Owed, Poll, Served, Span } from '../model.ts';
import type { PeopleLog } from '../people/log.ts';

export function quietLogs(watched: Logs['watched'], span: Span, configs: PeopleLog['configs']): Logs {
  return {
    stretch: 'on',
    watched,
    span,
    chain: {
      items: [],
      reorganisations: [],
      freezes: [],
      coin: [],
      reputation: [],
      tokens: new Map(),
      code: [],
      values: new Map(),
    },
    served: [],
    polls: [],
    owed: [],
    disturbances: [],
    paused: [],
    lives: [span],
    blindness: [],
    people: {
      span,
      aheadMs: 0,
      jumps: [],
      configs,
      actions: [],
      transitions: [],
      tries: [],
      untried: [],
      lives: [],
      polls: [],
      refusals: [],
    },
    sightings: [],
  };
}

/** Decided a second after its beginning. */
export function aPoll(watch: string, startedAt: Instant): Poll {
  const decided = { at: startedAt + 1000, clockAt: startedAt + 1000 };
  return { watch, startedAt, decided, isKept: true, isMissed: false, gaps: [] };
}

/** A request that was not answered. */
export function aRequest(path: string, at: Instant): Served {
  return { at, path, cursor: '', replica: 'chain', fault: null, answer: null, restsUntil: null, isUnpaid: false };
}

export function anOwed(at: Instant, what: Pick<Owed, 'id' | 'recipient' | 'watch' | 'alert'> & Partial<Owed>): Owed {
  return {
    at,
    clockAt: at,
    type: 'alert.event',
    key: what.alert,
    severity: 'warning',
    isOfSummary: false,
    item: null,
    facts: {},
    reason: null,
    ...what,
  };
}
