// Which alerts would open or close at the load, on what was last looked at: the daemon's own `step`, on a copy of the
// memory, over a watch that sees the same once more.
import { upToHead } from '../core/chain/tick-chain.ts';
import { encodeView } from '../core/values/encoded.ts';
import { decodeSnapshot } from '../core/model/snapshot.ts';
import { type Instant, showDuration } from '../lib/clock.ts';
import type { Alert, Memory } from '../core/model/memory.ts';
import type { AlertRule, ConditionAlert, Watch } from '../core/model/watch.ts';
import type { Decision, Snapshot } from '../core/model/decision.ts';
import { retire, step } from '../core/step.ts';
import { isActive } from '../core/alerts/emission.ts';
import { showRecipient } from '../rules/describe.ts';
import type { StoredDiagnostics } from '../store/store.ts';

export interface Known {
  readonly memory: Memory;
  readonly diagnostics: StoredDiagnostics | null;
}

/** The watch is gone: what fires ends, for those who were told. */
export function linesOfRemoved({ id, name }: Pick<Watch, 'id' | 'name'>, memory: Memory, at: Instant): string[] {
  return closings(name, retire(id, memory, at));
}

/** `news`: alerts that are new or say something else; of the others nothing is said while nothing moves. */
export function linesOfKept(watch: Watch, known: Known, news: ReadonlySet<string>): string[] {
  const { memory, diagnostics } = known;
  const isSame = memory.checksum === watch.checksum;
  const snapshot =
    !isSame || diagnostics === null || diagnostics.snapshot === null
      ? null
      : decodeSnapshot(watch.kind.fields, diagnostics.snapshot);
  const asked = watch.alerts.filter((alert) => alert.type === 'condition');
  const decision = stepAgain({ ...watch, alerts: asked }, ofConditions(watch, memory), snapshot);
  const moved = asked.flatMap((alert) => {
    const before = isSame ? memory.alerts[alert.id]?.[''] : undefined;
    return transition(watch, alert, { before, decision, isNews: news.has(alert.id) });
  });
  return [...closings(watch.name, decision), ...moved, ...counting(watch, news)];
}

/** Events and counts are left out: they speak of what comes. What the rule no longer has stays, to be ended. */
function ofConditions({ alerts }: Watch, memory: Memory): Memory {
  const ids = new Set(alerts.map(({ id }) => id));
  const kept = Object.entries(memory.alerts).filter(
    ([id, byKey]) => !ids.has(id) || Object.values(byKey).every(({ type }) => type === 'condition'),
  );
  return { ...memory, alerts: Object.fromEntries(kept) };
}

/**
 * A step that sees what was last seen, at the time when it was seen: windows then hold what they held, and nothing has
 * been held for longer. Without a snapshot it is a step that saw nothing.
 */
function stepAgain(watch: Watch, known: Memory, snapshot: Snapshot | null): Decision {
  const at = snapshot?.at ?? (known.coveredUntil ?? 0) + 1;
  const memory = { ...known, coveredUntil: at - 1 };
  if (snapshot === null) return step(watch, memory, { type: 'missed', at, reason: 'network', detail: 'not looked at' });
  const before = snapshot.before === null ? null : encodeView(snapshot.before);
  const { state } = memory;
  const detection = {
    state,
    events: [],
    now: snapshot.view,
    before,
    range: null,
    baseline: null,
    notes: [],
    needs: null,
    doubt: null,
  };
  const kind = { ...watch.kind, detect: () => detection };
  const stale = { height: 0n, timestamp: at - 1, readAt: at, staleAfterMs: 0 };
  const head = snapshot.isStale ? stale : null;
  return step({ ...watch, kind }, memory, { type: 'seen', at, head, chain: WHOLE, seen: null, partial: null });
}

/** What would end is believed: nothing is read here that an explorer could be behind with. */
const WHOLE = upToHead(Number.MAX_SAFE_INTEGER);

interface Moved {
  readonly before: Alert | undefined;
  readonly decision: Decision;
  readonly isNews: boolean;
}

function transition({ name }: Watch, alert: ConditionAlert, { before, decision, isNews }: Moved): string[] {
  const after = decision.memory.alerts[alert.id]?.[''];
  const was = before?.type === 'condition' ? before : null;
  const now = after?.type === 'condition' ? after : null;
  const [from, to] = [was?.state ?? 'inactive', now?.state ?? 'inactive'];
  if (isNews && decision.truths[alert.id] === 'unknown') return [`not known from what is kept: ${name}/${alert.id}`];
  if (from === to) return [];
  if (to === 'pending')
    return [`would open ${name}/${alert.id}: pending, fires when it has held for ${showDuration(alert.forMs)}`];
  if (to === 'firing' && from !== 'recovering')
    return [`would open ${name}/${alert.id}: ${recipientsText(decision, alert.id, 'firing')}`];
  if (to === 'recovering')
    return [`would close ${name}/${alert.id}: when it has stayed so for ${showDuration(alert.keepFiringForMs)}`];
  if (was !== null && isActive(was) && to === 'inactive')
    return [`would close ${name}/${alert.id}: ${recipientsText(decision, alert.id, 'resolved')}`];
  return to === 'inactive' ? [`would close ${name}/${alert.id}: it was pending, nothing is told`] : [];
}

function recipientsText({ deliveries }: Decision, alert: string, type: 'firing' | 'resolved'): string {
  const own = deliveries.filter(({ message }) => message.alert === alert && message.type === `alert.${type}`);
  return own.length === 0 ? 'nothing is told of it now' : `${type} is told to ${own.map(showRecipient).join(', ')}`;
}

/** What ends because the rule is gone or is another one. */
function closings(name: string, { deliveries }: Decision): string[] {
  const ended = deliveries.filter(({ message }) => message.reason?.startsWith('rule ') === true);
  return [...Map.groupBy(ended, ({ message }) => `${message.alert}: ${message.reason ?? ''}`)].map(
    ([what, to]) => `would close ${name}/${what}, resolved is told to ${to.map(showRecipient).join(', ')}`,
  );
}

function counting({ name, alerts }: Watch, news: ReadonlySet<string>): string[] {
  const isCount = (alert: AlertRule): boolean => alert.type === 'count' && news.has(alert.id);
  return alerts.filter(isCount).map(({ id }) => `not known from what is kept: ${name}/${id}, which counts what comes`);
}
