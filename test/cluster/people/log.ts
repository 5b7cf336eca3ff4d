// The log of a run for the oracle for people (`test/simulation/people`), from what the database recorded and what receivers
// saw. The replicas are one daemon to it, which runs all the time: whatever happens to them excuses nothing, but where the
// database was gone, or its clock was set.
import type { Instant, Span } from '../../simulation/model.ts';
import { keptChange } from '../../simulation/scenes/operate.ts';
import { memberOf } from '../../simulation/scenes/tries.ts';
import type {
  CommittedTransition,
  InForce,
  OperatorAction,
  PeopleLog,
  Try,
  TryMember,
  UntriedMessage,
} from '../../simulation/people/log.ts';
import type { SeenTry } from '../sinks.ts';
import { versionOf } from './config.ts';
import type { Recorded, RecordedMember, RecordedTransition } from './recorded.ts';

export interface PeopleRun {
  readonly span: Span;
  readonly plans: number;
  /** Of the database, as it is in the end. */
  readonly recorded: readonly Recorded[];
  /** Of each one that a failover left behind. */
  readonly lost: readonly LostRecord[];
  readonly tries: readonly SeenTry[];
  readonly jumps: PeopleLog['jumps'];
  /** When the database was gone. */
  readonly outages: readonly Span[];
}

export interface LostRecord {
  /** When the one that took its place answered. */
  readonly at: Instant;
  readonly recorded: readonly Recorded[];
}

/** Before the run all was as it is at its beginning. */
const BEFORE_MS = 3_600_000;

export function peopleLogOf(run: PeopleRun): PeopleLog {
  const { span, outages } = run;
  const all = [...run.lost.flatMap(({ recorded }) => recorded), ...run.recorded];
  const members = Map.groupBy(bodiesOf(all, 'member'), ({ id }) => id);
  const transitions = transitionsOf(run);
  const messages = messagesOf(all);
  return {
    span,
    aheadMs: 0,
    jumps: run.jumps.map((jump, n) => ({ ...jump, isUnseen: isUnseen(run, n) })),
    configs: configsOf(run),
    actions: actionsOf(run),
    transitions: [...transitions.values()].toSorted((a, b) => knownAt(a) - knownAt(b)),
    tries: triesOf(run, messages, members),
    untried: untriedOf(run, messages, members, transitions),
    lives: [{ from: span.from - BEFORE_MS, to: span.to, end: 'stopped' }],
    polls: [],
    refusals: outages,
  };
}

/** A transaction that compared the clock before it was set right may end a little later. */
const UNDER_WAY_MS = 5000;

/** The clock goes ahead and back; nobody compared it in between. */
function isUnseen({ jumps, recorded }: PeopleRun, n: number): boolean {
  const [ahead, back] = jumps.slice(n - (n % 2));
  if (ahead === undefined || back === undefined) return false;
  return !recorded.some(
    ({ at, ...line }) =>
      line.type === 'compared' &&
      at >= ahead.at &&
      at < back.at + UNDER_WAY_MS &&
      Math.abs(line.body.clock - at - ahead.ms) < UNDER_WAY_MS,
  );
}

type Body<T extends Recorded['type']> = Extract<Recorded, { type: T }>['body'];

function bodiesOf<T extends Recorded['type']>(recorded: readonly Recorded[], type: T): Body<T>[] {
  return recorded.flatMap((one) => (one.type === type ? [one.body as Body<T>] : []));
}

function knownAt({ at, fromMemoryAt }: CommittedTransition): Instant {
  return at ?? fromMemoryAt ?? 0;
}

const placeOf = ({ key, seq }: { readonly key: string; readonly seq: number }): string => `${key} ${seq}`;

/** What a failover lost was known all the same, and may have been told; so was what was told and is on no record. */
function transitionsOf({ recorded, lost, tries }: PeopleRun): Map<string, CommittedTransition> {
  const byPlace = new Map<string, CommittedTransition>();
  const early = (place: string, at: Instant, make: () => CommittedTransition): void => {
    const known = byPlace.get(place) ?? make();
    byPlace.set(place, { ...known, fromMemoryAt: Math.min(known.fromMemoryAt ?? Infinity, at) });
  };
  for (const one of recorded)
    if (one.type === 'transition') byPlace.set(placeOf(one.body), committed(one.body, one.at));
  for (const one of lost.flatMap(({ recorded: before }) => before)) {
    if (one.type !== 'transition') continue;
    const known = byPlace.get(placeOf(one.body));
    if (known?.at !== one.at) early(placeOf(one.body), one.at, () => committed(one.body, null));
  }
  for (const { isFromMemory, begunAt, message } of tries)
    if (isFromMemory) early(placeOf(message), begunAt, () => committed(fromMessage(message), null));
  return byPlace;
}

function committed({ transition, labels, message }: RecordedTransition, at: Instant | null): CommittedTransition {
  const { key, episode, seq, watch, alert, severity, reason, summary } = message;
  return {
    at,
    decidedClock: message.at,
    fromMemoryAt: null,
    watch,
    alert,
    key,
    episode,
    seq,
    type: transition,
    severity,
    labels,
    reason,
    notify: null,
    foldedKeys: summary?.keys ?? null,
  };
}

function fromMessage({ type, summary, at, ...message }: SeenTry['message']): RecordedTransition {
  const { key, seq, watch, alert } = message;
  return { key, seq, transition: type, labels: { watch, alert }, message: { ...message, at, summary } };
}

