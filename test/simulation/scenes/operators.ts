// An operator's deed at a moment, to what is open then.
import type { Watch } from '../../../src/core/model/watch/watch.ts';
import { severityOf } from '../../../src/operators/acks.ts';
import type { OpenAlertRow, StoredAck } from '../../../src/store/contract/operators.ts';
import { StorageError, type Store } from '../../../src/store/contract/store.ts';
import { createDraw, type Draw } from '../draw.ts';
import { OPERATOR_KINDS, type OperatorKind } from '../faults/kinds.ts';
import type { VirtualTime } from '../machine/clock.ts';
import type { Instant, PlannedFault } from '../model.ts';
import { pickOf } from './channel-edits.ts';
import { operate, type OperatorAct } from './operate.ts';
import { rulesOf, WATCHES, type WatchSource } from './watches.ts';

const KINDS = new Set<string>(OPERATOR_KINDS);

export function isOperators(fault: PlannedFault): fault is PlannedFault & { readonly kind: OperatorKind } {
  return KINDS.has(fault.kind);
}

/** Of the process that runs. */
export interface Reached {
  readonly store: Store;
  readonly clock: { readonly now: () => Instant };
  readonly watches: () => readonly Watch[];
  /** The channels that are told of what operators do. */
  readonly notify: () => readonly string[];
  /** Who is told has changed, or a watch is paused or polled again. */
  readonly onChanged: (change: OperatorAct) => Promise<void>;
}

export interface OperatorsOptions {
  readonly time: VirtualTime;
  /** Null: no process answers. */
  readonly reach: () => Reached | null;
}

const OPERATORS = ['alice', 'bob', 'carol'] as const;
const MOST_TRIES = 10;
const AGAIN_MS = 60_000;

/** Tries for some minutes while nobody answers, under the same name. */
export async function act(
  scene: PlannedFault & { readonly kind: OperatorKind },
  given: OperatorsOptions,
): Promise<void> {
  for (let n = 0; n < MOST_TRIES; n += 1) {
    const reached = given.reach();
    if (reached !== null && (await isDone(scene, reached))) return;
    await given.time.sleep(AGAIN_MS);
  }
}

async function isDone(scene: PlannedFault & { readonly kind: OperatorKind }, reached: Reached): Promise<boolean> {
  const { store, clock, watches, notify, onChanged } = reached;
  const draw = createDraw(scene.amount, scene.kind);
  try {
    const at = clock.now();
    const change = await changeFor(scene, { store, watches: watches(), at, draw, target: scene.path });
    if (change === null) return true;
    const call = { id: scene.id, by: draw.pick(OPERATORS), at, change };
    if ((await operate({ store, notify }, call)) === 'kept') await onChanged(change);
    return true;
  } catch (error) {
    if (!(error instanceof StorageError)) throw error;
    return false;
  }
}

interface Seen {
  readonly store: Store;
  readonly watches: readonly Watch[];
  readonly at: Instant;
  readonly draw: Draw;
  /** `watch/alert` that is meant; null: any. */
  readonly target: string | null;
}

/** Null: there is nothing to be changed. */
async function changeFor(
  { kind, ms }: PlannedFault & { readonly kind: OperatorKind },
  seen: Seen,
): Promise<OperatorAct | null> {
  switch (kind) {
    case 'ack':
    case 'snooze':
      return ackOf(seen, ms, (open, acks) => open.filter(({ key }) => !acks.some((ack) => ack.key === key)));
    case 'ack-replaced':
      return ackOf(seen, ms, (open, acks) => open.filter(({ key }) => acks.some((ack) => ack.key === key)));
    case 'ack-all':
      return ackAllOf(seen, ms);
    case 'ack-withdrawn': {
      const { acks } = await seen.store.policy(seen.at);
      const ack = pickOf(
        sortedBy(acks, ({ key }) => key),
        seen.draw,
      );
      return ack === null ? null : { type: 'end-ack', key: ack.key, episode: ack.episode };
    }
    case 'silence':
      return silenceFor(seen, ms);
    case 'silence-extended':
    case 'silence-ended': {
      const { silences } = await seen.store.policy(seen.at);
      const silence = pickOf(
        sortedBy(silences, ({ id }) => id),
        seen.draw,
      );
      if (silence === null) return null;
      if (kind === 'silence-ended') return { type: 'end-silence', id: silence.id };
      return { type: 'extend-silence', id: silence.id, until: silence.until + ms };
    }
    case 'pause':
      return pauseFor(seen, ms);
    case 'pause-ended': {
      const paused = (await seen.store.pauses()).filter(({ until }) => until > seen.at);
      const pause = pickOf(
        sortedBy(paused, ({ watch }) => watch),
        seen.draw,
      );
      return pause === null ? null : { type: 'end-pause', watch: pause.watch };
    }
  }
}

