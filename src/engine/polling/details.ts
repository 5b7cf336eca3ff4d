// Reads the details of events. They are requested after the commit that stores the events, and are added before the
// events are routed.
//
// A stored event waits for its details for a short time. Until they are added, its message says that there are none. So
// the message can be routed at any time, also after a crash, and also if the explorer does not answer.
import { type DetailedEvent, eventsToDetail, readDetails } from '../../core/alerts/details.ts';
import { detailsWaitMs, NONE_IN_TIME } from '../../core/model/details.ts';
import type { Message } from '../../core/model/delivery.ts';
import { API_REFUSALS, Missed, type Read } from '../../core/model/watch/question.ts';
import type { MissReason } from '../../core/model/observation.ts';
import type { Watch } from '../../core/model/watch/watch.ts';
import type { Clock, Instant } from '../../lib/clock.ts';
import type { Ownership } from '../../cluster/ownership.ts';
import type { Shard } from '../../store/contract/fence.ts';
import type { Store } from '../../store/contract/store.ts';
import type { Log } from '../../telemetry/log.ts';
import type { Outages } from '../reporting/report.ts';
import { isStop } from './observe.ts';
import type { DecidedPoll } from './decide.ts';
import type { Reader } from './read.ts';

export interface DetailsOptions {
  readonly store: Pick<Store, 'addDetails'>;
  readonly ownership: Pick<Ownership, 'fenceOf' | 'lost'>;
  readonly shardOf: (watch: Watch) => Shard;
  readonly readerOf: (explorer: string) => Pick<Reader, 'tickReader'> | undefined;
  readonly clock: Clock;
  readonly log: Pick<Log, 'error'>;
  readonly outages: Pick<Outages, 'storageFails'>;
  /** Called when messages have their details and wait no longer. */
  readonly onAdded: () => void;
}

export interface Details {
  /**
   * Requests the details for the events of a poll, which were stored at `storedAt`. Returns null if no event gets
   * details. Never rejects.
   */
  begin(decided: DecidedPoll, storedAt: Instant): Promise<void> | null;
  /** Resolves when no request is running. */
  idle(): Promise<void>;
}

/** Answers are accepted during this part of the wait. The rest is left for the write to the store. */
const ASKING_PART = 0.8;

export function createDetails(options: DetailsOptions): Details {
  const { readerOf, clock, log } = options;
  const running = new Set<Promise<unknown>>();
  const refusals = createRefusals(clock);

  async function detail(decided: DecidedPoll, event: DetailedEvent, storedAt: Instant): Promise<void> {
    const { watch, hooked } = decided;
    const { severity } = event.message;
    const detailsUntil = storedAt + ASKING_PART * detailsWaitMs(severity);
    const reader = readerOf(watch.target.explorer)?.tickReader(() => ({ severity, isFirst: false, detailsUntil }));
    if (reader === undefined) return;
    const over = new AbortController();
    try {
      const late = lateAfter(detailsUntil - clock.now(), clock, over.signal);
      const read = before(late, refusals.minding(reader));
      const message = await readDetails(watch, event, hooked?.readDetails(read) ?? read);
      await add(watch, [message], options);
    } catch (error) {
      if (!isStop(error)) log.error('details:failed', { watch: watch.name, error });
    } finally {
      over.abort();
      reader.end?.();
    }
  }

  return {
    begin(decided, storedAt) {
      const events = eventsToDetail(decided.decision.transitions);
      if (events.length === 0) return null;
      const run = Promise.all(events.map((event) => detail(decided, event, storedAt))).then(() => undefined);
      running.add(run);
      return run.finally(() => running.delete(run));
    },
    async idle() {
      await Promise.allSettled(running);
    },
  };
}

/** If the write fails, the messages are routed without details. */
async function add(watch: Watch, messages: readonly Message[], options: DetailsOptions): Promise<void> {
  const { store, ownership, shardOf, outages, onAdded } = options;
  const shard = shardOf(watch);
  const fence = ownership.fenceOf(shard);
  if (fence === null) return;
  try {
    if ((await store.addDetails(messages, fence)) === 'fenced') ownership.lost(shard, fence);
    else onAdded();
  } catch (error) {
    outages.storageFails(error);
  }
}

/** Rejects after this time. */
function lateAfter(ms: number, clock: Clock, over: AbortSignal): Promise<never> {
  const late = clock.sleep(Math.max(0, ms), over).then(() => {
    throw new Missed('timeout', NONE_IN_TIME);
  });
  late.catch(() => undefined);
  return late;
}

function before(late: Promise<never>, read: Read): Read {
  return {
    one: (question) => Promise.race([read.one(question), late]),
    page: (question, cursor) => Promise.race([read.page(question, cursor), late]),
    pageAgain: (question, cursor) => Promise.race([read.pageAgain(question, cursor), late]),
  };
}

// Some explorers refuse these requests, and a refusal costs credits too. After three refusals in a row, the question is
// not sent for a day.

const REFUSED: ReadonlySet<MissReason> = new Set([...API_REFUSALS, 'server-error', 'unprocessable']);
const MOST_REFUSED = 3;
const REST_MS = 86_400_000;

interface Refusals {
  /** The same reader, but it does not send a question that was refused three times in a row. */
  minding(read: Read): Read;
}

interface Refused {
  readonly times: number;
  readonly at: Instant;
  readonly reason: MissReason;
}

function createRefusals(clock: Pick<Clock, 'now'>): Refusals {
  const byQuestion = new Map<string, Refused>();

  async function minded<T>(question: { explorer: string; operation: string }, ask: () => Promise<T>): Promise<T> {
    const key = `${question.explorer} ${question.operation}`;
    const last = byQuestion.get(key);
    const restsFor = last === undefined ? 0 : last.at + REST_MS - clock.now();
    if (last !== undefined && last.times >= MOST_REFUSED && restsFor > 0 && restsFor <= REST_MS)
      throw new Missed(last.reason, 'not asked, since the explorer refused it three times in a row');
    try {
      const answer = await ask();
      byQuestion.delete(key);
      return answer;
    } catch (error) {
      if (error instanceof Missed && REFUSED.has(error.reason))
        byQuestion.set(key, { times: (byQuestion.get(key)?.times ?? 0) + 1, at: clock.now(), reason: error.reason });
      throw error;
    }
  }

  return {
    minding: (read) => ({
      one: (question) => minded(question, () => read.one(question)),
      page: (question, cursor) => minded(question, () => read.page(question, cursor)),
      pageAgain: (question, cursor) => minded(question, () => read.pageAgain(question, cursor)),
    }),
  };
}
