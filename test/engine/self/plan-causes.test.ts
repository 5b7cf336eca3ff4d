import { describe, expect, test } from '@jest/globals';
import type { CreditPlanState } from '../../../src/core/model/quality/health-summary.ts';
import { createPlanCauses } from '../../../src/engine/self/plan-causes.ts';
import { plainJoined } from '../../../src/lib/untrusted.ts';
import { aPlanState } from '../../support/spending.ts';
import { loadWatches } from '../../support/world.ts';

const MINUTE = 60_000;
const NOON = Date.UTC(2026, 0, 1, 12);
const rule = (id: string, severity: string): string =>
  `  - { id: ${id}, kind: balance, of: treasury, every: 1m, alerts: [{ id: low, severity: ${severity}, while: balance < 1 }] }\n`;
const ALL = `watches:\n${rule('vault', 'critical')}${rule('coins', 'warning')}${rule('dust', 'info')}`;
const OVERDRAWN = { stretch: { critical: 1.9, warning: 20, info: 24 } } as const;
const USUAL = { critical: 1, warning: 2.1, info: 4.4 } as const;

/** One look each minute; `became`: what began or ended, with the minute. */
function aStory(rules = ALL) {
  const watches = loadWatches(rules);
  let causes = createPlanCauses();
  let minute = 0;
  let known: readonly string[] = [];
  const found = (state: Partial<CreditPlanState> | null) => {
    const plans = state === null ? [] : [aPlanState(state)];
    return causes.look({ plans, watches, now: NOON + minute * MINUTE, zone: 'UTC' });
  };
  return {
    became(state: Partial<CreditPlanState> | null, minutes: number): string[] {
      const said: string[] = [];
      for (const end = minute + minutes; minute < end; minute += 1) {
        const now = found(state).map(({ alert, severity, isExplained }) =>
          [severity, alert, ...(isExplained ? ['(explained)'] : [])].join(' '),
        );
        for (const one of now) if (!known.includes(one)) said.push(`${minute}: ${one}`);
        for (const one of known) if (!now.includes(one)) said.push(`${minute}: no ${one}`);
        known = now;
      }
      return said;
    },
    words: (state: Partial<CreditPlanState>): string[] =>
      found(state).map(({ title, text }) => `${title} - ${plainJoined(text)}`),
    isUndecided: (alert: 'plan-overdrawn' | 'plan-foreign' | 'plan-stretched'): boolean =>
      causes.isUndecided({ alert, subject: 'chain' }, NOON + minute * MINUTE),
    restart(minutes: number): void {
      causes = createPlanCauses();
      known = [];
      minute += minutes;
    },
    clockSetBack(minutes: number): void {
      minute -= minutes;
    },
  };
}

describe('critical watches that need more than there is', () => {
  test('are told of after ten minutes, and are over after thirty in which they fit', () => {
    const story = aStory();
    expect(story.became(OVERDRAWN, 8)).toEqual([]);
    expect(story.became({}, 1)).toEqual([]);
    expect(story.became(OVERDRAWN, 15)).toEqual(['19: critical plan-overdrawn']);
    expect(story.words(OVERDRAWN)).toEqual([
      'the critical watches of chain alone need more credits than are left, 1 watch - Since 12:09 UTC: they are polled 1.9 times less often. Watch less often, or take a larger plan. `chainwarden check` says what would fit.',
    ]);
    expect(story.became({}, 29)).toEqual([]);
    expect(story.became(OVERDRAWN, 1)).toEqual([]);
    expect(story.became({}, 40)).toEqual(['84: no critical plan-overdrawn']);
  });

  test('explain that others are asked less often, and are explained by credits that are used up', () => {
    const story = aStory();
    expect(story.became({ ...OVERDRAWN, usual: USUAL }, 40)).toEqual([
      '10: critical plan-overdrawn',
      '30: warning plan-stretched (explained)',
    ]);
    expect(story.became({ stretch: { critical: 24, warning: 24, info: 24 }, usual: USUAL }, 1)).toEqual([
      '40: critical credits',
      '40: critical plan-overdrawn (explained)',
      '40: no critical plan-overdrawn',
    ]);
  });

  test('without stretching: credits that end half an hour before the reset are told, at the highest severity', () => {
    const story = aStory(`watches:\n${rule('coins', 'warning')}${rule('dust', 'info')}`);
    const off = { isStretched: false, atReset: -3000 } as const;
    expect(story.became({ ...off, runsOutAt: Date.UTC(2026, 0, 1, 23, 40) }, 20)).toEqual([]);
    const short = { ...off, runsOutAt: Date.UTC(2026, 0, 1, 21, 30) };
    expect(story.became(short, 20)).toEqual(['30: warning plan-overdrawn']);
    expect(story.words(short)).toEqual([
      'the credits of chain are used up before the reset, 2 watches - Since 12:20 UTC: at the present rate none is left from 21:30 UTC until the reset at 2026-01-02 00:00 UTC. Watch less often, or take a larger plan. `chainwarden check` says what would fit, and `stretch: on` makes them last.',
    ]);
    // What is not known ends nothing.
    expect(story.became({ isStretched: false, known: null, atReset: null }, 60)).toEqual([]);
    expect(story.became({ isStretched: false }, 31)).toEqual(['130: no warning plan-overdrawn']);
  });
});

