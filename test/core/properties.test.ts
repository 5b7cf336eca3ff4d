// What holds of every history, whatever happens in it.
import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { upToHead } from '../../src/core/chain/tick-chain.ts';
import { idOf } from '../../src/core/model/watch/identity.ts';
import { blankMemory, step } from '../../src/core/step.ts';
import type { Message } from '../../src/core/model/delivery.ts';
import type { Memory } from '../../src/core/model/memory.ts';
import type { Decision } from '../../src/core/model/decision.ts';
import type { Observation } from '../../src/core/model/observation.ts';
import type { Watch } from '../../src/core/model/watch/watch.ts';
import {
  above,
  aWatch,
  below,
  countAlert,
  falls,
  onAlert,
  stored,
  whileAlert,
  type GaugeReading,
} from '../support/engine/watch.ts';

const MINUTE = 60_000;
const START = Date.parse('2026-01-01T00:00:00Z');

const WATCH: Watch = {
  ...aWatch([
    whileAlert({ id: 'low' }),
    whileAlert({ id: 'held', forMs: 2 * MINUTE, keepFiringForMs: 3 * MINUTE, until: above('120') }),
    whileAlert({ id: 'cooled', cooldownMs: 20 * MINUTE }),
    whileAlert({ id: 'falls', while: falls(5 * MINUTE) }),
    onAlert({ id: 'wild' }),
    onAlert({ id: 'sure', confirmations: 3 }),
    onAlert({ id: 'early', confirmations: 3, provisional: true, if: null }),
    onAlert({ id: 'moved', on: 'changed', if: null }),
    countAlert({ id: 'many', fires: { type: 'at-least', count: 2, withinMs: 10 * MINUTE } }),
    countAlert({ id: 'each', fires: { type: 'at-least', count: 1, withinMs: 5 * MINUTE }, per: ['mood'], if: null }),
    countAlert({ id: 'none', fires: { type: 'none-for', ms: 8 * MINUTE } }),
  ]),
  windows: [{ path: 'level', ms: 5 * MINUTE }],
};

const GONE: readonly string[] = ['not found any more', 'the block was replaced'];

const CONDITIONS: ReadonlySet<string> = new Set(['low', 'held', 'cooled', 'falls']);

const level = fc.constantFrom('90', '110', '130', null);
const item = fc.record({
  mood: fc.constantFrom('wild', 'calm', null),
  block: fc.oneof(fc.constant('pending' as const), fc.integer({ min: 100, max: 112 })),
});
const sight = fc.record({
  level,
  items: fc.dictionary(fc.constantFrom('a', 'b', 'c', 'd'), item, { maxKeys: 4 }),
  range: fc.option(fc.record({ from: fc.integer({ min: 99, max: 110 }), head: fc.integer({ min: 100, max: 180 }) }), {
    nil: undefined,
  }),
});
const poll = fc.oneof(
  { weight: 8, arbitrary: fc.record({ seen: sight, partial: fc.constant(null) }) },
  { weight: 1, arbitrary: fc.record({ seen: sight, partial: fc.constant('page 2 did not come') }) },
  { weight: 2, arbitrary: fc.constant('missed' as const) },
);
const wait = fc.oneof(
  { weight: 6, arbitrary: fc.constant(1) },
  { weight: 1, arbitrary: fc.integer({ min: 2, max: 45 }) },
);

/** Polls some minutes apart. */
const history = fc.array(fc.tuple(wait, poll), { maxLength: 40 }).map((steps) => {
  let at = START;
  return steps.map(([minutes, what]): Observation => {
    at += minutes * MINUTE;
    if (what === 'missed') return { type: 'missed', at, paceMs: 0, reason: 'timeout', detail: 'no answer' };
    const { range, ...seen } = what.seen;
    return {
      type: 'seen',
      paceMs: 0,
      at,
      head: null,
      chain: 'not-asked',
      seen: range === undefined ? seen : { ...seen, range },
      partial: what.partial,
    };
  });
});

type Keep = (memory: Memory) => Memory;
const asItIs: Keep = (memory) => memory;

