// Who is told: labels of rules and routes of the config, loaded together.
import { describe, expect, test } from '@jest/globals';
import { formatProblems, summarize } from '../../src/config/problem.ts';
import { labelsOf } from '../../src/core/model/watch/identity.ts';
import { loadRules, type LoadedRules } from '../../src/rules/load.ts';
import { describeTargets } from '../../src/rules/describe-targets.ts';
import { CONFIG, configOf, load, loadConfigText } from './support/load.ts';
import { testKinds } from './support/kinds.ts';

const CHANNELS = `
  payments: { type: post, url: https://payments.example.com }
  pager: { type: post, url: https://pager.example.com }
`;
const THREE = CONFIG.replace('channels:', `channels:${CHANNELS}`);
const RULES = `
defaults: { explorer: ethereum, labels: { team: treasury, tier: "1" } }
watches:
  - id: large
    kind: items
    of: hot_wallets
    labels: { team: payments }
    alerts:
      - { id: any, on: new, severity: info }
      - { id: big, on: new, if: value > 100, severity: critical, labels: { tier: "2" } }
  - id: coins
    kind: items
    of: treasury
    token: USDC
    alerts: [{ id: any, on: new }]
`;

const loadWith = (routes: string, rules = RULES): LoadedRules =>
  load({ 'rules/a.yaml': rules }, configOf(`${THREE}routes:${routes}`));

function targets(routes: string, rules = RULES): readonly string[] {
  const config = configOf(`${THREE}routes:${routes}`);
  const { watches, problems } = load({ 'rules/a.yaml': rules }, config);
  expect(problems.map(summarize)).toEqual([]);
  return describeTargets(watches, config.routes).map((line) => line.replaceAll(/ +/g, ' '));
}

function problems(routes: string, rules = RULES): readonly string[] {
  const { problems, warnings } = loadWith(routes, rules);
  return [...problems, ...warnings.filter(({ path }) => /^(?:routes|inhibit)/.test(path))].map((one) =>
    summarize(one).replace(/^\S+config.yaml:\d+:\d+ /, ''),
  );
}

describe('Labels', () => {
  test('are those of the alert, its watch and its file, and the given ones', () => {
    const { watches } = loadWith(' [{ notify: ops }]');
    const labels = watches.map((watch) => watch.alerts.map((alert) => labelsOf(watch, alert)));
    const given = { kind: 'items', explorer: 'ethereum' };
    expect(labels.at(-1)).toEqual([
      {
        ...given,
        watch: 'coins',
        alert: 'any',
        severity: 'warning',
        of: 'treasury',
        token: 'USDC',
        team: 'treasury',
        tier: '1',
      },
    ]);
    expect(labels[0]).toEqual([
      {
        ...given,
        watch: 'large',
        alert: 'any',
        severity: 'info',
        of: `0x${'1'.repeat(40)}`,
        team: 'payments',
        tier: '1',
      },
      {
        ...given,
        watch: 'large',
        alert: 'big',
        severity: 'critical',
        of: `0x${'1'.repeat(40)}`,
        team: 'payments',
        tier: '2',
      },
    ]);
  });

  test.each(['watch', 'alert', 'kind', 'severity', 'explorer', 'of', 'token'])('%s may not be written', (name) => {
    const rules = RULES.replace('team: payments', `${name}: x`);
    expect(problems(' [{ notify: ops }]', rules)).toEqual([
      `rules/a.yaml:7:15 watches[0].labels.${name}: every alert has this label already: choose another name`,
    ]);
  });
});

