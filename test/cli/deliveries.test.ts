// What `deliveries` says of who was told, and who was not.
import { DatabaseSync } from 'node:sqlite';
import { expect, test } from '@jest/globals';
import { prepareState, type PreparedState } from '../support/store/prepared-state.ts';

const RULES = `
watches:
  - { id: coins, kind: balance, of: treasury, every: 1m, notify: [screen, night], alerts: [{ id: low, while: balance < 1, title: 'Empty \u202e' }] }
`;

/** It fired and resolved, and both channels were told. */
async function told(): Promise<PreparedState> {
  const prepared = prepareState(RULES);
  await prepared.polls('5', '0', '5');
  return prepared;
}

function change({ stateFile }: PreparedState, ...statements: readonly string[]): void {
  using db = new DatabaseSync(stateFile);
  for (const statement of statements) db.exec(statement);
}

/** The lines without the ids at their ends. */
const linesOf = (out: string): string[] =>
  out
    .trimEnd()
    .split('\n')
    .map((line) => line.replace(/ {2}[a-z2-7]{26}$/, ''));

test('lists deliveries with their recipients, the newest first', async () => {
  using prepared = await told();
  const { code, out } = await prepared.run('deliveries', 'list', '-c', prepared.config);
  expect(code).toBe(0);
  expect(linesOf(out).toSorted()).toEqual([
    '2026-01-01T00:02:00Z  sent to night: Empty \u2039U+202E\u203a: 0, below 1 (firing) - one try',
    '2026-01-01T00:02:00Z  sent to screen: Empty \u2039U+202E\u203a: 0, below 1 (firing) - one try',
    '2026-01-01T00:03:00Z  sent to night: no longer: Empty \u2039U+202E\u203a: 0, below 1; now 5 (resolved) - one try',
    '2026-01-01T00:03:00Z  sent to screen: no longer: Empty \u2039U+202E\u203a: 0, below 1; now 5 (resolved) - one try',
  ]);
  expect(linesOf(out)[0]).toContain('00:03:00');
  expect((await prepared.run('deliveries', '-c', prepared.config)).out).toBe(out);
  const limited = await prepared.run('deliveries', 'list', '-c', prepared.config, '--limit', '1', '--channel', 'night');
  expect(linesOf(limited.out)).toEqual([
    expect.stringContaining('to night: no longer: Empty ‹U+202E›: 0, below 1; now 5 (resolved)'),
  ]);
});

test('what is owed and what was given up is told with its tries, its answer and its next try', async () => {
  using prepared = await told();
  const answer = `'{"type":"again","text":"503\\u001b[2J busy"}'`;
  change(
    prepared,
    `UPDATE deliveries SET state = 'due', attempt = 3, outcome = ${answer}, settled_at = NULL,
      due_at = ${prepared.clock.now() + 90_000} WHERE channel = 'night'`,
    `UPDATE deliveries SET state = 'dead', attempt = 12, outcome = ${answer} WHERE channel = 'screen'`,
  );
  const listed = async (state: string) =>
    linesOf((await prepared.run('deliveries', 'list', '-c', prepared.config, '--state', state)).out);
  expect(await listed('owed')).toContain(
    '2026-01-01T00:02:00Z  owed to night: Empty ‹U+202E›: 0, below 1 (firing) - 3 tries: 503‹U+001B›[2J busy; next in 1m30s',
  );
  expect(await listed('given-up')).toContain(
    '2026-01-01T00:02:00Z  given up to screen: Empty ‹U+202E›: 0, below 1 (firing) - 12 tries: 503‹U+001B›[2J busy',
  );
  expect(await listed('sent')).toEqual(['No such delivery yet.']);
});

test('one delivery is shown as a whole; one that is not there says which are', async () => {
  using prepared = await told();
  const { out } = await prepared.run('deliveries', 'list', '-c', prepared.config, '--channel', 'night', '--limit', '1');
  const id = /([a-z2-7]{26})$/m.exec(out)?.[1] ?? '';
  const shown = await prepared.run('deliveries', 'show', id, '-c', prepared.config);
  expect(shown.out.split('\n')).toEqual([
    `${id}  sent`,
    '  message:  no longer: Empty ‹U+202E›: 0, below 1; now 5 (resolved)',
    '  alert:    coins/low, warning, rules.yaml:3',
    '  to:       night',
    '  decided:  2026-01-01T00:03:00Z',
    '  tries:    one try',
    '  ended:    2026-01-01T00:03:00Z',
    '  answer:   sent',
    '',
  ]);
  expect(await prepared.run('deliveries', 'show', 'nothing', '-c', prepared.config)).toEqual({
    code: 64,
    out: '',
    err:
      'chainwarden: there is no delivery nothing. Deliveries are kept for 30 days after they ended: ' +
      'chainwarden deliveries list shows them.\n',
  });
});
