// The effects of another config before it is loaded: a comparison, and a step that writes and sends nothing.
import { recipientsIn } from '../config/routing/recipients.ts';
import type { Recipient, RecipientsOf } from '../core/model/ids.ts';
import type { Memory } from '../core/model/memory.ts';
import type { Instant } from '../lib/clock.ts';
import type { Watch } from '../core/model/watch/watch.ts';
import type { WatchId } from '../core/model/ids.ts';
import type { StoredDiagnostics } from '../store/contract/memories.ts';
import { linesOfKept, linesOfRemoved } from './alerts.ts';
import { changesOf, type PlanChanges } from './changes.ts';
import { outlineOf, type Outline, type Outlined } from './outline.ts';

/** The contents of the state file; all empty when there is none. */
export interface PlanState {
  readonly memories: ReadonlyMap<WatchId, Memory>;
  readonly diagnostics: ReadonlyMap<WatchId, StoredDiagnostics>;
  /** The notified recipients, by key of each alert that fires. */
  readonly told: ReadonlyMap<string, readonly Recipient[]>;
  readonly now: Instant;
}

/** The plan as lines of text. `before`: the running config, or another one to compare with. */
export function planOf(before: Outline, planned: Outlined, state: PlanState): string[] {
  const after = outlineOf(planned);
  const changes = changesOf(before, after);
  const next = { watches: planned.watches, recipientsOf: recipientsIn(planned.config), after, changes };
  const lines = [...changes.lines, ...alertLines(before, next, state)];
  return lines.length === 0
    ? ['nothing changes: the same watches, alerts, reports, routes, recipients and credits']
    : lines;
}

interface Next {
  readonly watches: readonly Watch[];
  readonly recipientsOf: RecipientsOf;
  readonly after: Outline;
  readonly changes: PlanChanges;
}

function alertLines(
  before: Outline,
  { after, watches, changes, recipientsOf }: Next,
  { memories, diagnostics, told, now }: PlanState,
): string[] {
  const added = new Set(changes.added.map(({ id }) => id));
  const removed = changes.removed.flatMap((watch) => {
    const memory = memories.get(watch.id);
    return memory === undefined ? [] : linesOfRemoved(watch, memory, { told, at: now });
  });
  let unasked = 0;
  const stayed = watches.flatMap((watch) => {
    const memory = memories.get(watch.id);
    const news = newsOf(watch.rule, before, after);
    if (memory !== undefined)
      return linesOfKept(
        watch,
        { memory, diagnostics: diagnostics.get(watch.id) ?? null },
        { news, told, recipientsOf },
      );
    if (hasNews(watch, added, news)) unasked += 1;
    return [];
  });
  const never =
    unasked === 0 ? [] : [`not known from the stored state: alerts of ${watchesText(unasked)} never polled`];
  return [...removed, ...stayed, ...never];
}

/** The new or changed alerts. */
function newsOf(rule: string, before: Outline, after: Outline): ReadonlySet<string> {
  const was = before.rules[rule]?.alerts ?? {};
  const now = Object.entries(after.rules[rule]?.alerts ?? {});
  return new Set(now.filter(([id, { says }]) => was[id]?.says !== says).map(([id]) => id));
}

function hasNews({ id, alerts }: Watch, added: ReadonlySet<string>, news: ReadonlySet<string>): boolean {
  return alerts.some((alert) => alert.type === 'condition' && (added.has(id) || news.has(alert.id)));
}

function watchesText(count: number): string {
  return count === 1 ? 'a watch that was' : `${count} watches that were`;
}