describe('other programs with the key', () => {
  test('are told of beyond the reserve and 5 % of the plan, until the reset', () => {
    const story = aStory();
    expect(story.became({ foreign: 15_000, reserve: 10_000 }, 5)).toEqual([]);
    expect(story.became({ foreign: 15_001, reserve: 10_000 }, 5)).toEqual(['5: warning plan-foreign']);
    expect(story.words({ foreign: 15_001, reserve: 10_000 })).toEqual([
      'another program uses the key of chain: 15,001 credits since 00:00 UTC - Write `reserve: 20%` in the config to reserve credits for that program, or give it another key.',
    ]);
    expect(story.words({ foreign: 15_001, isAssumed: true })).toMatchObject([
      expect.stringContaining('Write `plan: { credits: 100000, per: day, reserve: 20% }` in the config'),
    ]);
    // Servers that differ take some of it back.
    expect(story.became({ foreign: 14_900, reserve: 10_000 }, 5)).toEqual([]);
    expect(story.became({ foreign: 0, reserve: 10_000, from: NOON }, 1)).toEqual(['15: no warning plan-foreign']);
    expect(story.isUndecided('plan-foreign')).toBe(false);
  });

  test('are over after two hours without any use, and begin again with the next', () => {
    const story = aStory();
    expect(story.became({ foreign: 6000 }, 60)).toEqual(['0: warning plan-foreign']);
    expect(story.became({ foreign: 6500 }, 200)).toEqual(['180: no warning plan-foreign']);
    expect(story.became({ foreign: 6520 }, 2)).toEqual(['260: warning plan-foreign']);
  });

  test('a larger reserve, written and loaded, ends it', () => {
    const story = aStory();
    expect(story.became({ foreign: 15_000 }, 1)).toEqual(['0: warning plan-foreign']);
    expect(story.became({ foreign: 15_000, reserve: 20_000 }, 1)).toEqual(['1: no warning plan-foreign']);
  });

  test('a clock that is set back ends nothing early, and lets it end', () => {
    const story = aStory();
    expect(story.became({ foreign: 6000 }, 10)).toEqual(['0: warning plan-foreign']);
    story.clockSetBack(60);
    expect(story.became({ foreign: 6000 }, 130)).toEqual(['70: no warning plan-foreign']);
  });
});

describe('intervals that are much longer', () => {
  const LONG = { stretch: { critical: 1, warning: 3.5, info: 12.3 }, usual: USUAL } as const;

  test('than on a whole plan are told after half an hour, and are over below 0.8 of that for as long', () => {
    const story = aStory();
    expect(story.became({ stretch: { critical: 1, warning: 3.1, info: 6.5 }, usual: USUAL }, 60)).toEqual([]);
    expect(story.became(LONG, 40)).toEqual(['90: warning plan-stretched']);
    expect(story.words(LONG)).toEqual([
      '2 watches of chain are polled less often than planned: warning ×3.5, info ×12 - Since 13:00 UTC; on a whole plan: warning ×2.1, info ×4.4. Few credits are left until 2026-01-02 00:00 UTC. The page Explorers shows how they were spent. Watch less often, or take a larger plan. `chainwarden check` says what would fit.',
    ]);
    expect(story.became({ stretch: { critical: 1, warning: 2.6, info: 5.9 }, usual: USUAL }, 120)).toEqual([]);
    expect(story.became({ stretch: { critical: 1, warning: 2.1, info: 4.4 }, usual: USUAL }, 40)).toEqual([
      '250: no warning plan-stretched',
    ]);
  });

  test('of info alone are told as info', () => {
    expect(aStory().became({ stretch: { critical: 1, warning: 1.9, info: 3.6 } }, 40)).toEqual([
      '30: info plan-stretched',
    ]);
    const noInfo = `watches:\n${rule('coins', 'warning')}`;
    expect(aStory(noInfo).became({ stretch: { critical: 1, warning: 1.9, info: 3.6 } }, 40)).toEqual([]);
  });
});

test('after a restart it is not known for a while what is over, and a plan that is gone ends all', () => {
  const story = aStory();
  const all = { ...OVERDRAWN, foreign: 9000 };
  story.became(all, 60);
  story.restart(2);
  story.became({}, 1);
  for (const alert of ['plan-overdrawn', 'plan-foreign', 'plan-stretched'] as const)
    expect(story.isUndecided(alert)).toBe(true);
  // What lasts is found again, and what ended is known to be over.
  expect(story.became({ ...OVERDRAWN, usual: USUAL }, 11)).toEqual(['73: critical plan-overdrawn']);
  expect(story.isUndecided('plan-overdrawn')).toBe(true);
  expect(story.became({}, 31)).toEqual(['104: no critical plan-overdrawn']);
  expect(story.isUndecided('plan-overdrawn')).toBe(false);
  expect(story.isUndecided('plan-stretched')).toBe(false);
  expect(story.isUndecided('plan-foreign')).toBe(true);
  story.became({}, 80);
  expect(story.isUndecided('plan-foreign')).toBe(false);
  story.became(null, 1);
  expect(story.isUndecided('plan-overdrawn')).toBe(false);
});