function run(watch: Watch, polls: readonly Observation[], keep: Keep = stored, from = blankMemory(watch)) {
  let memory = from;
  const decisions: Decision[] = [];
  for (const one of polls) {
    const decision = step(watch, memory, one);
    decisions.push(decision);
    memory = keep({ ...decision.memory, version: memory.version + 1 });
  }
  return { decisions, memory };
}

function idsOf(decisions: readonly Decision[]): string[] {
  return messagesOf(decisions).map(({ key, episode, seq }) => idOf(key, episode, seq));
}

function messagesOf(decisions: readonly Decision[]): Message[] {
  return decisions.flatMap(({ transitions }) => transitions.map(({ message }) => message));
}

const RUNS = { numRuns: 150 };

describe('of every history it holds that', () => {
  test('the same input gives the same output', () => {
    fc.assert(
      fc.property(history, (polls) => {
        expect(run(WATCH, polls).decisions).toEqual(run(WATCH, polls).decisions);
      }),
      { numRuns: 50 },
    );
  });

  test('saving and loading memory after every poll changes nothing', () => {
    fc.assert(
      fc.property(history, (polls) => {
        const [kept, saved] = [run(WATCH, polls, asItIs), run(WATCH, polls, stored)];
        expect(idsOf(saved.decisions)).toEqual(idsOf(kept.decisions));
        expect(saved.memory).toEqual(stored(kept.memory));
      }),
      RUNS,
    );
  });

  test('it may be cut anywhere', () => {
    fc.assert(
      fc.property(history, fc.nat(40), (polls, at) => {
        const whole = run(WATCH, polls);
        const first = run(WATCH, polls.slice(0, at));
        const second = run(WATCH, polls.slice(at), stored, first.memory);
        expect(idsOf([...first.decisions, ...second.decisions])).toEqual(idsOf(whole.decisions));
      }),
      RUNS,
    );
  });

  test('a decision that learned nothing leaves the memory as it was, but for until when it looked', () => {
    fc.assert(
      fc.property(history, (polls) => {
        let memory = blankMemory(WATCH);
        for (const one of polls) {
          const decision = step(WATCH, memory, one);
          const before = { ...stored(memory), coveredUntil: decision.memory.coveredUntil };
          if (!decision.hasChanged) expect(stored(decision.memory)).toEqual(before);
          memory = decision.memory;
        }
      }),
      RUNS,
    );
  });

  test('a repeated or an older observation adds nothing', () => {
    fc.assert(
      fc.property(history, fc.nat(40), (polls, which) => {
        const { memory } = run(WATCH, polls);
        const seen = polls.filter(({ type }) => type === 'seen');
        const again = seen[which % Math.max(1, seen.length)];
        if (again === undefined) return;
        const { transitions, memory: after } = step(WATCH, memory, again);
        expect([transitions, after]).toEqual([[], memory]);
      }),
      RUNS,
    );
  });

  test('an explorer that has not read so far ends and takes back nothing', () => {
    fc.assert(
      fc.property(
        history,
        fc.array(fc.integer({ min: 95, max: 115 }), { minLength: 40, maxLength: 40 }),
        (polls, heads) => {
          // Nothing but the head of the tick says how far it has read.
          const whole = polls.map((one, i): Observation => {
            if (one.type === 'missed') return one;
            const { range, ...seen } = one.seen as GaugeReading;
            const own = range === undefined ? {} : { range: { from: range.from } };
            return { ...one, chain: upToHead(heads[i] ?? 0), seen: { ...seen, ...own } };
          });
          const needed = new Map<string, number>();
          for (const [i, { reasons, memory }] of run(WATCH, whole).decisions.entries()) {
            const head = heads[i] ?? 0;
            for (const reason of reasons) {
              if (reason.type === 'note' || reason.type === 'baseline') continue;
              const { type, alert, key } = reason;
              const state = memory.alerts[alert]?.[key];
              if (type === 'firing' && CONDITIONS.has(alert)) needed.set(alert, head);
              if (type === 'resolved' && CONDITIONS.has(alert))
                expect(head).toBeGreaterThanOrEqual(needed.get(alert) ?? 0);
              if (['suspect', 'retracted'].includes(type) && state?.type === 'event' && state.absent > 0)
                expect(head).toBeGreaterThanOrEqual(state.block ?? state.absentHead ?? Infinity);
            }
          }
        },
      ),
      RUNS,
    );
  });

  test('a poll that was missed says nothing, and neither does an unknown value of it', () => {
    fc.assert(
      fc.property(history, (polls) => {
        const { decisions } = run(WATCH, polls);
        for (const [i, one] of polls.entries()) {
          const sent = messagesOf([decisions[i]].filter((decision) => decision !== undefined));
          if (one.type === 'missed') expect(sent).toEqual([]);
          else if ((one.seen as { level: string | null }).level === null)
            expect(sent.filter(({ alert }) => ['low', 'held', 'cooled', 'falls', 'moved'].includes(alert))).toEqual([]);
        }
      }),
      RUNS,
    );
  });

  test('a partial poll resolves, retracts and counts nothing', () => {
    fc.assert(
      fc.property(history, (polls) => {
        const { decisions } = run(WATCH, polls);
        for (const [i, one] of polls.entries()) {
          if (one.type === 'missed' || one.partial === null) continue;
          const sent = messagesOf([decisions[i]].filter((decision) => decision !== undefined));
          expect(sent.filter(({ alert }) => ['many', 'each', 'none'].includes(alert))).toEqual([]);
          expect(sent.filter(({ reason }) => GONE.includes(reason ?? ''))).toEqual([]);
        }
      }),
      RUNS,
    );
  });

  test('no delivery id comes twice, and the numbers of a thread only rise', () => {
    fc.assert(
      fc.property(history, (polls) => {
        const { decisions } = run(WATCH, polls);
        const ids = idsOf(decisions);
        expect(new Set(ids).size).toBe(ids.length);
        const last = new Map<string, number>();
        for (const { key, seq } of messagesOf(decisions)) {
          expect(seq).toBeGreaterThan(last.get(key) ?? 0);
          last.set(key, seq);
        }
      }),
      RUNS,
    );
  });

  test('what ends was told before: every resolved has its firing, every retraction its event', () => {
    fc.assert(
      fc.property(history, (polls) => {
        const open = new Map<string, 'firing' | 'event' | 'retracted'>();
        for (const { key, type } of messagesOf(run(WATCH, polls).decisions)) {
          const before = open.get(key);
          if (type === 'alert.resolved') expect(before).toBe('firing');
          if (type === 'alert.retracted' || type === 'alert.corrected') expect(before).toBe('event');
          if (type === 'alert.reinstated') expect(before).toBe('retracted');
          if (type === 'alert.resolved') open.delete(key);
          else open.set(key, type === 'alert.firing' ? 'firing' : type === 'alert.retracted' ? 'retracted' : 'event');
        }
      }),
      RUNS,
    );
  });

  test('raising `for` never adds an episode', () => {
    const episodes = (forMs: number, polls: readonly Observation[]): number => {
      const watch = aWatch([whileAlert({ forMs, keepFiringForMs: 2 * MINUTE, until: above('120') })]);
      const state = run(watch, polls).memory.alerts['low']?.[''];
      return state?.type === 'condition' ? state.episode : 0;
    };
    fc.assert(
      fc.property(history, fc.nat(5), fc.nat(5), (polls, less, more) => {
        expect(episodes((less + more) * MINUTE, polls)).toBeLessThanOrEqual(episodes(less * MINUTE, polls));
      }),
      RUNS,
    );
  });

  test('the truth of the last poll is the state in the end, whatever was told on the way', () => {
    fc.assert(
      fc.property(history, (polls) => {
        const watch = aWatch([whileAlert({ while: below('100') })]);
        const whole = polls.map((one): Observation => (one.type === 'seen' ? { ...one, chain: upToHead(200) } : one));
        const { memory } = run(watch, whole);
        const last = polls.findLast((one) => one.type === 'seen' && (one.seen as { level: unknown }).level !== null);
        if (last?.type !== 'seen') return;
        const state = memory.alerts['low']?.[''];
        const isFiring = state?.type === 'condition' && state.state === 'firing';
        expect(isFiring).toBe((last.seen as { level: string }).level === '90');
      }),
      RUNS,
    );
  });
});
