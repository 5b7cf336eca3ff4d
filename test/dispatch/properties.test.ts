// What holds of every history of alerts, silences, acknowledgements, broken wires, restarts, clocks and reloads.
import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { decideRound } from '../../src/dispatch/rounds/due-round.ts';
import { mustHaveHeard } from './must-have-heard.ts';
import {
  anything,
  calm,
  HOUR,
  linesOf,
  MINUTE,
  play,
  rest,
  silenced,
  START,
  type Play,
  type Step,
} from './histories.ts';
import type { InMemoryDispatch } from './in-memory.ts';

const RUNS = { numRuns: 150 };
const CAP = { burst: 4, perHour: 12 };

function always(histories: fc.Arbitrary<Step[]>, check: (steps: readonly Step[]) => void): void {
  fc.assert(fc.property(histories, check), RUNS);
}

const CHANNELS = ['mail', 'hook'] as const;

function eachPair(dispatch: InMemoryDispatch, check: (channel: string, key: string) => void): void {
  for (const channel of CHANNELS) for (const key of dispatch.alerts.keys()) check(channel, key);
}

describe('of every history it holds that', () => {
  test.each<[string, fc.Arbitrary<Step[]>, Play]>([
    ['calm', calm, {}],
    ['calm, with a cap', calm, { cap: CAP }],
    ['calm, with slow groups', calm, { routes: 'slow' }],
    ['with silences', silenced, {}],
    ['with silences, inhibitions and a cap', silenced, { cap: CAP, inhibits: true }],
    ['with mute windows', silenced, { routes: 'evening', inhibits: true }],
  ])(
    'each episode is told, told as over, counted, or taken back before anybody heard of it: %s',
    (_, steps, options) => {
      always(steps, (history) => {
        const dispatch = rest(play(history, options));
        eachPair(dispatch, (channel, key) => {
          expect(mustHaveHeard(dispatch, channel, key)).toEqual([]);
        });
      });
    },
  );

  test('nobody hears the same thing twice, or in another order, whatever is reloaded', () => {
    always(anything, (history) => {
      const dispatch = rest(play(history, { cap: CAP, inhibits: true }));
      eachPair(dispatch, (channel, key) => {
        const told = linesOf(dispatch, channel, key).filter(({ as }) => as !== 'repeat');
        expect(told.map(({ seq }) => seq)).toEqual([...new Set(told.map(({ seq }) => seq))].toSorted((a, b) => a - b));
      });
    });
  });

  test('nobody hears an end without its begin, and who heard a begin hears its end once', () => {
    always(anything, (history) => {
      const dispatch = rest(play(history, { cap: CAP, inhibits: true }));
      eachPair(dispatch, (channel, key) => {
        let isTold = false;
        for (const { seq, as } of linesOf(dispatch, channel, key)) {
          if (as !== 'news') continue;
          const isEnd = ['resolved', 'retracted'].includes(transitionOf(dispatch, key, seq));
          if (isEnd) expect({ seq, isTold }).toEqual({ seq, isTold: true });
          isTold = !isEnd;
        }
        const isOpen = dispatch.alerts.get(key)?.isOpen;
        if (isTold) expect({ channel, key, isOpen }).toEqual({ channel, key, isOpen: true });
      });
    });
  });

  test('rounds that are split by target give the same messages', () => {
    always(silenced, (history) => {
      const ids = (options: Play): string[] =>
        rest(play(history, { cap: CAP, ...options })).messages.map(({ id }) => id);
      expect(ids({ inParts: true }).toSorted()).toEqual(ids({}).toSorted());
    });
  });

  test('deciding again adds nothing', () => {
    always(anything, (history) => {
      const onDecided = (dispatch: InMemoryDispatch): void => {
        dispatch.decideAll();
        const again = dispatch.decideAll();
        expect(again.batches).toEqual([]);
        expect(again.withdrawn).toEqual([]);
        expect([...again.states.values()].flatMap((changed) => [...changed])).toEqual([]);
      };
      play(history, { cap: CAP, inhibits: true, onDecided });
    });
  });

  test('a round read in another order gives the same result', () => {
    always(anything, (history) => {
      const dispatch = play(history, { cap: CAP, inhibits: true });
      dispatch.now += HOUR;
      dispatch.policyChanged();
      const round = dispatch.read();
      const turned = round.groups.toReversed().map((group) => ({ ...group, members: group.members.toReversed() }));
      const of = (result: ReturnType<typeof decideRound>): string[] => result.batches.map(({ id }) => id).toSorted();
      expect(of(decideRound({ ...round, groups: turned }, dispatch.now))).toEqual(of(decideRound(round, dispatch.now)));
    });
  });

  test('no address gets more than its share in any ten minutes and in any hour', () => {
    const forward = anything.map((steps) => steps.filter((step) => step.do !== 'jump' || step.ms > 0));
    always(forward, (history) => {
      const dispatch = rest(play(history, { cap: { burst: 3, perHour: 9 }, inhibits: true }));
      const sent = dispatch.messages
        .filter(({ target, kind }) => target.channel === 'mail' && (kind === 'news' || kind === 'repeat'))
        .toSorted((a, b) => a.createdAt - b.createdAt);
      for (const [index, { createdAt, critical }] of sent.entries()) {
        const before = sent.slice(0, index).filter((one) => (one.critical === null) === (critical === null));
        const within = (ms: number): typeof before => before.filter((one) => createdAt - one.createdAt < ms);
        const heard = new Set(
          sent
            .slice(0, index)
            .flatMap((one) => (createdAt - one.createdAt < 10 * MINUTE ? (one.critical?.alerts ?? []) : [])),
        );
        if (critical?.alerts.some((one) => !heard.has(one)) === true) continue;
        expect(within(10 * MINUTE).length).toBeLessThan(critical === null ? 3 : 6);
        expect(within(HOUR).length).toBeLessThan(critical === null ? 9 : 18);
      }
    });
  });

  test('an address gets at most one summary of critical alerts, and one of all others, in ten minutes', () => {
    const forward = anything.map((steps) => steps.filter((step) => step.do !== 'jump'));
    always(forward, (history) => {
      const { messages } = rest(play(history, { cap: { burst: 1, perHour: 9 }, inhibits: true }));
      const summaries = messages.filter(({ target, kind }) => target.channel === 'mail' && kind === 'overflow_summary');
      const slots = summaries.map(({ createdAt, critical }) =>
        [critical !== null, Math.floor(createdAt / (10 * MINUTE))].join(),
      );
      expect(slots).toEqual([...new Set(slots)]);
    });
  });

  test.each([false, true])('a silence or an open alert adds at most one message to an address: %s', (inhibits) => {
    always(silenced, (history) => {
      const dispatch = rest(play(history, { cap: CAP, inhibits }));
      const summaries = dispatch.messages.filter(
        ({ kind }) => kind === 'silence_summary' || kind === 'inhibition_summary',
      );
      const sources = dispatch.alerts.get('stalled')?.news.filter(({ transition }) => transition === 'firing') ?? [];
      // A source that was not looked at for an hour may be believed again after its next poll.
      const polls = history.filter((step) => ['poll', 'restart', 'turn'].includes(step.do)).length + 1;
      const holds = dispatch.silences.length + (inhibits ? sources.length + polls : 0);
      expect(summaries.length).toBeLessThanOrEqual(holds);
    });
  });

  test('with any clock, nothing waits longer than its timer', () => {
    always(anything, (history) => {
      const onDecided = ({ verdicts, now }: InMemoryDispatch): void => {
        for (const verdict of verdicts.values())
          if (verdict.type === 'wait') expect(verdict.until - now).toBeLessThanOrEqual(5 * MINUTE);
          else if (verdict.type === 'hold' && verdict.why.why === 'cap')
            expect(verdict.until).toBeLessThanOrEqual(now + 10 * MINUTE);
      };
      const dispatch = play(history, { cap: CAP, onDecided });
      expect(dispatch.now).toBeGreaterThan(START - 400 * HOUR);
    });
  });
});

function transitionOf({ alerts }: InMemoryDispatch, key: string, seq: number): string {
  return alerts.get(key)?.news.find((one) => one.seq === seq)?.transition ?? 'none';
}
