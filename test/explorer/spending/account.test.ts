import { describe, expect, test } from '@jest/globals';
import { UNSTRETCHED } from '../../../src/core/spending/planner.ts';
import type { OpenList } from '../../../src/core/model/watch/question.ts';
import type { Spend, SpendClass } from '../../../src/core/spending/spend.ts';
import { createAccount, type Account } from '../../../src/explorer/spending/account.ts';
import type { WrittenPlan } from '../../../src/explorer/spending/bookkeeper.ts';
import { createFakeClock, type FakeClock } from '../../support/fake-clock.ts';

const HOUR = 3_600_000;
const DAY = 24 * HOUR;
const FREE: WrittenPlan = { credits: 100_000, per: 'day', reservePercent: 0, enrichPercent: 2, resets: null };

function spend(name: SpendClass, price = 20): Spend {
  return {
    class: name,
    severity: name === 'critical' || name === 'info' ? name : 'warning',
    isExtra: false,
    turn: null,
    operation: 'address',
    price,
  };
}

function sweepOf(watch: string, page: string, price = 20): Spend {
  return { ...spend('sweep', price), turn: { watch, page } };
}

function anAccount({ plan = FREE, assumesPlan = false }: { plan?: WrittenPlan | null; assumesPlan?: boolean } = {}) {
  // Noon.
  const clock = createFakeClock(100 * DAY + 12 * HOUR);
  const account = createAccount({ clock, assumesPlan });
  account.setPlan(plan);
  return { clock, account };
}

/** One request; `header`: what its answer says is left. */
function ask(account: Account, header: number | null, name: SpendClass = 'warning', price = 20): void {
  account.settle(account.leave(spend(name, price)), { isCharged: true, header });
}

/** Two requests: of a first header that says that little is left, the second one shows that it is so. */
function told(account: Account, header: number): void {
  ask(account, header + 20);
  ask(account, header);
}

function rest(account: Account): number {
  return account.supply().known;
}

describe('what is left', () => {
  test('is the last header, less what was asked since', () => {
    const { account } = anAccount();
    ask(account, 60_000);
    expect(rest(account)).toBe(60_000);
    ask(account, null);
    account.leave(spend('critical', 40));
    expect(rest(account)).toBe(60_000 - 20 - 40);
  });

  test('is counted here where no header comes', () => {
    const { account } = anAccount();
    for (let i = 0; i < 10; i += 1) ask(account, null);
    // At noon half of the plan is left, as far as anybody knows.
    expect(rest(account)).toBe(50_000 - 200);
  });

  test('is not known without a plan, and not limited', () => {
    const { account } = anAccount({ plan: null });
    ask(account, 500);
    expect(rest(account)).toBe(Infinity);
    expect(account.facts()).toBeNull();
  });

  test('of a plan that nobody wrote: 100,000 a day, unless a header shows more', () => {
    const { account } = anAccount({ plan: null, assumesPlan: true });
    expect(rest(account)).toBe(Infinity);
    ask(account, 99_980);
    expect(rest(account)).toBe(99_980);
    expect(account.facts()?.plan).toMatchObject({ credits: 100_000, isAssumed: true });
    const rich = anAccount({ plan: null, assumesPlan: true }).account;
    ask(rich, 9_200_000);
    expect(rest(rich)).toBe(Infinity);
  });

  test.each<[string, readonly (number | null)[], number]>([
    ['a header that lies once is forgotten', [60_000, 100, 59_960], 59_960],
    ['a fall that the next header confirms is believed', [60_000, 40_000, 39_980], 39_980],
    ['more credits that the next header confirms are believed', [40_000, 90_000, 89_980], 89_980],
    ['-1 is not said where more calls were left', [60_000, -1], 59_980],
    ['below zero is believed where little was left', [30, -10], -10],
    ['two servers that differ by 400 leave what the last one says', [60_000, 59_600, 59_960, 59_580, 59_920], 59_560],
  ])('%s', (_what, headers, left) => {
    const { account } = anAccount();
    for (const header of headers) ask(account, header);
    expect(rest(account)).toBe(left);
  });

  test('a value that is doubted stretches nothing: requests of others wait for the next header', () => {
    const { account } = anAccount();
    ask(account, 60_000);
    ask(account, 0);
    expect(account.supply()).toMatchObject({ known: 59_980 });
    expect([account.admit(spend('warning')), account.admit(spend('critical'))]).toEqual(['postpone', 'leave']);
  });

  test('a first header that says that less is left than there was time for is doubted, one that says more is not', () => {
    for (const [headers, known] of [
      [[0], 49_980],
      [[0, 60_000], 60_000],
      [[0, -20], -20],
      [[1000, 980], 980],
      [[100_000], 100_000],
    ] as const) {
      const { account } = anAccount();
      for (const header of headers) ask(account, header);
      expect([headers, account.supply().known]).toEqual([headers, known]);
    }
  });

  test('a header of a request that left before the last one does not count', () => {
    const { account } = anAccount();
    ask(account, 60_000);
    const slow = account.leave(spend('warning'));
    const quick = account.leave(spend('warning'));
    account.settle(quick, { isCharged: true, header: 59_960 });
    account.settle(slow, { isCharged: true, header: 59_980 });
    expect(rest(account)).toBe(59_940);
    ask(account, 59_940);
    expect(rest(account)).toBe(59_940);
  });

  test('a refusal costs nothing, and its header takes nothing', () => {
    const { account } = anAccount();
    ask(account, 60_000);
    account.settle(account.leave(spend('warning')), { isCharged: false, header: 0 });
    expect(rest(account)).toBe(60_000);
  });
});

