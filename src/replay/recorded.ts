// A recording as polls of a watch.
//
// A recorded watch is polled at the recorded times, reads the recorded answers, and has the recorded interval. Any
// other watch is polled whenever a recorded one asked its first question, and reads the answers of that tick. An answer
// that was not recorded is a missed poll.
import { upToHead } from '../core/chain/tick-chain.ts';
import { readMemory, readTickChain } from '../engine/polling/observe.ts';
import type { AnyView } from '../core/values/fields.ts';
import type { Memory } from '../core/model/memory.ts';
import type { Head, TickChain } from '../core/model/observation.ts';
import type { Watch } from '../core/model/watch/watch.ts';
import type { WatchId } from '../core/model/ids.ts';
import {
  Missed,
  shownPath,
  unfiltered,
  type Cursor,
  type Page,
  type Question,
  type Read,
} from '../core/model/watch/question.ts';
import { readThrough } from '../core/model/quality/read-through.ts';
import { blankMemory } from '../core/step.ts';
import { decodeAnswer } from '../explorer/reading/decode.ts';
import { createPageSizes } from '../explorer/reading/page-sizes.ts';
import {
  cursorText,
  keyOfAsked,
  type RecordedQuestion,
  type RecordedAnswer,
  type RecordedPoll,
} from '../recording/model.ts';
import type { Recording } from '../recording/reader.ts';
import type { ReplayedPoll } from './run.ts';

export interface RecordedOptions {
  readonly recording: Recording;
  /** Called each time that a watch asks a question without an answer in the recording. */
  readonly onNotRecorded: (watch: Watch, path: string) => void;
}

/** The polls of a watch that the recording contains, in order. */
export function recordedPolls(watch: Watch, options: RecordedOptions): Iterable<ReplayedPoll> {
  const isRecorded = options.recording.has(watch.id);
  return isRecorded ? pollsOf(watch, options) : ticksFor(watch, options);
}

function* pollsOf(watch: Watch, options: RecordedOptions): Generator<ReplayedPoll> {
  const { recording } = options;
  const decode = createDecoder(watch, recording);
  const first = firstToReplay(watch.id, recording);
  let isFirst = true;
  for (const poll of recording.polls(watch.id)) {
    if (poll.id < first) continue;
    const memory = memoryFor(watch, poll, isFirst);
    isFirst = false;
    const tick = () => recording.answersInTick(watch.target.explorer, poll.startedAt);
    const shelves = [() => recording.answers(poll.id), tick];
    const read = createRead(watch, shelves, decode, options);
    yield {
      at: poll.at,
      head: () => poll.head,
      canAskHead: true,
      chain: async () => poll.chain ?? chainOf(watch, shelves, decode, poll.head),
      read,
      details: read,
      coveredUntil: poll.coveredUntil,
      ...(poll.paceMs === null ? {} : { paceMs: Math.max(poll.paceMs, watch.schedule.intervalMs) }),
      ...(memory === undefined ? {} : { memory }),
    };
  }
}

/**
 * The id of the first poll to replay. After the oldest polls were dropped, this is the first poll with a stored memory,
 * since ids of messages equal those of the daemon only from there on. Without a stored memory, it is the first poll,
 * with a blank memory.
 */
function firstToReplay(watch: WatchId, recording: Recording): number {
  for (const { id, memory } of recording.polls(watch)) if (memory !== null) return id;
  return 0;
}

/**
 * The memory from which the poll starts; undefined: that of the previous poll. The first poll starts from its stored
 * memory. A later poll does so only if its memory is blank, since the daemon made a blank start there.
 */
function memoryFor(watch: Watch, { memory }: RecordedPoll, isFirst: boolean): Memory | undefined {
  if (memory === null) return undefined;
  const isBlank = memory.state === null && memory.data === null && Object.keys(memory.alerts).length === 0;
  if (isBlank) return blankMemory(watch);
  // The daemon also starts from a blank state if it cannot read the stored one.
  return isFirst ? (readMemory(watch, memory) ?? { ...memory, state: null }) : undefined;
}

