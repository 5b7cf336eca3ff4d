import type http from 'node:http';
import { setImmediate as afterIo } from 'node:timers/promises';
import { expect, describe, test } from '@jest/globals';
import type { MissReason } from '../../../src/core/model/observation.ts';
import type { RequestFault } from '../../../src/explorer/http/fault.ts';
import type { Spend } from '../../../src/core/spending/spend.ts';
import { createAccount } from '../../../src/explorer/spending/account.ts';
import { createBudget, type Budget } from '../../../src/explorer/spending/budget.ts';
import type { PlanHeaders } from '../../../src/explorer/spending/plan-headers.ts';
import { createFakeClock, type FakeClock } from '../../support/fake-clock.ts';
import { aToken, impatient, missOf, openExplorer, someBlocks, someTokens } from '../support/open.ts';
import { inTurn, sendJson, sendText, startServer, type SeenRequest } from '../support/server.ts';
import { A_REQUEST, aBudget } from '../../support/spending.ts';

const { signal } = new AbortController();
const START = Date.UTC(2026, 0, 1);
/** Far from the reset of a daily plan. */
const NOON = START + 12 * 3_600_000;
const SILENT: PlanHeaders = { credits: null, limit: null, remaining: null, resetMs: null };

/** A limiter as the API has it: so many requests per second, in windows that begin with its own seconds. */
function createLimiter(clock: FakeClock, perSecond: number, phaseMs: number) {
  const sent: number[] = [];
  let refused = 0;
  return {
    sent,
    get refused() {
      return refused;
    },
    ask(): PlanHeaders {
      const now = clock.now();
      const window = Math.floor((now - phaseMs) / 1000);
      const used = sent.filter((at) => Math.floor((at - phaseMs) / 1000) === window).length;
      if (used >= perSecond) refused += 1;
      sent.push(now);
      return { ...SILENT, resetMs: (window + 1) * 1000 + phaseMs - now };
    },
  };
}

async function askMany(budget: Budget, count: number, ask: () => Promise<PlanHeaders>): Promise<void> {
  const one = async (): Promise<void> => {
    const ticket = await budget.pass('host', signal, A_REQUEST);
    budget.settle(ticket, { reason: null, retryAfterMs: null, planHeaders: await ask() });
  };
  await Promise.all(Array.from({ length: count }, () => budget.hold(one, A_REQUEST)));
}

describe("a plan's requests per second", () => {
  test.each([0, 137, 500, 940, 999])(
    "are all used, and never exceeded, in the limiter's own windows (which begin %i ms late)",
    async (phaseMs) => {
      const clock = createFakeClock(0);
      const limiter = createLimiter(clock, 5, phaseMs);
      const budget = aBudget({ clock, requestsPerSecond: 5 });
      const done = askMany(budget, 103, async () => {
        await clock.sleep(20);
        const planHeaders = limiter.ask();
        await clock.sleep(20);
        return planHeaders;
      });
      await clock.advance(22_000);
      await done;
      expect(limiter.refused).toBe(0);
      expect(limiter.sent).toHaveLength(103);
    },
  );

  test('are counted in seconds of our own where the limiter does not say', async () => {
    const clock = createFakeClock(0);
    const sent: number[] = [];
    const budget = aBudget({ clock, requestsPerSecond: 3 });
    const done = askMany(budget, 7, async () => {
      sent.push(clock.now());
      return SILENT;
    });
    await clock.advance(5_000);
    await done;
    expect(sent).toEqual([0, 0, 0, 1060, 1060, 1060, 2060]);
  });

  test('may be less than one', async () => {
    const clock = createFakeClock(0);
    const sent: number[] = [];
    const budget = aBudget({ clock, requestsPerSecond: 0.25 });
    const done = askMany(budget, 3, async () => {
      sent.push(clock.now());
      return SILENT;
    });
    await clock.advance(20_000);
    await done;
    expect(sent).toEqual([0, 4060, 8060]);
  });

  test('a clock that is set back does not stop them', async () => {
    const clock = createFakeClock(10_000_000);
    const budget = aBudget({ clock, requestsPerSecond: 1 });
    await askMany(budget, 1, async () => SILENT);
    await clock.setTo(0);
    await askMany(budget, 1, async () => SILENT);
    expect(clock.sleepers).toBe(0);
  });

  test('first come, first served, one at a time, for all explorers that share the budget', async () => {
    const clock = createFakeClock(0);
    const order: number[] = [];
    let running = 0;
    const budget = aBudget({ clock, requestsPerSecond: 2 });
    const done = Promise.all(
      [0, 1, 2, 3, 4].map((i) =>
        budget.hold(async () => {
          running += 1;
          expect(running).toBe(1);
          await budget.pass('host', signal, A_REQUEST);
          order.push(i);
          running -= 1;
        }, A_REQUEST),
      ),
    );
    await clock.advance(5_000);
    await done;
    expect(order).toEqual([0, 1, 2, 3, 4]);
  });
});

