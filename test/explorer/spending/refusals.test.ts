import type http from 'node:http';
import { describe, expect, test } from '@jest/globals';
import type { MissReason } from '../../../src/core/model/observation.ts';
import { createAccount } from '../../../src/explorer/spending/account.ts';
import { createBudget, type Budget, type BudgetTicket } from '../../../src/explorer/spending/budget.ts';
import type { PlanHeaders } from '../../../src/explorer/spending/plan-headers.ts';
import { createFakeClock } from '../../support/fake-clock.ts';
import { createRecordingLog } from '../../support/recording-log.ts';
import { aToken, missOf, openExplorer, someBlocks } from '../support/open.ts';
import { inTurn, sendJson, startServer } from '../support/server.ts';
import { A_REQUEST, aBudget } from '../../support/spending.ts';

const { signal } = new AbortController();
/** Far from the reset of a daily plan. */
const NOON = Date.UTC(2026, 0, 1, 12);
const SILENT: PlanHeaders = { credits: null, limit: null, remaining: null, resetMs: null };
const PRICE = 20;
const SECONDS = 1000;
const MINUTES = 60_000;

function aPlan(at = NOON) {
  const clock = createFakeClock(at);
  const log = createRecordingLog();
  const budget = aBudget({ clock, requestsPerSecond: null, concurrency: 4, log, host: 'api.example' });
  return { clock, log, budget, ask: asking(budget) };
}

type End = MissReason | 'cut-off' | null;

function settle(budget: Budget, ticket: BudgetTicket, reason: End, credits: number | null = null): void {
  budget.settle(ticket, { reason, retryAfterMs: null, planHeaders: { ...SILENT, credits } });
}

/** A request that leaves at once and ends like this; `credits`: what its header says is left. */
function asking(budget: Budget): (reason: End, credits?: number | null) => Promise<void> {
  return async (reason, credits = null) => {
    settle(budget, await budget.pass('host', signal, A_REQUEST), reason, credits);
  };
}

/** How long the plan rests after each of seven refusals in a row, each of them of the one request that may leave. */
async function restsAfter(
  { clock, budget, ask }: ReturnType<typeof aPlan>,
  reason: MissReason,
  credits: number | null = null,
): Promise<number[]> {
  const rests: number[] = [];
  for (let i = 0; i < 7; i += 1) {
    await ask(reason, credits);
    const restMs = (budget.rest()?.nextAt ?? NaN) - clock.now();
    rests.push(restMs);
    await clock.advance(restMs);
  }
  return rests;
}

const DOUBTED = [5 * SECONDS, 15 * SECONDS, 45 * SECONDS, 2 * MINUTES, 5 * MINUTES, 10 * MINUTES, 10 * MINUTES];
const BELIEVED = Array.from({ length: 7 }, () => 10 * MINUTES);

describe('a 402', () => {
  test('although credits for twenty calls were left is doubted: asked again soon, then more and more seldom', async () => {
    const plan = aPlan();
    await plan.ask(null, 20 * PRICE);
    expect(await restsAfter(plan, 'out-of-credits')).toEqual(DOUBTED);
  });

  test.each([
    ['of a plan that had too little left for twenty calls', 20 * PRICE - 1, null],
    ['of a plan that never said what is left', null, null],
    ['that says itself that nothing is left', 90_000, 0],
  ])('%s is believed: one request every ten minutes', async (_name, before, within) => {
    const plan = aPlan();
    await plan.ask(null, before);
    expect(await restsAfter(plan, 'out-of-credits', within)).toEqual(BELIEVED);
  });

  test('is doubted for the header of ten minutes ago, and believed after an older one', async () => {
    for (const [ageMs, doubt] of [
      [10 * MINUTES, '90,000 credits were left'],
      [10 * MINUTES + 1, null],
    ] as const) {
      const { clock, budget, ask } = aPlan();
      await ask(null, 90_000);
      await clock.advance(ageMs);
      await ask('out-of-credits');
      expect(budget.rest()?.doubt).toBe(doubt);
    }
  });

  test('late in the evening is asked again when the plan is filled up at midnight UTC', async () => {
    const { clock, budget, ask } = aPlan(Date.UTC(2026, 0, 1, 23, 56));
    await ask('out-of-credits', 0);
    expect(budget.rest()?.nextAt).toBe(Date.UTC(2026, 0, 2, 0, 0, 5));
    await clock.setTo(Date.UTC(2026, 0, 2, 0, 0, 5));
    await ask(null, 100_000);
    expect(budget.rest()).toBeNull();
  });

  test('of a plan that is refilled about now is doubted, whatever the last header said', async () => {
    const clock = createFakeClock(Date.UTC(2026, 0, 1, 23, 59));
    const account = createAccount({ clock, assumesPlan: false });
    account.setPlan({ credits: 100_000, per: 'day', resets: null, reservePercent: 0, enrichPercent: 2 });
    const budget = createBudget({ clock, requestsPerSecond: null, account });
    const ask = asking(budget);
    await ask(null, 10);
    await clock.advance(90_000);
    await ask('out-of-credits', 10);
    expect(budget.rest()).toMatchObject({ doubt: 'the plan is refilled about now', nextAt: clock.now() + 5000 });
  });

  test('that is doubted is believed once a header says that nothing is left', async () => {
    const { clock, budget, ask } = aPlan();
    await ask(null, 90_000);
    await ask('out-of-credits');
    await clock.advance(5 * SECONDS);
    await ask('out-of-credits', 0);
    expect(budget.rest()).toEqual({ reason: 'out-of-credits', doubt: null, nextAt: clock.now() + 10 * MINUTES });
  });
});

