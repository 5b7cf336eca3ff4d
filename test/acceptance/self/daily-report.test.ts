import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from '@jest/globals';
import { run } from '../../support/cli.ts';
import { aStory, lines } from '../../support/self-story.ts';

test('once a day a person reads what was watched, over a restart, until a reload takes the report away', async () => {
  await using story = await aStory({
    channels: "channels: { screen: { type: log, format: json } }\nself: none\ndigest: { at: '00:05', notify: screen }",
  });
  const { printed, folder } = story;
  await story.minutes(4);
  await story.restart();
  expect(lines(story)).toEqual([]);
  await story.minutes(2);
  await printed.reached(1);
  await story.minutes(3);
  expect(printed.all).toHaveLength(1);
  const { data } = JSON.parse(printed.all[0] ?? '') as { readonly data: Readonly<Record<string, unknown>> };
  const { title, text, watch, alert, severity } = data;
  expect({ title, watch, alert, severity }).toEqual({
    title: 'daily report: 3 watches',
    watch: 'chainwarden',
    alert: 'daily-report',
    severity: 'info',
  });
  expect(text).toMatch(
    /^2026-01-01 00:00 to 2026-01-01 00:05 UTC\.\nchain: 3 watches, 1\d polls, \d+ requests\.\nNo list has a gap\.\nNo watch was blind\.\nMessages: 0 sent, 0 given up, none waiting\.\nNothing is held back\.\nJournal: \d+:[0-9a-f]{64}\.$/,
  );
  const file = join(folder.path, 'config.yaml');
  const [anchor = ''] = /\d+:[0-9a-f]{64}/.exec(String(text)) ?? [];
  const forged = anchor.replace(/:.*$/, `:${'0'.repeat(64)}`);
  expect((await run(['history', '-c', file, '--verify', anchor])).code).toBe(0);
  expect((await run(['history', '-c', file, '--verify', forged])).out).toMatch(/^broken at position \d+: its hash is/);
  folder.write('config.yaml', readFileSync(file, 'utf8').replace(/^digest:.*$/m, ''));
  expect(await story.running.reload()).toBe('config:reloaded');
  await story.minutes(3);
  expect(printed.all).toHaveLength(1);
});

test('what waits for the end of a mute window is in the report, by its reason', async () => {
  await using story = await aStory({
    channels:
      "channels: { screen: { type: log, format: json } }\nself: none\ndigest: { at: '00:05', notify: screen }\n" +
      "routes: [{ match: { severity: [warning, critical] }, mute: [{ from: '00:00', to: '06:00', zone: UTC }] }]",
  });
  const { explorer, printed } = story;
  explorer.balance = '0';
  await story.minutes(6);
  await printed.reached(2);
  const texts = printed.all.map((line) => (JSON.parse(line) as { data: { alert: string; text: string } }).data);
  expect(texts.map(({ alert }) => alert)).toEqual(['low', 'daily-report']);
  expect(texts[1]?.text).toContain('Held back: 2 messages (mute-window).');
});
