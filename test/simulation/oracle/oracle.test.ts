// Each check of the oracle on logs that were written by hand: it is silent where all is well, and says what is wrong.
import { describe, expect, test } from '@jest/globals';
import type { Facts, Instant, Logs, Owed, Page, Row, Served, Stay } from '../model.ts';
import { EVERYBODY } from '../owed-log.ts';
import { PATHS } from '../rules.ts';
import { REFERENCES } from '../reference-rules.ts';
import { FIRST_VERSION } from '../scenes/first-version.ts';
import { anOwed, aPoll, aRequest, quietLogs } from './hand-written.ts';
import { judge } from './judge.ts';

const MINUTE = 60_000;
/** Block 14,400 is made. */
const START = Date.UTC(2026, 0, 11);
const END = START + 8 * 60 * MINUTE;
const HEAD = 14_400;

const at = (minutes: number): Instant => START + minutes * MINUTE;
const says = (logs: Logs): string[] =>
  judge(logs, { ...REFERENCES, intervalMs: 5 * MINUTE }).map(({ check, watch }) => `${check} ${watch}`);

/** Polls of one watch, each five minutes, with what `serve` answers. */
function logsOf(
  watch: string,
  path: string,
  serve: (minute: number) => Partial<Served>[],
  rest: Partial<Logs> = {},
): Logs {
  const minutes = Array.from({ length: 95 }, (_, n) => 5 * n);
  return {
    ...quietLogs('accounts', { from: START, to: END }, [{ from: START, config: FIRST_VERSION }]),
    served: minutes.flatMap((minute) => serve(minute).map((one) => ({ ...served(path, minute), ...one }))),
    polls: minutes.map((minute) => aPoll(watch, at(minute))),
    ...rest,
  };
}

function served(path: string, minute: number): Served {
  return aRequest(path, at(minute));
}

function page(rows: readonly Row[], next: string | null = null): Pick<Served, 'answer'> {
  const content: Page = { rows, nameless: 0, next, isEnd: next === null };
  return { answer: { type: 'page', page: content } };
}

const one = (facts: Facts): Pick<Served, 'answer'> => ({ answer: { type: 'one', facts } });
const call = (id: string, block: number): Row => ({ id, block, facts: { success: 'false', error: 'no' } });
const KNOWN = call('known', HEAD - 5);

/** At that minute. */
function told(watch: string, alert: string, minute: number, what: Partial<Owed> = {}): Owed[] {
  const id = `${alert} ${what.item ?? ''} ${what.type ?? ''} ${minute}`;
  return [anOwed(at(minute) + 500, { id, recipient: EVERYBODY, watch, alert, ...what })];
}

function item(row: Row, stays: Partial<Stay> = {}): Logs['chain']['items'][number] {
  return { id: row.id, paths: [PATHS.busy], waitsIn: [], stays: [{ from: at(31), to: null, row, ...stays }] };
}