describe('Routes', () => {
  test('send alerts to channels by their labels', () => {
    expect(
      targets(`
  - { match: { severity: critical }, add: pager }
  - { match: { team: payments }, notify: payments }
  - { notify: [ops] }
`),
    ).toEqual([
      'large/any info notifies payments',
      'large/big critical notifies payments, pager',
      'coins/any warning notifies ops',
    ]);
  });

  test('of the instances of one watch may go to different channels', () => {
    expect(targets(' [{ match: { of: vault }, notify: ops }, { notify: payments }]')).toEqual([
      'large[0x1111…1111]/any info notifies payments',
      'large[0x2222…2222]/any info notifies payments',
      'large[vault]/any info notifies ops',
      'large[0x1111…1111]/big critical notifies payments',
      'large[0x2222…2222]/big critical notifies payments',
      'large[vault]/big critical notifies ops',
      'coins/any warning notifies payments',
    ]);
  });

  test('leave a rule its own channels, and add to them', () => {
    const rules = RULES.replace('id: coins', 'id: coins\n    notify: oncall');
    expect(targets(' [{ notify: ops, add: pager }]', rules).at(-1)).toBe('coins/any warning notifies oncall, pager');
  });

  test('are not needed where there is one channel, and may add nothing new there', () => {
    const one = CONFIG.replace('  oncall: { type: list, to: [a@example.com, b@example.com] }\n', '');
    expect(describeTargets(load({ 'a.yaml': RULES }, configOf(one)).watches, []).join()).toMatch(
      /^large\/any +info +notifies ops,/,
    );
    const config = configOf(`${one}routes: [{ match: { team: payments }, notify: ops }]`);
    expect(formatProblems(load({ 'a.yaml': RULES }, config).problems)).toBe('');
  });

  test('that lead an alert nowhere are told, with what to do', () => {
    expect(problems(' [{ match: { team: payments }, notify: ops }]')).toEqual([
      'rules/a.yaml:15:14 watches[1].alerts[0]: no notification channel is set. Write notify: one or more of payments, pager, ops, oncall, or a route that matches it.',
    ]);
  });

  test('of a channel whose secret is missing are a problem only when an alert goes there', () => {
    const secret = `${THREE.replace('url: https://pager.example.com', 'url: { env: PAGER }')}routes:`;
    const broken = load({ 'a.yaml': RULES }, configOf(`${secret} [{ notify: ops, add: pager }]`));
    expect(formatProblems(broken.problems)).toContain('PAGER');
    const spare = load({ 'a.yaml': RULES }, configOf(`${secret} [{ notify: ops }]`));
    expect(formatProblems(spare.problems)).toBe('');
  });
});

describe('A route with a mistake says where and what to do', () => {
  test.each([
    [
      '{ match: { team: paymnts }, add: ops }',
      'routes[0].match.team: no alert has team "paymnts". Did you mean payments?',
    ],
    [
      '{ match: { taem: payments }, add: ops }',
      'routes[0].match.taem: no alert has the label "taem". Did you mean team?',
    ],
    [
      '{ match: { team: [payments, tresury] }, add: ops }',
      'routes[0].match.team[1]: no alert has team "tresury". Did you mean treasury?',
    ],
    [
      "{ match: { severity: '!critcal' }, add: ops }",
      'routes[0].match.severity: no alert has severity "critcal". Did you mean critical?',
    ],
    [
      "{ match: { watch: 'coin*s-x' }, add: ops }",
      'routes[0].match.watch: no alert has watch "coin*s-x". Possible: large, coins.',
    ],
    [
      '{ match: { team: payments, watch: coins }, add: ops }',
      'routes[0].match: matches no alert. No alert has all of these labels at once.',
    ],
  ])('%s', (route, problem) => {
    expect(problems(` [${route}, { notify: ops }]`)).toEqual([problem]);
  });

  test.each(["{ severity: '!critical' }", "{ kind: '!calls' }", "{ explorer: '!gnosis' }", "{ token: '!USDC' }"])(
    '%s is none, whether or not an alert has the value',
    (match) => {
      const rules = RULES.replace('severity: critical, ', '');
      expect(problems(` [{ match: ${match}, add: pager }, { notify: ops }]`, rules)).toEqual([]);
    },
  );

  test('a route that nothing reaches is a warning, which names the lines that take its alerts', () => {
    const routes = `
  - { match: { team: payments }, notify: ops }
  - { match: { team: treasury }, notify: ops }
  - { match: { watch: large }, notify: payments }
  - { notify: payments, add: pager }
`;
    const lines = [1, 2].map((i) => `${THREE}routes:`.split('\n').length + i);
    expect(problems(routes)).toEqual([
      `routes[2].notify: never reached: line ${lines[0]} takes all`,
      `routes[3].notify: never reached: lines ${lines.join(', ')} take all`,
    ]);
    const named = RULES.replace('explorer: ethereum', 'explorer: ethereum, notify: ops');
    expect(problems(' [{ notify: payments }]', named)).toEqual([
      'routes[0].notify: never reached: every alert that it matches names its own channels',
    ]);
  });

  test('what other rules are for is no mistake where only some rules are loaded', () => {
    const config = configOf(`${THREE}routes: [{ match: { team: elsewhere }, notify: pager }, { notify: ops }]`);
    const files = [{ file: 'a.yaml', text: RULES }];
    expect(loadRules(config, files, { kinds: testKinds, isPart: true }).problems).toEqual([]);
    expect(loadRules(config, files, { kinds: testKinds }).problems).toHaveLength(1);
  });
});