describe('others that use the key', () => {
  test('are what the header fell beyond own requests', () => {
    const { account } = anAccount();
    ask(account, 60_000);
    for (let i = 1; i <= 30; i += 1) ask(account, 60_000 - i * 120 - (i % 2) * 30);
    expect(account.facts()?.books.foreign).toBe(3000);
  });

  test('that two servers differ is no use', () => {
    const { account } = anAccount();
    ask(account, 60_000);
    for (let i = 1; i <= 200; i += 1) ask(account, 60_000 - i * 20 - (i % 2) * 400);
    expect(Math.abs(account.facts()?.books.foreign ?? NaN)).toBeLessThanOrEqual(400);
  });

  test('are expected to go on for two hours, and later as in the last day', async () => {
    const { account, clock } = anAccount();
    ask(account, 60_000);
    for (let i = 1; i <= 60; i += 1) {
      await clock.advance(60_000);
      ask(account, 60_000 - i * 120 - (i % 2) * 30);
    }
    const { foreign } = account.supply();
    // 100 a minute: most of 12,000 for two hours, and a little of the nine hours after that.
    expect(foreign).toBeGreaterThan(7000);
    expect(foreign).toBeLessThan(13_000);
  });
});

async function toMidnight(clock: FakeClock): Promise<void> {
  await clock.advance(DAY - (clock.now() % DAY));
}