describe('an item of a list', () => {
  const row = call('it', HEAD + 30);
  const serve = (minute: number): Partial<Served>[] => [page(minute > 30 ? [row, KNOWN] : [KNOWN])];
  const chain = (items: Logs['chain']['items']): Pick<Logs, 'chain'> => ({
    chain: { ...logsOf('', '', () => []).chain, items },
  });

  test('that was told to everyone is no matter', () => {
    const owed = told('busy', 'failed', 35, { item: 'it' });
    expect(says(logsOf('busy', PATHS.busy, serve, { ...chain([item(row)]), owed }))).toEqual([]);
  });

  test('that nobody was told of is lost', () => {
    expect(says(logsOf('busy', PATHS.busy, serve, chain([item(row)])))).toEqual(['lost busy']);
  });

  test('that was only there while the daemon was down, or was answered wrongly, is not lost', () => {
    const down = { lives: [{ from: START, to: at(30) }] };
    expect(says(logsOf('busy', PATHS.busy, serve, { ...chain([item(row)]), ...down }))).toEqual([]);
    const wrong = { disturbances: [{ from: at(30), to: END, path: PATHS.busy }] };
    expect(says(logsOf('busy', PATHS.busy, serve, { ...chain([item(row)]), ...wrong }))).toEqual([]);
  });

  test('that lies within a gap that is named is not lost', () => {
    const logs = logsOf('busy', PATHS.busy, serve, chain([item(row)]));
    const polls = logs.polls.map((poll) => ({ ...poll, gaps: [{ from: HEAD + 20, to: HEAD + 30 }] }));
    expect(says({ ...logs, polls })).not.toContain('lost busy');
  });

  test('that was told and never served is invented', () => {
    const owed = told('busy', 'failed', 35, { item: 'other' });
    expect(says(logsOf('busy', PATHS.busy, () => [page([KNOWN])], { owed }))).toEqual(['invented busy']);
  });

  test('that was there before anyone watched is invented when it is told', () => {
    const owed = told('busy', 'failed', 35, { item: 'known' });
    const old = chain([item(KNOWN, { from: START - 1 })]);
    expect(says(logsOf('busy', PATHS.busy, serve, { ...old, owed }))).toEqual(['invented busy']);
  });

  test('that was told twice under two ids is doubled', () => {
    const owed = [...told('busy', 'failed', 35, { item: 'it' }), ...told('busy', 'failed', 40, { item: 'it' })];
    const verdicts = says(logsOf('busy', PATHS.busy, serve, { ...chain([item(row)]), owed }));
    expect(new Set(verdicts)).toEqual(new Set(['doubled busy']));
  });

  const gone = chain([item(row, { to: at(60) })]);
  const goneServe = (minute: number): Partial<Served>[] => [
    page(minute > 30 && minute < 60 ? [row, KNOWN] : [KNOWN]),
    {
      ...page([{ id: 'b', block: HEAD + minute, facts: {} }]),
      path: 'blocks',
    },
  ];
  const first = told('busy', 'failed', 35, { item: 'it' });

  test('that is gone and was not taken back is lost', () => {
    expect(says(logsOf('busy', PATHS.busy, goneServe, { ...gone, owed: first }))).toEqual(['lost busy']);
    const owed = [...first, ...told('busy', 'failed', 70, { item: 'it', type: 'alert.retracted' })];
    expect(says(logsOf('busy', PATHS.busy, goneServe, { ...gone, owed }))).toEqual([]);
  });

  test('that is gone and was read again only when it was too deep to be followed is no matter', () => {
    const readAgain = (blocks: number): string[] => {
      const serve = (minute: number): Partial<Served>[] => {
        const height = HEAD + minute + (minute >= 60 ? blocks : 0);
        return [goneServe(minute)[0] ?? {}, { ...page([{ id: 'b', block: height, facts: {} }]), path: 'blocks' }];
      };
      return says(logsOf('busy', PATHS.busy, serve, { ...gone, owed: first }));
    };
    expect(readAgain(500)).toEqual(['lost busy']);
    expect(readAgain(640)).toEqual([]);
  });

  test('that came late and is gone when its block was final is no matter', () => {
    const late = call('it', HEAD - 4);
    const lateServe = (minute: number): Partial<Served>[] => [
      page(minute > 30 && minute < 60 ? [late, KNOWN] : [KNOWN]),
      ...goneServe(minute).slice(1),
    ];
    const left = (to: number): string[] =>
      says(
        logsOf('busy', PATHS.busy, lateServe, { ...chain([item(late, { from: at(31), to: at(to) })]), owed: first }),
      );
    expect(left(50)).toEqual(['lost busy']);
    expect(left(60)).toEqual([]);
  });

  test('that is still taken to be there is lost', () => {
    const back = told('busy', 'failed', 70, { item: 'it', type: 'alert.retracted' });
    expect(says(logsOf('busy', PATHS.busy, goneServe, { ...gone, owed: first }))).toEqual(['lost busy']);
    const again = told('busy', 'failed', 80, { item: 'it', type: 'alert.reinstated' });
    expect(says(logsOf('busy', PATHS.busy, goneServe, { ...gone, owed: [...first, ...back, ...again] }))).toEqual([
      'lost busy',
    ]);
  });

  test('that stopped to match, was taken back for that, and left the chain later, is no matter', () => {
    const succeeded = { ...row, facts: { success: 'true', error: null } };
    const stays = [
      { from: at(31), to: at(45), row },
      { from: at(45), to: at(60), row: succeeded },
    ];
    const changing = (minute: number): Partial<Served>[] =>
      minute > 45 && minute < 60 ? [page([succeeded, KNOWN])] : goneServe(minute);
    const back = told('busy', 'failed', 50, { item: 'it', type: 'alert.retracted' });
    const logs = { ...chain([{ ...item(row), stays }]), owed: [...first, ...back] };
    expect(says(logsOf('busy', PATHS.busy, changing, logs))).toEqual([]);
  });

  test('that three readings whose own rows reach above it do not show is rightly taken back', () => {
    const above = call('above', HEAD + 40);
    const hidden = (minute: number): Partial<Served>[] =>
      minute > 45 && minute < 65 ? [page([above, KNOWN])] : serve(minute);
    const back = told('busy', 'failed', 60, { item: 'it', type: 'alert.retracted' });
    const there = { ...chain([item(row)]), owed: [...first, ...back] };
    expect(says(logsOf('busy', PATHS.busy, hidden, there))).toEqual([]);
  });

  test('that stands on the chain is wrongly taken back, unless three readings do not show it', () => {
    const back = told('busy', 'failed', 60, { item: 'it', type: 'alert.retracted' });
    const there = { ...chain([item(row)]), owed: [...first, ...back] };
    expect(says(logsOf('busy', PATHS.busy, serve, there))).toEqual(['wrongly-retracted busy']);
    const hidden = (minute: number): Partial<Served>[] =>
      goneServe(minute > 45 && minute < 65 ? 0 : minute).map((answer) => ({
        ...answer,
        ...(answer.path === 'blocks' ? page([{ id: 'b', block: HEAD + minute, facts: {} }]) : {}),
      }));
    expect(says(logsOf('busy', PATHS.busy, hidden, there))).toEqual([]);
  });

  test('that is missing from an answer of a server that is behind is wrongly taken back', () => {
    const behind = (minute: number): Partial<Served>[] =>
      minute < 45
        ? serve(minute)
        : [page([KNOWN]), { ...page([{ id: 'b', block: HEAD + 20, facts: {} }]), path: 'blocks' }];
    const back = told('busy', 'failed', 60, { item: 'it', type: 'alert.retracted' });
    const logs = logsOf('busy', PATHS.busy, behind, { ...chain([item(row)]), owed: [...first, ...back] });
    expect(says(logs)).toEqual(['wrongly-retracted busy']);
  });
});

