// What a person is told when the daemon itself does not see, tell or load any more.
import { expect, test } from '@jest/globals';
import { aStory, lines, rule, RULES } from '../../support/self-story.ts';
import { createWebhookSink, status } from '../../support/sinks.ts';
import { callApi, OPERATOR_TOKEN, readApi } from '../../support/web/api-calls.ts';

/** Unlike most failures it is not asked about again within the same poll. */
const FORBIDDEN = 403;

test('an explorer that is down is one message at the highest severity, and one when it answers again', async () => {
  await using story = await aStory();
  const { explorer, printed } = story;
  await story.minutes(1);
  Object.assign(explorer, { isDown: true, failure: FORBIDDEN });
  await story.minutes(3);
  expect(lines(story)).toEqual([]);
  await story.minutes(4);
  await printed.reached(1);
  await story.minutes(5);
  expect(lines(story)).toEqual([
    'CRITICAL chainwarden/blind FIRING blind: chain does not answer, 3 watches - ' +
      'Since 00:01 UTC: access is refused (403). Watches: coins, gold, dust.',
  ]);
  explorer.isDown = false;
  await story.minutes(2);
  await printed.reached(2);
  expect(lines(story)[1]).toMatch(
    /^CRITICAL chainwarden\/blind RESOLVED no longer: blind: chain does not answer, 3 watches - The watches have data again\./,
  );
});

test('the page of an alert about the daemon shows it as open, with its acknowledgement, until it ends', async () => {
  await using story = await aStory({
    http: 'http: { listen: 127.0.0.1:0, operators: { alice: { token: { env: ALICE } } } }',
    env: { ALICE: OPERATOR_TOKEN },
  });
  Object.assign(story.explorer, { isDown: true, failure: FORBIDDEN });
  await story.minutes(7);
  await story.printed.reached(1);
  const { body } = await readApi(story.running, '/deliveries');
  expect(body).toMatchObject({ items: [{ watch: 'chainwarden', episode: 1 }] });
  const path = `/alerts/${/"key":"(\w+)"/.exec(JSON.stringify(body))?.[1] ?? ''}/1`;
  expect((await readApi(story.running, path)).body).toMatchObject({ ended: null, ack: null });
  const acked = await callApi(story.running, { path: `${path}/acks`, body: { seq: 1, comment: 'on it' } });
  expect(acked).toMatchObject({ status: 201 });
  expect((await readApi(story.running, path)).body).toMatchObject({ ended: null, ack: { comment: 'on it' } });
  story.explorer.isDown = false;
  await story.minutes(2);
  await story.printed.reached(2);
  expect((await readApi(story.running, path)).body).toMatchObject({ ended: expect.any(String) });
});

test('a restart while an explorer is down resolves nothing, and one that works again after it does', async () => {
  await using story = await aStory();
  Object.assign(story.explorer, { isDown: true, failure: FORBIDDEN });
  await story.minutes(7);
  await story.printed.reached(1);
  story.explorer.isDown = false;
  await story.restart();
  await story.minutes(1);
  await story.printed.reached(2);
  expect(lines(story).at(-1)).toMatch(/^CRITICAL chainwarden\/blind RESOLVED /);
});

test('an edit that does not load is told with its place until it is taken back', async () => {
  await using story = await aStory();
  const { folder, running } = story;
  folder.write('rules.yaml', RULES.replace('balance <', 'balanse <'));
  expect(await running.reload()).toBe('config:rejected');
  await running.clock.advance(10_000);
  await story.printed.reached(1);
  expect(lines(story)[0]).toMatch(
    /^WARNING chainwarden\/reload FIRING reload: the config or the rules on disk are not in force - Since 00:00 UTC: rules.yaml:2:/,
  );
  folder.write('rules.yaml', RULES);
  expect(await running.reload()).toBe('config:reloaded');
  await running.clock.advance(10_000);
  await story.printed.reached(2);
  expect(lines(story)[1]).toMatch(/^WARNING chainwarden\/reload RESOLVED .* - The files on disk are in force\./);
});

/** The alert goes to a webhook, and what is wrong with the daemon to the screen. */
const postingTo = (origin: string) => ({
  channels: `channels: { screen: { type: log }, post: { type: webhook, url: '${origin}', allow: [127.0.0.1] } }\nself: screen`,
  rules: `watches:\n${rule('coins', 'critical')}`.replace('every:', 'notify: post, every:'),
  polls: 1,
});

test('a channel that refuses is told on another one with its answer, and when it takes messages again', async () => {
  await using post = await createWebhookSink(status(401, {}, 'who are you'));
  await using story = await aStory(postingTo(post.origin));
  const { explorer, printed, running } = story;
  explorer.balance = '0';
  await story.minutes(1);
  await running.says('channel:refused');
  await running.clock.advance(10_000);
  await printed.reached(1);
  expect(lines(story)[0]).toMatch(
    /^CRITICAL chainwarden\/channel-auth FIRING channel-auth: post refuses what is sent to it - Since 00:0\d UTC: .*401.*who are you/,
  );
  post.answerNext(status(204));
  await story.minutes(20);
  await running.says('delivery:sent');
  await post.calls.reached(2);
  await story.minutes(1);
  await printed.reached(2);
  expect(lines(story)[1]).toMatch(/^CRITICAL chainwarden\/channel-auth RESOLVED /);
});

test('a channel that does not take what it is sent is told after five minutes, once', async () => {
  await using post = await createWebhookSink(status(503));
  await using story = await aStory(postingTo(post.origin));
  const { explorer, printed, running } = story;
  explorer.balance = '0';
  await story.minutes(1);
  await running.says('delivery:again');
  await story.minutes(4);
  expect(lines(story)).toEqual([]);
  await story.minutes(2);
  await printed.reached(1);
  await story.minutes(30);
  expect(lines(story)).toEqual([
    expect.stringMatching(
      /^CRITICAL chainwarden\/delivery-failing FIRING delivery-failing: 1 message not delivered on post - Since 00:0\d UTC\. Last answer: .*503/,
    ),
  ]);
});