describe('at the reset', () => {
  test('the plan is there again once a header has risen, and everything before belongs to the day before', async () => {
    const { account, clock } = anAccount();
    told(account, 900);
    await toMidnight(clock);
    expect(account.facts()?.books.refillingSince).toBe(clock.now());
    ask(account, 99_980);
    expect(account.facts()).toMatchObject({ known: 99_980, books: { refillingSince: null, foreign: 0 } });
    expect(account.supply().leftMs).toBe(DAY);
  });

  test('old credits are used while they last, one question at a time; critical ones when they are due', async () => {
    const { account, clock } = anAccount();
    told(account, 900);
    await toMidnight(clock);
    ask(account, 880);
    expect(account.admit(spend('warning'))).toBe('postpone');
    expect(account.admit(spend('critical'))).toBe('leave');
    await clock.advance(15_000);
    expect(account.admit(spend('warning'))).toBe('leave');
    ask(account, 860);
    await clock.advance(65_000);
    expect(account.admit(spend('warning'))).toBe('leave');
    ask(account, 840);
    await clock.advance(60_000);
    expect(account.admit(spend('warning'))).toBe('postpone');
    await clock.advance(30_000);
    expect(account.admit(spend('warning'))).toBe('leave');
  });

  test('says to a refusal that the plan is refilled about now', async () => {
    const { account, clock } = anAccount();
    told(account, 900);
    expect(account.refill()).toEqual({ at: 101 * DAY, isUnderWay: false });
    await toMidnight(clock);
    expect(account.refill().isUnderWay).toBe(true);
    ask(account, 99_900);
    expect(account.refill()).toEqual({ at: 102 * DAY, isUnderWay: false });
  });

  test('that does not come within ten minutes was assumed wrongly: what is left has to last for a day', async () => {
    const { account, clock } = anAccount();
    ask(account, 50_000);
    await toMidnight(clock);
    await clock.advance(10 * 60_000);
    ask(account, 49_980);
    const { books, known } = account.facts() ?? {};
    expect([known, books?.refillingSince]).toEqual([49_980, null]);
    expect(books?.missedReset).toBe(clock.now() - 10 * 60_000);
    expect(account.supply().leftMs).toBe(DAY);
  });

  test('that comes a little early begins the period', async () => {
    const { account, clock } = anAccount();
    told(account, 900);
    await clock.advance(12 * HOUR - 90_000);
    ask(account, 99_980);
    ask(account, 99_960);
    expect(account.facts()).toMatchObject({ known: 99_960, books: { refillingSince: null } });
    expect(account.supply().leftMs).toBe(DAY + 90_000);
  });

  test('of a plan that no header names the plan is there at once', async () => {
    const { account, clock } = anAccount();
    ask(account, null);
    await toMidnight(clock);
    expect(account.facts()).toMatchObject({ known: 100_000, books: { refillingSince: null } });
  });

  test('is at the time that the config names', async () => {
    const { account, clock } = anAccount({ plan: { ...FREE, resets: { type: 'time', ms: 13 * HOUR } } });
    expect(account.supply().leftMs).toBe(HOUR);
    await clock.advance(HOUR);
    expect(account.supply().leftMs).toBe(DAY);
  });

  test('of a month, is on its day', () => {
    const { account, clock } = anAccount({ plan: { ...FREE, per: 'month', resets: { type: 'day', day: 5 } } });
    const reset = new Date(clock.now() + account.supply().leftMs);
    expect([reset.getUTCDate(), reset.getUTCHours()]).toEqual([5, 0]);
  });
});

describe('the time of the reset', () => {
  /** Requests each minute of so many days; the plan is refilled at that minute of the day. */
  async function pass(
    { account, clock }: ReturnType<typeof anAccount>,
    days: number,
    resetMinute: number,
    left = 50_000,
  ) {
    for (let minute = 0; minute < days * 1440; minute += 1) {
      await clock.advance(60_000);
      if ((clock.now() / 60_000) % 1440 === resetMinute) left = 100_000;
      ask(account, (left -= 20));
    }
    return left;
  }

  test('is learned from two refills at one time of the day, and said once', async () => {
    const said: unknown[] = [];
    const clock = createFakeClock(100 * DAY + 12 * HOUR);
    const account = createAccount({ clock, assumesPlan: false, onResets: (resets) => said.push(resets) });
    account.setPlan(FREE);
    const used = { account, clock };
    const left = await pass(used, 1, 390);
    // The first one corrects the period already.
    expect(account.supply().leftMs).toBe(18.5 * HOUR + 60_000);
    expect(said).toEqual([]);
    expect(await pass(used, 1, 390, left)).toBe(account.facts()?.known);
    expect(said).toEqual([{ type: 'time', ms: 389 * 60_000 }]);
    expect(account.supply().leftMs).toBe(18.5 * HOUR - 60_000);
    await pass(used, 1, 390, 70_000);
    expect(said).toHaveLength(1);
    expect(account.facts()?.books).toMatchObject({ refillingSince: null, missedReset: null });
    expect(account.facts()?.books.foreign).toBeLessThan(10_000);
  });

  test('goes on over a stop, and the config wins', async () => {
    const used = anAccount();
    await pass(used, 2, 390);
    const row = used.account.row();
    const next = createAccount({ clock: used.clock, assumesPlan: false });
    next.setPlan(FREE);
    next.resume(row);
    expect(next.supply().leftMs).toBe(18.5 * HOUR - 60_000);
    next.setPlan({ ...FREE, resets: { type: 'time', ms: 20 * HOUR } });
    expect(next.supply().leftMs).toBe(8 * HOUR);
  });

  test('is midnight again after two refills at midnight, and stays what it is when credits are bought', async () => {
    const used = anAccount();
    let left = await pass(used, 2, 390);
    ask(used.account, (left += 60_000));
    ask(used.account, (left -= 20));
    left = await pass(used, 1, 390, left);
    expect(used.account.supply().leftMs).toBe(18.5 * HOUR - 60_000);
    await pass(used, 3, 0, left);
    expect(used.account.supply().leftMs).toBe(12 * HOUR);
  });

  test('is not learned from servers that differ', async () => {
    const { account, clock } = anAccount();
    for (let minute = 1, left = 50_000; minute <= 3 * 1440; minute += 1) {
      await clock.advance(60_000);
      left = minute % 1440 === 720 ? 100_000 : left - 20;
      ask(account, left - (minute % 7 < 3 ? 0 : 5000));
    }
    expect(account.supply().leftMs).toBe(12 * HOUR);
  });

  test('of a month is when most of it came', async () => {
    const { account, clock } = anAccount({ plan: { ...FREE, credits: 3_000_000, per: 'month', resets: null } });
    told(account, 40_000);
    await clock.advance(5 * DAY);
    ask(account, 2_990_000);
    ask(account, 2_989_980);
    expect(account.facts()?.books.resetsAt).toBe(clock.now() + 30 * DAY);
  });
});

