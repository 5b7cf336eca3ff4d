// Sends the requests for the values of one poll. Multicall3 joins the calls if this saves requests. If its answer
// cannot be used, each value is requested by a call of its own.
import { Missed, Postponed, type Read } from '../../core/model/watch/question.ts';
import type { Target } from '../../core/model/watch/target.ts';
import { atBlock } from '../../explorer/operations.ts';
import { askAll, assertAnswered, assertNotRefused, type Answer, type Answers, type BlockBelow } from './answers.ts';
import { BLOCK, JOINED, valueRequests, type AskedCalls, type JoinedRequests, type ValueRequests } from './calls.ts';
import { innerAnswers } from './multicall.ts';
import type { ReadOptions } from './option.ts';

/**
 * `as-before`: each value was requested alone, like in the readings before. `why`: each value is requested alone from
 * now on, for this reason.
 */
export type WayOfAsking = 'as-planned' | 'as-before' | { readonly why: string };

/** Values from the memory. */
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
  const { parts: answered, way } = await answersTo(valueRequests(target), before, ask);
  const parts = below === null ? withoutUndated(answered) : answered;
  assertAnswered(parts, below);
  const blocks = parts.flatMap((part) => blockIn(part) ?? []);
  const block = blocks.length === 0 ? null : Math.min(...blocks);
  const newest = newestIn(parts);
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
  const parts = await askAll([asked], read);
  assertNotRefused(parts.flatMap((part) => [...part.values()]));
  const [head] = parts.flatMap((part) => blockIn(part) ?? []);
  if (head === undefined) throw new Missed('server-error', 'the explorer does not say which block is the newest');
  const height = Math.max(0, head - confirmations);
  return { height, confirmations: head - height };
}

function blockIn(answers: Answers): number | null {
  const answer = answers.get(BLOCK);
  const height = answer?.type === 'value' && answer.hex !== '0x' ? Number(answer.hex) : NaN;
  return Number.isSafeInteger(height) ? height : null;
}

/**
 * If the answer to one request has a block, the values in an answer without a block count as unknown: they may be
 * older.
 */
function withoutUndated(parts: readonly Answers[]): readonly Answers[] {
  if (parts.every((part) => blockIn(part) === null)) return parts;
  return parts.map((part) => (blockIn(part) === null ? unanswered([...part.keys()], 'no number of a block') : part));
}

function unanswered(names: readonly string[], why: string): Answers {
  return new Map(names.map((name) => [name, { type: 'failed', why }]));
}

interface Answered {
  /** The answers to each request. If two of them have the same name, the later one counts. */
  readonly parts: readonly Answers[];
  readonly way: WayOfAsking;
}

async function answersTo(requests: ValueRequests, before: AskedBefore | null, ask: Ask): Promise<Answered> {
  const { oneByOne, joined } = requests;
  if (joined === null) return { parts: await ask(oneByOne), way: 'as-planned' };
  if (before !== null && before.singly !== null) return { parts: await ask(oneByOne), way: 'as-before' };
  const known = before?.reverting ?? [];
  const again = requestsWith(oneByOne, doubtfulIn(joined.names, { reverting: known, known }));
  if (again.length > 0 && joined.requests.length + again.length >= oneByOne.length)
    return { parts: await ask(oneByOne), way: 'as-planned' };
  const together = await askJoined(joined, ask);
  if ('why' in together) return { parts: await ask(oneByOne), way: together };
  const doubtful = doubtfulIn(joined.names, { reverting: together.reverting, known });
  const alone = await askAlone(requestsWith(oneByOne, doubtful), doubtful, ask);
  return { parts: [...together.parts, ...alone], way: wayAfter(alone, newestIn(together.parts)) };
}

/**
 * The calls that are sent again alone. A call that uses up all gas makes the later calls of the same request fail too.
 * So a call is sent again if it reverts and did not revert before, or if it reverts behind another one that reverts.
 */