describe('a 401', () => {
  test('of a key that has worked since the start is doubted', async () => {
    const plan = aPlan();
    await plan.ask(null);
    expect(await restsAfter(plan, 'unauthorized')).toEqual(DOUBTED);
  });

  test.each<MissReason>(['unauthorized', 'no-key'])(
    'of a key that never worked (%s) is asked again after 30 s, 2 and 10 minutes',
    async (reason) => {
      expect(await restsAfter(aPlan(), reason)).toEqual([
        30 * SECONDS,
        2 * MINUTES,
        ...Array.from({ length: 5 }, () => 10 * MINUTES),
      ]);
    },
  );
});

describe('a probe', () => {
  async function resting() {
    const plan = aPlan();
    await plan.ask(null);
    await plan.ask('unauthorized');
    await plan.clock.advance(5 * SECONDS);
    return plan;
  }

  test('is one request alone: the others wait for its answer, and then leave', async () => {
    const { budget } = await resting();
    const left: number[] = [];
    const probe = await budget.pass('host', signal, A_REQUEST);
    const others = [1, 2, 3].map(async (i) => {
      await budget.pass('host', signal, A_REQUEST);
      left.push(i);
    });
    budget.assertOpen('host');
    await Promise.resolve();
    expect(left).toEqual([]);
    settle(budget, probe, null);
    await Promise.all(others);
    expect(left).toEqual([1, 2, 3]);
  });

  test('that is refused sends those who waited for it away, unasked', async () => {
    const { budget } = await resting();
    const probe = await budget.pass('host', signal, A_REQUEST);
    const other = budget.pass('host', signal, A_REQUEST);
    settle(budget, probe, 'unauthorized');
    const missed = await missOf(other);
    expect(missed).toMatchObject({ reason: 'unauthorized', retryAfterMs: 15 * SECONDS });
    expect(missed.message).toBe(
      'host: request skipped: the API key was rejected, which is doubted, for the key has worked since the start; ' +
        'next request in 15 s',
    );
  });

  test.each<End>(['timeout', 'cut-off'])('that gets lost (%s) is followed by another one at once', async (end) => {
    const { budget } = await resting();
    const probe = await budget.pass('host', signal, A_REQUEST);
    const other = budget.pass('host', signal, A_REQUEST);
    settle(budget, probe, end);
    expect((await other).isProbe).toBe(true);
  });

  test('is not ended by what left before the refusal', async () => {
    const { clock, budget, ask } = aPlan();
    const [early, late] = [await budget.pass('host', signal, A_REQUEST), await budget.pass('host', signal, A_REQUEST)];
    await ask(null, 90_000);
    await ask('out-of-credits');
    settle(budget, early, 'out-of-credits');
    settle(budget, late, null);
    expect(budget.rest()?.nextAt).toBe(clock.now() + 5 * SECONDS);
  });
});

test('the log says that a refusal is doubted and when it is asked next, once, and that it is over', async () => {
  const { clock, log, ask } = aPlan();
  await ask(null, 90_000);
  await ask('out-of-credits');
  await clock.advance(5 * SECONDS);
  await ask('out-of-credits');
  await clock.advance(15 * SECONDS);
  await ask(null);
  expect(log.lines).toEqual(['warn plan:refused', 'info plan:answers-again']);
  expect(log.fields[0]).toEqual({
    host: 'api.example',
    reason: 'out-of-credits',
    doubted: '90,000 credits were left',
    'asked next': '2026-01-01T12:00:05Z',
  });
});

describe('an explorer of which one answer is wrong', () => {
  const auth = { type: 'bearer' as const, key: () => 'key' };
  const answer = (response: http.ServerResponse): void => {
    sendJson(response, { symbol: 'ACME', items: [] }, { headers: { 'x-credits-remaining': '90000.0' } });
  };

  test.each([
    ['402', { error: 'Out of credits' }, 402],
    ['401', { error: 'Unauthorized' }, 401],
  ])(
    'one spurious %s costs no poll: the same question is asked again five seconds later',
    async (_name, body, status) => {
      const refuse = (response: http.ServerResponse): void => {
        sendJson(response, body, { status });
      };
      await using server = await startServer(inTurn(answer, refuse, answer));
      const clock = createFakeClock(NOON);
      await using opened = openExplorer(server.url, { clock, auth });
      await opened.explorer.tickReader().one(aToken);
      const [asked, other] = [
        opened.explorer.tickReader().one(aToken),
        opened.explorer.tickReader().page(someBlocks, null),
      ];
      await clock.whenSleeping(1);
      await clock.advance(4999);
      expect(server.requests).toHaveLength(2);
      await clock.advance(1);
      expect(await asked).toMatchObject({ symbol: 'ACME' });
      await other;
      expect(server.requests).toHaveLength(4);
    },
  );
});