describe('after a stop', () => {
  const kept = (account: Account) => {
    const row = account.row();
    if (row === null) throw new Error('nothing is known');
    return row;
  };

  /** Another process goes on from there, after that time. */
  async function goOn(account: Account, clock: FakeClock, afterMs: number, plan = FREE): Promise<Account> {
    const row = kept(account);
    await clock.advance(afterMs);
    const next = createAccount({ clock, assumesPlan: false });
    next.setPlan(plan);
    next.resume(row);
    return next;
  }

  test('what is left and what it was spent on is known before anything is asked, prices and rates too', async () => {
    const { account, clock } = anAccount();
    ask(account, 60_000);
    for (let i = 1; i <= 100; i += 1) ask(account, 60_000 - i * 60, 'critical');
    account.leave({ ...spend('warning'), isExtra: true });
    const next = await goOn(account, clock, 60_000);
    expect(next.facts()?.known).toBe(54_000);
    expect(next.facts()?.books.spent).toEqual(account.facts()?.books.spent);
    const [{ k, foreign }, { k: before, foreign: expected }] = [next.supply(), account.supply()];
    expect([k, foreign]).toEqual([before, expected]);
  });

  test('a fall across it counts as spent by others, and says nothing of the next hours', async () => {
    const { account, clock } = anAccount();
    ask(account, 60_000);
    const next = await goOn(account, clock, HOUR);
    ask(next, 59_000);
    expect(next.facts()?.books.foreign).toBe(980);
    const { fast, slow } = next.facts()?.books ?? {};
    expect([fast?.sum, slow?.sum]).toEqual([0, 980]);
    ask(next, 58_900);
    expect(next.facts()?.books.fast.sum).toBe(80);
  });

  test('over the reset, the time that is left has its part of the plan until a header comes', async () => {
    const { account, clock } = anAccount();
    told(account, 900);
    const next = await goOn(account, clock, 18 * HOUR);
    expect(rest(next)).toBe(75_000);
    ask(next, 30_000);
    expect(next.facts()).toMatchObject({
      known: 30_000,
      books: { foreign: 0, refillingSince: null, missedReset: null },
    });
    expect(next.supply().leftMs).toBe(18 * HOUR);
  });

  test('just over the reset the books are refilling', async () => {
    const { account, clock } = anAccount();
    told(account, 900);
    const next = await goOn(account, clock, 12 * HOUR + 60_000);
    expect(next.facts()?.books.refillingSince).toBe(clock.now() - 60_000);
  });

  test('with other credits all that was booked stays; with another period the same until its end', async () => {
    const { account, clock } = anAccount();
    ask(account, 60_000);
    const more = await goOn(account, clock, 60_000, { ...FREE, credits: 200_000 });
    expect(more.facts()).toMatchObject({
      known: 60_000,
      plan: { credits: 200_000 },
      books: { spent: { warning: 20 } },
    });
    const other = await goOn(account, clock, 0, { ...FREE, resets: { type: 'time', ms: 13 * HOUR } });
    expect([other.facts()?.known, other.supply().leftMs]).toEqual([60_000, HOUR - 60_000]);
  });

  test('a clock that was set back by days loses no credits, and no period is longer than one', async () => {
    const { account, clock } = anAccount();
    ask(account, 60_000);
    const row = kept(account);
    await clock.setTo(clock.now() - 5 * DAY);
    const next = createAccount({ clock, assumesPlan: false });
    next.setPlan(FREE);
    next.resume(row);
    expect([next.facts()?.known, next.supply().leftMs]).toEqual([60_000, 12 * HOUR]);
    ask(next, 59_980);
    expect(next.facts()).toMatchObject({ known: 59_980, books: { foreign: 0 } });
  });

  test('a header of a request that was under way when another row came does not count', () => {
    const { account } = anAccount();
    ask(account, 60_000);
    const row = kept(account);
    const slow = account.leave(spend('warning'));
    account.resume({ ...row, books: { ...row.books, header: 30_000, order: 7 } });
    account.settle(slow, { isCharged: true, header: 59_980 });
    expect(rest(account)).toBe(30_000 - 20);
    ask(account, 29_960);
    expect(rest(account)).toBe(29_960);
  });

  test('of an explorer without plan and headers nothing is kept', () => {
    const { account } = anAccount({ plan: null });
    ask(account, null);
    expect(account.row()).toBeNull();
  });
});

