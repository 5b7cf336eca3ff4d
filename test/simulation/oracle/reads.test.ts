// The checks of the oracle on logs about values of contracts that were written by hand.
import { describe, expect, test } from '@jest/globals';
import { contractOf } from '../chain/chain.ts';
import { CONTRACT_REFERENCES } from '../contract-references.ts';
import type { Facts, Instant, Logs, Owed, Served, Step } from '../model.ts';
import { EVERYBODY } from '../owed-log.ts';
import type { ConfigVersion } from '../people/log.ts';
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

type Answers = (minute: number) => Facts | null;

/** Polls of one watch, each quarter of an hour. An answer of null is none. */
function logsOf(watch: string, answers: Answers, rest: Partial<Logs>): Logs {
  const minutes = Array.from({ length: 32 }, (_, n) => EVERY * n);
  return {
    ...quietLogs('contracts', { from: START, to: END }, [{ from: START, config: FIRST_VERSIONS.contracts }]),
    served: minutes.map((minute) => servedAt(minute, answers(minute))),
    polls: minutes.map((minute) => aPoll(watch, at(minute))),
    ...rest,
  };
}

function servedAt(minute: number, facts: Facts | null): Served {
  const names = Object.keys(facts ?? {}).filter((name) => name !== 'at');
  const answer = facts === null ? null : ({ type: 'one', facts } as const);
  return { ...aRequest(PATHS.rpc, at(minute)), cursor: names.join(','), answer };
}

function told(watch: string, alert: string, minute: number, what: Partial<Owed> = {}): Owed {
  return anOwed(at(minute) + 500, { id: `${alert} ${minute}`, recipient: EVERYBODY, watch, alert, ...what });
}

const { chain: empty } = logsOf('', () => null, {});
const logOf = (name: string, steps: readonly Step[]): Logs['chain'] => ({ ...empty, values: new Map([[name, steps]]) });
const [OURS, OTHER] = [contractOf('treasury').toLowerCase(), contractOf('bridge').toLowerCase()];

describe('a value that changes', () => {
  const steps = [
    { at: START - MINUTE, value: OURS },
    { at: at(31), value: OTHER },
    { at: at(200), value: OURS },
  ];
  const ownerAt = (minute: number): string => (minute > 31 && minute < 200 ? OTHER : OURS);
  const newest = (minute: number): Facts => ({ block: String(HEAD + minute), owner: ownerAt(minute), paused: '0' });
  const logs = (owed: Owed[], answers: Answers = newest): Logs =>
    logsOf('state', answers, { chain: logOf('owner', steps), owed });
  const owner = (minute: number, value: string | null): Owed =>
    told('state', 'owner', minute, { facts: { owner: value } });

  test('is told each time, in capitals or not', () => {
    expect(says(logs([owner(45, contractOf('bridge')), owner(210, OURS)]))).toEqual([]);
  });

  test('is lost where it is not told', () => {
    expect(says(logs([]))).toEqual(['lost state']);
    expect(says(logs([owner(45, OTHER)]))).toEqual(['lost state']);
  });

  test('is told twice where it did not change in between', () => {
    expect(says(logs([owner(45, OTHER), owner(60, OTHER), owner(210, OURS)]))).toEqual(['doubled state']);
    expect(says(logs([owner(15, OURS), owner(45, OTHER), owner(210, OURS)]))).toEqual(['doubled state']);
  });

  test('is never told of what was not served, or is not known', () => {
    expect(says(logs([owner(15, OTHER), owner(210, OURS)]))).toEqual(['invented state']);
    expect(says(logs([owner(30, null), owner(45, OTHER), owner(210, OURS)]))).toContain('invented state');
  });

  test('is not told of a reading from before the change, unless it is the third in a row', () => {
    const stale =
      (from: number, to: number) =>
      (minute: number): Facts =>
        minute < from || minute > to ? newest(minute) : { ...newest(minute), block: String(HEAD + 20), owner: OURS };
    const backAt = (minute: number): Owed[] => [
      owner(45, OTHER),
      owner(minute, OURS),
      owner(135, OTHER),
      owner(210, OURS),
    ];
    expect(says(logs(backAt(105), stale(105, 120)))).toEqual(['invented state']);
    expect(says(logs(backAt(120), stale(90, 120)))).toEqual([]);
  });

  test('begins again with what is read first where the rule asks something else', () => {
    const asks = (reference: string): ConfigVersion => {
      const { contracts } = FIRST_VERSIONS;
      const rules = contracts.rules.map((rule) => (rule.alert === 'limit' ? { ...rule, reference } : rule));
      return { ...contracts, rules };
    };
    const configs = [
      { from: START, config: asks('state/limit') },
      { from: at(100), config: asks('state/limit of another slot') },
    ];
    const facts = (minute: number): Facts => ({
      ...newest(minute),
      ...(minute < 100 ? { limit: '1' } : { other_limit: minute < 200 ? '100' : '101' }),
    });
    const limits = (owed: Owed[]): string[] => {
      const { people, ...rest } = logsOf('state', facts, {
        owed,
        chain: logOf('other_limit', [
          { at: START, value: '100' },
          { at: at(200), value: '101' },
        ]),
      });
      return says({ ...rest, people: { ...people, configs } });
    };
    const limit = (minute: number, value: string): Owed => told('state', 'limit', minute, { facts: { limit: value } });
    expect(limits([limit(210, '101')])).toEqual([]);
    expect(limits([limit(105, '100'), limit(210, '101')])).toEqual(['doubled state']);
    expect(limits([])).toEqual(['lost state']);
  });
});

