import { z } from 'zod';
import type { Kind } from '../core/model/watch/kind.ts';
import type { Target } from '../core/model/watch/target.ts';
import { EMPTY_ABI, type Abi } from '../lib/abi/abi.ts';
import { inOneStep } from '../lib/steps.ts';
import { blocks } from '../explorer/operations.ts';
import { CHANGED } from './one-change.ts';
import { definitionsOf, fallbackRequestsOf, requestsOf } from './read/calls.ts';
import { continued, detectReads, lostIn, ReadState, singlyWords } from './read/detection.ts';
import { leavesOf, numbersIn, readingOf } from './read/fields.ts';
import { describeReads } from './read/describe.ts';
import { namesIn, readOptions, resolveRead, type ReadOptions } from './read/option.ts';
import { readContract, writtenReading, type ReadReading } from './read/reading.ts';
import { readWording } from './wording/read.ts';

/** The kind for a target without `read:`. */
export const read = readWith({});

function readWith(asked: ReadOptions['read']): Kind<ReadOptions, ReadState, ReadReading> {
  const record = readingOf(asked);
  const names = Object.keys(asked);
  const pathsOf = (name: string): readonly string[] => leavesOf(record, name);
  return {
    name: 'read',
    summary: 'Values that contracts answer: view functions, storage slots, and coins.',
    noun: 'reading',
    fields: record,
    fieldOptions: ['read', 'abi', 'confirmations'],
    forOptions: (options) => readWith(options.read),
    needsRpc: true,
    namesIn,
    describeOptions: describeReads,
    resolve: resolveRead,
    events: { changed: CHANGED },
    while: { measured: null, exported: numbersIn(record, names) },
    of: 'required',
    token: 'none',
    options: optionsWith(EMPTY_ABI),
    optionsWith,
    state: ReadState,
    comparedByDefault: names.flatMap(pathsOf),
    shown: [...names, 'block_number'],
    fleeting: ['block_number'],
    wording: readWording,
    question: (target) => firstOf(questionsOf(target)),
    questions: questionsOf,
    fallbackQuestions: (target) => [fallbackRequestsOf(target).map(({ question }) => question)],
    head: ({ explorer }) => blocks(explorer),
    page: ({ address }) => (address === null ? null : `/address/${address.text}`),
    async observe(target, state, reader) {
      const { state: known } = continued(state, definitionsOf(target));
      return { seen: await readContract(record, target, known, reader), partial: null };
    },
    detect: (target, state, seen, scope) => inOneStep(detectReads(state, seen, target, scope)),
    lost: (state) => lostIn(state, (name) => [name, ...pathsOf(name)]),
    fallback: ({ singly }) => singly && { what: singlyWords(singly), since: singly.since },
    history: null,
    examples: {},
    rowsOf: ({ view }) => ({ rows: [view] }),
    sourceOf: (path) => path,
    script: {
      rows: null,
      record,
      synthesize: (_target, { rows: [row] }) => writtenReading(record, names, row?.view ?? record.make({})),
    },
  };
}

function optionsWith(abi: Abi) {
  return z.strictObject(readOptions(abi));
}

function questionsOf(target: Target<ReadOptions>) {
  return requestsOf(target).map(({ question }) => question);
}

function firstOf<T>([first]: readonly T[]): T {
  if (first === undefined) throw new TypeError('a watch asks for the newest block at least');
  return first;
}