test('where requests wait, further pages of a critical watch leave before first pages of others, so that its poll ends in time', async () => {
  const clock = createFakeClock(0);
  const order: string[] = [];
  const budget = aBudget({ clock, requestsPerSecond: 1 });
  const asks = (spend: Pick<Spend, 'class' | 'severity'>, name: string): Promise<unknown> =>
    budget.hold(() => Promise.resolve(order.push(name)), spend);
  const all = [
    budget.hold(() => clock.sleep(1000), A_REQUEST),
    asks({ class: 'info', severity: 'info' }, 'info'),
    asks({ class: 'pages', severity: 'warning' }, 'pages of a warning'),
    asks({ class: 'warning', severity: 'warning' }, 'warning'),
    asks({ class: 'pages', severity: 'critical' }, 'pages of a critical one'),
    asks({ class: 'critical', severity: 'critical' }, 'critical'),
  ];
  await clock.advance(1000);
  await Promise.all(all);
  expect(order).toEqual(['critical', 'pages of a critical one', 'warning', 'info', 'pages of a warning']);
});

describe('a slow path', () => {
  /** Holds a slot until it is told to end. */
  function holder(budget: Budget) {
    const nothing = (): void => undefined;
    const held = { hasBegun: false, giveBack: nothing, end: nothing };
    const ended = budget.hold((slot) => {
      held.hasBegun = true;
      held.giveBack = slot.giveBack;
      return new Promise<void>((resolve) => (held.end = resolve));
    }, A_REQUEST);
    return { held, ended };
  }

  const begun = (holders: readonly { held: { hasBegun: boolean } }[]): number =>
    holders.filter(({ held }) => held.hasBegun).length;

  test.each([
    [1, [1, 2, 3, 4, 4, 4]],
    [3, [3, 4, 4, 4, 4, 4]],
    [5, [5, 5, 5, 5, 5, 5]],
  ])('with %i at a time lets the next one through, until four are in flight', async (concurrency, counts) => {
    const budget = aBudget({ clock: createFakeClock(0), requestsPerSecond: null, concurrency });
    const holders = Array.from({ length: 6 }, () => holder(budget));
    const seen: number[] = [];
    for (const { held } of holders) {
      await afterIo();
      seen.push(begun(holders));
      held.giveBack();
      held.giveBack();
    }
    expect(seen).toEqual(counts);
    for (const { held, ended } of holders) {
      held.end();
      await ended;
      await afterIo();
    }
    expect(begun(holders)).toBe(6);
  });

  test('that ends makes no room for a second one', async () => {
    const budget = aBudget({ clock: createFakeClock(0), requestsPerSecond: null });
    const [slow, second, third] = [holder(budget), holder(budget), holder(budget)];
    await afterIo();
    slow.held.giveBack();
    await afterIo();
    slow.held.end();
    await slow.ended;
    slow.held.giveBack();
    await afterIo();
    expect([second.held.hasBegun, third.held.hasBegun]).toEqual([true, false]);
    second.held.end();
    await second.ended;
    await afterIo();
    expect(third.held.hasBegun).toBe(true);
    third.held.end();
  });

  test('that does not answer, or stops in the middle, holds up no other watch of its explorer', async () => {
    const slow = new Set<http.ServerResponse>();
    await using server = await startServer((request, response) => {
      if (request.path.endsWith('/blocks')) sendJson(response, { items: [] });
      else slow.add(response);
      if (request.path.endsWith('/tokens')) response.writeHead(200, { 'content-type': 'application/json' }).write('{');
    });
    await using opened = openExplorer(server.url, { limits: { quietMs: 30 } });
    const read = opened.explorer.tickReader();
    const token = read.one(aToken);
    const tokens = read.page(someTokens, null);
    await read.page(someBlocks, null);
    expect(opened.outcomes()).toEqual(['ok']);
    expect(server.requests.map(({ path }) => path.split('/').at(-1))).toEqual([
      aToken.path.split('/').at(-1),
      'tokens',
      'blocks',
    ]);
    // They go on, and are read when they come after all.
    for (const response of slow) response.end(response.headersSent ? '"items":[]}' : '{"symbol":"ACME"}');
    await Promise.all([token, tokens]);
    expect(opened.outcomes()).toEqual(['ok', 'ok', 'ok']);
  });
});

