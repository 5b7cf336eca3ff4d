// Writes down what happens in a run, in the words of the oracles.
import type { WatchId } from '../../src/core/model/ids.ts';
import type { AnyKind } from '../../src/core/model/watch/kind.ts';
import type { Memory } from '../../src/core/model/memory.ts';
import type { PollHook } from '../../src/engine/polling/read.ts';
import type { VirtualTime } from './machine/clock.ts';
import type { StoreObserver } from './machine/store.ts';
import type { Blindness, ChainLog, Disturbance, Gap, Instant, Logs, Poll, Served, Span } from './model.ts';
import { createOwedLog } from './owed-log.ts';
import type { ConfigVersion, Life, OperatorChange, PeopleLog } from './people/log.ts';
import { PauseAnswer } from './scenes/operate.ts';
import { createPausedLog } from './scenes/paused-log.ts';
import { createPeopleRecorder } from './scenes/people-log.ts';
import { createSightingLog, STATE_MS, type SightingLog } from './scenes/sightings.ts';
import type { TryLog } from './scenes/tries.ts';

export interface Journal {
  readonly served: (served: Served) => void;
  /** Writes down when polls begin and end. */
  readonly hook: PollHook;
  readonly store: StoreObserver;
  readonly begun: TryLog['begun'];
  readonly applied: (version: ConfigVersion) => void;
  /** How the daemon judges its own sight. */
  readonly blind: (look: Omit<Blindness, 'at'>) => void;
  readonly started: () => void;
  readonly lived: (life: Life) => void;
  readonly end: (chain: ChainLog, span: Span, given: Given) => Logs;
}

/** What was planned. */
export interface Given extends Pick<PeopleLog, 'jumps' | 'refusals'>, Pick<Logs, 'stretch' | 'watched'> {}

export function createJournal(time: VirtualTime): Journal {
  const served: Served[] = [];
  const polls: Poll[] = [];
  const owed = createOwedLog();
  const people = createPeopleRecorder(() => time.now());
  const sightings = createSightingLog(() => time.now());
  const disturbances: Disturbance[] = [];
  const paused = createPausedLog(() => time.now());
  const blindness: Blindness[] = [];
  const lives: Life[] = [];
  const stateById = new Map<WatchId, Memory['state']>();
  const lastPollById = new Map<WatchId, Poll>();
  /** The process goes on from what they decided, and their next commit holds it. */
  const unkeptById = new Map<WatchId, Poll[]>();
  return {
    served: (one) => served.push(one),
    begun: people.begun,
    hook: {
      onPoll({ watch: { id, rule, kind }, memory }, read) {
        const gaps = gapsOf(kind, memory.state);
        const poll: Poll = { watch: rule, startedAt: time.now(), decided: null, isKept: false, isMissed: false, gaps };
        polls.push(poll);
        paused.over(rule);
        lastPollById.set(id, poll);
        return {
          read,
          readDetails: (details) => details,
          settled(observation) {
            poll.decided = { at: time.now(), clockAt: observation.at };
            poll.isKept = true;
            poll.isMissed = observation.type === 'missed';
            poll.gaps = gapsOf(kind, stateById.get(id) ?? memory.state);
            people.polled(rule, observation.type === 'seen' && observation.partial === null);
          },
        };
      },
    },
    store: {
      disturbed: (one) => disturbances.push(one),
      kept(decisions) {
        const at = time.now();
        people.kept(decisions);
        for (const decision of decisions) {
          const { watchId, memory, transitions } = decision;
          stateById.set(watchId, memory.state);
          const poll = lastPollById.get(watchId);
          for (const one of [...(unkeptById.get(watchId) ?? []), ...(poll ? [poll] : [])]) one.isKept = true;
          unkeptById.delete(watchId);
          owed.decided(watchId, transitions, at);
          sightings.decided(decision);
        }
      },
      unkept(decisions) {
        people.unkept(decisions);
        for (const { watchId } of decisions) {
          const poll = lastPollById.get(watchId);
          if (poll !== undefined) unkeptById.set(watchId, [...(unkeptById.get(watchId) ?? []), poll]);
        }
      },
      dispatched(result) {
        people.made(result);
        for (const verdicts of result.verdicts.values()) sightings.judged(verdicts);
      },
      rerouted({ withdrawn }) {
        people.made({ batches: [], withdrawn, overtaken: [] });
      },
      putBack: people.putBack,
      called({ owing }) {
        for (const { key, via } of owing) if (via !== 'route') sightings.sawFor(CALLED[via], key, STATE_MS);
      },
      settled({ id, attempt }, { state }) {
        const tried = people.settled(id, attempt);
        if (state === 'dead') for (const key of tried) sightings.sawFor('given up', key, STATE_MS);
      },
      operated(stored, { request, at }, lines) {
        for (const change of people.operated(stored, request, lines)) sightAck(sightings, change, at);
        if (stored.action === 'pause') paused.begun(PauseAnswer.parse(stored.answer).watch);
      },
      announced(transitions) {
        people.kept([{ transitions }]);
      },
    },
    applied(version) {
      people.applied(version);
      sightings.sawAll('reload');
    },
    blind: (look) => blindness.push({ at: time.now(), ...look }),
    started() {
      sightings.sawAll('restart');
    },
    lived(life) {
      lives.push(life);
      unkeptById.clear();
      people.lived(life);
    },
    end: (chain, span, { stretch, watched, ...given }) => ({
      paused: paused.all(),
      span,
      stretch,
      watched,
      chain,
      served,
      polls,
      owed: owed.all(chain),
      disturbances: [...disturbances, ...paused.all()].toSorted((a, b) => a.from - b.from),
      lives,
      blindness,
      people: people.end(span, given),
      sightings: sightings.all(),
    }),
  };
}

const CALLED = { escalate: 'escalation', failover: 'failover' } as const;
const DAY_MS = 86_400_000;

function sightAck(sightings: SightingLog, change: OperatorChange, at: Instant): void {
  if (change.type !== 'ack') return;
  const ms = change.untilClock - at;
  sightings.sawFor(ms < DAY_MS ? 'snooze' : 'ack', change.key, Math.max(ms, 0));
}

const HEIGHTS = /^blocks? (?:from )?(\d+)(?:-(\d+))?( on)?$/;

/** What `status` names as unread. */
function gapsOf(kind: AnyKind, state: Memory['state']): Gap[] {
  const unread = state === null ? [] : (kind.coverage?.(state).unread ?? []);
  return unread.map(({ heights }) => {
    const [, from, to = from, on] = HEIGHTS.exec(heights) ?? [];
    if (from === undefined) throw new Error(`no range of blocks: ${heights}`);
    return { from: Number(from), to: on === undefined ? Number(to) : Infinity };
  });
}