/** The first one is whole, and another one lacks some: no other has a majority. */
function configsOf({ span, plans, recorded, lost }: PeopleRun): InForce[] {
  const agreed = inOrder([...lost.flatMap(({ recorded: before }) => before), ...recorded]).flatMap((one) =>
    one.type === 'config' && one.body.config !== null ? [{ at: one.at, config: one.body.config }] : [],
  );
  const [first] = agreed;
  const versions = { whole: versionOf(plans, 'whole'), lacking: versionOf(plans, 'lacking') };
  return [
    { from: span.from, config: versions.whole },
    ...agreed
      .slice(1)
      .map(({ at, config }) => ({ from: at, config: versions[config === first?.config ? 'whole' : 'lacking'] })),
  ];
}

function inOrder<T extends { readonly at: Instant }>(some: readonly T[]): T[] {
  return some.toSorted((a, b) => a.at - b.at);
}

/** A failover ends what it has lost. */
function actionsOf({ recorded, lost }: PeopleRun): OperatorAction[] {
  const kept = new Set(bodiesOf(recorded, 'operated').map(({ key }) => key));
  const acked = new Map<string, Instant>();
  const actions: OperatorAction[] = [];
  const done = new Set<string>();
  const all = inOrder([
    ...recorded.map((one) => ({ ...one, lostAt: null })),
    ...lost.flatMap(({ at, recorded: before }) => before.map((one) => ({ ...one, lostAt: at }))),
  ]);
  for (const one of all) {
    if (one.type !== 'operated' || done.has(one.body.key)) continue;
    done.add(one.body.key);
    const change = keptChange(one.body.answer, false);
    if (change === null) continue;
    const action = { at: one.at, by: 'local', ...change };
    const isLost = one.lostAt !== null && !kept.has(one.body.key);
    // The alert is escalated as if nobody had acknowledged it.
    if (isLost && change.type === 'ack') continue;
    if (change.type === 'ack') {
      const name = `${change.key} ${change.episode}`;
      const replaces = (acked.get(name) ?? -Infinity) > one.at;
      acked.set(name, change.untilClock);
      actions.push({ ...action, ...change, replaces });
    } else actions.push(action);
    if (one.lostAt !== null && isLost) actions.push(...undone(action, one.lostAt));
  }
  return inOrder(actions);
}

function undone(action: OperatorAction, at: Instant): OperatorAction[] {
  const by = 'the database';
  return action.type === 'silence' ? [{ at, by, type: 'silence-ended', id: action.id }] : [];
}

interface MadeMessage extends Pick<UntriedMessage, 'target' | 'kind'> {
  /** When it was made first. */
  readonly at: Instant;
}

function messagesOf(recorded: readonly Recorded[]): Map<string, MadeMessage> {
  const byId = new Map<string, MadeMessage>();
  for (const one of recorded) {
    if (one.type !== 'made') continue;
    const { id, channel, recipient, kind } = one.body;
    const at = Math.min(byId.get(id)?.at ?? Infinity, one.at);
    byId.set(id, { target: { channel, recipient }, kind, at });
  }
  return byId;
}

function triesOf(
  { recorded, tries }: PeopleRun,
  messages: ReadonlyMap<string, MadeMessage>,
  members: ReadonlyMap<string, readonly RecordedMember[]>,
): Try[] {
  const settled = new Map(
    recorded.flatMap((one) => (one.type === 'turned' ? [[`${one.body.id} ${one.body.attempt}`, one.at] as const] : [])),
  );
  return tries.map((seen): Try => {
    const { id, channel, attempt, begunAt, endedAt, outcome, isFromMemory, saysCopy, message } = seen;
    const made = messages.get(id);
    const own = members.get(id)?.find(({ key, seq }) => key === message.key && seq === message.seq);
    const knownAt = settled.get(`${id} ${attempt}`) ?? null;
    return {
      id,
      target: made?.target ?? { channel, recipient: channel },
      attempt,
      kind: made?.kind ?? 'news',
      closedClock: begunAt,
      closedAt: made === undefined || made.at > begunAt ? begunAt : made.at,
      closedMembers: [{ key: message.key, seq: message.seq }],
      members: [lineOf(message, own)],
      more: [],
      marks: { maybeCopy: saysCopy, fromMemory: isFromMemory },
      incident: null,
      begunAt,
      endedAt,
      outcome,
      knownAt: knownAt !== null && knownAt >= begunAt ? knownAt : null,
    };
  });
}

function lineOf({ summary, ...told }: SeenTry['message'], own: RecordedMember | undefined): TryMember {
  return memberOf(
    { ...told, count: summary?.keys.length ?? 1 },
    { as: own?.sent_as ?? 'news', heldAt: own?.held_at ?? null, renewed: own?.renewed ?? null },
  );
}

function untriedOf(
  { tries }: PeopleRun,
  messages: ReadonlyMap<string, MadeMessage>,
  members: ReadonlyMap<string, readonly RecordedMember[]>,
  transitions: ReadonlyMap<string, CommittedTransition>,
): UntriedMessage[] {
  const tried = new Set(tries.map(({ id }) => id));
  return [...messages]
    .filter(([id]) => !tried.has(id))
    .map(([id, { target, kind, at }]) => ({
      target,
      kind,
      isPutBack: false,
      closedAt: at,
      members: (members.get(id) ?? []).flatMap((member) => {
        const transition = transitions.get(placeOf(member));
        if (transition === undefined) return [];
        const { key, episode, seq, watch, alert, type, severity, reason, foldedKeys } = transition;
        const summary = foldedKeys === null ? null : { keys: [...foldedKeys] };
        const message = { key, episode, seq, watch, alert, type, severity, reason, at, summary };
        return [{ ...lineOf(message, member), isListed: false }];
      }),
    }))
    .toSorted((a, b) => a.closedAt - b.closedAt);
}
