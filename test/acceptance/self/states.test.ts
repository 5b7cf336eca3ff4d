// Page, API, `status`, metrics and /readyz of a daemon in each of its states: one table says what is true.
import { describe, expect, test } from '@jest/globals';
import { blindIn, STATES, type LookedAtState } from '../../support/web/states.ts';
import { aStagedDaemon, type Seen } from '../../support/web/staged-daemon.ts';

describe.each(STATES.map((state) => [state.name, state] as const))('%s', (_name, state) => {
  test('is told alike by page, API, status, metrics and /readyz', async () => {
    await using daemon = await aStagedDaemon(state.before);
    await state.reach(daemon);
    // The row for `status` is at most ten seconds old.
    await daemon.pass(10);
    const seen = await daemon.look();
    expectTruth(state, seen);
    if (state.isUnwritten !== true) expectAgreement(seen);
  });
});

function expectTruth(state: LookedAtState, { api, page, status, metrics, readyz }: Seen): void {
  expect(api).toMatchObject({ ...state.api, verdict: state.verdict, headline: expect.stringMatching(state.headline) });
  expect(page).toContain(api.headline);
  for (const text of state.page ?? []) expect(page).toMatch(text);
  for (const text of state.status ?? []) expect(status).toMatch(text);
  for (const line of state.metrics ?? []) expect(metrics).toMatch(line);
  for (const text of state.readyz ?? []) expect(readyz).toMatch(text);
  const isCalm = api.verdict === 'quiet' && [api.trust.blind, api.trust.overdue].every(({ length }) => length === 0);
  if (!isCalm) expect([page, status].filter((text) => text.includes('All quiet'))).toEqual([]);
}

/** Each number stands in several places, and is the same in all. */
function expectAgreement({ api, page, status, statusApi, metrics, readyz }: Seen): void {
  const { trust } = api;
  expect(status.split('\n')[0]?.replace(/^(?:CRITICAL|WARNING): /, '')).toBe(api.headline);
  expect(page).toContain(api.detail.split('. ')[0]);
  expect(factsOf(statusApi)).toEqual(factsOf(api));
  const blind = blindIn(api);
  expect(metrics.match(/^chainwarden_watch_blind\{/gm)?.length ?? 0).toBe(blind);
  expect(numberIn(readyz, /blind: (\d+) of/)).toBe(blind);
  expect(numberIn(status, /\b(\d+) of \d+ watches are blind/)).toBe(blind);
  expect(metrics).toContain(`chainwarden_storage_writable ${trust.storage === 'works' ? 1 : 0}\n`);
  for (const { channel, rows } of trust.owed)
    expect(metrics).toContain(`chainwarden_outbox_rows{channel="${channel}"} ${rows}\n`);
  expect(/config: the last reload failed/.test(readyz)).toBe(trust.rejected !== null);
  expect(/chainwarden_config_last_reload_successful 0/.test(metrics)).toBe(trust.rejected !== null);
}

/** All but what moves on between two looks. */
function factsOf({ verdict, headline, cards, handled, trust }: Seen['api']): object {
  return {
    verdict,
    headline,
    cards: cards.map(({ watch, alert, state, alerts }) => ({ watch, alert, state, alerts })),
    handled: handled.map(({ watch, alert, state, why }) => ({ watch, alert, state, why })),
    blind: trust.blind.map(({ explorer, cause, watches, since }) => ({ explorer, cause, watches, since })),
    overdue: trust.overdue.map(({ explorer, watches }) => ({ explorer, watches })),
    heads: trust.heads
      .map(({ explorer, state }) => ({ explorer, state }))
      .toSorted((a, b) => (a.explorer < b.explorer ? -1 : 1)),
    credits: trust.credits.map((one) => one && { explorers: one.explorers, isShort: one.runs_out_at !== null }),
    owed: trust.owed.map(({ channel, rows }) => ({ channel, rows })),
    storage: trust.storage,
    isRejected: trust.rejected !== null,
    troubles: trust.troubles.map((line) => line.replace(/, asked next at .*/, '')),
    not_judged: trust.not_judged,
    given_up: trust.given_up,
  };
}

function numberIn(text: string, pattern: RegExp): number {
  return Number(pattern.exec(text)?.[1] ?? 0);
}

test('stopped: status says that no daemon runs', async () => {
  await using daemon = await aStagedDaemon();
  await daemon.pass(20);
  await daemon.running[Symbol.asyncDispose]();
  const { status, statusApi } = await daemon.status();
  expect(status).toMatch(/^No daemon runs\n/);
  expect(statusApi).toMatchObject({ verdict: 'blind', headline: 'No daemon runs', trust: { storage: null } });
});
