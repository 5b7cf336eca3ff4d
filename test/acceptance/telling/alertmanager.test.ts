// A daemon and an Alertmanager that validates what it is shown.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from '@jest/globals';
import { postableAlerts } from '../../notifiers/services.ts';
import { run } from '../../support/cli.ts';
import { aStory, lines, rule, type Story } from '../../support/self-story.ts';
import { createWebhookSink, status, type Answer, type WebhookSink } from '../../support/sinks.ts';

const channelsAt = (origin: string): string =>
  `channels: { screen: { type: log }, am: { type: alertmanager, url: '${origin}', hold: 1h, allow: [127.0.0.1] } }\nself: [screen]`;
const RULES = `watches:\n${rule('coins', 'critical').replace('every:', 'notify: am, labels: { team: treasury }, every:')}`;

/** What was shown last, one line each. */
function shownBy({ calls }: WebhookSink): string[] {
  const body = calls.all.at(-1)?.body ?? '[]';
  return postableAlerts
    .parse(JSON.parse(body))
    .map(({ labels, annotations = {}, startsAt = '', endsAt = '' }) =>
      [labels['alertname'], labels['team'], labels['severity'], annotations['summary'], startsAt, endsAt].join(' | '),
    );
}

test('what fires is shown until its rule is gone, to the same labels; a restart shows it again, and nothing is delivered', async () => {
  await using server = await createWebhookSink(status(200));
  await using story = await aStory({ channels: channelsAt(server.origin), rules: RULES, polls: 1 });
  await story.minutes(2);
  expect(server.calls.all).toEqual([]);
  story.explorer.balance = '0';
  await story.minutes(1);
  await server.calls.reached(1);
  const [first = ''] = shownBy(server);
  expect(first).toMatch(
    /^coins\/low \| treasury \| critical \| .* \| 2026-01-01T00:0\d:\S+Z \| 2026-01-01T01:0\d:\S+Z$/,
  );
  await story.restart();
  await story.minutes(2);
  const { length } = server.calls.all;
  expect(length).toBeGreaterThan(2);
  story.folder.write('rules.yaml', RULES.replace('id: low', 'id: other'));
  expect(await story.running.reload()).toBe('config:reloaded');
  await story.minutes(2);
  const shown = shownBy(server);
  const over = shown.find((line) => line.startsWith('coins/low'))?.split(' | ') ?? [];
  expect(over.slice(0, 3)).toEqual(['coins/low', 'treasury', 'critical']);
  expect(Date.parse(over[5] ?? '')).toBeLessThan(story.running.clock.now());
  expect(shown.find((line) => line.startsWith('coins/other'))).toBeDefined();
  const config = join(story.folder.path, 'config.yaml');
  expect((await run(['deliveries', 'list', '-c', config])).out).toMatch(/^No such delivery/);
  expect(lines(story)).toEqual([]);
});

test('an alert that a reload made more severe is another one there: the former is over', async () => {
  await using server = await createWebhookSink(status(200));
  const warning = RULES.replace('critical', 'warning');
  await using story = await aStory({ channels: channelsAt(server.origin), rules: warning, polls: 1 });
  story.explorer.balance = '0';
  await story.minutes(2);
  await server.calls.reached(1);
  story.folder.write('rules.yaml', RULES);
  expect(await story.running.reload()).toBe('config:reloaded');
  await story.minutes(2);
  const now = story.running.clock.now();
  const seen = shownBy(server).map((line) => {
    const [, , severity = '', , , endsAt = ''] = line.split(' | ');
    return `${severity} ${Date.parse(endsAt) > now ? 'open' : 'over'}`;
  });
  expect(seen).toEqual(['critical open', 'warning over']);
});

/** Replaces a text in the config, and the rules; then reloads. */
async function reloads({ folder, running }: Story, [before, after]: readonly [string, string], rules: string) {
  const config = readFileSync(join(folder.path, 'config.yaml'), 'utf8');
  expect(config).toContain(before);
  folder.write('config.yaml', config.replace(before, after));
  folder.write('rules.yaml', rules);
  expect(await running.reload()).toBe('config:reloaded');
}

/** `coins/low open`, `coins/low over` */
function statesAt(server: WebhookSink, { running }: Story): string[] {
  return shownBy(server).map((line) => {
    const [name = '', , , , , endsAt = ''] = line.split(' | ');
    return `${name} ${Date.parse(endsAt) > running.clock.now() ? 'open' : 'over'}`;
  });
}

