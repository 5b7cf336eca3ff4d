// When a receiver is left alone: messages about one alert wait for one another then, however long that takes (117).
import type { Instant, Span } from '../../model.ts';
import type { Try, TryOutcome } from '../log.ts';
import { merged, type Spans } from './spans.ts';

const FAILING = 3;
const SECOND = 1000;
const HOUR = 3_600_000;

/** Since the receiver took something over. */
interface Trouble {
  readonly failures: number;
  /** Since it failed three times, or refused who calls. */
  readonly failingFrom: Instant | null;
  /** It said until when it wants nothing. */
  readonly quiet: Span | null;
}

const NO_TROUBLE: Trouble = { failures: 0, failingFrom: null, quiet: null };

/** Of one target, in any order. */
export function restingIn(tries: readonly Try[]): Spans {
  const ended = tries.map(({ outcome, begunAt, endedAt }) => ({ outcome, at: endedAt ?? begunAt }));
  const spans: Span[] = [];
  let trouble = NO_TROUBLE;
  for (const { outcome, at } of ended.toSorted((a, b) => a.at - b.at)) {
    if (outcome.type === 'accepted') spans.push(...spansOf(trouble, at));
    trouble = outcome.type === 'accepted' ? NO_TROUBLE : troubleAfter(trouble, outcome, at);
  }
  return merged([...spans, ...spansOf(trouble, Infinity)]);
}

/** It may have taken over what it did not answer, and what it rejects is that message. */
function troubleAfter(before: Trouble, outcome: TryOutcome, at: Instant): Trouble {
  if (outcome.type !== 'refused' || outcome.why === 'body') return before;
  const failures = before.failures + 1;
  const isFailing = failures >= FAILING || outcome.why === 'auth' || outcome.why === 'gone';
  const askedMs = outcome.retryAfterMs === null ? 0 : Math.min(Math.max(outcome.retryAfterMs, SECOND), HOUR);
  const quiet = { from: before.quiet?.from ?? at, to: Math.max(before.quiet?.to ?? at, at + askedMs) };
  return { failures, failingFrom: before.failingFrom ?? (isFailing ? at : null), quiet };
}

function spansOf({ failingFrom, quiet }: Trouble, until: Instant): Span[] {
  return [
    ...(failingFrom === null ? [] : [{ from: failingFrom, to: until }]),
    ...(quiet === null ? [] : [{ from: quiet.from, to: Math.min(quiet.to, until) }]),
  ];
}