function* ticksFor(watch: Watch, options: RecordedOptions): Generator<ReplayedPoll> {
  const { recording } = options;
  const question = watch.kind.question(watch.target);
  const decode = createDecoder(watch, recording);
  let isAny = false;
  for (const { startedAt, at, head } of recording.ticks(question)) {
    isAny = true;
    const tick = () => recording.answersInTick(watch.target.explorer, startedAt);
    const chain = () => chainOf(watch, [tick], decode, head);
    const read = createRead(watch, [tick], decode, options);
    yield { at, head: () => head, canAskHead: true, chain, read, details: read };
  }
  if (!isAny) options.onNotRecorded(watch, shownPath(question));
}

/** The state of the chain in the tick's answers; if the tick did not ask for it, the last known head. */
async function chainOf(watch: Watch, shelves: AnswerSources, decode: Decode, head: Head | null): Promise<TickChain> {
  const missing: string[] = [];
  const onNotRecorded = (_watch: Watch, path: string): number => missing.push(path);
  const chain = await readTickChain(watch, createRead(watch, shelves, decode, { onNotRecorded }));
  return missing.length === 0 || head === null ? chain : upToHead(Number(head.height));
}

type Decode = (question: Question, body: number) => AnyView | Page;

/** The sources of answers, in the order in which they are searched. Each is loaded on demand. */
type AnswerSources = readonly (() => readonly RecordedAnswer[])[];

function createRead(
  watch: Watch,
  sources: AnswerSources,
  decode: Decode,
  { onNotRecorded }: Pick<RecordedOptions, 'onNotRecorded'>,
): Read {
  const opened = new Map<number, ReadonlyMap<string, readonly RecordedAnswer[]>>();
  const taken = new Map<string, number>();

  function source(number: number): ReadonlyMap<string, readonly RecordedAnswer[]> {
    const found = opened.get(number) ?? Map.groupBy(sources[number]?.() ?? [], keyOf);
    opened.set(number, found);
    return found;
  }

  /** When a poll asks a question again, it gets the next recorded answer, as in the recorded poll. */
  function find(key: string): RecordedAnswer | undefined {
    const times = taken.get(key) ?? 0;
    taken.set(key, times + 1);
    for (const number of sources.keys()) {
      const answers = source(number).get(key);
      if (answers !== undefined) return answers[Math.min(times, answers.length - 1)];
    }
    return undefined;
  }

  async function answer(question: Question, cursor: Cursor | null, again: boolean): Promise<AnyView | Page> {
    const found = find(keyOf({ asked: question, cursor, again }));
    if (found === undefined) onNotRecorded(watch, shownPath(question));
    return given(question, found);
  }

  function given(question: Question, found: RecordedAnswer | undefined): AnyView | Page {
    if (found === undefined) throw new Missed('not-found', `not in the recording: ${shownPath(question)}`);
    if ('reason' in found.gave) throw new Missed(found.gave.reason, found.gave.detail);
    return decode(question, found.gave.body);
  }

  const reader = readThrough({
    answer: (question, cursor) => answer(question, cursor, false),
    again: (question, cursor) => answer(question, cursor, true),
    // A page that the recorded poll did not sweep is not reported as missing in the recording.
    sweep: async (question, cursor) => given(question, find(keyOf({ asked: question, cursor, again: false }))),
  });
  const isShared = (question: Question): boolean => {
    const asked = unfiltered(question);
    return asked !== question && source(0).has(keyOf({ asked, cursor: null, again: false }));
  };
  return { ...reader, isShared };
}

function keyOf({
  asked,
  cursor,
  again,
}: Pick<RecordedAnswer, 'asked' | 'cursor' | 'again'> & { asked: RecordedQuestion }): string {
  return `${keyOfAsked(asked)} ${cursorText(cursor) ?? ''} ${again ? 'again' : ''}`;
}

/** The most decoded answers that are kept. Most polls get the same answers as the poll before. */
const MOST_DECODED = 32;

function createDecoder(watch: Watch, recording: Recording): Decode {
  const decoded = new Map<string, AnyView | Page>();
  const common = { units: { coin: watch.target.coin.decimals }, pageSizes: createPageSizes() };
  return (question, body) => {
    const key = `${body} ${question.record.name}`;
    const context = { ...common, where: shownPath(question) };
    const value = decoded.get(key) ?? decodeAnswer(recording.body(body), question, context).value;
    decoded.delete(key);
    decoded.set(key, value);
    for (const oldest of decoded.keys()) {
      if (decoded.size <= MOST_DECODED) break;
      decoded.delete(oldest);
    }
    return value;
  };
}