const OPEN_AGAIN: MissReason[] = ['not-found', 'unprocessable'];

describe('a plan that rests', () => {
  async function end(budget: Budget, reason: MissReason | null, retryAfterMs: number | null = null): Promise<void> {
    const ticket = await budget.pass('host', signal, A_REQUEST);
    budget.settle(ticket, { reason, retryAfterMs, planHeaders: SILENT });
  }

  test.each(OPEN_AGAIN)('a probe that is answered with %s shows that the plan works', async (reason) => {
    const clock = createFakeClock(NOON);
    const budget = aBudget({ clock, requestsPerSecond: null });
    await end(budget, 'out-of-credits');
    await clock.advance(600_000);
    await end(budget, reason);
    await budget.pass('host', signal, A_REQUEST);
    await budget.pass('host', signal, A_REQUEST);
  });

  test("a limiter's refusal does not shorten a rest for want of credits", async () => {
    const clock = createFakeClock(NOON);
    const budget = aBudget({ clock, requestsPerSecond: null, concurrency: 2 });
    const [a, b] = [await budget.pass('host', signal, A_REQUEST), await budget.pass('host', signal, A_REQUEST)];
    budget.settle(a, { reason: 'out-of-credits', retryAfterMs: null, planHeaders: SILENT });
    budget.settle(b, { reason: 'rate-limited', retryAfterMs: 300, planHeaders: SILENT });
    expect((await missOf(budget.pass('host', signal, A_REQUEST))).reason).toBe('out-of-credits');
  });

  test('refusals that announce nothing make it rest longer and longer, up to ten minutes', async () => {
    const clock = createFakeClock(0);
    const budget = aBudget({ clock, requestsPerSecond: null });
    const rests: number[] = [];
    for (let i = 0; i < 12; i++) {
      await end(budget, 'rate-limited');
      const before = clock.now();
      const passed = budget.pass('host', signal, A_REQUEST).then(
        () => clock.now() - before,
        (error: unknown) => (error as { retryAfterMs: number }).retryAfterMs,
      );
      await clock.advance(600_000);
      rests.push(await passed);
    }
    expect(rests.slice(0, 4)).toEqual([1000, 2000, 4000, 8000]);
    expect(rests.slice(-2)).toEqual([600_000, 600_000]);
  });

  test('nothing left before the reset: nobody asks, although nobody was refused', async () => {
    const clock = createFakeClock(0);
    const budget = aBudget({ clock, requestsPerSecond: null });
    const ticket = await budget.pass('host', signal, A_REQUEST);
    budget.settle(ticket, {
      reason: null,
      retryAfterMs: null,
      planHeaders: { credits: null, limit: 600, remaining: 0, resetMs: 40_000 },
    });
    expect(await missOf(budget.pass('host', signal, A_REQUEST))).toMatchObject({
      reason: 'rate-limited',
      retryAfterMs: 40_060,
    });
    await clock.advance(40_060);
    await budget.pass('host', signal, A_REQUEST);
  });

  test('stopping ends the wait with its reason', async () => {
    const clock = createFakeClock(0);
    const stop = new AbortController();
    const budget = aBudget({ clock, requestsPerSecond: 1 });
    await budget.pass('host', stop.signal, A_REQUEST);
    const waiting = budget.pass('host', stop.signal, A_REQUEST).catch((error: unknown) => error);
    await clock.whenSleeping(1);
    const reason = new Error('stopping');
    stop.abort(reason);
    expect(await waiting).toBe(reason);
  });
});