test('a channel that is renamed while an alert fires goes on showing it, also after a restart, and shows its end', async () => {
  await using server = await createWebhookSink(status(200));
  await using story = await aStory({ channels: channelsAt(server.origin), rules: RULES, polls: 1 });
  story.explorer.balance = '0';
  await story.minutes(2);
  await server.calls.reached(1);
  const [before = ''] = shownBy(server);
  await reloads(story, [' am: ', ' alerts: '], RULES.replace('notify: am', 'notify: alerts'));
  const { length } = server.calls.all;
  await story.minutes(3);
  expect(server.calls.all.length).toBeGreaterThan(length);
  expect(statesAt(server, story)).toEqual(['coins/low open']);
  expect(shownBy(server)[0]?.split(' | ').slice(0, 5)).toEqual(before.split(' | ').slice(0, 5));
  await story.restart();
  const restarted = server.calls.all.length;
  await story.minutes(2);
  expect(server.calls.all.length).toBeGreaterThan(restarted);
  expect(statesAt(server, story)).toEqual(['coins/low open']);
  story.explorer.balance = '5000000000000000000';
  await story.minutes(3);
  expect(statesAt(server, story)).toEqual(['coins/low over']);
});

test('a channel that a reload adds is shown what fires and its end, and nothing that was over before', async () => {
  await using server = await createWebhookSink(status(200));
  const gone = rule('gold', 'critical').replace('every:', 'notify: screen, every:').replace('< 1 ', '> 1 ');
  const rules = `${RULES.replace('notify: am', 'notify: screen')}${gone}`;
  const channels = channelsAt(server.origin).replace(' am: ', ' other: ');
  await using story = await aStory({ channels, rules, polls: 2 });
  await story.minutes(2);
  story.explorer.balance = '0';
  await story.minutes(3);
  expect(lines(story).map((line) => line.split(' ').slice(1, 3).join(' '))).toEqual(
    expect.arrayContaining(['gold/low FIRING', 'gold/low RESOLVED', 'coins/low FIRING']),
  );
  expect(server.calls.all).toEqual([]);
  await reloads(story, [' other: ', ' am: '], rules.replaceAll('notify: screen', 'notify: [screen, am]'));
  await story.minutes(3);
  expect(statesAt(server, story)).toEqual(['coins/low open']);
  story.folder.write('rules.yaml', rules.replace('id: coins', 'id: silver'));
  expect(await story.running.reload()).toBe('config:reloaded');
  await story.minutes(3);
  expect(statesAt(server, story)).toEqual(['coins/low over']);
});

test('a server that does not answer is told on another channel, and once it does, what fires is shown', async () => {
  const usual: { answer: Answer } = { answer: status(503) };
  await using server = await createWebhookSink((response, call) => {
    usual.answer(response, call);
  });
  await using story = await aStory({ channels: channelsAt(server.origin), rules: RULES, polls: 1 });
  story.explorer.balance = '0';
  await story.minutes(4);
  expect(lines(story)).toEqual([]);
  await story.minutes(4);
  await story.printed.reached(1);
  expect(lines(story)[0]).toMatch(
    /^CRITICAL chainwarden\/delivery-failing FIRING delivery-failing: 1 message not delivered on am - Since 00:0\d UTC\. Last answer: .*503/,
  );
  expect(await story.running.metrics()).toMatch(/chainwarden_deliveries_total\{channel="am",outcome="again"\} [1-9]/);
  usual.answer = status(200);
  await story.minutes(2);
  await story.printed.reached(2);
  expect(lines(story)[1]).toMatch(/^CRITICAL chainwarden\/delivery-failing RESOLVED /);
  expect(shownBy(server)).toEqual([expect.stringMatching(/^coins\/low /)]);
});

test('once the channel is gone nothing is shown to it any more', async () => {
  await using server = await createWebhookSink(status(200));
  await using story = await aStory({
    channels: channelsAt(server.origin),
    rules: RULES.replace('notify: am', 'notify: [screen, am]'),
    polls: 1,
  });
  story.explorer.balance = '0';
  await story.minutes(1);
  await server.calls.reached(1);
  const { folder, running } = story;
  folder.write('rules.yaml', RULES.replace('notify: am', 'notify: screen'));
  folder.write('config.yaml', readFileSync(join(folder.path, 'config.yaml'), 'utf8').replace(/, am: .* \}\n/, ' }\n'));
  expect(await running.reload()).toBe('config:reloaded');
  const { length } = server.calls.all;
  await story.minutes(5);
  expect(server.calls.all).toHaveLength(length);
  expect(lines(story).map((line) => line.split(' ').slice(0, 3).join(' '))).toEqual(['CRITICAL coins/low FIRING']);
});

test('notify test shows one alert, and says what was answered', async () => {
  await using server = await createWebhookSink(status(200));
  await using story = await aStory({ channels: channelsAt(server.origin), rules: RULES, polls: 1 });
  const said = await run(['notify', 'test', 'am', '-c', join(story.folder.path, 'config.yaml')]);
  expect(said).toMatchObject({ code: 0, out: 'am: sent: 200\n' });
  expect(shownBy(server)).toEqual([expect.stringMatching(/^sample\/notify-test \|/)]);
});