describe('the price of an operation', () => {
  /** Requests one after the other, by what the credits fall around each. */
  function fall(account: Account, falls: readonly number[], from = 60_000): number {
    let left = from;
    ask(account, left);
    for (const one of falls) ask(account, (left -= one));
    return left;
  }

  test('is learned where six of the last eight falls are equal, and is said once', () => {
    const clock = createFakeClock(100 * DAY + 12 * HOUR);
    const said: unknown[] = [];
    const account = createAccount({ clock, assumesPlan: false, onPrice: (...price) => said.push(price) });
    account.setPlan(FREE);
    const left = fall(account, [60, 60, 95, 60, 60, 80, 60]);
    expect([...account.prices()]).toEqual([]);
    for (let i = 1; i <= 4; i += 1) ask(account, left - 60 * i);
    expect([...account.prices()]).toEqual([['address', 60]]);
    expect(said).toEqual([['address', 60, 20]]);
    const { known } = account.supply();
    ask(account, null);
    expect(account.supply().known).toBe(known - 60);
  });

  test.each([
    ['what others spend at random', [25, 33, 20, 47, 20, 61, 20, 29, 20, 20]],
    ['more than any operation costs', Array.from({ length: 8 }, () => 201)],
    ['nothing', Array.from({ length: 8 }, () => 0)],
  ])('is not learned from %s', (_, falls) => {
    const { account } = anAccount();
    fall(account, falls);
    expect([...account.prices()]).toEqual([]);
  });

  test('is not learned from what a program takes that asks once a minute, as a watch does', async () => {
    const { account, clock } = anAccount();
    for (let minute = 0; minute < 30; minute += 1) {
      ask(account, 60_000 - 70 * minute);
      await clock.advance(60_000);
    }
    expect([...account.prices()]).toEqual([]);
    expect(account.facts()?.books.foreign).toBe(29 * 50);
  });

  test('is not learned from requests that are under way together, nor from those that cost nothing', () => {
    const { account } = anAccount();
    ask(account, 60_000);
    for (let left = 60_000, i = 0; i < 10; i += 1, left -= 120) {
      const [one, other] = [account.leave(spend('warning')), account.leave(spend('info'))];
      account.settle(one, { isCharged: true, header: left - 60 });
      account.settle(other, { isCharged: true, header: left - 120 });
    }
    for (let i = 1; i <= 10; i += 1)
      account.settle(account.leave(spend('warning')), { isCharged: false, header: 58_800 - 60 * i });
    expect([...account.prices()]).toEqual([]);
  });

  test('decides what may leave, and is kept over a stop', () => {
    const { account } = anAccount();
    fall(account, [150, 150, 150, 150, 150, 150, 150], 1150);
    expect(account.admit(spend('warning'))).toBe('postpone');
    const { account: next } = anAccount();
    next.resume(account.row());
    expect(next.admit(spend('warning'))).toBe('postpone');
    expect([...next.prices()]).toEqual([['address', 150]]);
  });
});

test('a plan whose reset lies in the past of what was booked without one begins a period', async () => {
  const { account, clock } = anAccount({ plan: null });
  for (let i = 0; i < 6000; i += 1) ask(account, null);
  await clock.advance(DAY);
  account.setPlan(FREE);
  expect(account.facts()).toMatchObject({ known: 50_000, books: { spent: { warning: 0 } } });
});