/** Others need the blocks, and a watch that is due at some hours only has few polls that show whether it is blind. */
function isPausable({ kind, every }: WatchSource): boolean {
  return kind !== 'blocks' && every?.startsWith('cron') !== true;
}

/** In the order of the sources. */
function watchedBy({ watches }: Seen): readonly WatchSource[] {
  const present = new Set(watches.map(({ rule }) => rule));
  return WATCHES.filter(({ id }) => present.has(id));
}

function pauseFor(seen: Seen, ms: number): OperatorAct {
  const { at, draw, target } = seen;
  const [meant] = target?.split('/') ?? [];
  const watch = meant ?? pickOf(watchedBy(seen).filter(isPausable), draw)?.id ?? 'coin';
  return { type: 'pause', watch, matchers: { watch }, until: at + ms, comment: 'simulated' };
}

type Choice = (open: readonly OpenAlertRow[], acks: readonly StoredAck[]) => readonly OpenAlertRow[];

/** Conditions more often than events, of which there are many. */
async function ackOf(
  { store, watches, at, draw, target }: Seen,
  ms: number,
  choice: Choice,
): Promise<OperatorAct | null> {
  const [open, { acks }] = [await store.openAlerts({ at }), await store.policy(at)];
  const all = sortedBy(choice(open, acks), ({ key }) => key);
  const meant = all
    .filter((one) => ruleOf(one) === target)
    .toSorted((a, b) => b.since - a.since)
    .slice(0, 1);
  const lasting = all.filter(({ isEvent }) => !isEvent);
  const others = lasting.length > 0 && draw.chance(0.8) ? lasting : all;
  const alert = pickOf(meant.length > 0 ? meant : others, draw);
  if (alert === null) return null;
  const { key, episode, seq } = alert;
  const severity = severityOf(alert, watches);
  return { type: 'ack', replace: true, key, episode, seq, severity, until: at + ms, comment: null };
}

/** The alert of which most is open. */
async function ackAllOf({ store, watches, at }: Seen, ms: number): Promise<OperatorAct | null> {
  const [open, { acks }] = [await store.openAlerts({ at }), await store.policy(at)];
  const taken = new Set(acks.map(({ key }) => key));
  const left = sortedBy(open, ({ key }) => key).filter(({ key, isFollowed }) => isFollowed && !taken.has(key));
  const [most] = [...Map.groupBy(left, ruleOf).values()].toSorted((a, b) => b.length - a.length);
  if (most === undefined) return null;
  const rows = most.map((row) => ({ ...row, severity: severityOf(row, watches) }));
  return { type: 'ack-all', rows, standing: [], until: at + ms, comment: null, replace: false };
}

function ruleOf({ labels, alert }: OpenAlertRow): string {
  return `${labels['watch'] ?? ''}/${alert}`;
}

async function silenceFor(seen: Seen, ms: number): Promise<OperatorAct> {
  const { store, at, draw, target } = seen;
  const [watch, name] = target?.split('/') ?? [];
  if (watch !== undefined && name !== undefined) return silenceOf({ watch, alert: name }, { at, until: at + ms });
  const open = (await store.openAlerts({ at })).filter(({ isEvent }) => !isEvent);
  const alert = pickOf(
    sortedBy(open, ({ key }) => key),
    draw,
  );
  const source = pickOf(rulesOf(watchedBy(seen)), draw);
  const from = draw.chance(0.2) ? at + draw.between(1, 30) * 60_000 : at;
  const ofTeam = { team: source?.watch.labels?.['team'] ?? 'treasury' };
  const ofRule = { watch: source?.watch.id ?? 'coin', alert: source?.alert.id ?? 'low' };
  const isOfOpen = alert !== null && draw.chance(0.6);
  const untilResolved = isOfOpen && draw.chance(0.2);
  const ofOpen = isOfOpen ? { watch: alert.labels['watch'] ?? '', alert: alert.alert } : null;
  const matchers = ofOpen ?? (draw.chance(0.5) ? ofTeam : ofRule);
  return { type: 'silence', matchers, from, until: from + ms, untilResolved, comment: 'simulated' };
}

function silenceOf(
  matchers: Readonly<Record<string, string>>,
  { at, until }: { readonly at: Instant; readonly until: Instant },
): OperatorAct {
  return { type: 'silence', matchers, from: at, until, untilResolved: false, comment: 'simulated' };
}

function sortedBy<T>(all: readonly T[], name: (one: T) => string): readonly T[] {
  return all.toSorted((a, b) => (name(a) < name(b) ? -1 : 1));
}
