// The judges of rules that go by hours, cooldowns and counts, on logs that were written by hand.
import { describe, expect, test } from '@jest/globals';
import type { Blindness, ChainLog, Facts, Instant, Logs, Owed, Row, Served, Span } from '../model.ts';
import { FIRST_VERSION } from '../scenes/first-version.ts';
import { PATHS } from '../rules.ts';
import { REFERENCES } from '../reference-rules.ts';
import { DEPARTURES } from '../timed-references.ts';
import { anOwed, aPoll, aRequest, quietLogs } from './hand-written.ts';
import { judge } from './judge.ts';

const MINUTE = 60_000;
const START = Date.UTC(2026, 0, 11);
const HEAD = 14_400;
const COIN = '0'.repeat(18);
const SPAM = DEPARTURES[0]?.tokens[1] ?? '';

const at = (minutes: number): Instant => START + minutes * MINUTE;
/** Tokens are judged for another rule too. */
const says = (logs: Logs): string[] =>
  judge(logs, REFERENCES).flatMap(({ check, watch }) => (watch === 'tokens' ? [] : [`${check} ${watch}`]));

/** Polls of one watch, each ten minutes for a day, and what they are answered. */
function logsOf(
  watch: string,
  path: string,
  answer: (minute: number) => Served['answer'],
  rest: Partial<Logs> = {},
): Logs {
  const minutes = Array.from({ length: 142 }, (_, n) => 10 * n);
  return {
    ...quietLogs('accounts', { from: START, to: at(1440) }, []),
    served: minutes.map((minute) => ({ ...aRequest(path, at(minute)), answer: answer(minute) })),
    polls: minutes.map((minute) => aPoll(watch, at(minute))),
    ...rest,
  };
}

const coins = (value: number | null): Served['answer'] => {
  const facts: Facts = { coin_balance: value === null ? null : `${value}${COIN}` };
  return { type: 'one', facts };
};
const page = (rows: readonly Row[]): Served['answer'] => ({
  type: 'page',
  page: { rows, nameless: 0, next: null, isEnd: true },
});
const failed = (minute: number): Row => ({ id: `${minute}:0`, block: HEAD + minute, facts: { success: 'false' } });

function told(watch: string, alert: string, minute: number, type: string, what: Partial<Owed> = {}): Owed {
  return anOwed(at(minute) + 500, { id: `${alert} ${minute}`, recipient: 'all', watch, alert, type, ...what });
}