describe('the curve of a period', () => {
  const curveOf = (account: Account) => account.facts()?.books.curve ?? [];
  /** What the account looks like to the planner, each minute. */
  async function pass({ account, clock }: { account: Account; clock: FakeClock }, ms: number): Promise<void> {
    for (let left = ms; left > 0; left -= 60_000) {
      await clock.advance(Math.min(left, 60_000));
      account.supply();
    }
  }

  test('has a point each quarter of an hour, and begins again at the reset, once the rest is known', async () => {
    const used = anAccount();
    const { account, clock } = used;
    ask(account, 60_000);
    const begun = clock.now();
    account.supply();
    for (let i = 1; i <= 4; i += 1) {
      await pass(used, 15 * 60_000);
      ask(account, 60_000 - i * 20);
    }
    const points = [60_000, 60_000, 59_980, 59_960, 59_940];
    expect(curveOf(account)).toEqual(points.map((known, i) => ({ at: begun + i * 15 * 60_000, known })));
    await toMidnight(clock);
    expect(curveOf(account)).toEqual([]);
    ask(account, 99_980);
    expect(curveOf(account)).toEqual([{ at: clock.now(), known: 99_980 }]);
    await pass(used, DAY - 1);
    expect(curveOf(account)).toHaveLength(96);
    expect(curveOf(account)[0]?.known).toBe(99_980);
  });

  test('of a month has as many points', async () => {
    const { account, clock } = anAccount({ plan: { ...FREE, per: 'month', resets: null } });
    for (let hour = 0; hour < 30 * 24 - 1; hour += 1) {
      await clock.advance(HOUR);
      ask(account, null);
    }
    expect(curveOf(account)).toHaveLength(96);
    expect(curveOf(account).at(-1)?.known).toBeLessThan(100_000 - 20 * 700);
  });

  test('has no value that is doubted, and none from after a clock was set back', async () => {
    const used = anAccount();
    const { account, clock } = used;
    ask(account, 60_000);
    ask(account, 100);
    await pass(used, 15 * 60_000);
    expect(curveOf(account).map(({ known }) => known)).toEqual([60_000, 59_980]);
    const before = clock.now();
    await clock.setTo(before - 10 * 60_000);
    account.supply();
    expect(curveOf(account).map(({ at }) => at)).toEqual([before - 15 * 60_000]);
  });
});