function doubtfulIn(
  names: readonly string[],
  { reverting, known }: { readonly reverting: readonly string[]; readonly known: readonly string[] },
): readonly string[] {
  const [first, ...behind] = names.filter((name) => reverting.includes(name));
  return first === undefined || known.includes(first) ? behind : [first, ...behind];
}

function requestsWith(requests: readonly AskedCalls[], names: readonly string[]): readonly AskedCalls[] {
  return requests.filter((one) => one.names.some((name) => names.includes(name)));
}

/**
 * Sends the calls of these names alone. If one has no answer, its value is unknown, and the poll goes on with the other
 * values.
 */
async function askAlone(
  requests: readonly AskedCalls[],
  names: readonly string[],
  ask: Ask,
): Promise<readonly Answers[]> {
  const parts: Answers[] = [];
  const isAsked = (name: string): boolean => name === BLOCK || names.includes(name);
  for (const request of requests) {
    const answers = await askOrMiss(request, ask);
    parts.push(new Map([...answers].filter(([name]) => isAsked(name))));
  }
  return parts;
}

async function askOrMiss(request: AskedCalls, ask: Ask): Promise<Answers> {
  try {
    return new Map((await ask([request])).flatMap((part) => [...part]));
  } catch (error) {
    if (!(error instanceof Missed) && !(error instanceof Postponed)) throw error;
    return unanswered(request.names, error.message);
  }
}

/** `joinedAt`: the block of the joined call. Before that block the call alone may not have reverted yet. */
function wayAfter(alone: readonly Answers[], joinedAt: number | null): WayOfAsking {
  const sound = alone.filter((part) => (blockIn(part) ?? joinedAt ?? 0) >= (joinedAt ?? 0));
  const values = sound.flatMap((part) => [...part].filter(([name, { type }]) => name !== BLOCK && type === 'value'));
  const [wrong] = values.map(([name]) => name);
  if (wrong === undefined) return 'as-planned';
  return { why: `Multicall3 says that the call of ${wrong} reverts, and alone it does not` };
}

function newestIn(parts: readonly Answers[]): number | null {
  const blocks = parts.flatMap((part) => blockIn(part) ?? []);
  return blocks.length === 0 ? null : Math.max(...blocks);
}

interface Together {
  readonly parts: readonly Answers[];
  /** The names whose calls reverted among the others. */
  readonly reverting: readonly string[];
}

// If the explorer fails or does not answer in time, the poll is missed, and the values are not requested one by one.
// Otherwise an outage would double the number of requests, and after a short outage the polls of a whole day would cost
// more.
async function askJoined({ requests, names }: JoinedRequests, ask: Ask): Promise<Together | { readonly why: string }> {
  try {
    const parts = await ask(requests);
    const inner = innerOf(parts.flatMap((part) => part.get(JOINED) ?? [])[0], names);
    if ('why' in inner) return inner;
    const reverting = names.filter((name) => inner.answers.get(name)?.type === 'reverted');
    return { parts: parts.map((part) => withInner(part, inner.answers)), reverting };
  } catch (error) {
    const why = error instanceof Missed ? OF_NO_USE[error.reason] : undefined;
    if (why === undefined) throw error;
    return { why };
  }
}

const REFUSED = 'the explorer refuses the call of Multicall3';

/**
 * The reasons why values are requested one by one. An explorer that refuses all calls also refuses the next request; a
 * firewall may refuse only long requests.
 */
const OF_NO_USE: Partial<Record<Missed['reason'], string>> = {
  'too-large': 'the answer of Multicall3 is too large',
  'wrong-path': REFUSED,
  unprocessable: REFUSED,
  blocked: REFUSED,
  http: REFUSED,
};

function withInner(answers: Answers, inner: Answers): Answers {
  if (!answers.has(JOINED)) return answers;
  return new Map([...[...answers].filter(([name]) => name !== JOINED), ...inner]);
}

function innerOf(
  answer: Answer | undefined,
  names: readonly string[],
): { readonly answers: Answers } | { readonly why: string } {
  if (answer?.type === 'reverted') return { why: 'the call of Multicall3 reverts' };
  if (answer?.type === 'refused') return { why: REFUSED };
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