describe('a token that left', () => {
  const steps = [
    { at: at(-60), value: '5' },
    { at: at(300), value: '0' },
  ];
  const token = (id: string): Row => ({ id, block: null, facts: { value: '5' } });
  const chain = { ...logsOf('', '', () => null).chain, tokens: new Map([[SPAM, steps]]) };
  const logs = (owed: Owed[]): Logs =>
    logsOf('leaving', PATHS.tokens, (minute) => page(minute < 300 ? [token(SPAM), token('b')] : [token('b')]), {
      chain,
      owed,
    });

  test('is lost where nobody was told', () => {
    expect(says(logs([]))).toEqual(['lost leaving']);
  });

  test('is told once', () => {
    expect(says(logs([told('leaving', 'gone', 310, 'alert.event', { item: SPAM })]))).toEqual([]);
  });

  describe('is told by the second poll that reads the list to its end', () => {
    const unread = { rows: [token('b')], nameless: 0, next: 'rest', isEnd: false };
    const cut = (minutes: Span, rest: Partial<Logs>): Logs => {
      const isCut = (minute: number): boolean => minute >= minutes.from && minute < minutes.to;
      const rows = (minute: number): Row[] => (minute < 300 ? [token(SPAM), token('b')] : [token('b')]);
      const answer = (minute: number): Served['answer'] =>
        isCut(minute) ? { type: 'page', page: unread } : page(rows(minute));
      return logsOf('leaving', PATHS.tokens, answer, { chain, ...rest });
    };
    const until = (minute: number, rest: Partial<Logs> = {}): Logs => cut({ from: 300, to: minute }, rest);
    const gone = (minute: number): Partial<Logs> => ({
      owed: [told('leaving', 'gone', minute, 'alert.event', { item: SPAM })],
    });

    test('and not before', () => {
      expect(says(until(400, gone(400)))).toEqual(['invented leaving']);
      expect(says(until(400, gone(410)))).toEqual([]);
      expect(says(until(400, gone(420)))).toEqual(['lost leaving']);
      expect(says(until(400))).toEqual(['lost leaving']);
      expect(says(until(1440))).toEqual([]);
    });

    test('where one had shown it', () => {
      expect(says(cut({ from: 0, to: 290 }, {}))).toEqual(['lost leaving']);
      expect(says(cut({ from: 0, to: 300 }, {}))).toEqual([]);
    });

    test('and not by one that lacked the credits to read it', () => {
      const { polls } = until(0);
      const missed = polls.map((poll) => ({
        ...poll,
        isMissed: poll.startedAt >= at(300) && poll.startedAt < at(400),
      }));
      expect(says(until(0, { polls: missed, ...gone(410) }))).toEqual([]);
    });
  });

  test('is judged by the poll that decided it, though the store took it with a later one', () => {
    const isAway = (minute: number): boolean => minute >= 300 && minute < 320;
    const rows = (minute: number): Row[] => [...(isAway(minute) ? [] : [token(SPAM)]), token('b')];
    const back = (what: Partial<Owed>): Logs => {
      const owed = [told('leaving', 'gone', 320, 'alert.event', { item: SPAM, ...what })];
      return logsOf('leaving', PATHS.tokens, (minute) => page(rows(minute)), { chain, owed });
    };
    expect(says(back({ clockAt: at(310) + 500 }))).not.toContain('invented leaving');
    expect(says(back({}))).toContain('invented leaving');
  });

  test('may be any where another server showed a page of the list', () => {
    const given = logs([]);
    const other = told('leaving', 'gone', 200, 'alert.event', { item: 'c' });
    const owed = [other, told('leaving', 'gone', 310, 'alert.event', { item: SPAM })];
    expect(says({ ...given, owed })).toEqual(['invented leaving']);
    const served = given.served.map((one): Served => (one.at === at(200) ? { ...one, replica: 'lagging' } : one));
    expect(says({ ...given, owed, served })).toEqual([]);
    const kept = [{ ...other, item: 'b' }, ...owed.slice(1)];
    expect(says({ ...given, owed: kept, served })).toEqual(['invented leaving']);
  });

  test('is invented while it is served', () => {
    const early = told('leaving', 'gone', 200, 'alert.event', { item: SPAM });
    expect(says(logs([early]))).toContain('invented leaving');
  });
});

describe('a cooldown', () => {
  const low = (minute: number): boolean =>
    (minute >= 60 && minute < 120) || (minute >= 200 && minute < 220) || minute >= 380;
  const logs = (owed: Owed[]): Logs => logsOf('dip', PATHS.coin, (minute) => coins(low(minute) ? 50 : 200), { owed });
  const first = [told('dip', 'low', 60, 'alert.firing'), told('dip', 'low', 120, 'alert.resolved')];

  test('counts from the last end that was told', () => {
    expect(says(logs([...first, told('dip', 'low', 380, 'alert.firing')]))).toEqual([]);
  });

  test('that an untold end begins again hides an alert', () => {
    expect([...new Set(says(logs(first)))]).toEqual(['lost dip']);
  });

  test('counts from the end itself where it is told once it is steady', () => {
    const late = (minute: number): Owed[] => [
      told('dip', 'low', 60, 'alert.firing'),
      told('dip', 'low', minute, 'alert.resolved', { reason: 'steady for 30 minutes' }),
      told('dip', 'low', 380, 'alert.firing'),
    ];
    expect(says(logs(late(160)))).not.toContain('invented dip');
    expect(says(logs(late(200)))).toContain('invented dip');
    const value = (minute: number): number | null => {
      if (minute >= 130 && minute < 200) return null;
      return low(minute) ? 50 : 200;
    };
    const unknown = logsOf('dip', PATHS.coin, (minute) => coins(value(minute)), { owed: late(200) });
    expect(says(unknown)).not.toContain('invented dip');
    const setAhead = (minute: number): Logs => {
      const given = logs(late(200));
      return { ...given, people: { ...given.people, jumps: [{ at: at(minute), ms: 3_600_000 }] } };
    };
    expect(says(setAhead(190))).not.toContain('invented dip');
    expect(says(setAhead(110))).toContain('invented dip');
  });

  test('is no time to fire in', () => {
    expect(says(logs([...first, told('dip', 'low', 200, 'alert.firing')]))).toContain('invented dip');
  });
});