describe('what may leave', () => {
  const needing = (credits: number, account: Account) => {
    const kept = { perMs: credits / account.supply().leftMs, margin: 0 };
    return { ...UNSTRETCHED, kept, deepPerMs: 0.1 };
  };

  test('others wait where only what critical watches need is left', () => {
    const { account } = anAccount();
    ask(account, 30_000);
    account.planned(needing(28_000, account));
    expect(account.admit(spend('warning'))).toBe('leave');
    for (let i = 0; i < 100; i += 1) ask(account, null);
    expect([account.admit(spend('warning')), account.admit(spend('critical'))]).toEqual(['postpone', 'leave']);
    expect(account.facts()?.counts.postponed).toEqual({ warning: 1, info: 0 });
    account.planned(needing(10_000, account));
    expect(account.admit(spend('warning'))).toBe('leave');
  });

  test('what critical watches need shrinks as the day passes', async () => {
    const { account, clock } = anAccount();
    ask(account, 30_000);
    account.planned(needing(28_000, account));
    for (let i = 0; i < 100; i += 1) ask(account, null);
    expect(account.admit(spend('info'))).toBe('postpone');
    await clock.advance(6 * HOUR);
    expect(account.admit(spend('info'))).toBe('leave');
  });

  test('second pages have a share of the plan, saved for an hour', () => {
    const { account } = anAccount();
    ask(account, 90_000);
    let pages = 0;
    for (; account.admit(spend('pages')) === 'leave'; pages += 1) ask(account, null, 'pages');
    expect(pages).toBe(Math.floor((100_000 * 0.2) / 24 / 20));
  });

  test('of lists that any contract can fill have 5 % of a day, however critical, half of it kept for named contracts', async () => {
    const { account, clock } = anAccount();
    account.planned({ ...UNSTRETCHED, deepPerMs: 1 });
    const page = (openTo: OpenList): Spend => ({ ...spend('pages', 30), severity: 'critical', openTo });
    const readAll = (openTo: OpenList): number => {
      let pages = 0;
      for (; account.admit(page(openTo)) === 'leave'; pages += 1)
        account.settle(account.leave(page(openTo)), { isCharged: true, header: null });
      return pages;
    };
    expect([readAll('any-contract'), readAll('named'), readAll('any-contract')]).toEqual([16, 17, 0]);
    let pages = 33;
    for (let minute = 1; minute < 24 * 60; minute += 1) {
      await clock.advance(60_000);
      if (minute % 60 === 0) ask(account, 90_000, 'critical');
      pages += readAll('named') + readAll('any-contract');
    }
    expect(pages * 30).toBeLessThanOrEqual(0.05 * 100_000);
    expect(pages * 30).toBeGreaterThan(0.049 * 100_000);
    expect(account.admit(spend('pages', 30))).toBe('leave');
  });

  test('of such a list are read one by one where the plan saves no more than one', () => {
    const { account } = anAccount({ plan: { ...FREE, credits: 3000 } });
    expect(account.admit({ ...spend('pages', 30), openTo: 'any-contract' })).toBe('leave');
  });

  test('known rows are read again for a tenth of the plan', async () => {
    const { account, clock } = anAccount();
    ask(account, 90_000);
    expect(account.admit(spend('sweep'))).toBe('refuse');
    let pages = 0;
    for (let hour = 0; hour < 10; hour += 1) {
      await clock.advance(HOUR);
      for (; account.admit(spend('sweep')) === 'leave'; pages += 1) ask(account, null, 'sweep');
    }
    expect(pages * 20).toBeGreaterThan(0.09 * 10 * (100_000 / 24));
    expect(pages * 20).toBeLessThanOrEqual(0.1 * 10 * (100_000 / 24));
  });

  test('watches take turns to read known rows again, so that the one that asks first does not have all of it', async () => {
    const { account, clock } = anAccount();
    ask(account, 90_000);
    const pages = new Map<string, number>();
    for (let polls = 0; polls < 60; polls += 1) {
      await clock.advance(HOUR / 6);
      for (const [watch, most] of Object.entries({ busy: 4, vault: 1, bridge: 1 }))
        for (let page = 0; page < most; page += 1) {
          const read = pages.get(watch) ?? 0;
          const spent = sweepOf(watch, `${watch} ${read}`);
          if (account.admit(spent) !== 'leave') break;
          account.settle(account.leave(spent), { isCharged: true, header: null });
          pages.set(watch, read + 1);
        }
    }
    const [busy = 0, vault = 0, bridge = 0] = ['busy', 'vault', 'bridge'].map((one) => pages.get(one));
    expect(Math.min(vault, bridge)).toBeGreaterThan(0.4 * 60);
    expect((busy + vault + bridge) * 20).toBeGreaterThan(0.09 * 10 * (100_000 / 24));
  });

  test('watches that wait for one page of a list wait as one, and its answer serves them all', async () => {
    const { account, clock } = anAccount();
    ask(account, 90_000);
    const together = Array.from({ length: 100 }, (_, n) => account.admit(sweepOf(`vault ${n}`, 'page 2')));
    expect([...together, account.admit(sweepOf('bridge', 'page 2 of another list'))]).toEqual(
      Array.from({ length: 101 }, () => 'refuse'),
    );
    await clock.advance((HOUR * 40) / 416);
    expect(account.admit(sweepOf('vault 57', 'page 2'))).toBe('leave');
    account.settle(account.leave(sweepOf('vault 57', 'page 2')), { isCharged: true, header: null });
    expect(account.admit(sweepOf('vault 57', 'page 3'))).toBe('refuse');
    expect(account.admit(sweepOf('bridge', 'page 2 of another list'))).toBe('leave');
  });

  test('a watch that stops being read holds the others up for an hour at most, and one too dear for all that is saved never', async () => {
    const { account, clock } = anAccount();
    ask(account, 90_000);
    const asks = (watch: string, price = 20): string => account.admit(sweepOf(watch, watch, price));
    expect([asks('removed', 100), asks('dear', 500), asks('vault')]).toEqual(['refuse', 'refuse', 'refuse']);
    await clock.advance(HOUR / 4);
    expect([asks('removed', 100), asks('vault')]).toEqual(['leave', 'refuse']);
    await clock.advance((3 * HOUR) / 4 + 1);
    expect([asks('dear', 500), asks('vault')]).toEqual(['refuse', 'leave']);
  });

  test('without a plan, known rows are read again for a tenth of all requests', () => {
    const { account } = anAccount({ plan: null });
    expect(account.admit(spend('sweep', 40))).toBe('refuse');
    for (let i = 0; i < 100; i += 1) ask(account, null, 'warning', 40);
    let pages = 0;
    for (; account.admit(spend('sweep', 40)) === 'leave'; pages += 1) ask(account, null, 'sweep', 40);
    expect(pages).toBe(10);
  });

  test('details of events cost a part of the period, half of which is kept for critical alerts', async () => {
    const { clock, account } = anAccount();
    const asks = (severity: 'critical' | 'warning'): string => account.admit({ ...spend('enrich', 500), severity });
    const take = (): void => {
      account.settle(account.leave(spend('enrich', 500)), { isCharged: true, header: null });
    };
    expect([asks('warning'), asks('critical')]).toEqual(['leave', 'leave']);
    for (let n = 0; n < 2; n += 1) take();
    expect([asks('warning'), asks('critical')]).toEqual(['refuse', 'leave']);
    for (let n = 0; n < 2; n += 1) take();
    expect([asks('warning'), asks('critical')]).toEqual(['refuse', 'refuse']);
    await clock.advance(DAY);
    expect([asks('warning'), asks('critical')]).toEqual(['leave', 'leave']);
  });

  test('details are refused as soon as the credits that are left are kept for critical watches', () => {
    const { account } = anAccount();
    ask(account, 10_000);
    account.planned({ ...UNSTRETCHED, kept: { perMs: 1e-9, margin: 9_000 } });
    expect(account.admit({ ...spend('enrich', 500), severity: 'critical' })).toBe('leave');
    ask(account, 9_100);
    expect(account.admit({ ...spend('enrich', 500), severity: 'critical' })).toBe('refuse');
  });

  test('a reserve is left alone, less what others have used of it', () => {
    const { account } = anAccount({ plan: { ...FREE, reservePercent: 10 } });
    ask(account, 60_000);
    expect(account.supply().keep).toBe(10_000);
    ask(account, 59_480);
    expect(account.supply().keep).toBe(9500);
  });
});