describe('what was passed over', () => {
  const rows = [call('a', HEAD + 40), call('b', HEAD + 39)];
  const chainless = (minute: number): Partial<Served>[] => [minute < 30 ? page([KNOWN]) : page(rows, 'more')];

  test('is named', () => {
    expect(says(logsOf('busy', PATHS.busy, chainless))[0]).toBe('unnamed-gap busy');
    const logs = logsOf('busy', PATHS.busy, chainless);
    const polls = logs.polls.map((poll) => ({
      ...poll,
      gaps: poll.startedAt < at(30) ? [] : [{ from: HEAD - 4, to: HEAD + 39 }],
    }));
    expect(says({ ...logs, polls })).toEqual([]);
  });

  test('and not when it was read', () => {
    const logs = logsOf('busy', PATHS.busy, () => [page([KNOWN])]);
    const polls = logs.polls.map((poll) => ({ ...poll, gaps: [{ from: HEAD - 9, to: HEAD - 7 }] }));
    expect(says({ ...logs, polls })[0]).toBe('unnamed-gap busy');
  });

  test('but not by a poll that came to nothing, which the next one but one covers', () => {
    const skipped = (minute: number): Partial<Served>[] => [
      minute < 30 ? page([KNOWN]) : minute < 40 ? page(rows, 'more') : page([...rows, KNOWN]),
    ];
    const logs = logsOf('busy', PATHS.busy, skipped);
    const missed = (isMissed: boolean): Logs => ({
      ...logs,
      polls: logs.polls.map((poll) => (poll.startedAt === at(30) ? { ...poll, isMissed } : poll)),
    });
    expect(says(missed(true))).toEqual([]);
    expect(says(missed(false))).toEqual(['unnamed-gap busy']);
  });

  test('and not when it was read by a poll that the store kept and the daemon took for failed', () => {
    const readOnce = (minute: number): Partial<Served>[] => [
      minute === 30 ? page([...rows, KNOWN]) : minute < 30 ? page([KNOWN]) : page(rows, 'more'),
    ];
    const logs = logsOf('busy', PATHS.busy, readOnce);
    const failed = (isKept: boolean): Logs => ({
      ...logs,
      polls: logs.polls.map((poll) => (poll.startedAt === at(30) ? { ...poll, decided: null, isKept } : poll)),
    });
    expect(says(failed(true))).toEqual([]);
    expect(says(failed(false))[0]).toBe('unnamed-gap busy');
  });

  test('and is read where another watch of the list asked for the lower page first', () => {
    const top = page(rows, 'middle');
    const middle = { ...page([call('c', HEAD + 38), call('d', HEAD + 30)], 'lower'), cursor: 'middle' };
    const lower = { ...page([call('e', HEAD + 29), KNOWN]), cursor: 'lower' };
    const readOnce = (pages: Partial<Served>[]): Logs =>
      logsOf('busy', PATHS.busy, (minute) => (minute < 30 ? [page([KNOWN])] : minute === 30 ? pages : [top]));
    expect(says(readOnce([top, lower, middle]))).toEqual([]);
    expect(says(readOnce([top, lower]))[0]).toBe('unnamed-gap busy');
  });
});

