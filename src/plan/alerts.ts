// The alerts that would open or close when the config is loaded. The daemon's own `step` computes them on a copy of the
// memory, as if the watch read the values of its last snapshot again.
import { upToHead } from '../core/chain/tick-chain.ts';
import { encodeView } from '../core/values/encoded.ts';
import { NOTHING_DETECTED } from '../core/model/detection.ts';
import { decodeSnapshot } from '../core/model/snapshot.ts';
import { type Instant, showDuration } from '../lib/clock.ts';
import type { Recipient, RecipientsOf } from '../core/model/ids.ts';
import type { Alert, Memory } from '../core/model/memory.ts';
import type { AlertRule, ConditionAlert, Watch } from '../core/model/watch/watch.ts';
import type { Decision, Snapshot } from '../core/model/decision.ts';
import type { Transition } from '../core/model/transition.ts';
import { retire, step } from '../core/step.ts';
import { isActive } from '../core/alerts/emission.ts';
import { showRecipient } from '../rules/describe.ts';
import type { StoredDiagnostics } from '../store/contract/memories.ts';
import { inOneStep } from '../lib/steps.ts';

export interface RememberedWatch {
  readonly memory: Memory;
  readonly diagnostics: StoredDiagnostics | null;
}

/** The notified recipients, by key of each alert that fires. */
type Told = ReadonlyMap<string, readonly Recipient[]>;

interface Removal {
  readonly told: Told;
  readonly at: Instant;
}

/** Lines about a removed watch: its firing alerts resolve, for the recipients who got them. */
export function linesOfRemoved(
  { id, name }: Pick<Watch, 'id' | 'name'>,
  memory: Memory,
  { told, at }: Removal,
): string[] {
  return closings(name, retire(id, memory, at), told);
}

export interface ChangedAlerts {
  /** Ids of new or changed alerts. Other alerts are listed only if they open or close. */
  readonly news: ReadonlySet<string>;
  readonly told: Told;
  readonly recipientsOf: RecipientsOf;
}

export function linesOfKept(watch: Watch, known: RememberedWatch, changed: ChangedAlerts): string[] {
  const { news, told } = changed;
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
    return transition(watch, alert, { ...changed, before, decision, isNews: news.has(alert.id) });
  });
  return [...closings(watch.name, decision, told), ...moved, ...counting(watch, news)];
}

/**
 * Leaves out events and counts, which depend on future items. Keeps alerts that the rule no longer has, so that they
 * resolve.
 */
function ofConditions({ alerts }: Watch, memory: Memory): Memory {
  const ids = new Set(alerts.map(({ id }) => id));
  const kept = Object.entries(memory.alerts).filter(
    ([id, byKey]) => !ids.has(id) || Object.values(byKey).every(({ type }) => type === 'condition'),
  );
  return { ...memory, alerts: Object.fromEntries(kept) };
}

/**
 * Repeats the step over the last snapshot, at the time of that snapshot. So windows have the same values as then, and
 * no waiting time grows. Without a snapshot, it is the step of a missed poll.
 */
function stepAgain(watch: Watch, known: Memory, snapshot: Snapshot | null): Decision {
  const at = snapshot?.at ?? (known.coveredUntil ?? 0) + 1;
  const memory = { ...known, coveredUntil: at - 1 };
  if (snapshot === null)
    return step(watch, memory, { type: 'missed', at, paceMs: 0, reason: 'network', detail: 'not looked at' });
  const before = snapshot.before === null ? null : encodeView(snapshot.before);
  const { state } = memory;
  const detection = { ...NOTHING_DETECTED, state, now: snapshot.view, before };
  const kind = { ...watch.kind, detect: () => inOneStep(detection), rowsOf: () => ({ rows: [] }) };
  const stale = { height: 0n, timestamp: at - 1, readAt: at, staleAfterMs: 0 };
  const head = snapshot.isStale ? stale : null;
  return step({ ...watch, kind }, memory, {
    type: 'seen',
    at,
    paceMs: 0,
    head,
    chain: WHOLE,
    seen: null,
    partial: null,
  });
}

/** The explorer counts as up to date, since none is asked here. So an alert that would resolve counts as resolved. */
const WHOLE = upToHead(Number.MAX_SAFE_INTEGER);

interface Moved extends Pick<ChangedAlerts, 'told' | 'recipientsOf'> {
  readonly before: Alert | undefined;
  readonly decision: Decision;
  readonly isNews: boolean;
}

function transition({ name }: Watch, alert: ConditionAlert, moved: Moved): string[] {
  const { before, decision, isNews, told, recipientsOf } = moved;
  const after = decision.memory.alerts[alert.id]?.[''];
  const was = before?.type === 'condition' ? before : null;
  const now = after?.type === 'condition' ? after : null;
  const [from, to] = [was?.state ?? 'inactive', now?.state ?? 'inactive'];
  if (isNews && decision.truths[alert.id] === 'unknown')
    return [`not known from the stored state: ${name}/${alert.id}`];
  if (from === to) return [];
  if (to === 'pending')
    return [`would open ${name}/${alert.id}: pending, fires when it has held for ${showDuration(alert.forMs)}`];
  if (to === 'firing' && from !== 'recovering')
    return [
      `would open ${name}/${alert.id}: ${recipientsText(decision, alert, 'firing', ({ notify }) => notify.flatMap((one) => recipientsOf(one) ?? []))}`,
    ];
  if (to === 'recovering')
    return [`would close ${name}/${alert.id}: when it has stayed so for ${showDuration(alert.keepFiringForMs)}`];
  if (was !== null && isActive(was) && to === 'inactive')
    return [`would close ${name}/${alert.id}: ${recipientsText(decision, alert, 'resolved', toldBy(told))}`];
  return to === 'inactive' ? [`would close ${name}/${alert.id}: it was pending, no message is sent`] : [];
}

function recipientsText(
  { transitions }: Decision,
  { id }: ConditionAlert,
  type: 'firing' | 'resolved',
  whoHears: (one: Transition) => readonly Recipient[],
): string {
  const own = transitions.filter(({ message }) => message.alert === id && message.type === `alert.${type}`);
  const to = own.flatMap(whoHears);
  return to.length === 0 ? 'no message is sent now' : `${type} is sent to ${to.map(showRecipient).join(', ')}`;
}

function toldBy(told: Told): (one: Transition) => readonly Recipient[] {
  return ({ message }) => told.get(message.key) ?? [];
}

/** Alerts that end because their rule was removed or changed. */
function closings(name: string, { transitions }: Decision, told: Told): string[] {
  const ended = transitions.filter(({ message }) => message.reason?.startsWith('rule ') === true);
  return [...Map.groupBy(ended, ({ message }) => `${message.alert}: ${message.reason ?? ''}`)].map(([what, all]) => {
    const to = all.flatMap(toldBy(told)).map(showRecipient);
    return `would close ${name}/${what}, ${to.length === 0 ? 'nobody was notified' : `resolved is sent to ${to.join(', ')}`}`;
  });
}

function counting({ name, alerts }: Watch, news: ReadonlySet<string>): string[] {
  const isCount = (alert: AlertRule): boolean => alert.type === 'count' && news.has(alert.id);
  return alerts.filter(isCount).map(({ id }) => `not known from the stored state: ${name}/${id} counts new items`);
}