describe('a 429', () => {
  type Reply = (response: http.ServerResponse, request: SeenRequest) => void;
  const refuse =
    (headers: http.OutgoingHttpHeaders): Reply =>
    (response) => {
      sendJson(response, { message: '429 Too Many Requests' }, { status: 429, headers });
    };
  const answer: Reply = (response) => {
    sendJson(response, { symbol: 'ACME', items: [] });
  };

  test('with a short reset is waited out: no request before it, then the answer', async () => {
    await using server = await startServer(inTurn(refuse({ 'x-ratelimit-reset': '700' }), answer));
    const clock = createFakeClock(0);
    await using opened = openExplorer(server.url, { clock });
    const asked = opened.explorer.tickReader().one(aToken);
    await clock.whenSleeping(1);
    await clock.advance(759);
    expect(server.requests).toHaveLength(1);
    await clock.advance(1);
    await asked;
    expect(opened.outcomes()).toEqual(['rate-limited', 'ok']);
  });

  test.each([
    ['a reset in milliseconds', { 'x-ratelimit-reset': '30000' }, 30_060],
    ['Retry-After in seconds', { 'retry-after': '30' }, 30_060],
    ['Retry-After as a date', { 'retry-after': 'Thu, 01 Jan 2026 00:00:30 GMT' }, 30_060],
    ['a reset in epoch seconds', { 'x-ratelimit-reset': String(START / 1000 + 30) }, 30_060],
    ['a reset in epoch milliseconds', { 'x-ratelimit-reset': String(START + 30_000) }, 30_060],
    ['Retry-After beside a longer reset', { 'retry-after': '30', 'x-ratelimit-reset': '500000' }, 30_060],
    ['Retry-After beside a shorter reset', { 'retry-after': '30', 'x-ratelimit-reset': '700' }, 30_060],
    ['a reset beside a Retry-After of a day', { 'retry-after': '86400', 'x-ratelimit-reset': '30000' }, 30_060],
    ['the longest reset that is believed', { 'x-ratelimit-reset': '600000' }, 600_000],
  ])('with %s: nothing on this plan is asked before it', async (_name, headers, restMs) => {
    await using server = await startServer(inTurn(refuse(headers), answer));
    const clock = createFakeClock(START);
    await using opened = openExplorer(server.url, { clock });
    expect((await missOf(opened.explorer.tickReader().one(aToken))).reason).toBe('rate-limited');
    await clock.advance(restMs - 6_000);
    const missed = await missOf(opened.explorer.tickReader().page(someBlocks, null));
    expect(missed).toMatchObject({ reason: 'rate-limited', retryAfterMs: 6_000 });
    expect(missed.message).toContain('request skipped');
    expect(opened.counted).toHaveLength(1);
    // The last seconds are waited for.
    await clock.advance(5_999);
    const asked = opened.explorer.tickReader().page(someBlocks, null);
    await clock.whenSleeping(1);
    expect(server.requests).toHaveLength(1);
    await clock.advance(1);
    await asked;
    expect(server.requests).toHaveLength(2);
  });

  test.each([
    { 'x-ratelimit-reset': '-1' },
    { 'x-ratelimit-reset': '0' },
    {},
    { 'x-ratelimit-reset': '600001' },
    { 'x-ratelimit-reset': '30.5' },
    { 'x-ratelimit-reset': String(START / 1000 - 5) },
    { 'x-ratelimit-reset': String(START / 1000 + 86_400) },
    { 'x-ratelimit-reset': `${START}000` },
    { 'retry-after': '0' },
    { 'retry-after': '86400' },
    { 'retry-after': 'Thu, 01 Jan 2026 06:00:00 GMT' },
    { 'retry-after': 'soon' },
  ])('whose limiter says nothing that can be (%j) is met with growing waits', async (headers) => {
    await using server = await startServer(inTurn(refuse(headers), refuse(headers), answer));
    const waits: number[] = [];
    await using opened = openExplorer(server.url, { clock: impatient(waits) });
    await opened.explorer.tickReader().one(aToken);
    expect(waits.filter((ms) => ms > 0)).toEqual([1000, 2000]);
  });

  test('of one explorer holds for the other on the same plan', async () => {
    await using server = await startServer(inTurn(refuse({ 'retry-after': '60' }), answer));
    const clock = createFakeClock(0);
    const budget = aBudget({ clock, requestsPerSecond: 5 });
    await using first = openExplorer(`${server.url}/1`, { clock, budget, name: 'ethereum' });
    await using second = openExplorer(`${server.url}/100`, { clock, budget, name: 'gnosis' });
    await missOf(first.explorer.tickReader().one(aToken));
    expect((await missOf(second.explorer.tickReader().one(aToken))).reason).toBe('rate-limited');
    expect(server.requests).toHaveLength(1);
  });
});