describe('a condition', () => {
  const COIN = '0'.repeat(18);
  const coins =
    (low: number, high: number) =>
    (minute: number): Partial<Served>[] => [
      one({ coin_balance: `${minute >= low && minute < high ? 95 : 130}${COIN}` }),
    ];
  const firing = (minute: number): Owed[] => told('coin', 'low', minute, { type: 'alert.firing' });
  const resolved = (minute: number): Owed[] => told('coin', 'low', minute, { type: 'alert.resolved' });

  test('that held for long enough and fired, and ended when it was over, is no matter', () => {
    const owed = [...firing(40), ...resolved(90)];
    expect(says(logsOf('coin', PATHS.coin, coins(30, 90), { owed }))).toEqual([]);
  });

  test('that held and did not fire is lost; so is its end', () => {
    expect(says(logsOf('coin', PATHS.coin, coins(30, 90)))).toEqual(['lost coin']);
    expect(says(logsOf('coin', PATHS.coin, coins(30, 90), { owed: firing(40) }))).toEqual(['lost coin']);
  });

  test('that fired too early, or without reason, is invented', () => {
    const early = [...firing(35), ...resolved(90)];
    expect(says(logsOf('coin', PATHS.coin, coins(30, 90), { owed: early }))).toEqual(['invented coin']);
    const without = [...firing(60), ...resolved(65)];
    expect(says(logsOf('coin', PATHS.coin, coins(0, 0), { owed: without }))).toEqual(['invented coin']);
  });

  test('that fired in a poll which was kept without being reported is not judged by what was served after it', () => {
    const logs = logsOf('coin', PATHS.coin, coins(0, 0), { owed: [...firing(60), ...resolved(65)] });
    const polls = logs.polls.map((poll) => (poll.startedAt === at(60) ? { ...poll, decided: null } : poll));
    expect(says({ ...logs, polls })).toEqual([]);
  });

  test('is judged by the poll that decided it, though the store took it with a later one', () => {
    const storedLate = (clockAt: Instant): string[] => {
      const fired = told('coin', 'low', 65, { type: 'alert.firing', clockAt });
      const logs = logsOf('coin', PATHS.coin, coins(0, 0), { owed: [...fired, ...resolved(65)] });
      const unkept = { decided: null, isKept: false };
      return says({
        ...logs,
        polls: logs.polls.map((poll) => (poll.startedAt === at(60) ? { ...poll, ...unkept } : poll)),
      });
    };
    expect(storedLate(at(60) + 1000)).toEqual([]);
    expect(storedLate(at(65) + 1000)).toEqual(['invented coin']);
  });

  test('that fired twice without an end between is doubled', () => {
    const owed = [...firing(40), ...firing(60), ...resolved(90)];
    expect(says(logsOf('coin', PATHS.coin, coins(30, 90), { owed }))).toEqual(['doubled coin']);
  });

  test('that ended while it held, or on no answer at all, was falsely resolved', () => {
    const owed = [...firing(40), ...resolved(60), ...firing(65), ...resolved(90)];
    expect(says(logsOf('coin', PATHS.coin, coins(30, 90), { owed }))).toContain('falsely-resolved coin');
    const silent = (minute: number): Partial<Served>[] => (minute === 60 ? [{ fault: 'f' }] : coins(30, 90)(minute));
    expect(says(logsOf('coin', PATHS.coin, silent, { owed }))).toContain('falsely-resolved coin');
  });

  test('that ended on the word of a server behind the head where it fired was falsely resolved', () => {
    const head = (minute: number, block: number): Partial<Served> => ({
      ...page([{ id: `b${block}`, block, facts: {} }]),
      path: 'blocks',
      replica: minute === 60 ? 'lagging' : 'chain',
    });
    const behind = (minute: number): Partial<Served>[] =>
      minute === 60
        ? [{ ...coins(0, 0)(0)[0], replica: 'lagging' }, head(60, HEAD + 35)]
        : [...coins(30, 90)(minute), head(minute, HEAD + minute)];
    const owed = [...firing(40), ...resolved(60), ...firing(75), ...resolved(90)];
    expect(says(logsOf('coin', PATHS.coin, behind, { owed }))).toContain('falsely-resolved coin');
    // A page that shares no block with what was shown before says nothing about the head where it fired.
    const fork = { ...page([{ id: 'fork', block: HEAD + 36, facts: {} }]), path: 'blocks' };
    const firedOnFork = (minute: number): Partial<Served>[] =>
      minute === 40 ? [...coins(30, 90)(40), fork].map((one) => ({ ...one, replica: 'fork' })) : behind(minute);
    expect(says(logsOf('coin', PATHS.coin, firedOnFork, { owed }))).not.toContain('falsely-resolved coin');
  });
});

