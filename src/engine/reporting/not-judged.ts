// Items that no condition evaluated, because the conditions of their watch needed more steps than a poll allows. They
// are counted by rule and explorer, and kept for an hour after the last one.
import type { Decision } from '../../core/model/decision.ts';
import { highest } from '../../core/model/delivery.ts';
import type { Severity } from '../../core/model/ids.ts';
import type { Watch } from '../../core/model/watch/watch.ts';
import type { Clock, Instant } from '../../lib/clock.ts';

export interface NotJudged {
  readonly rule: string;
  readonly explorer: string;
  /** The highest severity of the alerts that did not judge them. */
  readonly severity: Severity;
  readonly since: Instant;
  readonly items: number;
  /** The names of the watches. */
  readonly watches: ReadonlySet<string>;
}

export interface NotJudgedItems {
  polled(watch: Watch, decision: Decision): void;
  recent(): readonly NotJudged[];
}

const RECENT_MS = 3_600_000;

export function createNotJudgedItems(clock: Pick<Clock, 'now' | 'monotonic'>): NotJudgedItems {
  const byRule = new Map<string, { readonly last: number; readonly items: NotJudged }>();

  const forgetOld = (): void => {
    const from = clock.monotonic() - RECENT_MS;
    for (const [key, { last }] of byRule) if (last <= from) byRule.delete(key);
  };

  return {
    polled(watch, decision) {
      const lost = notJudgedIn(decision);
      if (lost.size === 0) return;
      const { rule, target, alerts } = watch;
      const key = JSON.stringify([target.explorer, rule]);
      forgetOld();
      const known = byRule.get(key)?.items;
      const severities = alerts.flatMap(({ id, severity }) => (lost.has(id) ? [severity] : []));
      const items = {
        rule,
        explorer: target.explorer,
        severity: highest([...severities, known?.severity ?? 'info']),
        since: known?.since ?? clock.now(),
        items: (known?.items ?? 0) + [...lost.values()].reduce((sum, count) => sum + count, 0),
        watches: new Set([...(known?.watches ?? []), watch.name]),
      };
      byRule.set(key, { last: clock.monotonic(), items });
    },
    recent() {
      forgetOld();
      return [...byRule.values()].map(({ items }) => items);
    },
  };
}

/** The number of items that were not judged, by alert. */
export function notJudgedIn({ reasons }: Pick<Decision, 'reasons'>): ReadonlyMap<string, number> {
  const counts = new Map<string, number>();
  for (const reason of reasons)
    if (reason.type === 'not-judged') counts.set(reason.alert, (counts.get(reason.alert) ?? 0) + 1);
  return counts;
}