describe('an answer that leaves nothing before the reset', () => {
  test.each([
    ['in epoch seconds, twelve of them away', { 'x-ratelimit-reset': String(START / 1000 + 12) }, 12_060],
    ['in milliseconds', { 'x-ratelimit-reset': '12000' }, 12_060],
    [
      'in epoch seconds, beside Retry-After',
      { 'x-ratelimit-reset': String(START / 1000 + 500), 'retry-after': '12' },
      12_060,
    ],
    ['that was', { 'x-ratelimit-reset': String(START / 1000 - 1) }, null],
    ['of a clock that is hours ahead', { 'x-ratelimit-reset': String(START / 1000 + 7_200) }, null],
    ['that is never', { 'x-ratelimit-reset': '-1' }, null],
  ])('%s: the plan rests so long, or not at all', async (_name, headers, restMs) => {
    const used = { 'x-ratelimit-limit': '600', 'x-ratelimit-remaining': '0', ...headers };
    await using server = await startServer((_request, response) => {
      sendJson(response, { symbol: 'ACME' }, { headers: used });
    });
    const clock = createFakeClock(START);
    const budget = aBudget({ clock, requestsPerSecond: null });
    await using opened = openExplorer(server.url, { clock, budget });
    await opened.explorer.tickReader().one(aToken);
    const rested = await budget.pass('host', signal, A_REQUEST).then(
      () => null,
      (error: unknown) => (error as RequestFault).retryAfterMs,
    );
    expect(rested).toBe(restMs);
  });
});