describe('a value that changes', () => {
  const steps = [
    { at: START - 1, value: 'ok' },
    { at: at(30), value: 'scam' },
  ];
  const chain = { ...logsOf('', '', () => []).chain, reputation: steps };
  const serve = (minute: number): Partial<Served>[] => [one({ reputation: minute > 30 ? 'scam' : 'ok' })];

  test('is told once', () => {
    const owed = told('acme', 'scam', 35);
    expect(says(logsOf('acme', PATHS.acme, serve, { chain, owed }))).toEqual([]);
    expect(says(logsOf('acme', PATHS.acme, serve, { chain }))).toEqual(['lost acme']);
    const twice = [...owed, ...told('acme', 'scam', 60)];
    expect(says(logsOf('acme', PATHS.acme, serve, { chain, owed: twice }))).toEqual(['doubled acme']);
    const false_ = [...owed, ...told('acme', 'cleared', 60)];
    expect(says(logsOf('acme', PATHS.acme, serve, { chain, owed: false_ }))).toContain('invented acme');
  });
});

describe('a token', () => {
  const chain = {
    ...logsOf('', '', () => []).chain,
    tokens: new Map([
      [
        '0xa',
        [
          { at: START - 1, value: '0' },
          { at: at(30), value: '5' },
          { at: at(60), value: '0' },
        ],
      ],
    ]),
  };
  const other: Row = { id: '0xb', block: null, facts: { value: '1' } };
  const held: Row = { id: '0xa', block: null, facts: { value: '5' } };
  const serve = (minute: number): Partial<Served>[] =>
    minute > 30 && minute <= 60 ? [page([other, held])] : [page([other]), page([other])];

  test('is told when it arrives and when it leaves', () => {
    const owed = [...told('tokens', 'arrived', 35, { item: '0xa' }), ...told('tokens', 'left', 70, { item: '0xa' })];
    expect(says(logsOf('tokens', PATHS.tokens, serve, { chain, owed }))).toEqual([]);
    expect(says(logsOf('tokens', PATHS.tokens, serve, { chain }))).toEqual(['lost tokens']);
    const early = [...told('tokens', 'arrived', 35, { item: '0xa' }), ...told('tokens', 'left', 50, { item: '0xa' })];
    expect(says(logsOf('tokens', PATHS.tokens, serve, { chain, owed: early }))).toContain('invented tokens');
  });

  test('is invented to be gone where one poll alone lacks it, though that read the list twice', () => {
    const owed = [...told('tokens', 'arrived', 35, { item: '0xa' }), ...told('tokens', 'left', 65, { item: '0xa' })];
    expect(says(logsOf('tokens', PATHS.tokens, serve, { chain, owed }))).toEqual(['invented tokens']);
  });
});