describe('what was spent since the start', () => {
  test('is counted over all periods, by class', async () => {
    const { clock, account } = anAccount();
    ask(account, 60_000);
    ask(account, 59_980, 'critical');
    account.settle(account.leave(spend('warning')), { isCharged: false, header: null });
    await clock.advance(13 * HOUR);
    ask(account, 99_960, 'critical', 40);
    expect(account.facts()?.books.spent).toMatchObject({ warning: 0, critical: 40 });
    expect(account.facts()?.counts.spent).toMatchObject({ warning: 20, critical: 60, info: 0 });
  });

  test('by others only rises, though two servers differ, and begins with none in each period', async () => {
    const { clock, account } = anAccount();
    const foreign = (): (number | undefined)[] => [
      account.facts()?.counts.foreign,
      Math.max(0, account.facts()?.books.foreign ?? NaN),
    ];
    ask(account, 60_000);
    ask(account, 59_580);
    expect(foreign()).toEqual([400, 400]);
    for (const header of [59_960, 59_940]) ask(account, header);
    expect(foreign()).toEqual([400, 0]);
    ask(account, 59_520);
    expect(foreign()).toEqual([400, 400]);
    ask(account, 59_400);
    expect(foreign()).toEqual([500, 500]);
    await clock.advance(13 * HOUR);
    ask(account, 99_980);
    expect(foreign()).toEqual([500, 0]);
    ask(account, 99_660);
    expect(foreign()).toEqual([800, 300]);
  });
});

test('retries and second pages raise what a planned page is taken to cost, up to three times', () => {
  const { account } = anAccount();
  const before = account.supply();
  for (let i = 0; i < 500; i += 1) {
    ask(account, null);
    account.leave({ ...spend('warning'), isExtra: true });
  }
  const after = account.supply();
  expect([before.k, before.kc]).toEqual([1.1, 1.1]);
  expect(after.k).toBeCloseTo(2, 1);
  expect(after.kc).toBe(1.1);
});
