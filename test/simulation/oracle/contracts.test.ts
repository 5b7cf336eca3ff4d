// The checks of the oracle on logs about contracts that were written by hand.
import { describe, expect, test } from '@jest/globals';
import { contractOf } from '../chain/chain.ts';
import { CONTRACT_REFERENCES } from '../contract-references.ts';
import type { ChainItem, Facts, Instant, Logs, Owed, Row, Served } from '../model.ts';
import { EVERYBODY } from '../owed-log.ts';
import { PATHS } from '../rules.ts';
import { FIRST_VERSIONS } from '../scenes/first-version.ts';
import { anOwed, aPoll, aRequest, quietLogs } from './hand-written.ts';
import { judge } from './judge.ts';

const MINUTE = 60_000;
/** Block 14,400 is made. */
const START = Date.UTC(2026, 0, 11);
const END = START + 8 * 60 * MINUTE;
const HEAD = 14_400;
const EVERY = 15;

const at = (minutes: number): Instant => START + minutes * MINUTE;
const says = (logs: Logs): string[] => judge(logs, CONTRACT_REFERENCES).map(({ check, watch }) => `${check} ${watch}`);

/** Polls of one watch, each quarter of an hour, with what `serve` answers. */
function logsOf(watch: string, path: string, serve: (minute: number) => Partial<Served>, rest: Partial<Logs>): Logs {
  const minutes = Array.from({ length: 32 }, (_, n) => EVERY * n);
  return {
    ...quietLogs('contracts', { from: START, to: END }, [{ from: START, config: FIRST_VERSIONS.contracts }]),
    served: minutes.map((minute) => ({ ...aRequest(path, at(minute)), ...serve(minute) })),
    polls: minutes.map((minute) => aPoll(watch, at(minute))),
    ...rest,
  };
}

function told(watch: string, alert: string, minute: number, what: Partial<Owed> = {}): Owed {
  const id = `${alert} ${minute} ${what.item ?? ''}`;
  return anOwed(at(minute) + 500, { id, recipient: EVERYBODY, watch, alert, ...what });
}

describe('what is behind a proxy', () => {
  const [OURS, FOREIGN] = [contractOf('implementation').toLowerCase(), contractOf('bridge').toLowerCase()];
  const shows = (code: string | null): Partial<Served> => ({ answer: { type: 'one', facts: { code } } });
  const { chain: empty } = logsOf('', '', () => ({}), {});
  const steps = [
    { at: START - MINUTE, value: OURS },
    { at: at(31), value: FOREIGN },
    { at: at(200), value: OURS },
  ];
  const codeAt = (minute: number): string => (minute > 31 && minute < 200 ? FOREIGN : OURS);
  const logs = (owed: Owed[], serve = (minute: number): string | null => codeAt(minute)): Logs =>
    logsOf('code', PATHS.code, (minute) => shows(serve(minute)), { chain: { ...empty, code: steps }, owed });
  const upgraded = (minute: number, code: string): Owed =>
    told('code', 'upgraded', minute, { facts: { implementation: code } });
  const foreign = (minute: number, type: string): Owed => told('code', 'foreign', minute, { type });
  const AWAY = [upgraded(45, FOREIGN), foreign(45, 'alert.firing')];
  const BACK = [upgraded(225, OURS), foreign(225, 'alert.resolved')];

  test('is told when it changes, and when what was there before has stood for ten minutes', () => {
    expect(says(logs([...AWAY, ...BACK]))).toEqual([]);
  });

  test('is lost where it is not told', () => {
    expect(says(logs([]))).toEqual(['lost code', 'lost code']);
    expect(says(logs(AWAY))).toEqual(['lost code', 'lost code']);
  });

  test('counts again too soon where it has not stood for ten minutes', () => {
    expect(says(logs([...AWAY, upgraded(210, OURS), foreign(210, 'alert.resolved')]))).toEqual(['invented code']);
  });

  test('begins its ten minutes again after a reading that does not know it', () => {
    const unknown = (minute: number): string | null => (minute === 225 ? null : codeAt(minute));
    const late = [upgraded(240, OURS), foreign(240, 'alert.resolved')];
    expect(says(logs([...AWAY, ...late], unknown))).toEqual(['invented code']);
  });

  test('is told once, and never of what was not served or is not known', () => {
    expect(says(logs([...AWAY, upgraded(60, FOREIGN), ...BACK]))).toEqual(['doubled code']);
    expect(says(logs([upgraded(15, FOREIGN), foreign(15, 'alert.firing'), ...BACK]))).toEqual(['invented code']);
    const nothing = told('code', 'upgraded', 45);
    expect(says(logs([nothing, ...AWAY, ...BACK]))).toContain('invented code');
  });

  test('is foreign as long as what counts is', () => {
    const early = foreign(210, 'alert.resolved');
    expect(says(logs([...AWAY, early, upgraded(225, OURS)]))).toEqual(['falsely-resolved code']);
    expect(says(logs([foreign(15, 'alert.firing'), upgraded(45, FOREIGN), ...BACK]))).toEqual(['invented code']);
  });
});