describe('a reorganisation', () => {
  const block = (hash: string, height: number): Row => ({ id: hash, block: height, facts: {} });
  const serve = (minute: number): Partial<Served>[] => [
    page([block(`head ${minute}`, HEAD + minute), block(minute > 30 ? 'new' : 'old', HEAD + 1)]),
  ];

  test('is told when a known block has another hash, and only then', () => {
    const owed = told('blocks', 'reorg', 35, { item: 'new' });
    expect(says(logsOf('blocks', PATHS.blocks, serve, { owed }))).toEqual([]);
    expect(says(logsOf('blocks', PATHS.blocks, serve))).toEqual(['lost blocks']);
    const early = told('blocks', 'reorg', 20, { item: 'none' });
    expect(says(logsOf('blocks', PATHS.blocks, serve, { owed: [...early, ...owed] }))).toEqual(['invented blocks']);
  });

  test('is told a little after the next poll where the commit of the first one was refused', () => {
    const late = told('blocks', 'reorg', 41, { item: 'new' });
    expect(says(logsOf('blocks', PATHS.blocks, serve, { owed: late }))).toEqual([]);
    const tooLate = told('blocks', 'reorg', 110, { item: 'new' });
    expect(says(logsOf('blocks', PATHS.blocks, serve, { owed: tooLate }))).toContain('invented blocks');
  });

  test('between two readings of a poll that was kept without being reported is told', () => {
    const between = (minute: number): Partial<Served>[] => [
      page([
        block(`head ${minute}`, HEAD + minute),
        ...(minute < 30 ? [] : [block(minute > 30 ? 'new' : 'old', HEAD + 1)]),
      ]),
    ];
    const logs = logsOf('blocks', PATHS.blocks, between, { owed: told('blocks', 'reorg', 35, { item: 'new' }) });
    const polls = logs.polls.map((poll) => (poll.startedAt === at(30) ? { ...poll, decided: null } : poll));
    expect(says({ ...logs, polls })).toEqual([]);
  });

  test('of a block that only polls showed which nobody kept is not told', () => {
    const passing = (minute: number): Partial<Served>[] => [
      page([
        block(`head ${minute}`, HEAD + minute),
        ...(minute < 30 ? [] : [block(minute >= 40 ? 'new' : 'old', HEAD + 1)]),
      ]),
    ];
    const logs = logsOf('blocks', PATHS.blocks, passing);
    const forgotten = logs.polls.map((poll) =>
      poll.startedAt >= at(30) && poll.startedAt < at(40) ? { ...poll, decided: null, isKept: false } : poll,
    );
    expect(says(logs)).toEqual(['lost blocks']);
    expect(says({ ...logs, polls: forgotten })).toEqual([]);
  });
});

test('a request before the reset that the limiter announced is overspent, unless the process has just begun', () => {
  const serve = (minute: number): Partial<Served>[] => [
    { ...page([KNOWN]), restsUntil: minute === 30 ? at(36) : null },
  ];
  const logs = logsOf('busy', PATHS.busy, serve);
  expect(says(logs)).toEqual([`overspent ${PATHS.busy}`]);
  const lives = [
    { from: START, to: at(32) },
    { from: at(33), to: END },
  ];
  expect(says({ ...logs, lives })).toEqual([]);
});

test('a request for which nothing was left of the plan is overspent', () => {
  const serve = (minute: number): Partial<Served>[] => [{ ...page([KNOWN]), isUnpaid: minute === 30 }];
  const logs = logsOf('busy', PATHS.busy, serve);
  expect(says(logs)).toEqual([`overspent ${PATHS.busy}`]);
  expect(says({ ...logs, stretch: 'off' })).toEqual([]);
});

test('where intervals stay as they are, too many requests that ask for a refill are overspent', () => {
  const refusedAt = (minutes: readonly number[]): string[] => {
    const serve = (minute: number): Partial<Served>[] => [
      page([KNOWN]),
      ...minutes.map((more) => ({ ...page([KNOWN]), at: at(minute + more), isUnpaid: minute >= 30 && minute < 90 })),
    ];
    return says({ ...logsOf('busy', PATHS.busy, serve), stretch: 'off' });
  };
  expect(refusedAt([1])).toEqual([]);
  expect(refusedAt([1, 2, 3])).toContain(`overspent ${PATHS.busy}`);
});
