// A row of the state that cannot be read any more.
import { join } from 'node:path';
import { expect, test } from '@jest/globals';
import { runApp, serveBalances } from '../../support/app.ts';
import { run } from '../../support/cli.ts';
import { createFolder } from '../../support/daemon.ts';
import { onState } from '../../support/store/peek.ts';
import { isOnPostgres, stateOf } from '../../support/store/story-state.ts';

const CONFIG = `
addresses: { treasury: '0x${'11'.repeat(20)}', vault: '0x${'22'.repeat(20)}' }
self: none
channels: { screen: { type: log } }
http: { listen: 127.0.0.1:0 }
rules: [rules.yaml]
`;
const watchOf = (id: string): string =>
  `{ id: ${id}, kind: balance, of: ${id}, every: 1m, alerts: [{ id: low, while: balance < 1 }] }`;
const RULES = `watches: [${watchOf('treasury')}, ${watchOf('vault')}]\n`;

test.each([
  ['bad JSON', `state = '{"value":'`],
  ['a wrong shape', `alerts = '{"low":{"":{"type":"condition"}}}'`],
])('one damaged row (%s) stops its own watch only, says how to mend it, and is mended in place', async (_, damage) => {
  await using explorer = await serveBalances();
  const explorers = `explorers: { chain: { form: instance, instance_url: '${explorer.url}' } }`;
  using folder = createFolder({ 'config.yaml': `${explorers}${CONFIG}`, 'rules.yaml': RULES });
  {
    await using first = await runApp(folder);
    await first.polls.reached(2);
  }
  await onState(stateOf(folder), `UPDATE memory SET ${damage} WHERE watch LIKE 'treasury%'`);
  const printed: string[] = [];
  await using daemon = await runApp(folder, {
    print: (line) => {
      printed.push(line);
      return Promise.resolve();
    },
  });
  await daemon.clock.advance(60_000);
  await daemon.polls.reached(1);

  expect(daemon.polls.all).toEqual(['vault seen']);
  expect(await daemon.says('watch:memory-damaged')).toMatchObject({
    watch: 'treasury',
    why: expect.stringMatching(/damaged: .*Take it out with: chainwarden state forget 'treasury\/chain\/0x1+\/coin'$/),
  });
  const { status, body } = await daemon.readyz();
  expect([status, body]).toEqual([
    200,
    expect.stringMatching(
      /^ready\nblind: 1 of 2 watches\nchain: damaged-memory since .*: treasury \(chainwarden state forget/,
    ),
  ]);
  const config = ['-c', join(folder.path, 'config.yaml')];
  expect((await run(['status', '--watches', ...config])).out).toMatch(
    /^treasury: the stored memory is damaged[^]*?new\s+baseline\nvault: last/m,
  );
  expect(await run(['explain', 'treasury', ...config])).toMatchObject({
    code: 74,
    err: expect.stringContaining("Take it out with: chainwarden state forget 'treasury/"),
  });
  expect((await run(['plan', ...config])).code).toBe(0);

  expect(await run(['state', 'forget', 'treasury', ...config])).toEqual({
    code: 0,
    out: 'treasury: its memory is removed. The watch starts with a new baseline; messages that were sent stay as they are.\n',
    err: '',
  });
  await daemon.clock.advance(60_000);
  await daemon.polls.reached(3);
  expect(daemon.polls.all.toSorted()).toEqual(['treasury seen', 'vault seen', 'vault seen']);
  expect(await daemon.readyz()).toEqual({ status: 200, body: 'ready' });
  expect(printed).toEqual([]);
});

test('a watch that the rules lost is retired although its row is damaged, and so are the others', async () => {
  await using explorer = await serveBalances();
  const explorers = `explorers: { chain: { form: instance, instance_url: '${explorer.url}' } }`;
  using folder = createFolder({ 'config.yaml': `${explorers}${CONFIG}`, 'rules.yaml': RULES });
  {
    await using first = await runApp(folder);
    await first.polls.reached(2);
  }
  await onState(stateOf(folder), `UPDATE memory SET data = '[' WHERE watch LIKE 'treasury%'`);
  folder.write('rules.yaml', `watches: [${watchOf('vault')}]\n`);
  await using daemon = await runApp(folder);
  // A replica first waits for half a minute whether all of them run these rules.
  await daemon.clock.advance(60_000);
  expect(await daemon.says('watch:memory-damaged')).toMatchObject({
    effect: 'its memory is removed, its alerts not resolved',
  });
  await daemon.polls.reached(1);
  expect(daemon.polls.all).toEqual(['vault seen']);
});

test('what is to be forgotten is named exactly, and what was never remembered is said', async () => {
  using folder = createFolder({
    'config.yaml': `explorers: { chain: { form: sandbox } }${CONFIG}`,
    'rules.yaml': RULES.replace('of: vault', 'of: [vault, treasury]'),
  });
  const forget = (name: string) => run(['state', 'forget', name, '-c', join(folder.path, 'config.yaml')]);
  expect(await forget('valut')).toMatchObject({ code: 64, err: expect.stringContaining('Did you mean vault?') });
  expect(await forget('vault')).toMatchObject({
    code: 64,
    err: expect.stringContaining('vault matches 2 watches: name one'),
  });
  // A database has its tables from the beginning of the story.
  if (!isOnPostgres)
    expect(await forget('treasury')).toMatchObject({
      code: 74,
      err: expect.stringContaining('there is no state file'),
    });
});
