// What a preview of a silence says is what such a silence does.
import { expect, test } from '@jest/globals';
import { SilencePreview } from '../../src/query/shapes/operators.ts';
import { aViewedDaemon, CONFIG, type ViewedDaemon } from '../support/web/viewed-daemon.ts';
import { operate } from '../support/store/operate.ts';

const RULES = `
watches:
  - id: coins
    kind: balance
    of: [treasury, vault]
    every: 1m
    labels: { team: payments }
    alerts:
      - { id: low, while: balance < 100, severity: critical, notify: [ops, oncall] }
      - { id: moved, on: changed, severity: info, notify: [screen] }
  - { id: gas, kind: balance, of: vault, every: 1m, alerts: [{ id: low, while: balance < 10, notify: [ops] }] }
`;
const HOUR_MS = 3_600_000;

/** Balances fall and rise; some alerts end, some go on. */
async function aDay(daemon: ViewedDaemon): Promise<void> {
  for (const [treasury, vault] of [
    ['90', '50'],
    ['200', '5'],
    ['80', '5'],
    ['80', '50'],
  ]) {
    Object.assign(daemon.shown, { treasury, vault });
    await daemon.poll(2);
    for (const channel of ['ops', 'oncall', 'screen']) await daemon.send(channel, { type: 'sent', answer: '204' });
  }
}

async function started(): Promise<ViewedDaemon> {
  const daemon = await aViewedDaemon(RULES, CONFIG);
  Object.assign(daemon.shown, { treasury: '200', vault: '200' });
  await daemon.poll();
  return daemon;
}

async function previewOf(daemon: ViewedDaemon, matchers: Record<string, string | string[]>): Promise<SilencePreview> {
  return SilencePreview.parse(await daemon.queries.previewSilence(matchers));
}

test.each<Record<string, string | string[]>>([
  { watch: 'coins' },
  { severity: '!critical' },
  { watch: 'coins', of: 'vault' },
  { alert: 'low' },
])(
  'a silence would have held back so much, and does hold it back when the day repeats itself: %j',
  async (matchers) => {
    const loud = await started();
    await aDay(loud);
    const preview = await previewOf(loud, matchers);
    expect(preview.notifications_24h).toBeGreaterThan(0);

    const silent = await started();
    const request = { key: 's', asked: 'a', actor: 'alice' };
    const [from, until] = [silent.clock.now(), silent.clock.now() + HOUR_MS];
    const change = { type: 'silence', matchers, from, until, untilResolved: false, comment: 'moved' } as const;
    const { store } = silent;
    await operate(store, change, request, { at: from });
    await aDay(silent);
    const [row] = (await silent.queries.silences()).active;
    expect(row?.held).toBe(preview.notifications_24h);
    const told = async ({ queries }: ViewedDaemon): Promise<string[]> => {
      const { items } = await queries.deliveries({ state: null, channel: null, after: null, limit: 500 });
      return items.map(({ watch, alert, transition, recipient }) =>
        [watch, alert, transition, recipient.channel].join(),
      );
    };
    const [before, now] = [await told(loud), await told(silent)];
    expect(before.length).toBeGreaterThan(now.length);
    const isSilenced = ({ watch = '', alert = '' }): boolean =>
      preview.alerts.some((one) => watch.startsWith(one.watch) && one.alert === alert && one.watches === 2);
    if (matchers['of'] === undefined)
      for (const one of now) expect(isSilenced({ watch: one.split(',')[0], alert: one.split(',')[1] })).toBe(false);
  },
);

test('the end of what was told before a silence is told, and is not counted as held back', async () => {
  const daemon = await started();
  daemon.shown['treasury'] = '90';
  await daemon.poll();
  await daemon.clock.advance(25 * HOUR_MS);
  daemon.shown['treasury'] = '200';
  await daemon.poll();
  const preview = await previewOf(daemon, { watch: 'coins', alert: 'low' });
  expect(preview).toMatchObject({ open: 0, notifications_24h: 0, critical_24h: 0, recipients_24h: 0 });
  expect(preview.alerts).toMatchObject([{ watch: 'coins', alert: 'low', watches: 2, to: ['ops', 'oncall'] }]);
});

test('what the daemon tells of itself is in a preview only where it is named, as it is in a silence', async () => {
  const daemon = await started();
  expect(await daemon.queries.previewSilence({ watch: '*', severity: '!info' })).toMatchObject({
    rules: 2,
    of_rules: 2,
  });
  const own = await previewOf(daemon, { watch: 'chainwarden' });
  expect(own).toMatchObject({ rules: 0, needs_confirm: false });
  expect(own.alerts.length).toBeGreaterThan(3);
});