describe('a value that is asked below the newest block', () => {
  const steps = [
    { at: START - MINUTE, value: OURS },
    { at: at(51), value: OTHER },
  ];
  const answers =
    (below: number): Answers =>
    (minute) => ({
      block: String(HEAD + minute),
      at: String(HEAD + minute - below),
      'deep owner': minute - below >= 39 ? OTHER : OURS,
    });
  const logs = (owed: Owed[], below: number): Logs =>
    logsOf('deep', answers(below), { chain: logOf('deep owner', steps), owed });
  const owner = (minute: number): Owed => told('deep', 'owner', minute, { facts: { owner: OTHER } });

  test('is told when its block is so deep', () => {
    expect(says(logs([owner(60)], 12))).toEqual([]);
    expect(says(logs([], 12))).toEqual(['lost deep']);
  });

  test('is not told of a block that is not so deep, nor of what never was', () => {
    expect(says(logs([owner(45)], 0))).toEqual(['invented deep']);
    const { chain, ...rest } = logs([owner(60)], 12);
    const values = new Map([['deep owner', steps.slice(0, 1)]]);
    expect(says({ ...rest, chain: { ...chain, values } })).toEqual(['invented deep']);
  });
});

describe('a call that reverts', () => {
  const assetsAt = (minute: number): string | null => (minute >= 60 && minute <= 120 ? 'reverted' : '2000000000');
  const answers: Answers = (minute) => ({ block: String(HEAD + minute), assets: assetsAt(minute) });
  const logs = (owed: Owed[]): Logs => logsOf('solvency', answers, { owed });
  const broken = (minute: number, type: string): Owed => told('solvency', 'broken', minute, { type });
  const BROKEN = [broken(60, 'alert.firing'), broken(135, 'alert.resolved')];

  test('is told while it lasts', () => {
    expect(says(logs(BROKEN))).toEqual([]);
    expect(says(logs([]))).toEqual(['lost solvency']);
  });

  test('is no value that is too low', () => {
    expect(says(logs([...BROKEN, told('solvency', 'low', 105, { type: 'alert.firing' })]))).toContain(
      'invented solvency',
    );
  });
});
