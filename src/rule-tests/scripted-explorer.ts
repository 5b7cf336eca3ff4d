// Takes the place of an explorer in a test. It returns recorded answers, fields from which the kind makes its
// observation, or the reason of a missed poll.
import { takePage, type ChainRecord } from '../core/chain/chain-record.ts';
import { upToHead } from '../core/chain/tick-chain.ts';
import type { Reading } from '../core/model/watch/kind.ts';
import type { ChainReading, Head, HeadNeed, TickChain } from '../core/model/observation.ts';
import { Missed } from '../core/model/watch/question.ts';
import type { Watch } from '../core/model/watch/watch.ts';
import { readTickChain, type PollReader } from '../engine/polling/observe.ts';
import { readAnswers } from './answers.ts';
import type { WrittenPoll, PollInput } from './model.ts';

export interface ScriptedExplorer {
  /** The reader of one poll. Must be called in the order of the polls. */
  readerFor(poll: WrittenPoll): PollReader;
}

/** The explorer that the watch of a test reads. Like a real one, it keeps the head and the blocks that it showed. */
export function createScriptedExplorer(watch: Watch): ScriptedExplorer {
  const { kind, target } = watch;
  const headPath = kind.head(target)?.path;
  let answeredHead: Head | null = null;
  let record: ChainRecord = new Map();
  let highest = 0;

  function readerFor(poll: WrittenPoll): PollReader {
    const { at, head: written, input } = poll;
    const answers = input.type === 'answers' ? input.answers : [];
    const givesHead = answers.some(({ path }) => path === headPath);
    let shown: ChainReading | 'unknown' | null = null;
    const read = readAnswers(answers, {
      coin: target.coin,
      at,
      onHeadPage(rows, head) {
        answeredHead = head ?? answeredHead;
        // If the poll reads the page again, it shows the same blocks, so it is recorded once.
        if (shown === null) ({ record, reading: shown } = takePage(record, rows, at));
      },
    });
    const see = seenWithoutQuestion(input);
    return {
      read,
      now: () => at,
      head: () => written ?? headBy(poll),
      canAskHead: givesHead,
      async chain(need) {
        const chain = written !== null && written.height > 0n ? upToHead(Number(written.height)) : await asked(need);
        if (typeof chain === 'object') highest = Math.max(highest, chain.head);
        return chain;
      },
      endsPoll: () => true,
      ...(see === null ? {} : { see }),
    };

    /** The newest block that the explorer has read. If the test gives no head, the explorer is not behind. */
    async function asked(need: HeadNeed): Promise<TickChain> {
      if (!givesHead) return upToHead(Math.max(highest + 1, need.head));
      const alone = await readTickChain(watch, read);
      return alone === 'unknown' ? alone : (shown ?? alone);
    }
  }

  function headBy({ at, input }: WrittenPoll): Head | null {
    return input.type === 'rows' ? (kind.script.head?.(input.rows, at) ?? null) : answeredHead;
  }

  function seenWithoutQuestion(input: PollInput): ((state: unknown) => Reading<unknown>) | null {
    switch (input.type) {
      case 'answers':
        return null;
      case 'rows':
        return (state) => ({
          seen: kind.script.synthesize(target, { rows: input.rows }, state),
          partial: input.partial,
        });
      case 'missed':
        return () => {
          throw new Missed(input.reason, input.detail);
        };
    }
  }

  return { readerFor };
}
