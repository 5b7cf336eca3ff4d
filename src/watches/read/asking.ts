// How the values of one poll are asked. Multicall3 joins their calls where that saves requests. If its answer is of no use,
// each value is asked by a call of its own.
import { Missed, type Read } from '../../core/model/watch/question.ts';
import type { Target } from '../../core/model/watch/target.ts';
import { atBlock } from '../../explorer/operations.ts';
import { askAll, assertAnswered, type Answer, type Answers, type BlockBelow } from './answers.ts';
import { BLOCK, JOINED, requestsFor, valueRequests, type AskedCalls, type JoinedRequests } from './calls.ts';
import { innerAnswers } from './multicall.ts';
import type { ReadOptions } from './option.ts';

/** `as-before`: one by one, as the readings before. `why`: one by one from now on. */
export type WayOfAsking = 'as-planned' | 'as-before' | { readonly why: string };

/** From the memory. */
export interface AskedBefore {
  readonly singly: { readonly why: string } | null;
  /** The names whose calls reverted in the last reading. */
  readonly reverting: readonly string[];
}

interface Asked {
  readonly answers: Answers;
  readonly place: {
    readonly block: number | null;
    readonly newest: number | null;
    readonly head: number | null;
  };
  readonly way: WayOfAsking;
}

type Ask = (requests: readonly AskedCalls[]) => Promise<readonly Answers[]>;

export async function askValues(target: Target<ReadOptions>, before: AskedBefore | null, read: Read): Promise<Asked> {
  const below = await blockBelow(target, read);
  const ask: Ask = (requests) => askAll(below === null ? requests : requests.map((one) => at(below, one)), read);
  const { parts, way } = await answersTo(target, before, ask);
  assertAnswered(parts, below);
  const blocks = parts.flatMap((part) => blockIn(part) ?? []);
  const [block, newest] = blocks.length === 0 ? [null, null] : [Math.min(...blocks), Math.max(...blocks)];
  const place =
    below === null
      ? { block, newest, head: block }
      : { block: below.height, newest: below.height, head: below.height + below.confirmations };
  return { answers: new Map(parts.flatMap((part) => [...part])), place, way };
}

function at({ height }: BlockBelow, asked: AskedCalls): AskedCalls {
  return { ...asked, question: atBlock(asked.question, height) };
}

/** Null: the values are read at the newest block. Throws `Missed` if the explorer does not say which one that is. */
async function blockBelow(target: Target<ReadOptions>, read: Read): Promise<BlockBelow | null> {
  const { head: asked } = valueRequests(target);
  const { confirmations } = target.options;
  if (asked === null || confirmations === undefined) return null;
  const [head] = (await askAll([asked], read)).flatMap((part) => blockIn(part) ?? []);
  if (head === undefined) throw new Missed('server-error', 'the explorer does not say which block is the newest');
  const height = Math.max(0, head - confirmations);
  return { height, confirmations: head - height };
}

function blockIn(answers: Answers): number | null {
  const answer = answers.get(BLOCK);
  const height = answer?.type === 'value' && answer.hex !== '0x' ? Number(answer.hex) : NaN;
  return Number.isSafeInteger(height) ? height : null;
}

interface Answered {
  /** The later ones win. */
  readonly parts: readonly Answers[];
  readonly way: WayOfAsking;
}

async function answersTo(target: Target<ReadOptions>, before: AskedBefore | null, ask: Ask): Promise<Answered> {
  const { oneByOne, joined } = valueRequests(target);
  if (joined === null) return { parts: await ask(oneByOne), way: 'as-planned' };
  if (before !== null && before.singly !== null) return { parts: await ask(oneByOne), way: 'as-before' };
  const together = await askJoined(joined, ask);
  if ('why' in together) return { parts: await ask(oneByOne), way: together };
  const known = before?.reverting ?? [];
  const news = joined.names.filter((name) => together.inner.get(name)?.type === 'reverted' && !known.includes(name));
  return withAlone([...together.parts, together.inner], await ask(requestsFor(target, news)));
}

/**
 * A call that uses up all gas lets the calls behind it fail, too. So what reverts and did not revert before is asked
 * again alone.
 */
function withAlone(parts: readonly Answers[], alone: readonly Answers[]): Answered {
  const values = alone.flatMap((part) => [...part].filter(([name, { type }]) => name !== BLOCK && type === 'value'));
  const [wrong] = values.map(([name]) => name);
  const why = `Multicall3 says that the call of ${wrong ?? ''} reverts, and alone it does not`;
  return { parts: [...parts, ...alone], way: wrong === undefined ? 'as-planned' : { why } };
}

interface Together {
  readonly parts: readonly Answers[];
  /** The answers to the calls that were joined. */
  readonly inner: Answers;
}

async function askJoined({ requests, names }: JoinedRequests, ask: Ask): Promise<Together | { readonly why: string }> {
  try {
    const parts = await ask(requests);
    const inner = innerOf(parts.flatMap((part) => part.get(JOINED) ?? [])[0], names);
    return 'why' in inner ? inner : { parts: parts.map(withoutJoined), inner: inner.answers };
  } catch (error) {
    if (error instanceof Missed && error.reason === 'too-large')
      return { why: 'the answer of Multicall3 is too large' };
    throw error;
  }
}

function withoutJoined(answers: Answers): Answers {
  return new Map([...answers].filter(([name]) => name !== JOINED));
}

function innerOf(
  answer: Answer | undefined,
  names: readonly string[],
): { readonly answers: Answers } | { readonly why: string } {
  if (answer?.type === 'reverted') return { why: 'the call of Multicall3 reverts' };
  if (answer?.type !== 'value') return { why: 'the node does not answer the call of Multicall3' };
  if (answer.hex === '0x') return { why: 'there is no Multicall3 on this chain' };
  const inner = innerAnswers(answer.hex, names.length);
  if (inner === null) return { why: 'the answer of Multicall3 does not fit' };
  const answers = inner.map(({ isReverted, hex }, i): [string, Answer] => [
    names[i] ?? '',
    isReverted ? { type: 'reverted' } : { type: 'value', hex },
  ]);
  return { answers: new Map(answers) };
}
