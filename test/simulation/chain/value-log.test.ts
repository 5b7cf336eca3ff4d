// The log of the chain and the chain itself show the same values.
import { expect, test } from '@jest/globals';
import { inBlock } from '../commands.ts';
import type { FaultKind } from '../faults/kinds.ts';
import { drawHistory, scriptOf, START } from '../history.ts';
import { DAY_MS } from '../life.ts';
import type { Facts, Instant } from '../model.ts';
import { OVER } from '../over.ts';
import { PATHS } from '../rules.ts';
import { chainLogOf } from './chain-log.ts';
import { createReplicas, type Replicas } from './replicas.ts';
import { askedCalls, readCalls } from './served-calls.ts';
import { VALUES } from './values.ts';
import { contractOf } from './chain.ts';

const NAMES = ['owner', 'paused', 'assets', 'limit', 'other_limit', 'guardian'] as const;

test.each([
  [7, ['reorg', 'stalled', 'forked-replicas']],
  [2, ['reorg', 'forked-replicas']],
] as const satisfies readonly (readonly [number, readonly FaultKind[]])[])(
  'seed %i: what the log says of values is what calls answer, at the newest block and below it',
  (seed, kinds) => {
    const script = scriptOf(OVER.contracts(drawHistory(seed, 1, kinds)));
    const { values } = chainLogOf(script, START + DAY_MS);
    const replicas = createReplicas(script);
    const shown = (name: string, at: Instant): string | null =>
      values.get(name)?.findLast((step) => step.at <= at)?.value ?? null;
    const seen = new Set<string>();
    for (let minute = 17; minute < 24 * 60; minute += 13) {
      const at = inBlock(START + minute * 60_000, 41_000);
      const { block, ...newest } = ask(replicas, at, null);
      const below = ask(replicas, at + PAGE_MS, Number(block) - 12);
      for (const name of NAMES) {
        expect([name, minute, newest[name]]).toEqual([name, minute, shown(name, at)]);
        expect([name, minute, below[`deep ${name}`]]).toEqual([name, minute, shown(`deep ${name}`, at)]);
        seen.add(`${name} ${newest[name] ?? ''}`);
      }
    }
    expect(seen.has('assets reverted')).toBe(true);
    expect(seen.size).toBeGreaterThan(25);
  },
);

/** So that the limiter lets the next request pass. */
const PAGE_MS = 401;
const MOST_CALLS = 5;

/** `height` null: at the newest block, with its number. */
function ask(replicas: Replicas, at: Instant, height: number | null): Facts {
  const tag = height === null ? 'latest' : `0x${height.toString(16)}`;
  const to = contractOf('vault');
  const calls = NAMES.map((name) => {
    const { at: place } = VALUES[name];
    return 'slot' in place
      ? { method: 'eth_getStorageAt', params: [to, place.slot, tag] }
      : { method: 'eth_call', params: [{ to, input: place.selector }, tag] };
  });
  const first = height === null ? [{ method: 'eth_blockNumber', params: [] }] : [];
  const all = [...first, ...calls];
  const parts = [all.slice(0, MOST_CALLS), all.slice(MOST_CALLS)].filter((part) => part.length > 0);
  const facts = parts.map((part, n) => {
    const body = JSON.stringify(part.map((one, id) => ({ jsonrpc: '2.0', id, ...one })));
    const { text } = replicas.ask('chain', at + n * 200, { target: PATHS.rpc, body }, 0);
    const answer = readCalls(askedCalls(body), text);
    return answer?.type === 'one' ? answer.facts : {};
  });
  return Object.assign({}, ...facts) as Facts;
}