describe('a list that is asked for by heights', () => {
  const events = (from: number): Partial<Served> => {
    const page = { rows: [], nameless: 0, next: null, isEnd: false, heights: { from, to: Infinity } };
    return { cursor: `fromBlock=${from}&toBlock=latest`, answer: { type: 'page', page } };
  };

  test('is read again from seventy-two blocks below the newest one on', () => {
    expect(says(logsOf('admin', PATHS.admin, (minute) => events(HEAD + minute - 72), {}))).toEqual([]);
    const short = logsOf('admin', PATHS.admin, (minute) => events(HEAD + minute - (minute === 90 ? 10 : 72)), {});
    expect(says(short)).toEqual(['unnamed-gap admin']);
    const left = { from: HEAD + 90 - 10, to: Infinity };
    const polls = short.polls.map((poll) => (poll.startedAt < at(90) ? { ...poll, gaps: [left] } : poll));
    expect(says({ ...short, polls })).toEqual([]);
  });
});

describe('transfers that strangers claim', () => {
  const facts = (raw: string): Facts => ({
    token: contractOf('USDC').toLowerCase(),
    from: contractOf('treasury').toLowerCase(),
    to: contractOf('market').toLowerCase(),
    raw,
  });
  const row = (id: string, raw: string): Row => ({ id, block: HEAD + 40, facts: facts(raw) });
  const ROWS = [row('a', '0'), row('b', '0'), row('c', '7')];
  const items = ROWS.map((one): ChainItem => {
    return { id: one.id, paths: [PATHS.moves], waitsIn: [], stays: [{ from: at(41), to: null, row: one }] };
  });
  const { chain } = logsOf('', '', () => ({}), {});
  const logs = (owed: Owed[]): Logs => {
    const known: Row = { id: 'known', block: HEAD - 5, facts: facts('7') };
    const page = (rows: readonly Row[]): Partial<Served> => ({
      answer: { type: 'page', page: { rows, nameless: 0, next: null, isEnd: true } },
    });
    const serve = (minute: number): Partial<Served> => page(minute > 41 ? [...ROWS, known] : [known]);
    return logsOf('moves', PATHS.moves, serve, { chain: { ...chain, items }, owed });
  };
  const out = (item: string, isOfSummary: boolean): Owed => told('moves', 'out', 45, { item, isOfSummary });
  const named = told('moves', 'named', 45, { item: 'c' });

  test('are told by one of them, and the others beside it', () => {
    expect(says(logs([named, out('c', false), out('a', false), out('b', true)]))).toEqual([]);
  });

  test('are too many where each is told by itself, and lost where they are not', () => {
    expect(says(logs([named, out('c', false), out('a', false), out('b', false)]))).toEqual(['too-many moves']);
    expect(says(logs([named, out('c', false), out('a', false)]))).toEqual(['lost moves']);
  });

  test('take no others along', () => {
    expect(says(logs([named, out('c', true), out('a', false), out('b', true)]))).toEqual(['lost moves']);
  });
});

describe('full blocks in a row', () => {
  const FULL = [HEAD + 40, HEAD + 41, HEAD + 42];
  const block = (height: number): Row => {
    const facts = {
      parent_hash: `b${height - 1}`,
      timestamp: null,
      transactions_count: FULL.includes(height) ? '1' : '0',
    };
    return { id: `b${height}`, block: height, facts };
  };
  const items = FULL.map((height): ChainItem => {
    const row = { id: `t${height}`, block: height, facts: {} };
    return { id: row.id, paths: [], waitsIn: [], stays: [{ from: at(height - HEAD), to: null, row }] };
  });
  const serve = (minute: number): Partial<Served> => {
    const rows = Array.from({ length: 40 }, (_, n) => block(HEAD + minute - n));
    return { answer: { type: 'page', page: { rows, nameless: 0, next: null, isEnd: true } } };
  };
  const { chain } = logsOf('', '', () => ({}), {});
  const logs = (owed: Owed[]): Logs => logsOf('chain', PATHS.blocks, serve, { chain: { ...chain, items }, owed });
  const changed = (minute: number, type: string): Owed => told('chain', 'full', minute, { type });

  test('are told once, and end with an empty one above them', () => {
    expect(says(logs([changed(45, 'alert.firing'), changed(60, 'alert.resolved')]))).toEqual([]);
  });

  test('are lost where they are not told, or do not end', () => {
    expect(says(logs([]))).toEqual(['lost chain']);
    expect(says(logs([changed(45, 'alert.firing')]))).toEqual(['lost chain']);
  });

  test('are told of a row that is long enough, and only of a new one', () => {
    const rest = [changed(45, 'alert.firing'), changed(60, 'alert.resolved')];
    expect(says(logs([changed(15, 'alert.firing'), changed(30, 'alert.resolved'), ...rest]))).toContain(
      'invented chain',
    );
    expect(says(logs([...rest, changed(90, 'alert.firing'), changed(105, 'alert.resolved')]))).toContain(
      'invented chain',
    );
  });
});