test('a plan without credits asks nothing until the probe, and goes on by itself', async () => {
  let hasCredits = false;
  await using server = await startServer((_request, response) => {
    if (hasCredits) sendJson(response, { symbol: 'ACME' });
    else sendJson(response, { error: 'Out of credits' }, { status: 402, headers: { 'x-credits-remaining': '0.0' } });
  });
  const clock = createFakeClock(NOON);
  const auth = { type: 'bearer' as const, key: () => 'key' };
  await using opened = openExplorer(server.url, { clock, auth });
  for (let minute = 0; minute < 15; minute++) {
    expect((await missOf(opened.explorer.tickReader().one(aToken))).reason).toBe('out-of-credits');
    await clock.advance(60_000);
  }
  expect(server.requests).toHaveLength(2);
  hasCredits = true;
  await clock.advance(300_000);
  await opened.explorer.tickReader().one(aToken);
  await opened.explorer.tickReader().one(aToken);
  expect(opened.headers[0]?.credits).toBe(0);
});

test('401 without a key speaks of one path, not of the whole explorer', async () => {
  await using server = await startServer((request, response) => {
    if (request.path.includes('tokens')) sendText(response, '{"message":"Unauthorized"}', { status: 401 });
    else sendJson(response, { items: [] });
  });
  await using opened = openExplorer(server.url);
  expect((await missOf(opened.explorer.tickReader().one(aToken))).reason).toBe('unauthorized');
  await opened.explorer.tickReader().page(someBlocks, null);
  expect(opened.outcomes()).toEqual(['unauthorized', 'ok']);
});

test.each([
  ['a plan is written', { plan: 100_000, assumesPlan: false }, 1],
  ['a plan is assumed', { plan: null, assumesPlan: true }, 1],
  ['credits are not counted', { plan: null, assumesPlan: false }, 4],
])('at a start, where %s, so many requests are under way until the first answer', async (_, options, first) => {
  const clock = createFakeClock(0);
  const account = createAccount({ clock, assumesPlan: options.assumesPlan });
  account.setPlan({ credits: options.plan, per: 'day', resets: null, reservePercent: 0, enrichPercent: 2 });
  const budget = createBudget({ clock, requestsPerSecond: null, concurrency: 4, account });
  const [atStart, later]: [number[], number[]] = [[0], [0]];
  let now = 0;
  const done = askMany(budget, 9, async () => {
    now += 1;
    (clock.now() < 100 ? atStart : later).push(now);
    await clock.sleep(100);
    now -= 1;
    return { ...SILENT, credits: 99_000 };
  });
  await clock.advance(1000);
  await done;
  expect(Math.max(...atStart)).toBe(first);
  expect(Math.max(...later)).toBe(4);
});

test('two watches that sweep one list from their own positions take turns, though one of them always asks first', async () => {
  await using server = await startServer((_request, response) => {
    sendJson(response, { items: [{ height: 1 }], next_page_params: null });
  });
  const clock = createFakeClock(NOON);
  const account = createAccount({ clock, assumesPlan: false });
  account.setPlan({ credits: 100_000, per: 'day', resets: null, reservePercent: 0, enrichPercent: 2 });
  await using opened = openExplorer(server.url, {
    clock,
    budget: createBudget({ clock, requestsPerSecond: null, account }),
  });
  const pages = { tally: 0, vault: 0 };
  for (let polls = 0; polls < 60; polls += 1) {
    // A tenth of the plan pays for one page.
    await clock.advance(180_000);
    const tick = opened.explorer.tickReader();
    for (const watch of ['tally', 'vault'] as const) {
      const read = tick.forWatch?.({ watch, severity: 'warning' }) ?? tick;
      const position = { block_number: String((watch === 'tally' ? 9000 : 5000) - pages[watch]) };
      const swept = await Promise.allSettled([read.sweepPage?.(someBlocks, position)]);
      pages[watch] += swept.filter(({ status }) => status === 'fulfilled').length;
    }
  }
  expect(Math.min(pages.tally, pages.vault)).toBeGreaterThan(28);
  expect(pages.tally + pages.vault).toBeLessThanOrEqual(63);
});
