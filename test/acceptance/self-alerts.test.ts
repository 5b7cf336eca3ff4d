// What a person is told when the daemon itself does not see, tell or load any more.
import { expect, test } from '@jest/globals';
import { runApp, serveBalances, type AppChange, type BalanceExplorer, type RunningApp } from '../support/app.ts';
import { createFolder, type Folder } from '../support/daemon.ts';
import { createInbox, createWebhookSink, status, type Arrivals } from '../support/sinks.ts';

/** Unlike most failures it is not asked about again within the same poll. */
const FORBIDDEN = 403;
const SCREEN = 'channels: { screen: { type: log } }';

const config = ({ url }: BalanceExplorer, channels = SCREEN): string => `
explorers:
  chain: { form: instance, instance_url: '${url}' }
addresses: { treasury: '0x${'11'.repeat(20)}' }
http: { listen: 127.0.0.1:0 }
rules: [rules.yaml]
${channels}
`;

const rule = (id: string, severity: string): string =>
  `  - { id: ${id}, kind: balance, of: treasury, every: 1m, alerts: [{ id: low, severity: ${severity}, while: balance < 1 }] }\n`;
const RULES = `watches:\n${rule('coins', 'warning')}${rule('gold', 'critical')}${rule('dust', 'info')}`;

interface Story extends AsyncDisposable {
  readonly explorer: BalanceExplorer;
  readonly folder: Folder;
  readonly printed: Arrivals<string>;
  readonly running: RunningApp;
  /** Stops the daemon and starts it again, on the same state file and clock. */
  restart(): Promise<void>;
  /** So many minutes, every watch polled in each. */
  minutes(count: number): Promise<void>;
}

async function aStory(
  change: AppChange & { readonly channels?: string; readonly rules?: string; readonly polls?: number } = {},
): Promise<Story> {
  await using opened = new AsyncDisposableStack();
  const { polls = 3 } = change;
  const explorer = opened.use(await serveBalances());
  const folder = opened.use(
    createFolder({ 'config.yaml': config(explorer, change.channels), 'rules.yaml': change.rules ?? RULES }),
  );
  const printed = createInbox<string>();
  const print = (line: string): Promise<void> => {
    printed.push(line);
    return Promise.resolve();
  };
  let running = await runApp(folder, { ...change, print });
  await running.polls.reached(polls);
  const all = opened.move();
  return {
    explorer,
    folder,
    printed,
    get running() {
      return running;
    },
    async restart() {
      const { clock } = running;
      await running[Symbol.asyncDispose]();
      running = await runApp(folder, { ...change, print, clock });
      await running.polls.reached(polls);
    },
    async minutes(count) {
      for (; count > 0; count -= 1) {
        const { length } = running.polls.all;
        await running.clock.advance(60_000);
        await running.polls.reached(length + polls);
      }
    },
    async [Symbol.asyncDispose]() {
      await running[Symbol.asyncDispose]();
      await all.disposeAsync();
    },
  };
}

/** The line without its time. */
function lines({ printed }: Story): string[] {
  return printed.all.map((line) => line.slice(line.indexOf(' ') + 1));
}

test('an explorer that is down is one message at the highest severity, and one when it answers again', async () => {
  await using story = await aStory();
  const { explorer, printed } = story;
  await story.minutes(1);
  Object.assign(explorer, { isDown: true, failure: FORBIDDEN });
  await story.minutes(5);
  expect(lines(story)).toEqual([]);
  await story.minutes(2);
  await printed.reached(1);
  await story.minutes(5);
  expect(lines(story)).toEqual([
    'CRITICAL chainwarden/blind FIRING blind: chain does not answer, 3 watches - ' +
      'Since 00:00 UTC: forbidden. coins, gold, dust.',
  ]);
  explorer.isDown = false;
  await story.minutes(2);
  await printed.reached(2);
  expect(lines(story)[1]).toMatch(
    /^CRITICAL chainwarden\/blind RESOLVED blind: chain does not answer, 3 watches - The watches have data again\./,
  );
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