describe('a report', () => {
  const reports = (minutes: readonly number[]): Owed[] =>
    minutes.map((minute) => told('report', 'coins', minute, 'alert.event'));
  const rest = [500, 740, 980];

  test('is told at each of its times', () => {
    expect(says(logsOf('report', PATHS.coin, () => coins(200), { owed: reports([260, ...rest]) }))).toEqual([]);
  });

  test('that is missing is lost', () => {
    expect(says(logsOf('report', PATHS.coin, () => coins(200), { owed: reports(rest) }))).toEqual(['lost report']);
  });

  test('waits for its value', () => {
    const unknownAt = (minute: number): Served['answer'] => coins(minute === 260 ? null : 200);
    expect(says(logsOf('report', PATHS.coin, unknownAt, { owed: reports([270, ...rest]) }))).toEqual([]);
    expect(says(logsOf('report', PATHS.coin, unknownAt, { owed: reports([260, ...rest]) }))).toEqual([
      'invented report',
    ]);
  });

  test('is not judged by a poll that was not reported, which may have seen another value', () => {
    const low = (minute: number): Served['answer'] => coins(minute === 260 ? 100 : 150);
    const few = [told('report', 'few', 280, 'alert.event')].map((one) => ({ ...one, clockAt: at(280) }));
    const { polls, ...given } = logsOf('report', PATHS.coin, low, { owed: few });
    const unreported = polls.map((poll) => (poll.startedAt === at(280) ? { ...poll, decided: null } : poll));
    expect(says({ ...given, polls: unreported })).not.toContain('invented report');
    expect(says({ ...given, polls })).toContain('invented report');
  });

  test('is told once', () => {
    const twice = reports([260, 270, ...rest]);
    expect(says(logsOf('report', PATHS.coin, () => coins(200), { owed: twice }))).toEqual(['doubled report']);
  });
});

describe('a count', () => {
  const rows = (minute: number): Row[] => [-5, 300, 310, 320].filter((made) => made <= minute).map(failed);
  const serve = (minute: number): Served['answer'] => page(rows(minute));
  const edited = (reference: string): Partial<Logs> => {
    const rules = (name: string) =>
      FIRST_VERSION.rules.map((rule) => (rule.watch === 'tally' ? { ...rule, reference: name } : rule));
    const { people } = logsOf('', '', () => null);
    const configs = [
      { from: START, config: { ...FIRST_VERSION, rules: rules('tally/many') } },
      { from: at(325), config: { ...FIRST_VERSION, rules: rules(reference) } },
    ];
    return { people: { ...people, configs } };
  };
  const through = [told('tally', 'many', 320, 'alert.firing'), told('tally', 'many', 420, 'alert.resolved')];

  test('fires and ends', () => {
    expect(says(logsOf('tally', PATHS.vault, serve, { owed: through, ...edited('tally/many') }))).toEqual([]);
  });

  test('may keep the time of a call that was mined again further down', () => {
    const again: Row = { ...failed(300), block: HEAD + 240 };
    const moved = (minute: number): Served['answer'] =>
      page(minute < 315 ? rows(minute) : [...rows(minute).filter(({ id }) => id !== again.id), again]);
    expect(says(logsOf('tally', PATHS.vault, moved, { owed: through, ...edited('tally/many') }))).toEqual([]);
  });

  test('that does not fire is lost', () => {
    expect(says(logsOf('tally', PATHS.vault, serve, edited('tally/many')))).toEqual(['lost tally']);
  });

  test('begins again under another meaning', () => {
    const [firing] = through;
    const ended = told('tally', 'many', 330, 'alert.resolved', { reason: 'rule changed' });
    const again = told('tally', 'many', 330, 'alert.firing');
    const owed = firing === undefined ? [] : [firing];
    const logs = (more: readonly Owed[]): Logs =>
      logsOf('tally', PATHS.vault, serve, { owed: [...owed, ...more], ...edited('tally/many as coins') });
    expect(says(logs([ended]))).toEqual([]);
    expect(says(logs([]))).toEqual(['lost tally']);
    expect(says(logs([ended, again, told('tally', 'many', 340, 'alert.resolved')]))).toEqual(['invented tally']);
  });
});

