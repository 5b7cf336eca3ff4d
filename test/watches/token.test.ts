import { expect, test } from '@jest/globals';
import { run } from '../rule-tests/support/trials.ts';
import { createWorld } from '../support/world.ts';

const RULES = `
watches:
  - id: our-token
    kind: token
    token: ACME
    every: 1m
    alerts:
      - { id: flagged, while: reputation == "scam" }
      - { id: turned, on: changed, if: reputation == "scam" }
`;

test('a token that is flagged fires, and resolves when it is cleared', async () => {
  await using world = await createWorld(RULES);
  expect(await world.poll()).toEqual([]);
  world.sandbox.flagToken({ token: 'ACME' });
  expect((await world.poll()).toSorted()).toEqual(['flagged firing', 'turned event']);
  world.sandbox.flagToken({ token: 'ACME', reputation: 'ok' });
  expect(await world.poll()).toEqual(['flagged resolved']);
});

test('a field that is null is unknown: it neither fires nor resolves', async () => {
  await using world = await createWorld(RULES);
  await world.poll();
  world.sandbox.flagToken({ token: 'ACME' });
  await world.poll();
  world.sandbox.fail({ fault: 'nulls' });
  expect(await world.poll()).toEqual([]);
  expect(await world.poll()).toEqual([]);
});

test('a token that the explorer does not know is a missed poll, said once', async () => {
  const rules = RULES.replace('ACME', '0x00000000000000000000000000000000000000aa');
  await using world = await createWorld(rules);
  await world.poll();
  await world.poll();
  expect(world.log.lines.filter((line) => line === 'warn explorer:no-answer')).toHaveLength(1);
  expect(world.decisions.every(({ hasChanged }) => !hasChanged)).toBe(true);
});

test('a message names the value that changed, not one that became unknown at the same time', async () => {
  const { results } = await run(
    `
rules: token.yaml
config: ../config.yaml
tests:
  - name: the story
    watch: w
    saw:
      - { at: 0m, total_supply: 100, reputation: ok }
      - { at: 5m, total_supply: null, reputation: scam }
    expect: [{ at: 5m, alert: any, state: event, title: 'ACME reputation scam, was ok' }]
`,
    {
      'config.yaml': `
explorers: { chain: { form: sandbox } }
tokens: { ACME: '0x1111111111111111111111111111111111111111' }
channels: { screen: { type: log } }
routes: [{ notify: [screen] }]
`,
      'rules/token.yaml':
        'watches: [{ id: w, kind: token, token: ACME, every: 5m, alerts: [{ id: any, on: changed }] }]',
    },
  );
  expect(results.flatMap(({ details }) => details).join('\n')).toBe('');
});
