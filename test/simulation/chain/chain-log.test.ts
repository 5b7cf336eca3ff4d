import { expect, test } from '@jest/globals';
import { inBlock } from '../commands.ts';
import { chainLogOf } from './chain-log.ts';
import { DAY_MS } from '../life.ts';
import { drawHistory, scriptOf, START } from '../history.ts';
import type { FaultKind } from '../faults/kinds.ts';
import type { ChainLog, Instant, Row } from '../model.ts';
import { createReplicas, type Replicas } from './replicas.ts';
import { PATHS } from '../rules.ts';
import { OVER } from '../over.ts';
import { isOfEvents, readAnswer } from './served-rows.ts';

const HOUR_MS = 3_600_000;
const FORKS: readonly FaultKind[] = ['reorg', 'late-call', 'replaced-pending', 'forked-replicas'];
const KINDS: readonly FaultKind[] = [
  'reorg',
  'late-call',
  'dropped-pending',
  'replaced-pending',
  'changed-row',
  'burst',
  'stalled',
  'forked-replicas',
];

const LISTS = {
  accounts: [PATHS.vault, PATHS.newcomer, PATHS.busy, PATHS.wallet],
  contracts: [PATHS.admin, PATHS.approvals, PATHS.moves, PATHS.usdc],
} as const;

test.each([
  ['accounts', 7, KINDS],
  ['accounts', 2, FORKS],
  ['contracts', 7, KINDS],
  ['contracts', 2, FORKS],
] as const)('over %s, seed %i: what the log says is what the lists show, at any time', (what, seed, kinds) => {
  const script = scriptOf(OVER[what](drawHistory(seed, 1, kinds)));
  const log = chainLogOf(script, START + DAY_MS);
  let compared = 0;
  for (const path of LISTS[what]) {
    const replicas = createReplicas(script);
    for (let minute = 17; minute < 24 * 60; minute += 47) {
      // Nothing happens between two blocks for nine seconds from here on.
      const at = inBlock(START + minute * 60_000, 41_000);
      const shown = listAt(replicas, path, at);
      expect(shown).toEqual(expectedAt(log, path, at));
      compared += shown.length;
    }
  }
  expect(compared).toBeGreaterThan(1000);
  expect(script.forks.some(({ wins }) => wins)).toBe(kinds === FORKS);
});

/** So that the limiter lets the next request pass. */
const PAGE_MS = 201;

const ALL_HEIGHTS = '&fromBlock=0&toBlock=latest';

/** The whole list, row by row as text, in no order. */
function listAt(replicas: Replicas, path: string, at: Instant): string[] {
  const rows: Row[] = [];
  let now = at;
  const heights = isOfEvents(path) ? ALL_HEIGHTS : '';
  for (let target: string | null = `${path}${heights}`; target !== null; now += PAGE_MS) {
    const answer = readAnswer(path, replicas.ask('chain', now, { target }, 0).text, heights);
    if (answer?.type !== 'page') throw new Error(`${path} is no list`);
    // The contract of a token emits more than rules ask for.
    rows.push(...answer.page.rows.filter(({ facts }) => facts['event'] !== 'other'));
    target = answer.page.next === null ? null : `${path}?${answer.page.next}`;
  }
  return rows.map(textOf).toSorted();
}

function expectedAt({ items }: ChainLog, path: string, at: Instant): string[] {
  return items
    .filter((item) => item.paths.includes(path))
    .flatMap(({ stays }) => stays.filter(({ from, to }) => from <= at && (to === null || at < to)))
    .map(({ row }) => textOf(row))
    .toSorted();
}

/** Of one that waits the API does not say how it will end. */
function textOf({ id, block, facts }: Row): string {
  const { success, status, error, ...others } = facts;
  const ofContracts = Object.entries(others).filter(([name]) => name !== 'value');
  return JSON.stringify([id, block, success ?? status ?? null, error ?? null, Object.fromEntries(ofContracts)]);
}

test('values are what was set last', () => {
  const script = scriptOf(drawHistory(4, 1, ['reorg']));
  const log = chainLogOf(script, START + DAY_MS);
  const replicas = createReplicas(script);
  for (let at = START; at < START + DAY_MS; at += HOUR_MS) {
    const answer = readAnswer(PATHS.coin, replicas.ask('chain', at, { target: PATHS.coin }, 0).text);
    const coins = log.coin.findLast((step) => step.at <= at)?.value;
    expect(answer).toMatchObject({ type: 'one', facts: { coin_balance: coins } });
  }
});