describe('a watch with office hours', () => {
  const answer = (minute: number): Served['answer'] => coins(minute >= 480 && minute < 1080 ? 200 : null);
  const look = (minute: number, watches: readonly string[], stretch = 1) => {
    const now = at(minute);
    return { at: now, clockAt: now, watches, stretch };
  };

  test('is not blind at night', () => {
    const night = (watches: readonly string[]): Logs =>
      logsOf('office', PATHS.coin, answer, { blindness: [look(1200, watches)] });
    expect(says(night([]))).toEqual([]);
    expect(says(night(['office']))).toEqual(['invented office']);
  });

  test('is blind where it was answered while the head stood still', () => {
    const day = (freezes: ChainLog['freezes']): Logs => {
      const logs = logsOf('office', PATHS.coin, answer, { blindness: [look(700, ['office'])] });
      return { ...logs, chain: { ...logs.chain, freezes } };
    };
    expect(says(day([]))).toEqual(['invented office']);
    expect(says(day([{ from: at(600), to: at(720) }]))).toEqual([]);
  });

  test('is blind where it was due and not answered', () => {
    const bad = (minute: number): Served['answer'] => coins(minute < 600 ? 200 : null);
    const day = (watches: readonly string[], stretch = 1): Logs =>
      logsOf('office', PATHS.coin, bad, { blindness: [look(700, watches, stretch)] });
    expect(says(day(['office']))).toEqual([]);
    expect(says(day([]))).toEqual(['lost office']);
    // A plan that makes its interval longer makes its due times fewer.
    expect(says(day([], 4))).toEqual([]);
  });

  test('is not blind as long as it is paused, nor right after that', () => {
    const bad = (minute: number): Served['answer'] => coins(minute < 600 ? 200 : null);
    const paused = (from: number, to: number): string[] => {
      const logs = logsOf('office', PATHS.coin, bad, { blindness: [look(700, [])] });
      return says({ ...logs, paused: [{ watch: 'office', from: at(from), to: at(to), path: PATHS.coin }] });
    };
    expect(paused(605, 720)).toEqual([]);
    expect(paused(605, 680)).toEqual([]);
    expect(paused(605, 615)).toEqual(['lost office']);
  });

  test('is not blind at night after a day of which the plan left few due times', () => {
    const few = (minute: number): Served['answer'] => coins(minute < 600 ? 200 : null);
    const looks = (stretch: number): Blindness[] => [
      ...Array.from({ length: 48 }, (_, n) => look(610 + 10 * n, stretch === 1 && n > 2 ? ['office'] : [], stretch)),
      ...[1100, 1110, 1120, 1130].map((minute) => look(minute, [], 1)),
    ];
    const night = (stretch: number): Logs => logsOf('office', PATHS.coin, few, { blindness: looks(stretch) });
    expect(says(night(24))).toEqual([]);
    expect(says(night(1))).toEqual(['lost office']);
  });
});
