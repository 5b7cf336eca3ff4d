// The daemon without its world: polls are synthesized or read from recorded answers, `step` decides, and what it would
// have sent is kept.
import type { Delivery, Message } from '../core/model/delivery.ts';
import type { Memory } from '../core/model/memory.ts';
import type { Decision } from '../core/model/decision.ts';
import type { Observation, TickChain } from '../core/model/observation.ts';
import type { Watch } from '../core/model/watch.ts';
import { Missed } from '../core/model/question.ts';
import { blankMemory, step } from '../core/step.ts';
import { judge, readChain, upToHead } from '../core/chain/tick-chain.ts';
import { MissingAnswer, readAnswers } from './answers.ts';
import type { Poll, RuleTest } from './model.ts';

/** One message, and every channel that it goes to. */
export interface SentMessage {
  readonly poll: Poll;
  readonly message: Message;
  readonly to: readonly string[];
}

export interface PollResult {
  readonly poll: Poll;
  readonly observation: Observation;
  readonly decision: Decision;
}

export interface RuleTestRun {
  readonly polls: readonly PollResult[];
  readonly sent: readonly SentMessage[];
  /** Why it could not go on: an answer is missing, or there is a defect; null when it went to its end. */
  readonly broken: string | null;
}

/** Why a run could not go on is part of what it gives. */
export async function runRuleTest(test: RuleTest): Promise<RuleTestRun> {
  const { watch } = test;
  const results: PollResult[] = [];
  let memory = startOf(test);
  let head = 0;
  try {
    for (const poll of test.polls) {
      const start = memory;
      const observation = await observe(watch, start, poll);
      const judged = await judge(
        observation,
        (one) => step(watch, start, one),
        async (need) => {
          const chain = (await chainOf(watch, poll)) ?? upToHead(Math.max(head + 1, need.head));
          if (typeof chain === 'object') head = Math.max(head, chain.head);
          return chain;
        },
      );
      memory = judged.decision.memory;
      results.push({ poll, ...judged });
    }
  } catch (error) {
    return { polls: results, sent: results.flatMap(sentAt), broken: whyBroken(error, test.polls[results.length]) };
  }
  return { polls: results, sent: results.flatMap(sentAt), broken: null };
}

/** Without a baseline of its own, the list was empty one interval before the first poll. */
function startOf({ watch, isWithoutBaseline, polls }: RuleTest): Memory {
  const blank = blankMemory(watch);
  if (!isWithoutBaseline) return blank;
  const at = (polls[0]?.at ?? 0) - watch.schedule.intervalMs;
  const seen = watch.kind.script.synthesize(watch.target, { rows: [] }, null);
  return step(watch, blank, { type: 'seen', at, head: null, chain: upToHead(0), seen, partial: null }).memory;
}

async function observe(watch: Watch, memory: Memory, { at, head, input }: Poll): Promise<Observation> {
  const state = memory.checksum === watch.checksum ? memory.state : null;
  switch (input.type) {
    case 'missed':
      return { type: 'missed', at, reason: input.reason, detail: input.detail };
    case 'rows': {
      const { rows, partial } = input;
      const seen = watch.kind.script.synthesize(watch.target, { rows }, state);
      return {
        type: 'seen',
        at,
        head: head ?? watch.kind.script.head?.(rows, at) ?? null,
        chain: 'not-asked',
        seen,
        partial,
      };
    }
    case 'answers': {
      const reader = readAnswers(input.answers, { coin: watch.target.coin, at });
      try {
        const { seen, partial } = await watch.kind.observe(watch.target, state, reader.read);
        return { type: 'seen', at, head: head ?? reader.head(), chain: 'not-asked', seen, partial };
      } catch (error) {
        if (!(error instanceof Missed)) throw error;
        return { type: 'missed', at, reason: error.reason, detail: error.message };
      }
    }
  }
}

/** How far the explorer has read by what the row says; null where it does not say: then it is not behind. */
async function chainOf({ kind, target }: Watch, { at, head, input: sight }: Poll): Promise<TickChain | null> {
  if (head !== null && head.height > 0n) return upToHead(Number(head.height));
  const question = kind.head(target);
  if (sight.type !== 'answers' || question === null) return null;
  try {
    const { read } = readAnswers(sight.answers, { coin: target.coin, at });
    return readChain((await read.page(question, null)).rows);
  } catch (error) {
    if (error instanceof MissingAnswer) return null;
    if (error instanceof Missed) return 'unknown';
    throw error;
  }
}

function sentAt({ poll, decision }: PollResult): SentMessage[] {
  // One message is owed to each who is told; people think of it as one.
  const byMessage = Map.groupBy(decision.deliveries, ({ message: { type, key, episode, seq } }) =>
    [type, key, episode, seq].join(),
  );
  return [...byMessage.values()].flatMap((deliveries) => {
    const [first] = deliveries;
    return first === undefined ? [] : [{ poll, message: first.message, to: channelsOf(deliveries) }];
  });
}

function channelsOf(deliveries: readonly Delivery[]): string[] {
  return [...new Set(deliveries.map(({ channel }) => channel))].toSorted();
}

function whyBroken(error: unknown, poll: Poll | undefined): string {
  const where = poll === undefined ? '' : `at ${poll.offset}: `;
  if (error instanceof MissingAnswer) return `${where}${error.message}`;
  return `${where}a defect: ${error instanceof Error ? error.message : String(error)}`;
}