test('check says who is told later, and when nobody is', () => {
  const routes = `
  - { match: { severity: critical }, escalate: [{ after: 15m, notify: pager }, { after: 1h, notify: [oncall, payments] }] }
  - { match: { team: payments }, failover: oncall, mute: [{ days: sat-sun, zone: UTC }] }
  - { notify: ops, mute: [{ from: '22:00', to: '06:00', zone: Europe/Berlin }] }
`;
  expect(targets(routes)).toEqual([
    'large/any info notifies ops; muted sat sun 00:00-24:00 UTC, daily 22:00-06:00 Europe/Berlin',
    'large/big critical notifies ops; after 15m pager; after 1h oncall, payments; where nobody is reached oncall; muted sat sun 00:00-24:00 UTC, daily 22:00-06:00 Europe/Berlin',
    'coins/any warning notifies ops; muted daily 22:00-06:00 Europe/Berlin',
  ]);
});

describe('An option of a route that can have no effect says so', () => {
  test('a label that no alert has makes no groups', () => {
    expect(problems(' [{ notify: ops, group_by: [team, taem] }]')).toEqual([
      'routes[0].group_by[1]: no alert has the label "taem". Did you mean team?',
    ]);
    expect(problems(' [{ notify: ops, group_by: token }]')).toEqual([]);
  });

  test('info alerts are never repeated', () => {
    const info = '{ match: { severity: info }, repeat: 1h, notify: pager }';
    expect(problems(` [${info}, { notify: ops }]`)).toEqual([
      'routes[0].repeat: only info alerts match, which are never repeated',
    ]);
    expect(problems(` [${info.replace('1h', 'off')}, { notify: ops, repeat: 1h }]`)).toEqual([]);
    expect(problems(' [{ match: { team: payments }, notify: ops, repeat: 1h }, { notify: ops }]')).toEqual([]);
  });

  test('an alert fails over to a channel that it does not have', () => {
    const routes = ' [{ match: { severity: critical }, failover: [oncall, pager] }, { notify: ops, add: pager }]';
    expect(problems(routes)).toEqual([
      'routes[0].failover: fails together: large/big is sent to "pager" already. Name a channel that the alert does not have.',
    ]);
    expect(problems(' [{ notify: ops, failover: pager }, { match: { team: payments }, failover: ops }]')).toEqual([]);
  });

  test('the secret of a channel that is told later has to be there at once', () => {
    const secret = `${THREE.replace('url: https://pager.example.com', 'url: { env: PAGER }')}routes:`;
    for (const route of [
      '{ notify: ops, failover: pager }',
      '{ notify: ops, escalate: [{ after: 5m, notify: pager }] }',
    ])
      expect(formatProblems(load({ 'a.yaml': RULES }, configOf(`${secret} [${route}]`)).problems)).toContain('PAGER');
  });
});

describe('Inhibition', () => {
  const muting = (inhibit: string): readonly string[] => problems(` [{ notify: ops }]\ninhibit: [${inhibit}]`);

  test('has alerts that mute, and others that are muted', () => {
    expect(muting('{ when: { alert: big }, mute: { watch: coins } }')).toEqual([]);
    expect(muting("{ when: { alert: big }, mute: { severity: '!critical' }, equal: [explorer, team] }")).toEqual([]);
  });

  test.each([
    [
      '{ when: { alert: bog }, mute: { watch: coins } }',
      'inhibit[0].when.alert: no alert has alert "bog". Did you mean big?',
    ],
    [
      '{ when: { alert: big }, mute: { wtch: coins } }',
      'inhibit[0].mute.wtch: no alert has the label "wtch". Did you mean watch?',
    ],
    [
      '{ when: { alert: big, watch: coins }, mute: { watch: coins } }',
      'inhibit[0].when: matches no alert. No alert has all of these labels at once.',
    ],
    [
      '{ when: { alert: big }, mute: { watch: coins }, equal: exploder }',
      'inhibit[0].equal: no alert has the label "exploder". Did you mean explorer?',
    ],
    [
      '{ when: { alert: big }, mute: { watch: large } }',
      'inhibit[0]: inhibits itself: large/big -> large/big. Leave the alert of when out of mute, by a label such as severity.',
    ],
    [
      '{ when: { alert: big }, mute: { watch: coins } }, { when: { watch: coins }, mute: { severity: critical } }',
      'inhibit[0]: inhibits itself: coins/any -> large/big -> coins/any. Leave the alert of when out of mute, by a label such as severity.',
    ],
  ])('%s is a mistake', (rule, problem) => {
    expect(muting(rule)).toEqual([problem]);
  });
});

test('a config without routes has none that is reported', () => {
  expect(loadConfigText(THREE).config?.routes).toEqual([]);
  expect(loadConfigText(CONFIG.replace(/ {2}oncall.*\n/, '')).config?.routes).toMatchObject([
    { path: null, notify: ['ops'] },
  ]);
});
